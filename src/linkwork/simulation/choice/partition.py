"""Choice of independent speeds by pivoting, or as the user wants them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.algebra.rank import pivoted
from linkwork.core.equations import Equations
from linkwork.core.errors import ModelError, UnknownName
from linkwork.formulations.partition import Partition

if TYPE_CHECKING:
    from linkwork.core.model import Model

NOISE = 1e-12
"""Length of a row of A, relative to the longest, below which it counts as zero."""


def choose_partition(
    eq: Equations, t: float, y: np.ndarray, p: np.ndarray, wanted: tuple[str, ...] | None, model: Model
) -> Partition:
    """Independent speeds: those that change the others least (pivoting), or those the user names."""
    A, mass = eq.at(p, t).values(y, eq.constraints.jacobian, ca.diag(eq.motion.mass))
    A = A / np.sqrt(np.where(mass > 0, mass, 1.0).ravel())
    size = np.linalg.norm(A, axis=1, keepdims=True)
    # Rows that redundant constraints leave as rounding noise would be scaled up to equations that are none.
    A = np.where(size > NOISE * size.max(initial=0.0), A / np.where(size > 0, size, 1), 0.0)
    n = A.shape[1]
    _, _, order, rank = pivoted(A)
    free = sorted(int(k) for k in order[rank:]) if wanted is None else _indices(eq, wanted, n - rank, model)
    bound = [k for k in range(n) if k not in free]
    _, R, row_order, _ = pivoted(A[:, bound].T)
    diagonal = np.abs(np.diag(R))
    if len(bound) and (diagonal.size < len(bound) or diagonal[len(bound) - 1] < 1e-6 * diagonal[0]):
        names = [eq.states.speed_names[k] for k in free]
        others = ", ".join(eq.states.speed_names[int(k)] for k in sorted(order[rank:]))
        raise ModelError(
            f"{', '.join(names)} cannot be independent coordinates here: with them given, others stay undetermined.",
            component=model.name,
            remedy=f"Take {others}, or leave the choice out.",
        )
    return Partition(tuple(free), tuple(sorted(int(k) for k in row_order[: len(bound)])))


def _indices(eq: Equations, wanted: tuple[str, ...], needed: int, model: Model) -> list[int]:
    for name in wanted:
        if name not in eq.states.speed_names:
            raise UnknownName("independent coordinate", name, eq.states.speed_names, component=model.name)
    if len(wanted) != needed:
        raise ModelError(
            f"has {needed} degrees of freedom, but {len(wanted)} independent coordinates are given.",
            component=model.name,
            remedy=f"Choose {needed} of {', '.join(eq.states.speed_names)}.",
        )
    return sorted(eq.states.speed_names.index(name) for name in wanted)
