"""Between shafts: gears, racks, clutches."""

from __future__ import annotations

from typing import Annotated

import casadi as ca

from linkwork.components.drives.shafts import TwoFlanges
from linkwork.components.given import End, Signal
from linkwork.components.wiring.wired import Wired
from linkwork.core.kinds import nonzero, positive
from linkwork.core.port import ROTATIONAL, TRANSLATIONAL
from linkwork.core.registry import component
from linkwork.geometry import Number


class Geared(Wired):
    """x_a = ratio · x_b: what a puts in, b gives out `ratio` times as strong."""

    element = "TF"

    kinds = (ROTATIONAL, ROTATIONAL)

    def __init__(self, name: str, a: End, b: End, ratio: Number, offset: Number = 0.0):
        super().__init__(name)
        self.a, self.b = (self.join_port(n, k, end) for n, k, end in zip("ab", self.kinds, (a, b), strict=True))
        self.ratio, self.offset = ratio, offset

    def equations(self):
        moved = self.a.potential - self.ratio * self.b.potential - self.offset
        return [moved, self.b.flow + self.ratio * self.a.flow]


@component
class ShaftGear(Geared):
    """A gear without mass or loss: angle_a = ratio · angle_b."""

    def __init__(
        self,
        name: str,
        a: End = None,
        b: End = None,
        *,
        ratio: Annotated[Number, nonzero, "turns of a per turn of b, negative to reverse"],
    ):
        super().__init__(name, a, b, ratio)


@component
class SlideLever(Geared):
    """A lever or hydraulic intensifier without mass: position_a = ratio · position_b."""

    kinds = (TRANSLATIONAL, TRANSLATIONAL)

    def __init__(
        self, name: str, a: End = None, b: End = None, *, ratio: Annotated[Number, nonzero, "way of a per way of b"]
    ):
        super().__init__(name, a, b, ratio)


@component
class ShaftRack(Geared):
    """A pinion a on a rack b: position_b = radius · angle_a."""

    kinds = (ROTATIONAL, TRANSLATIONAL)

    def __init__(
        self,
        name: str,
        a: End = None,
        b: End = None,
        *,
        radius: Annotated[Number, nonzero["m"], "of the pinion, negative to reverse"],
    ):
        super().__init__(name, a, b, 1 / radius)


@component
class ShaftClutch(TwoFlanges):
    """A friction clutch: torque = engagement · capacity · tanh(slip/creep), from a to b."""

    def __init__(
        self,
        name: str,
        a: End = None,
        b: End = None,
        *,
        engagement: Annotated[Signal, "a signal, 0 (open) … 1 (closed)"] = None,
        capacity: Annotated[Number, positive["N·m"], "largest torque"],
        creep: Annotated[Number, positive["rad/s"], "slip speed below which it sticks as a viscous coupling"] = 1e-2,
    ):
        super().__init__(name, a, b)
        self.capacity, self.creep = capacity, creep
        self.take_signal("engagement", engagement)

    def law(self):
        pressed = ca.fmin(ca.fmax(self.value("engagement"), 0), 1)
        return [self.through - pressed * self.capacity * ca.tanh(self.der(self.drop) / self.creep)]

    def lost(self):
        return self.through * self.der(self.drop)

    def switches(self):
        return [self.value("engagement"), self.value("engagement") - 1]

    def channels(self):
        return {**super().channels(), "slip": ("rad/s", self.der(self.drop))}
