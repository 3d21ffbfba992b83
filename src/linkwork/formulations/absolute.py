"""Absolute coordinates and Lagrange multipliers (AME; BND's "MSe")."""

from __future__ import annotations

from typing import Any

from linkwork.core.equations import Equations
from linkwork.formulations.maximal import equations_of
from linkwork.formulations.stabilisation import Baumgarte, Projection


def formulate(model: Any, *, stabilisation: Projection | Baumgarte | None = None) -> Equations:
    """Every constraint ideal: M v̇ + Aᵀλ = f, A v̇ = γ."""
    return equations_of(model, stabilisation=stabilisation)
