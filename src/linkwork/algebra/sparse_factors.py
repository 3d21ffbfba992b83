"""Least squares for large sparse systems, one per sample: the augmented matrix [1 J; Jᵀ 0] by sparse LU."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.algebra import lapack
from linkwork.algebra.rank import FOLLOWED

SPARSE_UNKNOWNS = 120
"""From this many unknowns on sparse factors are quicker than dense ones."""
SPARSE = 0.1
"""Largest share of nonzeros for which they are."""
WEAK = 1e-11
"""Smallest pivot relative to the largest; below, singular values decide about the rank."""


def suits(J: np.ndarray) -> bool:
    """Whether J (samples, rows, columns) is large, sparse, and has enough rows to determine everything."""
    samples, rows, columns = J.shape
    return bool(samples) and rows >= columns >= SPARSE_UNKNOWNS and np.count_nonzero(J[0]) < SPARSE * rows * columns


class SparseFactors:
    """Factors of J (rows, columns) of full column rank, rows of length 1. Raises `ValueError` for a lower rank."""

    def __init__(self, J: np.ndarray):
        from scipy.sparse import bmat, csc_matrix, identity
        from scipy.sparse.linalg import splu

        lapack.finite(J)
        self.rows = len(J)
        sparse = csc_matrix(J)
        try:
            self._lu: Any = splu(bmat([[identity(self.rows), sparse], [sparse.T, None]], format="csc"))
        except RuntimeError as error:  # exactly singular
            raise ValueError("the rank is too low") from error
        pivots = np.abs(self._lu.U.diagonal())
        if not pivots.min() > WEAK * pivots.max():
            raise ValueError("the rank is in doubt")

    def solve(self, r: np.ndarray) -> np.ndarray:
        """x that comes closest to J x = r: r = y + J x with Jᵀy = 0."""
        return self._lu.solve(np.concatenate([r, np.zeros(self._lu.shape[0] - self.rows)]))[self.rows :]

    def solve_transposed(self, r: np.ndarray) -> np.ndarray:
        """The shortest x with Jᵀx = r: it is a combination of the columns of J."""
        return self._lu.solve(np.concatenate([np.zeros(self.rows), r]))[: self.rows]


class DenseFactors:
    """The same by singular values, for any rank."""

    def __init__(self, J: np.ndarray):
        self.inverse = lapack.pinv(J, rcond=FOLLOWED)

    def solve(self, r: np.ndarray) -> np.ndarray:
        return self.inverse @ r

    def solve_transposed(self, r: np.ndarray) -> np.ndarray:
        return r @ self.inverse


def one_by_one(J: np.ndarray) -> list[SparseFactors | DenseFactors]:
    """Factors of each sample."""
    factors: list[SparseFactors | DenseFactors] = []
    for matrix in J:
        try:
            factors.append(SparseFactors(matrix))
        except ValueError:
            factors.append(DenseFactors(matrix))
    return factors
