"""Rigid contact: bodies that hit, rest, stick, slide and lift off, each change located in time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca

from linkwork.components.bodies import Body
from linkwork.components.checked import Range, positive
from linkwork.components.contacts.approach import approach
from linkwork.components.contacts.outlined import Outlined
from linkwork.components.contacts.outlines import Outline
from linkwork.components.contacts.touching import outlines_of
from linkwork.core.component import View
from linkwork.core.errors import ModelError
from linkwork.core.registry import component
from linkwork.core.unilateral import Place, Unilateral
from linkwork.geometry import SX, dot

QUIET = 1e-9
"""Force per mass [N/kg] that counts as none in a mechanism of 1 m."""


@component
class RigidContact(Outlined, Unilateral):
    """Two outlines that do not penetrate each other, by impulses when they hit and by forces while they touch.

    at: frame of the outline `shape` (or a ball of `radius`, a point without); on: frame of what it touches (the
    ground's, unless given): the outline `other`, or z = height(x, y) in its axes (y = height(x) in the plane), or else
    its x–y plane with z up (its x axis, y up). restitution: share of the normal speed that returns from an impact;
    rebounds slower than `rest` [m/s] end the bouncing. friction: Coulomb's coefficient μ, of impulses too; static: of
    sticking, where it is larger. Events: "name hits", "rests", "lifts", "slips", "sticks", "reverses".
    """

    def __init__(
        self,
        name: str,
        at: Any,
        on: Any = None,
        *,
        radius: Any = None,
        shape: Outline | None = None,
        other: Outline | None = None,
        height: Callable[..., Any] | None = None,
        restitution: Any = 0.0,
        friction: Any = 0.0,
        static: Any = None,
        rest: float = 1e-5,
    ):
        super().__init__(name, at, on)
        self.shape, self.other = outlines_of(name, shape, radius, other, height)
        self.restitution, self.friction, self.rest = restitution, friction, rest
        self.static = friction if static is None else static
        self.ranges = [
            *positive(name, "restitution", restitution, zero=True, most=1.0),
            *positive(name, "rest", rest),
            *positive(name, "friction", friction, zero=True),
            *static_ranges(name, friction, static),
            *self.shape.ranges,
            *self.other.ranges,
        ]

    def places(self, view: View) -> list[Place]:
        A, B = self.frames(view)
        found = self.found(view)
        smooth = SX(self.friction).is_zero() and SX(self.static).is_zero()
        mass = sum((SX(end.body.mass) for end in self.markers() if isinstance(end.body, Body)), SX(0))
        pace, grain, _ = ca.vertsplit(approach(self.shape, A, self.other, B, view.planar))
        places = []
        for k, touch in enumerate(found):
            speed = touch.slip(A, B)
            across = [] if smooth else [dot(tangent, speed) for tangent in touch.tangents]
            places.append(
                Place(
                    self.name if len(found) == 1 else f"{self.name}.{k + 1}",
                    touch.gap,
                    ca.vertcat(SX(0, 1), *across),
                    self.friction,
                    self.static,
                    self.restitution,
                    self.rest,
                    QUIET * mass,
                    bound=(pace, grain),
                )
            )
        return places


def static_ranges(name: str, friction: Any, static: Any) -> list[Range]:
    """What sticks holds at least as well as what slides."""
    if static is None:
        return []
    wanted = positive(name, "static", static, zero=True)
    if isinstance(static, SX) or isinstance(friction, SX):
        return [*wanted, Range("static − friction", SX(static) - friction, zero=True)]
    if static < friction:
        raise ModelError(
            f"static {static} is less than friction {friction}.",
            component=name,
            remedy="What sticks holds at least as well as what slides.",
        )
    return wanted
