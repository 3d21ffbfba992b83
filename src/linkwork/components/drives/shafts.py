"""Drive trains in one dimension, turning (`shaft_…`: rad, N·m) or sliding (`slide_…`: m, N).

Flanges are joined to each other and to coordinates of joints: `m.connect(gear.b, O.angle)`. An inertia that is rigidly
joined to a joint adds to the mass the mechanism feels.
"""

from __future__ import annotations

from typing import Any, ClassVar

from linkwork.components.checked import positive
from linkwork.components.wiring.wired import TwoPort, Wired
from linkwork.core.kinds import quantity
from linkwork.core.port import ROTATIONAL, TRANSLATIONAL, Domain
from linkwork.core.registry import component
from linkwork.geometry import SX


class OneFlange(Wired):
    """Something on a flange `a`: `x` its angle or position, `effort` the torque or force into this component."""

    domain: ClassVar[Domain] = ROTATIONAL

    def __init__(self, name: str, a: Any = None):
        super().__init__(name)
        self.a = self.joined("a", self.domain, a)

    @property
    def x(self) -> SX:
        return self.a.potential

    @property
    def effort(self) -> SX:
        return self.a.flow


class TwoFlanges(TwoPort):
    """Something without mass between flanges a and b; `through` is the torque or force that a puts in."""

    domain: ClassVar[Domain] = ROTATIONAL

    def __init__(self, name: str, a: Any = None, b: Any = None):
        super().__init__(name, self.domain, a, b)
        self.a, self.b = self.first, self.second

    def channels(self) -> dict[str, tuple[str, Any]]:
        torque = self.domain is ROTATIONAL
        return {"torque" if torque else "force": ("N·m" if torque else "N", self.through)}


class Inertial(OneFlange):
    """What has a value and a rate at the start, if nothing rigid decides about them."""

    element = "I"

    def __init__(self, name: str, a: Any, inertia: Any, start: Any, rate: Any, what: str):
        super().__init__(name, a)
        positive(name, what, inertia)
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
    """A rotor: J·dω/dt = torque; inertia J [kg·m²], angle [rad] and speed [rad/s] at the start."""

    def __init__(self, name: str, a: Any = None, *, inertia: Any, angle: Any = None, speed: Any = None):
        super().__init__(name, a, inertia, angle, speed, "inertia")


@component
class SlideMass(Inertial):
    """A mass on a line: m·dv/dt = force; mass m [kg], position [m] and speed [m/s] at the start."""

    domain = TRANSLATIONAL

    def __init__(self, name: str, a: Any = None, *, mass: Any, position: Any = None, speed: Any = None):
        super().__init__(name, a, mass, position, speed, "mass")


class Elastic(TwoFlanges):
    """Effort k (x_a − x_b − rest) + d (ẋ_a − ẋ_b)."""

    def __init__(self, name: str, a: Any, b: Any, stiffness: Any, damping: Any, rest: Any):
        super().__init__(name, a, b)
        positive(name, "stiffness", stiffness, zero=True)
        positive(name, "damping", damping, zero=True)
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
    """An elastic shaft; stiffness [N·m/rad], damping [N·m·s/rad], rest: twist without torque [rad]."""

    def __init__(self, name: str, a: Any = None, b: Any = None, *, stiffness: Any, damping: Any = 0.0, rest: Any = 0.0):
        super().__init__(name, a, b, stiffness, damping, rest)


@component
class SlideSpring(Elastic):
    """A spring on a line; stiffness [N/m], damping [N·s/m], rest: position of a less that of b without force [m]."""

    domain = TRANSLATIONAL

    def __init__(self, name: str, a: Any = None, b: Any = None, *, stiffness: Any, damping: Any = 0.0, rest: Any = 0.0):
        super().__init__(name, a, b, stiffness, damping, rest)


@component
class ShaftDamper(Elastic):
    """A viscous bearing or coupling; damping [N·m·s/rad]."""

    def __init__(self, name: str, a: Any = None, b: Any = None, *, damping: Any):
        super().__init__(name, a, b, 0.0, damping, 0.0)


@component
class SlideDamper(Elastic):
    """A viscous damper on a line; damping [N·s/m]."""

    domain = TRANSLATIONAL

    def __init__(self, name: str, a: Any = None, b: Any = None, *, damping: Any):
        super().__init__(name, a, b, 0.0, damping, 0.0)


class Rigid(OneFlange):
    """A place that does not move."""

    element = "Sf"

    def __init__(self, name: str, a: Any = None, *, at: Any = 0.0):
        super().__init__(name, a)
        self.at = at

    def equations(self):
        return [self.x - self.at]


@component
class ShaftFixed(Rigid):
    """A housing: its flange stays at the angle `at` [rad]."""

    arguments = {"at": quantity}


@component
class SlideFixed(Rigid):
    """A wall: its flange stays at the position `at` [m]."""

    arguments = {"at": quantity}

    domain = TRANSLATIONAL


class Pushing(OneFlange):
    """A given effort towards larger angles or positions."""

    element = "Se"

    source = True

    def __init__(self, name: str, effort: Any = None, a: Any = None):
        super().__init__(name, a)
        self.told("effort", effort)

    def equations(self):
        return [self.effort + self.value("effort")]


@component
class ShaftTorque(Pushing):
    """A given torque on its flange [N·m]: a number, expression, function of t, table or signal."""


@component
class SlideForce(Pushing):
    """A given force on its flange [N]: a number, expression, function of t, table or signal."""

    domain = TRANSLATIONAL


class Moving(OneFlange):
    """A given speed, whatever effort that takes."""

    element = "Sf"

    source = True

    def __init__(self, name: str, speed: Any = None, a: Any = None, *, start: Any = None):
        super().__init__(name, a)
        turns = self.domain is ROTATIONAL
        self.place = self.variable("angle" if turns else "position", start, unit="rad" if turns else "m")
        self.told("speed", speed)

    def equations(self):
        return [self.x - self.place, self.der(self.place) - self.value("speed")]


@component
class ShaftSpeed(Moving):
    """A given speed [rad/s]: a number, expression, function of t, table or signal; start: its angle then [rad]."""


@component
class SlideSpeed(Moving):
    """A given speed [m/s]: a number, expression, function of t, table or signal; start: its position then [m]."""

    domain = TRANSLATIONAL
