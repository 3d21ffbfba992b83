"""Absolute coordinates and Lagrange multipliers (AME; BND's "MSe")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from linkwork.core.equations import Equations, Row
from linkwork.formulations.maximal import equations_of
from linkwork.formulations.stabilisation import Baumgarte, Projection

if TYPE_CHECKING:
    from linkwork.core.model import Model


def formulate(
    model: Model,
    *,
    stabilisation: Projection | Baumgarte | None = None,
    softness: Mapping[Row, tuple[float, float]] | None = None,
) -> Equations:
    """Constraints are ideal, M v̇ + Aᵀλ = f, A v̇ = γ, but for the rows named in `softness`."""
    return equations_of(model, stabilisation=stabilisation, softness=softness)
