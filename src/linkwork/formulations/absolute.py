"""Absolute coordinates and Lagrange multipliers (AME; BND's "MSe")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linkwork.core.equations import Equations, Row
from linkwork.formulations.maximal import equations_of
from linkwork.formulations.stabilisation import Baumgarte, Projection


def formulate(
    model: Any,
    *,
    stabilisation: Projection | Baumgarte | None = None,
    softness: Mapping[Row, tuple[float, float]] | None = None,
) -> Equations:
    """Constraints are ideal, M v̇ + Aᵀλ = f, A v̇ = γ, but for the rows named in `softness`."""
    return equations_of(model, stabilisation=stabilisation, softness=softness)
