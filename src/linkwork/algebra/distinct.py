"""Which values there are in an array, and where: NumPy's `unique` for plain arrays.

The first call of that one loads masked arrays, 20 ms that a short run has no other use for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Distinct(NamedTuple):
    """values: in rising order; first: where each comes first; which: for every element, which value it is; counts: how
    often each is there."""

    values: np.ndarray
    first: np.ndarray
    which: np.ndarray
    counts: np.ndarray


def distinct(given: np.ndarray) -> Distinct:
    """Of an array with one axis and without NaN."""
    order = np.argsort(given, kind="stable")
    rising = given[order]
    new = np.ones(rising.size, dtype=bool)
    new[1:] = rising[1:] != rising[:-1]
    begin = np.flatnonzero(new)
    which = np.empty(rising.size, dtype=np.int64)
    which[order] = np.cumsum(new) - 1
    return Distinct(rising[begin], order[begin], which, np.diff(begin, append=rising.size))
