"""What a constraint matrix leaves free and what it carries, for any rank: one decomposition, AᵀP = Q R by pivoting."""

from __future__ import annotations

import numpy as np

RANK = 1e-9
"""Pivots up to this share of the largest count as zero; rows are scaled to length 1 before."""


class Motions:
    """The matrix A of A v = b, taken apart. Rows that depend on others are recognised, and left to these.

    free: columns span the speeds that the rows allow, orthonormal, shape (speeds, freedoms);
    idle: columns span the multipliers that do nothing (Aᵀλ = 0), shape (rows, redundant rows).
    """

    def __init__(self, A: np.ndarray, tolerance: float = RANK):
        from scipy.linalg import qr, solve_triangular

        rows, columns = A.shape
        size = np.linalg.norm(A, axis=1) if columns else np.zeros(rows)
        # A row of rounding errors must not be scaled up to one that counts.
        largest = size.max(initial=0.0) or 1.0
        self._size = np.where(size > tolerance * largest, size, largest)[:, None]
        self._A = A / self._size
        if A.size:
            Q, R, order = qr(self._A.T, pivoting=True, check_finite=False)
        else:
            Q, R, order = np.eye(columns), np.zeros((columns, rows)), np.arange(rows)
        pivots = np.abs(np.diag(R))
        self.rank = r = int(np.sum(pivots > tolerance * max(pivots.max(initial=0.0), 1e-300)))
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

        found = np.zeros((self._size.size, f.shape[1]))
        if self.rank:
            found[self._held] = solve_triangular(self._R, self._Q.T @ f, check_finite=False)
        return found / self._size

    def missed(self, b: np.ndarray) -> float:
        """How far A x = b stays unsolved in dependent rows, as a share of b."""
        scaled = b / self._size
        largest = np.abs(scaled).max(initial=0.0)
        return float(np.abs(scaled - self._A @ self.least(b)).max(initial=0.0) / largest) if largest else 0.0
