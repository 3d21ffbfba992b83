"""Points to record: `m.point("tip", body.at(…))` gives channels tip.x, tip.vx, …"""

from __future__ import annotations

from linkwork.core.component import Component, Marker
from linkwork.core.registry import component


@component
class Point(Component):
    """A point of a body whose position and velocity are recorded (world axes)."""

    def __init__(self, name: str, marker: Marker):
        super().__init__(name)
        self.marker = marker
