"""Gaussian elimination with its operations unrolled, for small matrices that are not symmetric."""

from __future__ import annotations

import casadi as ca

from linkwork.geometry import SX


class Factors:
    """L U of a square matrix in the order given, without pivoting; zeros are skipped."""

    def __init__(self, matrix: SX):
        self.n = matrix.shape[0]
        pattern = matrix.sparsity()
        columns = range(self.n)
        self.rows: list[dict[int, SX]] = [{j: matrix[i, j] for j in columns if pattern.has_nz(i, j)} for i in columns]
        for k, pivot in enumerate(self.rows):
            for row in self.rows[k + 1 :]:
                if k not in row:
                    continue
                row[k] = row[k] / pivot[k]
                for j, x in pivot.items():
                    if j > k:
                        row[j] = row.get(j, SX(0)) - row[k] * x

    def solve(self, rhs: SX) -> SX:
        """The column x with L U x = rhs."""
        x = [rhs[i] for i in range(self.n)]
        for i, row in enumerate(self.rows):
            for j, factor in row.items():
                if j < i:
                    x[i] = x[i] - factor * x[j]
        for i in reversed(range(self.n)):
            for j, factor in self.rows[i].items():
                if j > i:
                    x[i] = x[i] - factor * x[j]
            x[i] = x[i] / self.rows[i][i]
        return ca.vertcat(*x)
