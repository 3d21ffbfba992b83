"""Least squares for many small systems at once: one per sample, of any rank, redundant rows allowed."""

from __future__ import annotations

import numpy as np

from linkwork.algebra import lapack
from linkwork.algebra.rank import FOLLOWED, independent_rows
from linkwork.algebra.sparse_factors import DenseFactors, SparseFactors, one_by_one, suits

WEAK = 1e-7
"""Diagonals of R below this share of the largest: the rank is then decided by singular values."""
ROOM = 2_000_000
"""Numbers in the matrices of one batch; more samples are taken in several."""


SQUARE_PART_SAMPLES = 50
"""From this many samples on it pays to look for a square part of J first."""


class Factors:
    """Pseudo-inverses of J, shape (samples, rows, columns), whose rows are first scaled to length 1.

    consistent: redundant rows say nothing new, so that rows which determine everything may stand for all of them.
    """

    def __init__(self, J: np.ndarray, *, consistent: bool = False):
        length = np.linalg.norm(J, axis=2)
        self.scale = 1 / np.where(length > 0, length, 1.0)
        J = J * self.scale[:, :, None]
        samples, rows, columns = J.shape
        self._single: list[SparseFactors | DenseFactors] = []
        astray = ~np.isfinite(J).all(axis=(1, 2))
        J[astray] = np.eye(rows, columns)
        self.scale[astray] = np.nan
        if suits(J):
            self._single = one_by_one(J)
            return
        self.inverse = np.zeros((samples, columns, rows))
        if not rows or not columns:
            return
        if consistent and samples >= SQUARE_PART_SAMPLES:
            weak = self._by_square_part(J)
        elif rows >= columns:
            weak = self._by_triangle(J)
        else:
            weak = np.ones(samples, dtype=bool)
        if weak.any():
            self.inverse[weak] = lapack.pinv(J[weak], rcond=FOLLOWED)

    def _by_square_part(self, J: np.ndarray) -> np.ndarray:
        """Fills the inverses; returns the samples for which the part that suits the first one is no good."""
        kept = independent_rows(J[0])
        if len(kept) < J.shape[2]:
            return np.ones(len(J), dtype=bool)
        try:
            inverse = np.linalg.inv(J[:, kept])
        except np.linalg.LinAlgError:  # one of them is exactly singular
            return np.ones(len(J), dtype=bool)
        self.inverse[:, :, kept] = inverse
        return ~(np.abs(inverse).max(axis=(1, 2)) < 1e-2 / WEAK)

    def _by_triangle(self, J: np.ndarray) -> np.ndarray:
        """Fills the inverses by J = QR; returns the samples whose rank is in doubt."""
        Q, R = np.linalg.qr(J)
        diagonal = np.abs(np.diagonal(R, axis1=1, axis2=2))
        weak = ~(diagonal.min(axis=1) > WEAK * diagonal.max(axis=1))
        R[weak] = np.eye(J.shape[2])
        self.inverse = np.linalg.solve(R, Q.transpose(0, 2, 1))
        return weak

    def solve(self, r: np.ndarray) -> np.ndarray:
        """The shortest x (samples, columns) that comes closest to J x = r (samples, rows)."""
        r = r * self.scale
        if self._single:
            return np.array([one.solve(right) for one, right in zip(self._single, r, strict=True)])
        return (self.inverse @ r[:, :, None])[:, :, 0]

    def solve_transposed(self, r: np.ndarray) -> np.ndarray:
        """x (samples, rows) that comes closest to Jᵀx = r (samples, columns); the shortest, each row weighed alike."""
        if self._single:
            solutions = [one.solve_transposed(right) for one, right in zip(self._single, r, strict=True)]
            return np.array(solutions) * self.scale
        return (r[:, None, :] @ self.inverse)[:, 0, :] * self.scale


def batches(samples: int, rows: int, columns: int) -> list[slice]:
    """Slices of the samples whose matrices fit into the room."""
    size = max(1, ROOM // max(rows * columns, 1))
    return [slice(i, min(i + size, samples)) for i in range(0, max(samples, 1), size)]
