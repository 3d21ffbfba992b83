"""Compliant contact of outlines with ground and with each other: Hunt and Crossley's force, and friction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from linkwork.components.checked import positive
from linkwork.components.contacts.approach import approach, thinnest
from linkwork.components.contacts.friction import Drag, axes_of, bristle, regularised
from linkwork.components.contacts.outlined import Outlined
from linkwork.components.contacts.outlines import Outline
from linkwork.components.contacts.touching import Touch, outlines_of
from linkwork.core import component as contract
from linkwork.core.component import Load, State, View
from linkwork.core.errors import ModelError
from linkwork.core.registry import component
from linkwork.geometry import SX, cross, dot

FEW = 16
"""Up to so many touches each has channels of its own, and an event where it begins and ends; of more, all as one."""

GIVES_WAY = "gives way"
"""What happens where something is pressed so deep into another that it may come out behind it."""
FAR = 0.9
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

    at: frame of the outline `shape` (or a ball of `radius`, a point without); on: frame of what it touches (the
    ground's, unless given): the outline `other`, or z = height(x, y) in its axes (y = height(x) in the plane), or else
    its x–y plane with z up (its x axis, y up). Normal force k δⁿ (1 + d δ̇) at each touch, never pulling, δ the
    penetration [m]: stiffness k [N/mⁿ], exponent n, dissipation d [s/m]. friction: coefficient μ; below the speed
    `creep` [m/s] it fades, so that a body at rest creeps a little. With `bristle` [N/m], the stiffness of what sticks,
    it truly sticks; bristle_damping [N·s/m], 0.01 s times the stiffness unless given.
    """

    passive = True

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
        stiffness: Any = 1e5,
        exponent: float = 1.5,
        dissipation: Any = 0.0,
        friction: Any = 0.0,
        creep: Any = 1e-3,
        bristle: Any = None,
        bristle_damping: Any = None,
    ):
        super().__init__(name, at, on)
        if not isinstance(exponent, (int, float, np.number)) or not 1 <= exponent < np.inf:
            raise ModelError(f"exponent {exponent!r}.", component=name, remedy="Give a number, 1 (linear) or more.")
        if bristle is None and bristle_damping is not None:
            raise ModelError("bristle_damping without bristle.", component=name, remedy="Give bristle=… [N/m] too.")
        self.shape, self.other = outlines_of(name, shape, radius, other, height)
        self.stiffness, self.exponent = stiffness, exponent
        self.dissipated, self.friction, self.creep = dissipation, friction, creep
        self.bristle = bristle
        self.bristle_damping = 0.01 * bristle if bristle is not None and bristle_damping is None else bristle_damping
        above = {"stiffness": stiffness, "creep": creep, "bristle": bristle}
        least = {"dissipation": dissipation, "friction": friction, "bristle_damping": bristle_damping}
        self.ranges = [
            *(r for what, x in above.items() if x is not None for r in positive(name, what, x)),
            *(r for what, x in least.items() if x is not None for r in positive(name, what, x, zero=True)),
            *self.shape.ranges,
            *self.other.ranges,
        ]
        self._seen: tuple[View, list[_Pressed]] | None = None

    def _touches(self, view: View) -> list[_Pressed]:
        """Derived once for each view: there may be many, and all that is asked of a force needs them."""
        if self._seen is None or self._seen[0] is not view:
            self._seen = (view, self._derived(view))
        return self._seen[1]

    def _derived(self, view: View) -> list[_Pressed]:
        A, B = self.frames(view)
        found = self.found(view)
        size = 0 if not self.bends else 1 if view.planar else 3
        pressed = []
        for k, touch in enumerate(found):
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
        found = self._touches(view)
        A, B = self.frames(view)
        pace, grain, hold = ca.vertsplit(approach(self.shape, A, self.other, B, view.planar))
        depths = [one.depth for one in found] if len(found) <= FEW else [_deepest(found)]
        return [ca.vertcat(d, ca.if_else(d < 0, pace, 0), grain, ca.if_else(d < 0, 0, hold)) for d in depths]

    def watched(self, view):
        thin = thinnest(self.shape, self.other)
        return {} if thin is None else {GIVES_WAY: _deepest(self._touches(view)) - FAR * thin}

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
        found = self._touches(view)
        said = {
            "force": ("N", sum((one.force for one in found), SX(0))),
            "penetration": ("m", _deepest(found)),
            "friction": ("N", _length(sum((one.drag.force for one in found), SX(3, 1)))),
        }
        if len(found) == 1:
            return {**said, "slip": ("m/s", _length(found[0].slip))}
        for k, one in enumerate(found if len(found) <= FEW else []):
            said[f"force{k + 1}"] = ("N", one.force)
            said[f"slip{k + 1}"] = ("m/s", _length(one.slip))
        return said


def _power(depth: SX, exponent: float) -> SX:
    """δⁿ, zero where there is no contact."""
    return ca.if_else(depth > 0, ca.fmax(depth, 1e-300) ** exponent, 0)


def _deepest(found: list[_Pressed]) -> SX:
    deepest = found[0].depth
    for one in found[1:]:
        deepest = ca.fmax(deepest, one.depth)
    return deepest


def _length(x: SX) -> SX:
    return ca.sqrt(dot(x, x))
