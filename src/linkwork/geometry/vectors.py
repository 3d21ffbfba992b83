"""Vectors of space as 3×1 CasADi SX columns. Literal zeros stay literal, so that planar rows vanish by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import casadi as ca
import numpy as np

from linkwork.geometry import quick

SX = ca.SX
quick.install()
Number: TypeAlias = float | SX
"""A number, or an expression."""
Vector: TypeAlias = Sequence[Number] | np.ndarray | SX
"""2 (plane) or 3 components, numbers or expressions."""


def is_scalar(x: Any) -> bool:
    """Whether x is one number or one symbol."""
    if isinstance(x, (SX, ca.DM, ca.MX)):
        return bool(x.numel() == 1)
    return not isinstance(x, (list, tuple)) and np.ndim(x) == 0


def as_vector(components: Any) -> SX:
    """A 3×1 column from 2 (z = 0) or 3 components, numbers or symbols."""
    if isinstance(components, (SX, ca.DM)):
        column = ca.densify(SX(components))
        parts: list[SX] = [column[i] for i in range(column.numel())]
    else:
        given = list(components)
        if len(given) in (2, 3) and not any(isinstance(c, SX) for c in given):  # at once
            return SX(np.array([*map(float, given), 0.0][:3]))
        parts = [c if isinstance(c, SX) else SX(float(c)) for c in given]
    if len(parts) == 2:
        parts = [*parts, SX(0)]
    if len(parts) != 3:
        raise ValueError(f"a vector has 2 or 3 components, not {len(parts)}")
    return ca.vertcat(*parts)


def dot(a: SX, b: SX) -> SX:
    try:
        return ca.dot(a, b)
    except (NotImplementedError, RuntimeError):
        raise TypeError(f"dot(a, b) of {_said(a)} and {_said(b)}: give vectors of the same size.") from None


def cross(a: SX, b: SX) -> SX:
    try:
        return ca.cross(a, b)
    except (NotImplementedError, RuntimeError):
        raise TypeError(f"cross(a, b) of {_said(a)} and {_said(b)}: give vectors of 3 components.") from None


def _said(x: object) -> str:
    return f"{type(x).__name__} {getattr(x, 'shape', '')}".strip()


def skew(a: SX) -> SX:
    """The matrix of a×."""
    return ca.vertcat(ca.horzcat(0, -a[2], a[1]), ca.horzcat(a[2], 0, -a[0]), ca.horzcat(-a[1], a[0], 0))


def norm(a: SX) -> SX:
    """Length of a; its derivative at a = 0 is taken as 0 instead of undefined."""
    square = dot(a, a)
    positive = square > 0
    return ca.if_else(positive, ca.sqrt(ca.if_else(positive, square, 1)), 0)


def unit_vector(a: SX) -> SX:
    """a/|a|, and 0 for a = 0."""
    length = norm(a)
    return a / ca.if_else(length > 0, length, 1)
