from collections.abc import Callable, Sequence

import numpy as np

class MachineCode:
    def __init__(
        self,
        address: int,
        in_sizes: tuple[int, ...],
        out_sizes: tuple[int, ...],
        work_size: int,
        empty: Callable[[int], np.ndarray],
    ) -> None: ...
    def __call__(self, *args: object, out: np.ndarray | Sequence[np.ndarray] | None = None) -> list[np.ndarray]: ...
    def rows(self, t: np.ndarray, y: np.ndarray, p: np.ndarray, out: np.ndarray, /) -> None: ...
