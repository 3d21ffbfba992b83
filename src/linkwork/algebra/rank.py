"""Rank in one place: what counts as zero, and what a matrix determines, leaves free and carries."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.algebra import lapack
from linkwork.core.threads import alone

RANK = 1e-9
"""Singular values and pivots up to this share of the largest count as zero, where rows have length 1: constraints of a
mechanism in a position that was found to 1e-10 or better."""
FOLLOWED = 1e-10
"""The same along a motion, where positions are found to rounding: so near to a dead centre it may come."""
MIXED = 1e-12
"""The same where entries have masses or units of their own (responses of contacts, KKT matrices, laws of bond graphs):
these differ by orders of magnitude without being dependent, so that only rounding counts as zero."""
IN_TURN = 1e-7
"""Share of a row that those before it must leave over for it to count, where rows are taken in turn: without pivoting
the rest of a dependent row is rounding divided by how well those before it are separated."""


def unit_rows(A: np.ndarray) -> np.ndarray:
    """Rows of length 1, or 0; one matrix or several."""
    size = np.linalg.norm(A, axis=-1, keepdims=True)
    return A / np.where(size > 0, size, 1.0)


def rank_of(A: np.ndarray, tolerance: float = RANK) -> int:
    """By singular values."""
    return _count(lapack.svd(A, compute_uv=False), tolerance) if A.size else 0


def column_space(A: np.ndarray, tolerance: float = RANK) -> np.ndarray:
    """Orthonormal columns that span those of A."""
    U, s, _ = lapack.svd(A, full_matrices=False)
    return U[:, : _count(s, tolerance)]


def null_space(A: np.ndarray, tolerance: float = RANK) -> np.ndarray:
    """Orthonormal columns that A maps to zero; its rows may have any length."""
    if not A.size:
        return np.eye(A.shape[1])
    _, s, V = lapack.svd(unit_rows(A))
    return V[_count(s, tolerance) :].T


def left_null_space(A: np.ndarray, tolerance: float = RANK) -> np.ndarray:
    """Orthonormal columns of combinations of rows that do nothing, xᵀA = 0."""
    U, s, _ = lapack.svd(A)
    return U[:, _count(s, tolerance) :]


def independent_rows(rows: np.ndarray, sizes: np.ndarray | None = None) -> list[int]:
    """Indices of rows that add a direction to those before them; sizes: what length counts as 1, default 1."""
    sizes = np.ones(len(rows)) if sizes is None else sizes
    basis, kept = np.zeros((0, rows.shape[1])), []
    for k, row in enumerate(rows):
        rest = row - basis.T @ (basis @ row)
        rest = rest - basis.T @ (basis @ rest)
        if np.linalg.norm(rest) > IN_TURN * max(sizes[k], 1e-300):
            basis = np.vstack([basis, rest / np.linalg.norm(rest)])
            kept.append(k)
    return kept


def least_squares(A: Any, r: np.ndarray, tolerance: float = RANK) -> np.ndarray:
    """The shortest x that comes closest to A x = r."""
    return lapack.lstsq(A, r, rcond=tolerance)[0]


def pivoted(A: np.ndarray, tolerance: float = RANK) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Q, R, order and rank of A P = Q R: the first columns in this order are independent."""
    from scipy.linalg import qr

    if not A.size:
        return np.eye(A.shape[0]), np.zeros(A.shape), np.arange(A.shape[1]), 0
    alone(A.size)
    Q, R, order = qr(A, pivoting=True, check_finite=False)
    return Q, R, order, _count(np.abs(np.diag(R)), tolerance)


def _count(sizes: np.ndarray, tolerance: float) -> int:
    return int(np.sum(sizes > tolerance * max(sizes.max(initial=0.0), 1e-300)))


class Motions:
    """The matrix A of A v = b, taken apart by AᵀP = Q R. Rows that depend on others are recognised, and left to these.

    free: columns span the speeds that the rows allow, orthonormal, shape (speeds, freedoms);
    idle: columns span the multipliers that do nothing (Aᵀλ = 0), shape (rows, redundant rows).
    """

    def __init__(self, A: np.ndarray, tolerance: float = RANK):
        from scipy.linalg import solve_triangular

        rows, columns = A.shape
        size = np.linalg.norm(A, axis=1) if columns else np.zeros(rows)
        # A row of rounding errors must not be scaled up to one that counts.
        largest = size.max(initial=0.0) or 1.0
        self._size = np.where(size > tolerance * largest, size, largest)[:, None]
        self._A = A / self._size
        Q, R, order, r = pivoted(self._A.T, tolerance)
        pivots, self.rank = np.abs(np.diag(R)), r
        self.sharpness = float(pivots[:r].min() / pivots[:r].max()) if r else 1.0
        """Smallest pivot that counts, as a share of the largest: next to a singular position it is small."""
        self._held, self._Q, self._R = order[:r], Q[:, :r], R[:r, :r]
        self.free = Q[:, r:]
        self.idle = np.zeros((rows, rows - r))
        self.idle[order[r:]] = np.eye(rows - r)
        if r:
            self.idle[self._held] = -solve_triangular(self._R, R[:r, r:])
        self.idle /= self._size

    def least(self, b: np.ndarray) -> np.ndarray:
        """The shortest x with A x = b in the independent rows; b has one column per case."""
        from scipy.linalg import solve_triangular

        if not self.rank:
            return np.zeros((self._Q.shape[0], b.shape[1]))
        return self._Q @ solve_triangular(self._R, (b / self._size)[self._held], trans="T", check_finite=False)

    def multipliers(self, f: np.ndarray) -> np.ndarray:
        """λ with Aᵀλ = f, as well as it can be solved; 0 for dependent rows; f has one column per case."""
        from scipy.linalg import solve_triangular

        multipliers = np.zeros((self._size.size, f.shape[1]))
        if self.rank:
            multipliers[self._held] = solve_triangular(self._R, self._Q.T @ f, check_finite=False)
        return multipliers / self._size

    def missed(self, b: np.ndarray) -> float:
        """How far A x = b stays unsolved in dependent rows, as a share of b."""
        scaled = b / self._size
        largest = np.abs(scaled).max(initial=0.0)
        return float(np.abs(scaled - self._A @ self.least(b)).max(initial=0.0) / largest) if largest else 0.0
