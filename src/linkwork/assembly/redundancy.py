"""Constraints that say the same twice: how many are independent, and which joints share a load that rigid bodies leave
open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.algebra.rank import left_null_space, rank_of, unit_rows
from linkwork.assembly.numbers import Numbers
from linkwork.components.joint import Joint
from linkwork.core.component import Constraint

if TYPE_CHECKING:
    from linkwork.core.model import Model


REDUNDANCY_EQUATIONS = 300
"""With more equations a run does not look for redundancy by itself; `check` always does."""


def scaled(numbers: Numbers, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> np.ndarray:
    """A in the mass metric, rows of length 1."""
    return unit_rows(np.array(numbers.constraints(q, v, z)[2]) / np.sqrt(numbers.mass()))


def sharing(numbers: Numbers, A: np.ndarray, rank: int) -> list[str]:
    """Who takes part in a combination of equations which does nothing: their loads are not determined."""
    if rank == A.shape[0]:
        return []
    null = left_null_space(A)
    rows = numbers.eq.constraints.rows
    taking_part = {row.owner for row, part in zip(rows, null, strict=True) if np.abs(part).max() >= 1e-7}
    return [name for name in loaded(numbers.model) if name in taking_part]


def loaded(model: Model) -> list[str]:
    """Joints, and other constraints that tell their forces: what rolls."""
    return [
        c.name for c in model.of_type(Constraint) if isinstance(c, Joint) or type(c).held_by is not Constraint.held_by
    ]


def undetermined_reactions(model: Model, state: np.ndarray, p: np.ndarray) -> list[str]:
    """Joints and rolling contacts whose reactions rigid bodies leave open at a state; kept until the model changes."""
    key = "undetermined reactions"
    if key not in model.memory:
        numbers = Numbers(model, p)
        if len(numbers.eq.constraints.rows) > REDUNDANCY_EQUATIONS:
            return []
        q, v, z = np.split(state, [numbers.eq.q.numel(), numbers.eq.q.numel() + numbers.eq.v.numel()])
        A = scaled(numbers, q, v, z)
        model.memory[key] = sharing(numbers, A, rank_of(A))
    return model.memory[key]
