from collections.abc import Callable, Sequence

import numpy as np

TANGENT_RUNNER: int
TANGENT_WIDTH: int

def values_read(
    rows: np.ndarray, arity: np.ndarray, output: int, places: int, x: np.ndarray, y: np.ndarray, /
) -> None: ...
def first_alike(op: np.ndarray, a: np.ndarray, b: np.ndarray, kind: np.ndarray, same: np.ndarray, /) -> None: ...
def places(last: np.ndarray, needs: np.ndarray, place: np.ndarray, /) -> int: ...

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
