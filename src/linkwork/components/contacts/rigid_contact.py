"""Rigid contact: bodies that hit, rest, stick, slide and lift off, each change located in time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Annotated

import casadi as ca

from linkwork.components.bodies import Body
from linkwork.components.contacts.approach import approach
from linkwork.components.contacts.between import At, On
from linkwork.components.contacts.directions import headings
from linkwork.components.contacts.outlined import Height, Other, Outlined, Radius, Shape
from linkwork.components.contacts.touching import outlines_of
from linkwork.core.component import View
from linkwork.core.errors import ModelError
from linkwork.core.kinds import Claim, claims, nonnegative, positive, share
from linkwork.core.registry import component
from linkwork.core.unilateral import Place, Unilateral
from linkwork.geometry import SX, Number, dot

QUIET = 1e-9
"""Force per mass [N/kg] that counts as none in a mechanism of 1 m."""


@component
class RigidContact(Outlined, Unilateral):
    """Two outlines that do not penetrate each other, by impulses when they hit and by forces while they touch.

    Flat ground is the x–y plane of `on` with z up (in the plane its x axis, y up).
    Events: "name hits", "rests", "lifts", "slips", "sticks", "reverses", "jams".
    """

    def __init__(
        self,
        name: str,
        at: At,
        on: On = None,
        *,
        radius: Radius = None,
        shape: Shape = None,
        other: Other = None,
        height: Height = None,
        restitution: Annotated[Number, share, "part of the normal speed that returns from an impact"] = 0.0,
        friction: Annotated[Number, nonnegative, "Coulomb's coefficient μ, of impulses too"] = 0.0,
        static: Annotated[Number | None, nonnegative, "coefficient of sticking, μ unless given"] = None,
        rest: Annotated[Number, positive["m/s"], "rebounds slower than this end the bouncing"] = 1e-5,
    ):
        super().__init__(name, at, on)
        self.shape, self.other = outlines_of(name, shape, radius, other, height)
        self.restitution, self.friction, self.rest = restitution, friction, rest
        self.static = friction if static is None else static
        check_static(name, friction, self.static)

    def claims(self) -> Iterator[Claim]:
        return chain(super().claims(), claims("static − friction", SX(self.static) - self.friction, nonnegative))

    def places(self, view: View) -> list[Place]:
        A, B = self.frames(view)
        touches = self.touches(view)
        smooth = SX(self.friction).is_zero() and SX(self.static).is_zero()
        mass = sum((SX(end.body.mass) for end in self.markers() if isinstance(end.body, Body)), SX(0))
        pace, grain, _ = ca.vertsplit(approach(self.shape, A, self.other, B, view.planar))
        places = []
        for k, touch in enumerate(touches):
            speed = touch.slip(A, B)
            tangents = () if smooth else touch.tangents
            across = [dot(tangent, speed) for tangent in tangents]
            ways = zip(("ahead", "aside"), headings(touch, self.shape, A), strict=False)
            places.append(
                Place(
                    self.name if len(touches) == 1 else f"{self.name}.{k + 1}",
                    touch.gap,
                    ca.vertcat(SX(0, 1), *across),
                    self.friction,
                    self.static,
                    self.restitution,
                    self.rest,
                    QUIET * mass,
                    bound=(pace, grain),
                    directions={word: _shares(way, tangents) for word, way in ways},
                )
            )
        return places


def _shares(way: SX, tangents: tuple[SX, ...]) -> SX:
    """How much of a force along each tangent points a given way."""
    return ca.vertcat(SX(0, 1), *(dot(way, tangent) for tangent in tangents))


def check_static(name: str, friction: Number, static: Number) -> None:
    """What sticks holds at least as well as what slides; of expressions, that is claimed."""
    if not isinstance(static, SX) and not isinstance(friction, SX) and static < friction:
        raise ModelError(
            f"static {static} is less than friction {friction}.",
            component=name,
            remedy="What sticks holds at least as well as what slides.",
        )
