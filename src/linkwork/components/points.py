"""Points to record: `m.point("tip", body.at(…))` gives channels tip.x, tip.vx, …"""

from __future__ import annotations

from typing import Annotated

from linkwork.components.bodies import Solid
from linkwork.core.component import Component, Marker
from linkwork.core.errors import ModelError
from linkwork.core.registry import component


@component
class Point(Component):
    """A point of a body whose position and velocity are recorded (world axes)."""

    def __init__(self, name: str, marker: Annotated[Marker | Solid, "the point: a frame, or a body's mass centre"]):
        super().__init__(name)
        if not isinstance(marker, (Marker, Solid)):
            raise ModelError(f"{marker!r} is not a frame.", component=name, remedy="Give `body.at(x, y)`.")
        self.marker = marker.at() if isinstance(marker, Solid) else marker
