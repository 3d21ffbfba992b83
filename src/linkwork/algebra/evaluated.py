"""A small function of numbers that is called often and not worth compiling: CasADi's own evaluation, without matrices
of it on the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np


class Evaluated:
    """f(x) → y for a function of one column that gives one dense column; in microseconds instead of tens of them."""

    def __init__(self, f: ca.Function):
        self._x, self._y = np.zeros(f.nnz_in(0)), np.zeros(f.nnz_out(0))
        if self._y.size != f.numel_out(0) or f.n_in() != 1 or f.n_out() != 1:
            raise ValueError(f"{f} is not of one column, or gives not one dense one")
        made: Any = f.buffer()
        self._buffer, self._call = made  # the first keeps the function
        if self._x.size:
            self._buffer.set_arg(0, self._x.data)
        if self._y.size:
            self._buffer.set_res(0, self._y.data)

    def __call__(self, x: Sequence[float] | np.ndarray) -> np.ndarray:
        self._x[:] = x
        self._call()
        return self._y.copy()
