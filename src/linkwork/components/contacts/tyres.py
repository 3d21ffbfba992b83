"""Tyres: a wheel that stands on a road by a radial spring, grips it by slip, slides, and may lift off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, NamedTuple

import casadi as ca

from linkwork.components.checked import expression
from linkwork.components.contacts.between import At, Between, On
from linkwork.components.contacts.outlined import Height
from linkwork.components.per_view import once_per_view
from linkwork.core import component as contract
from linkwork.core.component import Load, View
from linkwork.core.kinds import nonnegative, positive
from linkwork.core.registry import component
from linkwork.geometry import SX, Number, as_vector, cross, dot, norm, unit_vector

FLAT = 0.05
"""Sine of the angle between wheel and road below which the wheel counts as lying on its side: only kept finite."""


class Touch(NamedTuple):
    """Where the wheel is nearest to the road, in the road's axes; its deflection δ [m] and how that changes.

    point of contact [m]; normal of the road; by_place, by_turn: ∂δ per displacement and per rotation of the wheel.
    """

    deflection: SX
    point: SX
    normal: SX
    by_place: SX
    by_turn: SX


class Slip(NamedTuple):
    """What the wheel does there, in the road's axes.

    rate of deflection [m/s]; spring and push: radial force without and with damping [N]; load along the normal [N];
    ahead, aside: unit vectors in the road; along, across: slip velocity [m/s]; speed of the centre ahead [m/s].
    """

    rate: SX
    spring: SX
    push: SX
    load: SX
    ahead: SX
    aside: SX
    along: SX
    across: SX
    speed: SX


@component
class Tyre(Between, contract.Force):
    """A tyre between a wheel and the road.

    The road is the x–y plane of `on` with z up (in a planar model its x axis with y up), or of a given height. Forces
    ahead and aside stay together below friction × load.
    Slip is slip velocity over the speed ahead, counted as `creep` [m/s] where the wheel is slower: a tyre at rest holds
    like a stiff damper, so that it creeps a little. The road must be smooth, with radii of curvature above the wheel's;
    a wheel that lies on its side is not described.
    """

    passive = True

    def __init__(
        self,
        name: str,
        at: Annotated[
            At, "frame at the wheel's centre, whose z axis is the axle (ahead is to its right; in the plane along x)"
        ],
        on: Annotated[On, "frame of the road, the ground's unless given"] = None,
        *,
        radius: Annotated[Number, positive["m"], "of the unloaded wheel"],
        stiffness: Annotated[Number, positive["N/m"], "radial"] = 2e5,
        damping: Annotated[Number, nonnegative["N·s/m"], "radial; it never pulls"] = 500.0,
        cornering: Annotated[Number, nonnegative["N/rad"], "force aside per slip angle, at small slip"] = 6e4,
        slip_stiffness: Annotated[Number, nonnegative["N"], "force ahead per unit of slip, at small slip"] = 8e4,
        friction: Annotated[Number, nonnegative, "largest share of the load that it grips with"] = 1.0,
        creep: Annotated[Number, positive["m/s"], "least speed ahead that slip is counted by"] = 0.1,
        height: Height = None,
    ):
        super().__init__(name, at, on)
        self.radius, self.stiffness, self.damping = radius, stiffness, damping
        self.cornering, self.slip_stiffness, self.friction = cornering, slip_stiffness, friction
        self.creep = creep
        self.height: Callable[..., Number] | None = height

    def _plane(self, x: SX, planar: bool) -> tuple[SX, SX]:
        """The road's plane below a place: its height there as a point, and its unit normal (road's axes)."""
        if self.height is None:
            return (as_vector((x[0], 0)), as_vector((0, 1))) if planar else (as_vector((x[0], x[1], 0)), _UP)
        place = SX.sym("place", 2)
        if planar:
            h = expression("height", self.height(place[0]))
            point, normal = as_vector((place[0], h)), as_vector((-ca.gradient(h, place[0]), 1))
        else:
            h = expression("height", self.height(place[0], place[1]))
            slope = ca.gradient(h, place)
            point, normal = as_vector((place[0], place[1], h)), as_vector((-slope[0], -slope[1], 1))
        plane = ca.substitute([point, unit_vector(normal)], [place], [x[:2]])
        return plane[0], plane[1]

    def _touch(self, centre: SX, axle: SX, planar: bool) -> Touch:
        """Down from the centre, in the wheel's plane, as steep as the road allows; twice, as the road changes below."""
        place, turn = SX.sym("place", 3), SX.sym("turn", 3)
        spin = axle + cross(turn, axle)  # to first order: only its derivative at turn = 0 is used
        point, normal = place, as_vector((0, 1)) if planar else _UP
        gap = SX(self.radius)
        for _ in range(1 if self.height is None else 3):
            upright = unit_vector(normal - dot(normal, spin) * spin / dot(spin, spin))
            below, normal = self._plane(place - gap * upright, planar)
            upright = unit_vector(normal - dot(normal, spin) * spin / dot(spin, spin))
            gap = dot(place - below, normal) / ca.fmax(dot(upright, normal), FLAT)
            point = place - gap * upright
        deflection = self.radius - gap
        results = [deflection, point, normal, ca.gradient(deflection, place), ca.gradient(deflection, turn)]
        return Touch(*ca.substitute(results, [place, turn], [centre, SX.zeros(3, 1)]))

    @once_per_view
    def _state(self, view: View) -> tuple[Touch, Slip]:
        """All in the road's axes."""
        A, S = self.frames(view)
        centre, axle = S.R.T @ (A.p - S.p), S.R.T @ A.z
        velocity, spin = S.R.T @ (A.v - S.v - cross(S.w, A.p - S.p)), S.R.T @ (A.w - S.w)
        touch = self._touch(centre, axle, view.planar)
        rate = dot(touch.by_place, velocity) + dot(touch.by_turn, spin)
        spring = self.stiffness * ca.fmax(touch.deflection, 0)
        push = ca.if_else(touch.deflection > 0, ca.fmax(spring + self.damping * rate, 0), 0)
        left = -axle if view.planar else axle  # the plane's z axis points to the right of its x axis
        ahead = unit_vector(cross(left, touch.normal))
        aside = cross(touch.normal, ahead)
        sliding = velocity + cross(spin, touch.point - centre)
        along, across, speed = dot(sliding, ahead), dot(sliding, aside), dot(velocity, ahead)
        return touch, Slip(rate, spring, push, push * norm(touch.by_place), ahead, aside, along, across, speed)

    def _grip(self, s: Slip) -> tuple[SX, SX]:
        """Forces ahead and aside [N]: linear in small slip, their resultant levels off at friction × load."""
        pace = ca.sqrt(s.speed**2 + self.creep**2)
        x, y = self.slip_stiffness * s.along / pace, self.cornering * s.across / pace
        limit = self.friction * s.load
        wanted = ca.sqrt(x**2 + y**2 + 1e-12)
        share = limit * ca.tanh(wanted / ca.fmax(limit, 1e-9)) / wanted
        return -share * x, -share * y

    def loads(self, view):
        touch, s = self._state(view)
        A, S = self.frames(view)
        fx, fy = self._grip(s)
        grip = fx * s.ahead + fy * s.aside
        centre = S.R.T @ (A.p - S.p)
        # The radial part is the gradient of its energy, whatever the road: nothing is lost but by damping and slip.
        force = -s.push * touch.by_place + grip
        torque = -s.push * touch.by_turn + cross(touch.point - centre, grip)
        force, torque = S.R @ force, S.R @ torque
        return [Load(self.at, force, torque), Load(self.on, -force, -torque - cross(A.p - S.p, force))]

    def switches(self, view):
        return [self._state(view)[0].deflection]

    def potential(self, view):
        return self.stiffness * ca.fmax(self._state(view)[0].deflection, 0) ** 2 / 2

    def dissipation(self, view):
        _, s = self._state(view)
        fx, fy = self._grip(s)
        return (s.push - s.spring) * s.rate - fx * s.along - fy * s.across

    def channels(self, view):
        touch, s = self._state(view)
        fx, fy = self._grip(s)
        pace = ca.sqrt(s.speed**2 + self.creep**2)
        channels = {
            "load": ("N", s.load),
            "normal": ("N", s.load),
            "deflection": ("m", touch.deflection),
            "ahead": ("N", fx),
            "slip": ("", s.along / pace),
        }
        if not view.planar:
            channels |= {"aside": ("N", fy), "slip_angle": ("rad", ca.atan(s.across / pace))}
        return channels


_UP = as_vector((0, 0, 1))
