"""Memory and code on a graphics card, through CuPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.integrate.native import binding


def library() -> Any:
    """The module cupy."""
    try:
        import cupy
    except ImportError as error:
        raise LinkworkError(
            "graphics cards are reached through CuPy, which is not installed.",
            remedy="pip install linkwork[cuda], or run on the processor.",
        ) from error
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError:
        count = 0
    if not count:
        raise LinkworkError("there is no graphics card that CUDA finds.", remedy="Run on the processor.")
    return cupy


class DeviceMemory:
    """Arrays on the card: one number of all cases together."""

    case_first = False

    def __init__(self) -> None:
        self._cupy = library()
        self._kept: list[Any] = []
        self.named: dict[str, Any] = {}

    def keep(self, array: np.ndarray) -> int:
        if not array.size:
            return 0
        self._kept.append(self._cupy.asarray(np.ascontiguousarray(array)))
        return int(self._kept[-1].data.ptr)

    def room(self, name: str, shape: tuple[int, ...], dtype: type, fill: float) -> int:
        self.named[name] = self._cupy.full(shape, fill, dtype=dtype)
        return int(self.named[name].data.ptr) if self.named[name].size else 0

    def get(self, name: str) -> np.ndarray:
        return np.asarray(self.named[name].get())


class Module:
    """Compiled text; kernels take their batch from constant memory."""

    def __init__(self, text: str):
        self._cupy = library()
        self._module = self._cupy.RawModule(code=text, options=("-std=c++17",), backend="nvrtc")

    def load(self, batch: binding.Batch) -> None:
        place = self._module.get_global("lw_the_batch")
        data = np.frombuffer(bytes(batch), dtype=np.uint8)
        place.copy_from_host(data.ctypes.data, data.size)

    def run(self, name: str, count: int, threads: int, *arguments: Any) -> None:
        """One thread for each of `count`."""
        blocks = -(-count // threads)
        self._module.get_function(name)((blocks,), (threads,), arguments)

    def seconds(self, name: str, count: int, threads: int) -> float:
        """Of one run, measured by the card itself."""
        events = [self._cupy.cuda.Event() for _ in range(2)]
        events[0].record()
        self.run(name, count, threads)
        events[1].record()
        events[1].synchronize()
        return float(self._cupy.cuda.get_elapsed_time(*events)) / 1000
