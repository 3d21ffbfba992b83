"""Constraints on speeds: rolling without slip, knife edges, and any the user writes (ACA (5)–(8)).

Whatever rolls touches a plane: the x–y plane of the frame `on` in space (z points up from it), its x axis in a planar
model (y points up). The distance is kept at position level, the slip at speed level.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import casadi as ca

from linkwork.components.bodies import Solid, frame_of
from linkwork.components.checked import positive
from linkwork.components.coordinate import Coordinate
from linkwork.core.component import Constraint, Frame, Marker, View
from linkwork.core.errors import ModelError
from linkwork.core.registry import component
from linkwork.geometry import SX, cross, dot


class Moving(NamedTuple):
    """A coordinate as a speed condition sees it."""

    value: SX
    rate: SX


class _OnPlane(Constraint):
    """Something with a frame `at` that touches the plane of a frame `on`."""

    def __init__(self, name: str, at: Any, on: Any = None):
        super().__init__(name)
        self.at = frame_of(at, name)
        self.on = None if on is None else frame_of(on, name)

    def attached(self, model: Any) -> None:
        if self.on is None:
            self.on = model.ground.at()
        if self.at.body is self.on.body:
            raise ModelError("touches its own body.", component=self.name, remedy="Give frames of two bodies.")

    def markers(self) -> tuple[Marker, ...]:
        assert self.on is not None
        return self.at, self.on

    def frames(self, view: View) -> tuple[Frame, Frame]:
        assert self.on is not None
        return view.frame(self.at), view.frame(self.on)

    @staticmethod
    def slip(W: Frame, S: Frame, point: SX) -> SX:
        """Velocity of W's material at a point relative to S's material there."""
        return W.v + cross(W.w, point - W.p) - S.v - cross(S.w, point - S.p)


@component
class Rolling(_OnPlane):
    """A wheel or ball that rolls without slip.

    at: frame at its centre, whose z axis is the axle; on: the plane (the ground's, unless given). radius [m];
    crown [m]: radius of the rim's cross-section, 0 for a thin disc, the radius itself for a ball. In a planar model a
    circle that rolls along the x axis of `on`.
    """

    def __init__(self, name: str, at: Any, on: Any = None, *, radius: Any, crown: Any = 0.0):
        super().__init__(name, at, on)
        positive(name, "radius", radius)
        positive(name, "crown", crown, zero=True)
        if not isinstance(radius, SX) and not isinstance(crown, SX) and crown > radius:
            raise ModelError(
                f"crown {crown} with radius {radius}.", component=name, remedy="It lies between 0 and the radius."
            )
        self.radius, self.crown = radius, crown

    def contact(self, W: Frame, S: Frame, planar: bool) -> SX:
        """The lowest point: from the centre against the normal, along the disc and around its rim."""
        normal = S.y if planar else S.z
        if planar:
            return W.p - self.radius * normal
        steep = normal - dot(normal, W.z) * W.z
        upright = steep / ca.sqrt(ca.fmax(dot(steep, steep), 1e-30))
        return W.p - (self.radius - self.crown) * upright - self.crown * normal

    def rows(self, view: View) -> list[SX]:
        W, S = self.frames(view)
        return [dot(self.contact(W, S, view.planar) - S.p, S.y if view.planar else S.z)]

    def speed_rows(self, view: View) -> list[SX]:
        W, S = self.frames(view)
        slip = self.slip(W, S, self.contact(W, S, view.planar))
        return [dot(slip, S.x)] if view.planar else [dot(slip, S.x), dot(slip, S.y)]


@component
class KnifeEdge(_OnPlane):
    """A skate, blade or thin wheel: its point moves along its x axis only, not along y, relative to `on`."""

    def speed_rows(self, view: View) -> list[SX]:
        W, S = self.frames(view)
        return [dot(self.slip(W, S, W.p), W.y)]


@component
class SpeedCondition(Constraint):
    """Any equation that speeds must fulfil: `function(*things)` gives expressions, linear in the speeds, that vanish.

    things: frames (p, x, y, z, v velocity, w angular velocity, world axes) or coordinates (value, rate).
    """

    def __init__(self, name: str, function: Callable[..., Any], *things: Any):
        super().__init__(name)
        for thing in things:
            if not isinstance(thing, (Coordinate, Marker, Solid)):
                raise ModelError(
                    f"{thing!r} is neither a coordinate nor a frame.",
                    component=name,
                    remedy="Give `O.angle` or `body.at(…)`.",
                )
        self.function = function
        self.things = [frame_of(t, name) if isinstance(t, Solid) else t for t in things]

    def markers(self) -> tuple[Marker, ...]:
        found: list[Marker] = []
        for t in self.things:
            found += [t] if isinstance(t, Marker) else t.owner.markers()
        return tuple(found)

    def speed_rows(self, view: View) -> list[SX]:
        seen = [
            view.frame(t) if isinstance(t, Marker) else Moving(view.coordinate(t), view.rate(t)) for t in self.things
        ]
        made = self.function(*seen)
        return [SX(x) for x in (made if isinstance(made, (list, tuple)) else [made])]
