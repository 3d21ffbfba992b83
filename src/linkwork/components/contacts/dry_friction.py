"""Dry friction in a joint that truly sticks: Coulomb's, by events."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Annotated

from linkwork.components.contacts.rigid_contact import check_static
from linkwork.components.coordinate import Coordinate
from linkwork.core.component import View
from linkwork.core.errors import ModelError
from linkwork.core.kinds import Claim, claims, nonnegative
from linkwork.core.registry import component
from linkwork.core.unilateral import Place, Unilateral
from linkwork.geometry import SX, Number


@component
class DryFriction(Unilateral):
    """Friction of constant size against the rate of a coordinate; at rest it takes whatever keeps it at rest.

    Events: "name slips", "sticks", "reverses".
    """

    def __init__(
        self,
        name: str,
        coordinate: Annotated[Coordinate, "what it acts on, such as `O.angle`"],
        effort: Annotated[Number, nonnegative["N or N·m"], "while it moves"],
        *,
        static: Annotated[
            Number | None, nonnegative["N or N·m"], "the most that it holds at rest, `effort` unless given"
        ] = None,
    ):
        super().__init__(name)
        if not isinstance(coordinate, Coordinate):
            raise ModelError(
                f"{coordinate!r} is not a coordinate.", component=name, remedy="Give `O.angle` or the like."
            )
        self.coordinate, self.effort = coordinate, effort
        self.static = effort if static is None else static
        check_static(name, effort, self.static)

    def claims(self) -> Iterator[Claim]:
        return chain(super().claims(), claims("static − effort", SX(self.static) - self.effort, nonnegative))

    def places(self, view: View) -> list[Place]:
        return [rubbing(self.name, self.coordinate, view, self.effort, self.static)]


def rubbing(name: str, c: Coordinate, view: View, sliding: Number, sticking: Number) -> Place:
    """Where a coordinate rubs: efforts [N or N·m] while it moves, and the most at rest."""
    if c.motion is not None:
        raise ModelError(
            f"the motion of {c.name} is given: friction cannot hold it.",
            component=name,
            remedy="Remove the motion, or the friction.",
        )
    # The efforts are coefficients of a normal force of 1.
    noise, units = 1e-12 + 1e-9 * SX(sliding), (c.effort_unit, f"{c.unit}/s")
    return Place(name, None, SX(view.rate(c)), sliding, sticking, noise=noise, press=1.0, units=units)
