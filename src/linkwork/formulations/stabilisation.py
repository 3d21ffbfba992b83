"""How constraints are kept when their second derivative is what the equations hold."""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.core.arguments import record
from linkwork.core.errors import UnknownName
from linkwork.core.kinds import nonnegative_number, said


@dataclass(frozen=True)
class Projection:
    """After each step the state is brought back to Φ = 0, A v = b by the smallest change (mass as the metric)."""


@dataclass(frozen=True)
@record(alpha=nonnegative_number, beta=nonnegative_number)
class Baumgarte:
    """Φ̈ + 2α Φ̇ + β² Φ = 0 instead of Φ̈ = 0 (AME (23)); α, β [1/s], equal values damp critically."""

    alpha: float = 10.0
    beta: float = 10.0


def stabilisation_of(given: object) -> Projection | Baumgarte:
    """What a user calls by a name, or gives as an object."""
    if isinstance(given, (Projection, Baumgarte)):
        return given
    known = {"projection": Projection, "baumgarte": Baumgarte}
    if not isinstance(given, str) or given not in known:
        raise UnknownName("stabilisation", said(given), known)
    return known[given]()
