"""Generalised coordinates that move no mass: the mass matrix would be singular (SYM (8))."""

from __future__ import annotations

import numpy as np

from linkwork.algebra.rank import null_space
from linkwork.assembly.numbers import Numbers
from linkwork.core.errors import ModelError


def check_variables(numbers: Numbers, q: np.ndarray, z: np.ndarray) -> None:
    """Refuse a start where some motion the constraints allow moves no body."""
    eq, rest = numbers.eq, np.zeros(numbers.eq.v.numel())
    if eq.v.numel() > 400:
        return
    _, _, A = numbers.constraints(q, rest, z)
    massive = eq.v.numel() - len(numbers.variables)  # bodies come first
    rows = np.vstack([np.array(A), np.eye(eq.v.numel())[:massive]])
    still = null_space(rows).T
    if not still.size:
        return
    names = [v.name for v in numbers.variables]
    idle = [name for name, part in zip(names, still[:, massive:].T, strict=True) if np.abs(part).max() > 1e-6]
    never = [name for name, column in zip(names, np.array(A)[:, massive:].T, strict=True) if not np.any(column)]
    if never:
        raise ModelError(
            "moves nothing: no position and no condition depends on it, so the mass matrix is singular.",
            component=", ".join(never),
            remedy="Use it in a position matrix, or take it out.",
        )
    raise ModelError(
        "can change without moving any mass here, so the mass matrix is singular.",
        component=", ".join(idle),
        remedy="Two coordinates may describe one motion (take one out or add a condition), or the start is a singular "
        "position: start elsewhere.",
    )
