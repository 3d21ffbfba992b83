"""Runs on a graphics card what gpu.py has written into this folder; needs NumPy and CuPy, not linkwork.

    python card.py [--cases 540672]

Steps per second of all cases together, the largest difference from the processor in the first of them (by the largest
state), and the share of the card's arithmetic that the right-hand sides take: operations of their streams, a product
and a sum counted as two even where they become one instruction, over 2 · multiprocessors · units · clock.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import cupy
import numpy as np

THREADS = 128
UNITS = {"double": 64, "float": 128}
"""Arithmetic units of a multiprocessor (Hopper)."""


class Job:
    """One text and its data, on the card."""

    def __init__(self, path: Path, cases: int):
        data = np.load(path.with_suffix(".npz"))
        self.meta: dict[str, Any] = json.loads(str(data["meta"]))
        own = self.meta["cases"]
        self.cases, self.reference = cases, data["reference"]
        batch = data["batch"].copy()
        self.kept: list[Any] = []
        self.rooms: dict[str, Any] = {}
        for offset, (kind, key) in self.meta["addresses"].items():
            if kind == "put":
                array = data[key]
                if array.ndim == 2 and array.shape[1] == own:
                    array = np.tile(array, -(-cases // own))[:, :cases]
                self.kept.append(cupy.asarray(np.ascontiguousarray(array)))
            else:
                shape, dtype, fill = self.meta["rooms"][key]
                self.kept.append(cupy.full([cases if n == own else n for n in shape], fill, dtype=dtype))
                self.rooms[key] = self.kept[-1]
            _write(batch, int(offset), self.kept[-1].data.ptr if self.kept[-1].size else 0)
        for offset, factor in self.meta["sizes"].items():
            _write(batch, int(offset), factor * cases)
        self.module = cupy.RawModule(code=path.read_text(encoding="utf-8"), options=("-std=c++17",))
        self.module.get_global("lw_the_batch").copy_from_host(batch.ctypes.data, batch.size)
        self.kernel = self.module.get_function("lw_run")

    def seconds(self) -> float:
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        self.kernel((-(-self.cases // THREADS),), (THREADS,), ())
        end.record()
        end.synchronize()
        return float(cupy.cuda.get_elapsed_time(begin, end)) / 1000

    def difference(self) -> float:
        """From the processor; states are moved onto the constraints first, as they are there."""
        if self.meta["projects"]:
            rows = self.cases * self.reference.shape[1]
            arguments = (np.uint64(0), np.int32(0), np.int32(1), np.uint64(0), np.int64(0))
            self.module.get_function("lw_channels")((-(-rows // THREADS),), (THREADS,), arguments)
        count = len(self.reference)
        found = np.moveaxis(self.rooms["samples"][:, :, :count].get(), 2, 0)
        return float(np.abs(found - self.reference).max() / np.abs(self.reference).max())


def _write(batch: np.ndarray, offset: int, value: int) -> None:
    batch[offset : offset + 8] = np.frombuffer(np.int64(value).tobytes(), dtype=np.uint8)


def run(folder: Path, cases: int) -> None:
    card = cupy.cuda.runtime.getDeviceProperties(0)
    clock = cupy.cuda.runtime.deviceGetAttribute(13, 0) * 1e3  # Hz
    print(f"card      {card['name'].decode()}, {card['multiProcessorCount']} multiprocessors, {clock / 1e9:.2f} GHz")
    print(f"cases     {cases}\n")
    head = f"{'':30} {'solver':7} {'real':7} {'registers':>9} {'stack':>6} {'seconds':>8} {'steps/s':>9} {'done':>7}"
    print(f"{head} {'difference':>11} {'share':>6}")
    for path in sorted(folder.glob("*.cu")):
        job = Job(path, cases)
        taken = min(job.seconds() for _ in range(3))
        steps = int(job.rooms["counters"].sum())
        done = float((job.rooms["status"] == 1).mean())
        meta, kernel = job.meta, job.kernel
        peak = 2 * card["multiProcessorCount"] * UNITS[meta["real"]] * clock
        share = steps / taken * meta["operations"] / peak
        left = f"{meta['name']:30} {meta['solver']:7} {meta['real']:7} {kernel.num_regs:9} {kernel.local_size_bytes:6}"
        right = f"{taken:8.3f} {steps / taken:9.2e} {done:7.1%} {job.difference():11.1e} {share:6.1%}"
        print(f"{left} {right}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=132 * 4096)
    run(Path(__file__).parent, parser.parse_args().cases)
