"""Constraints on speeds: rolling without slip, knife edges, and any the user writes (ACA (5)–(8)).

Whatever rolls touches the x–y plane of the frame `on` in space (z points up from it), its x axis in a planar model (y
points up), or ground of a given height, or another outline. The distance is kept at position level, the slip at speed
level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Annotated, NamedTuple

import casadi as ca

from linkwork.components.bodies import Solid, frame_of
from linkwork.components.checked import expression
from linkwork.components.contacts.between import At, Between, On
from linkwork.components.contacts.directions import Channels, headings, told
from linkwork.components.contacts.outlined import Height, Other
from linkwork.components.contacts.outlines import Ball, Wheel
from linkwork.components.contacts.touching import Touch, outlines_of, touches
from linkwork.components.coordinate import Coordinate
from linkwork.core import kinds
from linkwork.core.component import Constraint, Marker, View
from linkwork.core.errors import ModelError
from linkwork.core.kinds import Claim, nonnegative, positive
from linkwork.core.registry import component
from linkwork.geometry import SX, Number, cross, dot


class Moving(NamedTuple):
    """A coordinate as a speed condition sees it."""

    value: SX
    rate: SX


@component
class Rolling(Between, Constraint):
    """A wheel or ball that rolls without slip and never lifts off.

    It rolls on the plane of `on`, on ground, or on the outline `other`. In a planar model it is a circle that rolls
    along the x axis of `on`, or on y = height(x).
    """

    def __init__(
        self,
        name: str,
        at: Annotated[At, "frame at its centre, whose z axis is the axle"],
        on: Annotated[On, "frame of what it rolls on, the ground's unless given"] = None,
        *,
        radius: Annotated[Number, positive["m"], "of the wheel"],
        crown: Annotated[
            Number, nonnegative["m"], "radius of the rim's cross-section: 0 for a thin disc, `radius` for a ball"
        ] = 0.0,
        height: Height = None,
        other: Other = None,
    ):
        super().__init__(name, at, on)
        try:
            wheel = Wheel(radius, crown)
        except ModelError as error:
            raise ModelError(error.cause, component=name, remedy=error.remedy) from None
        # Of a ball's core nothing is left but a point, for which everything is simpler, and more can be rolled on.
        self.radius, self.crown = radius, crown
        round_all_over = not isinstance(radius, SX) and not isinstance(crown, SX) and crown == radius
        round_all_over = round_all_over or (isinstance(crown, SX) and ca.is_equal(SX(crown), SX(radius)))
        self.shape, self.other = outlines_of(name, Ball(radius) if round_all_over else wheel, None, other, height)

    def claims(self) -> Iterator[Claim]:
        return chain(Wheel(self.radius, self.crown).claims(), self.other.claims())

    def touch(self, view: View) -> Touch:
        """Where it touches: its gap is the position row."""
        W, S = self.frames(view)
        contacts = touches(self.shape, W, self.other, S, view.planar, self.name)
        if len(contacts) != 1:
            raise ModelError("touches in several places.", component=self.name, remedy="Roll on one smooth surface.")
        return contacts[0]

    def rows(self, view: View) -> list[SX]:
        return [self.touch(view).gap]

    def speed_rows(self, view: View) -> list[SX]:
        touch = self.touch(view)
        slip = touch.slip(*self.frames(view))
        return [dot(slip, tangent) for tangent in touch.tangents]

    def held_by(self, view: View, multipliers: list[SX]) -> Channels:
        touch = self.touch(view)
        normal, *across = multipliers
        along = sum((-x * tangent for x, tangent in zip(across, touch.tangents, strict=True)), SX(3, 1))
        return told(-normal, along, headings(touch, self.shape, view.frame(self.at)))


@component
class KnifeEdge(Between, Constraint):
    """A skate, blade or thin wheel: its point moves along its x axis only, not along y, relative to `on`."""

    def speed_rows(self, view: View) -> list[SX]:
        W, S = self.frames(view)
        return [dot(W.v - S.v - cross(S.w, W.p - S.p), W.y)]

    def held_by(self, view: View, multipliers: list[SX]) -> Channels:
        return {"aside": ("N", -multipliers[0])}


@component
class SpeedCondition(Constraint):
    """Any equation that speeds must fulfil: `function(*things)` gives expressions, linear in speeds, that vanish."""

    def __init__(
        self,
        name: str,
        function: Annotated[
            Callable[..., Number | Sequence[Number]], kinds.function, "gives what vanishes, linear in speeds"
        ],
        *things: Annotated[
            Coordinate | Marker | Solid, "what it sees: frames (p, x, y, z, v, w), coordinates (value, rate)"
        ],
    ):
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
        markers: list[Marker] = []
        for t in self.things:
            markers += [t] if isinstance(t, Marker) else t.owner.markers()
        return tuple(markers)

    def speed_rows(self, view: View) -> list[SX]:
        arguments = [
            view.frame(t) if isinstance(t, Marker) else Moving(view.coordinate(t), view.rate(t)) for t in self.things
        ]
        made = self.function(*arguments)
        return [expression("the function", x) for x in (made if isinstance(made, (list, tuple)) else [made])]
