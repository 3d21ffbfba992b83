"""Compliant contact of outlines with ground and with each other: Hunt and Crossley's force, and friction."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import casadi as ca

from linkwork.components.contacts.approach import approach, thinnest
from linkwork.components.contacts.between import At, On
from linkwork.components.contacts.directions import Channels, headings, numbered, told
from linkwork.components.contacts.friction import Drag, axes_of, bristle, regularised
from linkwork.components.contacts.outlined import Height, Other, Outlined, Radius, Shape
from linkwork.components.contacts.touching import Touch, outlines_of
from linkwork.components.per_view import once_per_view
from linkwork.core import component as contract
from linkwork.core.component import Load, State, View
from linkwork.core.errors import ModelError
from linkwork.core.kinds import REFUSED, Kind, nonnegative, number_in, positive
from linkwork.core.registry import component
from linkwork.geometry import SX, Number, cross, dot, norm

EXPONENT = Kind("Give a number, 1 (linear) or more.", lambda x: REFUSED if (n := number_in(x)) is None or n < 1 else n)
SEPARATE_TOUCHES = 16
"""Up to so many touches each has channels of its own, and an event where it begins and ends; of more, all as one."""

GIVES_WAY = "gives way"
"""What happens where something is pressed so deep into another that it may come out behind it."""
DEPTH_SHARE = 0.9
"""Share of the way to where the other side is nearer."""


class _Pressed(NamedTuple):
    """One touch and its forces: depth [m], its rate [m/s], normal force [N], slip [m/s], friction, bristle's states."""

    touch: Touch
    depth: SX
    rate: SX
    force: SX
    slip: SX
    drag: Drag
    bend: SX


@component
class Contact(Outlined, contract.Force):
    """Something that may touch something else, lift off, and slide with friction.

    Flat ground is the x–y plane of `on` with z up (in the plane its x axis, y up). Normal force k δⁿ (1 + d δ̇) at each
    touch, never pulling, δ the penetration [m]. Below the speed `creep` friction fades, so that a body at rest creeps a
    little; with `bristle` it truly sticks.
    """

    passive = True

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
        stiffness: Annotated[Number, positive["N/mⁿ"], "k"] = 1e5,
        exponent: Annotated[float, EXPONENT, "n: 1.5 for balls of Hertz, 1 for a linear spring"] = 1.5,
        dissipation: Annotated[Number, nonnegative["s/m"], "d, loss of Hunt and Crossley"] = 0.0,
        friction: Annotated[Number, nonnegative, "Coulomb's coefficient μ"] = 0.0,
        creep: Annotated[Number, positive["m/s"], "speed below which friction fades"] = 1e-3,
        bristle: Annotated[Number | None, positive["N/m"], "stiffness of what sticks; None: it creeps"] = None,
        bristle_damping: Annotated[
            Number | None, nonnegative["N·s/m"], "of what sticks; 0.01 s times its stiffness unless given"
        ] = None,
    ):
        super().__init__(name, at, on)
        if bristle is None and bristle_damping is not None:
            raise ModelError("bristle_damping without bristle.", component=name, remedy="Give bristle=… [N/m] too.")
        self.shape, self.other = outlines_of(name, shape, radius, other, height)
        self.stiffness, self.exponent = stiffness, exponent
        self.dissipated, self.friction, self.creep = dissipation, friction, creep
        self.bristle = bristle
        self.bristle_damping = 0.01 * bristle if bristle is not None and bristle_damping is None else bristle_damping

    @once_per_view
    def _touches(self, view: View) -> list[_Pressed]:
        A, B = self.frames(view)
        touches = self.touches(view)
        size = 0 if not self.bends else 1 if view.planar else 3
        pressed = []
        for k, touch in enumerate(touches):
            speed = touch.slip(A, B)
            depth, rate = -touch.gap, -dot(touch.normal, speed)
            elastic = self.stiffness * _power(depth, self.exponent)
            force = ca.fmax(elastic * (1 + self.dissipated * rate), 0)
            slip = speed + touch.normal * rate
            limit = self.friction * force
            bend = SX.sym(f"{self.name}.bend{k + 1}", size)
            if self.bends:
                axes = axes_of(touch, B, view.planar)
                drag = bristle(slip, limit, bend, axes, touch.normal, self.bristle, self.bristle_damping)
            else:
                drag = regularised(slip, limit, self.creep)
            pressed.append(_Pressed(touch, depth, rate, force, slip, drag, bend))
        return pressed

    @property
    def bends(self) -> bool:
        """Whether friction has states."""
        return self.bristle is not None and not SX(self.friction).is_zero()

    def states(self, view):
        return [*self._held(view), *self._bends(view)]

    def _held(self, view):
        features = self.features(view.planar)
        if features is None:
            return []
        return [State(name, features.symbols[k], SX(0), 0.0, None) for k, name in enumerate(features.names)]

    def _bends(self, view):
        return [
            State(
                f"{self.name}.bend{k + 1}" + ("" if view.planar else "xyz"[i]), one.bend[i], one.drag.rates[i], 0.0, "m"
            )
            for k, one in enumerate(self._touches(view))
            for i in range(one.bend.numel())
        ]

    def loads(self, view):
        A, B = self.frames(view)
        total, on_a, on_b = SX(3, 1), SX(3, 1), SX(3, 1)
        for one in self._touches(view):
            push = one.force * one.touch.normal + one.drag.force
            total += push
            on_a += cross(one.touch.point - A.p, push)
            on_b -= cross(one.touch.point - B.p, push)
        return [Load(self.at, total, on_a), Load(self.on, -total, on_b)]

    def switches(self, view):
        pressed = self._touches(view)
        A, B = self.frames(view)
        pace, grain, hold = ca.vertsplit(approach(self.shape, A, self.other, B, view.planar))
        depths = [one.depth for one in pressed] if len(pressed) <= SEPARATE_TOUCHES else [_deepest(pressed)]
        return [ca.vertcat(d, ca.if_else(d < 0, pace, 0), grain, ca.if_else(d < 0, 0, hold)) for d in depths]

    def watched(self, view):
        thin = thinnest(self.shape, self.other)
        return {} if thin is None else {GIVES_WAY: _deepest(self._touches(view)) - DEPTH_SHARE * thin}

    def potential(self, view):
        n = self.exponent
        return sum(
            (self.stiffness * _power(one.depth, n + 1) / (n + 1) + one.drag.stored for one in self._touches(view)),
            SX(0),
        )

    def dissipation(self, view):
        return sum(
            (
                (one.force - self.stiffness * _power(one.depth, self.exponent)) * one.rate + one.drag.loss
                for one in self._touches(view)
            ),
            SX(0),
        )

    def channels(self, view):
        pressed = self._touches(view)
        said = {
            "force": ("N", sum((one.force for one in pressed), SX(0))),
            "penetration": ("m", _deepest(pressed)),
            "friction": ("N", norm(sum((one.drag.force for one in pressed), SX(3, 1)))),
        }
        said |= self._directed(view)
        if len(pressed) == 1:
            return {**said, "slip": ("m/s", norm(pressed[0].slip))}
        for k, one in enumerate(pressed if len(pressed) <= SEPARATE_TOUCHES else []):
            said[f"force{k + 1}"] = ("N", one.force)
            said[f"slip{k + 1}"] = ("m/s", norm(one.slip))
        return said

    def _directed(self, view: View) -> Channels:
        """Forces on what is at `at`, by direction; of many places only their sums."""
        A, _ = self.frames(view)
        pressed = self._touches(view)
        places = [told(one.force, one.drag.force, headings(one.touch, self.shape, A)) for one in pressed]
        said = numbered(places)
        return said if len(pressed) <= SEPARATE_TOUCHES else {word: said[word] for word in places[0]}


def _power(depth: SX, exponent: float) -> SX:
    """δⁿ, zero where there is no contact."""
    return ca.if_else(depth > 0, ca.fmax(depth, 1e-300) ** exponent, 0)


def _deepest(pressed: list[_Pressed]) -> SX:
    deepest = pressed[0].depth
    for one in pressed[1:]:
        deepest = ca.fmax(deepest, one.depth)
    return deepest
