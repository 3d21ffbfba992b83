"""Which modes an input reaches; with Aᵀ and Cᵀ, which an output shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.algebra import lapack
from linkwork.algebra.rank import column_space, left_null_space
from linkwork.analyses.linearization.modes import balance

DEFECTIVE = 1e-7
"""Share of the size of A by which an eigenvalue that several coincide in may be off: half the digits are lost."""


@dataclass(frozen=True)
class Hidden:
    """A mode that stays as it is, whatever is done."""

    eigenvalue: complex
    shares: np.ndarray
    """Of each state, 0 to 1."""
    accuracy: float

    def leaders(self, names: Sequence[str]) -> str:
        """The states that take part most, at most three of them."""
        order = np.argsort(-self.shares, kind="stable")
        return ", ".join(names[k] for k in order[:3] if self.shares[k] >= 0.3 * self.shares[order[0]])


def unreached(A: np.ndarray, B: np.ndarray) -> list[Hidden]:
    """Modes of ẋ = A x + B u that no u moves: those outside of the smallest space that holds B and is kept by A."""
    if not A.size:
        return []
    balanced, scale = balance(A)
    size = max(float(np.linalg.norm(balanced)), 1e-300)
    reached = _units(B / scale[:, None])
    while True:
        wider = column_space(np.hstack([reached, _units(balanced @ reached / size)])) if reached.size else reached
        if wider.shape[1] == reached.shape[1]:
            break
        reached = wider
    outside = left_null_space(reached) if reached.shape[1] else np.eye(len(A))
    values, vectors = lapack.eig(outside.T @ balanced.T @ outside)
    shares = np.abs(outside @ vectors)
    accuracy = DEFECTIVE * size
    return [
        Hidden(complex(value), shares[:, k] / shares[:, k].max(), accuracy)
        for k, value in enumerate(values)
        if value.imag >= 0
    ]


def _units(columns: np.ndarray) -> np.ndarray:
    """Columns of length 1, those of zeros left out."""
    size = np.linalg.norm(columns, axis=0)
    return columns[:, size > 0] / size[size > 0]
