"""Dry friction in a joint that truly sticks: Coulomb's, by events."""

from __future__ import annotations

from typing import Any

from linkwork.components.checked import positive
from linkwork.components.contacts.rigid_contact import static_ranges
from linkwork.components.coordinate import Coordinate
from linkwork.core.component import View
from linkwork.core.errors import ModelError
from linkwork.core.registry import component
from linkwork.core.unilateral import Place, Unilateral
from linkwork.geometry import SX


@component
class DryFriction(Unilateral):
    """Friction of constant size against the rate of a coordinate; at rest it takes whatever keeps it at rest.

    effort [N or N·m]: while it moves; static: the most that it holds at rest, `effort` unless given.
    Events: "name slips", "sticks", "reverses".
    """

    def __init__(self, name: str, coordinate: Coordinate, effort: Any, *, static: Any = None):
        super().__init__(name)
        if not isinstance(coordinate, Coordinate):
            raise ModelError(f"{coordinate!r} is no coordinate.", component=name, remedy="Give `O.angle` or the like.")
        self.coordinate, self.effort = coordinate, effort
        self.ranges = [*positive(name, "effort", effort, zero=True), *static_ranges(name, effort, static)]
        self.static = effort if static is None else static

    def places(self, view: View) -> list[Place]:
        c = self.coordinate
        if c.motion is not None:
            raise ModelError(
                f"the motion of {c.name} is given: friction cannot hold it.",
                component=self.name,
                remedy="Remove the motion, or the friction.",
            )
        # The efforts are coefficients of a normal force of 1.
        noise = 1e-12 + 1e-9 * SX(self.effort)
        units = (c.effort_unit, f"{c.unit}/s")
        return [Place(self.name, None, SX(view.rate(c)), self.effort, self.static, noise=noise, press=1.0, units=units)]
