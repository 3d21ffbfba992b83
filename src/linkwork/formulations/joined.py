"""What components with ports do to the mechanism they are joined to, in words that both sides know."""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.components.coordinate import Coordinate
from linkwork.core.errors import ModelError
from linkwork.geometry import SX


class TogetherOnly(ModelError):
    """A component whose forces can only be found together with the accelerations of the mechanism."""

    def __init__(self, cause: str, *, component: str | None = None, remedy: str = ""):
        super().__init__(
            cause,
            component=component,
            remedy=remedy or 'Use formulation="acausal", which solves mechanism and components together.',
        )


@dataclass
class Inertia:
    """What a network adds to the masses: effort on `first` = … − value · (second derivative of `second`)."""

    first: Coordinate
    second: Coordinate
    value: SX
    acceleration: SX
    """Symbol of the second derivative."""


@dataclass
class Accelerated:
    """A symbol that stands for the time derivative of a speed of the mechanism, put in at the end."""

    symbol: SX
    speed: SX
