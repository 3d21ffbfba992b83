"""What stands in a prototype for something of the model that the component beside it only reads: a joint whose
coordinates it relates, a table that it follows over time."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from linkwork.components.joint import Joint
from linkwork.core.courses import Courses
from linkwork.core.errors import ModelError
from linkwork.core.pieces import Pieces
from linkwork.core.signal import Table, along
from linkwork.geometry import SX

NAME = "#joint"
"""Of joints beside the component, with a number behind it."""
HELD = ("times", "values", "kind", "ends", "corners", "lookup")
"""What a table holds."""


class CourseOfOne(Table):
    """A table of which nothing is known but that it is looked up by time: each component has its own."""

    def __init__(self, number: int, courses: Courses):
        """courses: of the prototype, which alone know of it."""
        self.number, self.known_to = number, courses

    def __call__(self, t: object) -> Any:
        at = along(t, self.known_to.t) if isinstance(t, SX) else None
        if at is None:
            raise ModelError("it is not looked up by time alone.", component="Table")
        return self.known_to.table(self, *at)

    @property
    def pieces(self) -> Pieces:
        """Where the sizes of what is in the equations are judged, it is 0."""
        return Pieces(np.zeros(1), np.zeros((2, 1)))

    def __getattr__(self, name: str) -> Any:
        """Whoever asks for its points asks for numbers, which it has not."""
        if name.strip("_") in HELD:
            raise ModelError(f"its {name.strip('_')} are asked for.", component="Table")
        raise AttributeError(name)


def without_equations(joint: Joint, held: dict[str, Any], number: int) -> Joint:
    """A joint that holds nothing: there for its coordinates alone, which count turns as those of the model do."""
    twin = copy.copy(joint)
    twin.__dict__.update(held)
    twin.__dict__.update(name=f"{NAME}{number}", model=None, _open={}, compliance=None)
    coordinates = []
    for c in joint.coordinates:
        own = copy.copy(c)
        own.__dict__.update(joint=twin, value=None, speed=None, laws=())
        coordinates.append(own)
    twin.__dict__.update(coordinates=tuple(coordinates), rows=_none, speed_rows=_none, attached=_none)
    return twin


def _none(*_: object) -> list[SX]:
    return []
