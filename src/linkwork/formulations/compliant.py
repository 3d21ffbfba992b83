"""Compliant joints (BND's R/C elements): every blocked direction becomes a stiff spring with a damper.

No multipliers, no redundancy, no singular positions; but stiff, and wrong by the size of the deflections.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from linkwork.core.equations import Equations, Row
from linkwork.formulations.maximal import equations_of
from linkwork.formulations.stabilisation import Baumgarte, Projection

if TYPE_CHECKING:
    from linkwork.core.model import Model


def formulate(
    model: Model, *, softness: Mapping[Row, tuple[float, float]], stabilisation: Projection | Baumgarte | None = None
) -> Equations:
    """M v̇ = f − Aᵀ(k Φ + d Φ̇) with (k, d) for every row."""
    del stabilisation  # nothing is left to stabilise
    return equations_of(model, softness=softness)
