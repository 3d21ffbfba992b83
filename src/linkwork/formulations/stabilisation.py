"""How constraints are kept when their second derivative is what the equations hold."""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.core.arguments import nonnegative_number, record


@dataclass(frozen=True)
class Projection:
    """After each step the state is brought back to Φ = 0, A v = b by the smallest change (mass as the metric)."""


@dataclass(frozen=True)
@record(alpha=nonnegative_number, beta=nonnegative_number)
class Baumgarte:
    """Φ̈ + 2α Φ̇ + β² Φ = 0 instead of Φ̈ = 0 (AME (27)–(30)); α, β [1/s], equal values damp critically."""

    alpha: float = 10.0
    beta: float = 10.0
