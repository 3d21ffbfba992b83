"""Accelerations and multipliers of a constrained system, as numbers."""

from __future__ import annotations

import numpy as np

from linkwork.algebra import lapack
from linkwork.algebra.rank import Motions
from linkwork.core.errors import ModelError


class Dynamics:
    """M a + Aᵀλ = f, A a = γ as numbers, for any rank of A; M may be singular where A forbids to move."""

    def __init__(self, M: np.ndarray, f: np.ndarray, A: np.ndarray, gamma: np.ndarray, name: str):
        self.M, self.f, self.gamma = M, f, gamma
        self.motions = Motions(A)
        Z = self.motions.free
        self._reduced = Z.T @ M @ Z
        if Z.shape[1]:
            values = lapack.eigvalsh(self._reduced)
            if values[0] <= 1e-14 * values[-1]:
                raise ModelError(
                    "there is a free motion that moves no mass.",
                    component=name,
                    remedy="Give the bodies behind it mass and inertia, or remove the coordinate.",
                )

    def solve(self, r: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(a, λ) of M a + Aᵀλ = r, A a = c; one column per case. Of redundant rows the least multipliers."""
        Z = self.motions.free
        a = self.motions.least(c)
        if Z.shape[1]:
            a = a + Z @ np.linalg.solve(self._reduced, Z.T @ (r - self.M @ a))
        return a, self.motions.multipliers(r - self.M @ a)

    def accelerations(self) -> tuple[np.ndarray, np.ndarray]:
        """a and λ at the state itself, shapes (speeds,) and (rows,)."""
        a, multipliers = self.solve(self.f, self.gamma)
        return a.ravel(), multipliers.ravel()

    def magnitude(self, r: np.ndarray, c: np.ndarray) -> np.ndarray:
        """How large the terms are that the accelerations are summed from, for right sides of size r and c."""
        Z = np.abs(self.motions.free)
        pushed = np.abs(self.motions.least(np.eye(c.shape[0]))) @ c
        if not Z.shape[1]:
            return pushed
        return pushed + Z @ (np.abs(np.linalg.inv(self._reduced)) @ (Z.T @ (r + np.abs(self.M) @ pushed)))
