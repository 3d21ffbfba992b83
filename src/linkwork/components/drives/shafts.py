"""Drive trains in one dimension, turning (`shaft_…`: rad, N·m) or sliding (`slide_…`: m, N).

Flanges are joined to each other and to coordinates of joints: `m.connect(gear.b, O.angle)`. An inertia that is rigidly
joined to a joint adds to the mass the mechanism feels.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from linkwork.components.given import End, Signal
from linkwork.components.wiring.wired import TwoPort, Wired
from linkwork.core.kinds import anything, nonnegative, positive, quantity
from linkwork.core.port import ROTATIONAL, TRANSLATIONAL, Domain
from linkwork.core.registry import component
from linkwork.geometry import SX, Number


class OneFlange(Wired):
    """Something on a flange `a`: `x` its angle or position, `effort` the torque or force into this component."""

    domain: ClassVar[Domain] = ROTATIONAL

    def __init__(self, name: str, a: End = None):
        super().__init__(name)
        self.a = self.join_port("a", self.domain, a)

    @property
    def x(self) -> SX:
        return self.a.potential

    @property
    def effort(self) -> SX:
        return self.a.flow


class TwoFlanges(TwoPort):
    """Something without mass between flanges a and b; `through` is the torque or force that a puts in."""

    domain: ClassVar[Domain] = ROTATIONAL

    def __init__(self, name: str, a: End = None, b: End = None):
        super().__init__(name, self.domain, a, b)
        self.a, self.b = self.first, self.second

    def channels(self) -> dict[str, tuple[str, Number]]:
        torque = self.domain is ROTATIONAL
        return {"torque" if torque else "force": ("N·m" if torque else "N", self.through)}


class Inertial(OneFlange):
    """What has a value and a rate at the start, if nothing rigid decides about them."""

    element = "I"

    def __init__(self, name: str, a: End, inertia: Number, start: Number | None, rate: Number | None):
        super().__init__(name, a)
        self.inertia = inertia
        turns = self.domain is ROTATIONAL
        self.place = self.variable(
            "angle" if turns else "position", start, start_rate=rate, unit="rad" if turns else "m"
        )

    @property
    def speed(self) -> SX:
        return self.der(self.place)

    def equations(self):
        return [self.place - self.x, self.inertia * self.der(self.speed) - self.effort]

    def stored(self):
        return self.inertia * self.speed**2 / 2

    def channels(self):
        return {"speed": ("rad/s" if self.domain is ROTATIONAL else "m/s", self.speed)}


@component
class ShaftInertia(Inertial):
    """A rotor: J·dω/dt = torque."""

    def __init__(
        self,
        name: str,
        a: End = None,
        *,
        inertia: Annotated[Number, positive["kg·m²"], "J"],
        angle: Annotated[Number | None, anything["rad"], "at the start, if nothing rigid decides about it"] = None,
        speed: Annotated[Number | None, anything["rad/s"], "at the start, if nothing rigid decides about it"] = None,
    ):
        super().__init__(name, a, inertia, angle, speed)


@component
class SlideMass(Inertial):
    """A mass on a line: m·dv/dt = force."""

    domain = TRANSLATIONAL

    def __init__(
        self,
        name: str,
        a: End = None,
        *,
        mass: Annotated[Number, positive["kg"], "m"],
        position: Annotated[Number | None, anything["m"], "at the start, if nothing rigid decides about it"] = None,
        speed: Annotated[Number | None, anything["m/s"], "at the start, if nothing rigid decides about it"] = None,
    ):
        super().__init__(name, a, mass, position, speed)


class Elastic(TwoFlanges):
    """Effort k (x_a − x_b − rest) + d (ẋ_a − ẋ_b)."""

    def __init__(self, name: str, a: End, b: End, stiffness: Number, damping: Number, rest: Number):
        super().__init__(name, a, b)
        self.stiffness, self.damping, self.rest = stiffness, damping, rest

    def law(self):
        stretch = self.drop - self.rest
        return [self.through - self.stiffness * stretch - self.damping * self.der(stretch)]

    def stored(self):
        return self.stiffness * (self.drop - self.rest) ** 2 / 2

    def lost(self):
        return self.damping * self.der(self.drop) ** 2


@component
class ShaftSpring(Elastic):
    """An elastic shaft."""

    def __init__(
        self,
        name: str,
        a: End = None,
        b: End = None,
        *,
        stiffness: Annotated[Number, nonnegative["N·m/rad"], "torque per twist"],
        damping: Annotated[Number, nonnegative["N·m·s/rad"], "torque per speed of twist"] = 0.0,
        rest: Annotated[Number, quantity["rad"], "twist without torque"] = 0.0,
    ):
        super().__init__(name, a, b, stiffness, damping, rest)


@component
class SlideSpring(Elastic):
    """A spring on a line."""

    domain = TRANSLATIONAL

    def __init__(
        self,
        name: str,
        a: End = None,
        b: End = None,
        *,
        stiffness: Annotated[Number, nonnegative["N/m"], "force per stretch"],
        damping: Annotated[Number, nonnegative["N·s/m"], "force per speed of stretch"] = 0.0,
        rest: Annotated[Number, quantity["m"], "position of a less that of b without force"] = 0.0,
    ):
        super().__init__(name, a, b, stiffness, damping, rest)


@component
class ShaftDamper(Elastic):
    """A viscous bearing or coupling."""

    def __init__(
        self,
        name: str,
        a: End = None,
        b: End = None,
        *,
        damping: Annotated[Number, nonnegative["N·m·s/rad"], "torque per speed"],
    ):
        super().__init__(name, a, b, 0.0, damping, 0.0)


@component
class SlideDamper(Elastic):
    """A viscous damper on a line."""

    domain = TRANSLATIONAL

    def __init__(
        self,
        name: str,
        a: End = None,
        b: End = None,
        *,
        damping: Annotated[Number, nonnegative["N·s/m"], "force per speed"],
    ):
        super().__init__(name, a, b, 0.0, damping, 0.0)


class Rigid(OneFlange):
    """A place that does not move."""

    element = "Sf"

    def __init__(self, name: str, a: End, at: Number):
        super().__init__(name, a)
        self.at = at

    def equations(self):
        return [self.x - self.at]


@component
class ShaftFixed(Rigid):
    """A housing: its flange stays at an angle."""

    def __init__(self, name: str, a: End = None, *, at: Annotated[Number, quantity["rad"], "the angle"] = 0.0):
        super().__init__(name, a, at)


@component
class SlideFixed(Rigid):
    """A wall: its flange stays at a position."""

    domain = TRANSLATIONAL

    def __init__(self, name: str, a: End = None, *, at: Annotated[Number, quantity["m"], "the position"] = 0.0):
        super().__init__(name, a, at)


class Pushing(OneFlange):
    """A given effort towards larger angles or positions."""

    element = "Se"

    source = True

    def __init__(self, name: str, effort: Signal, a: End):
        super().__init__(name, a)
        self.take_signal("effort", effort)

    def equations(self):
        return [self.effort + self.value("effort")]


@component
class ShaftTorque(Pushing):
    """A given torque on its flange."""

    def __init__(self, name: str, effort: Annotated[Signal, anything["N·m"]] = None, a: End = None):
        super().__init__(name, effort, a)


@component
class SlideForce(Pushing):
    """A given force on its flange."""

    domain = TRANSLATIONAL

    def __init__(self, name: str, effort: Annotated[Signal, anything["N"]] = None, a: End = None):
        super().__init__(name, effort, a)


class Moving(OneFlange):
    """A given speed, whatever effort that takes."""

    element = "Sf"

    source = True

    def __init__(self, name: str, speed: Signal, a: End, start: Number | None):
        super().__init__(name, a)
        turns = self.domain is ROTATIONAL
        self.place = self.variable("angle" if turns else "position", start, unit="rad" if turns else "m")
        self.take_signal("speed", speed)

    def equations(self):
        return [self.x - self.place, self.der(self.place) - self.value("speed")]


@component
class ShaftSpeed(Moving):
    """A given speed of a shaft."""

    def __init__(
        self,
        name: str,
        speed: Annotated[Signal, anything["rad/s"]] = None,
        a: End = None,
        *,
        start: Annotated[Number | None, anything["rad"], "its angle at the start"] = None,
    ):
        super().__init__(name, speed, a, start)


@component
class SlideSpeed(Moving):
    """A given speed along a line."""

    domain = TRANSLATIONAL

    def __init__(
        self,
        name: str,
        speed: Annotated[Signal, anything["m/s"]] = None,
        a: End = None,
        *,
        start: Annotated[Number | None, anything["m"], "its position at the start"] = None,
    ):
        super().__init__(name, speed, a, start)
