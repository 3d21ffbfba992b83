"""A car of four corners, each the same submodel: strut, knuckle, wheel and tyre; those behind are driven as well."""

from math import pi

import linkwork as lw
from linkwork.components import shapes
from linkwork.examples.car import ACROSS, CHASSIS, CHASSIS_INERTIA, FRONT, HEIGHT, RADIUS, REAR, TRACK, TYRE, cruise

DURATION = 6.0
SHOW = ("chassis.y", "chassis.wz", "front.left.tyre.load", "front.left.strut.slide")


class Corner(lw.Submodel):
    """A wheel that is steered and sprung, at the frame where it is at rest, and that carries `load` [N] there."""

    def build(self, load: float, speed: lw.SX, steer: lw.Number = 0.0, cornering: float = 55e3) -> None:
        stiffness = self.parameter("stiffness", 25e3, unit="N/m")
        knuckle = self.body("knuckle", mass=20, inertia=(0.4, 0.4, 0.4))
        self.wheel = self.body("wheel", mass=20, inertia=(0.5, 0.9, 0.5))
        self.wheel.shape(shapes.Wheel(RADIUS, 0.2, "y", colour="#7a8290"))
        spring = lw.Spring(stiffness, rest=-load / stiffness), lw.Damper(2000)
        strut = self.axial_joint("strut", self.at, knuckle.at(), translation=spring, rotation=lw.Motion(steer))
        strut.slide.start(0, rate=0)
        hub = self.revolute("hub", knuckle.at(rotation=ACROSS), self.wheel.at(rotation=ACROSS))
        hub.angle.start(0, rate=speed / RADIUS)
        self.tyre(
            "tyre", self.wheel.at(rotation=ACROSS), radius=RADIUS, stiffness=TYRE, friction=0.9, cornering=cornering,
            slip_stiffness=80e3,
        )  # fmt: skip


class Driven(Corner):
    """A corner with an engine that keeps the speed [m/s]."""

    def build(self, speed: lw.SX, **others: object) -> None:  # type: ignore[override]
        super().build(speed=speed, **others)  # type: ignore[arg-type]
        self.torque("engine", self.wheel, cruise(speed), frame="body", reaction=self.at.body)


def axle(s: lw.Submodel, x: float, load: float, corner: type[Corner] = Corner, **options: object) -> None:
    """Two corners across the chassis whose mass centre `s.at` is; x: how far ahead [m]."""
    low = RADIUS - HEIGHT - (load + 40 * 9.81) / TYRE
    for side, y in (("left", TRACK / 2), ("right", -TRACK / 2)):
        s.insert(corner, side, at=s.at.body.at(x, y, low), load=load, **options)


def model(speed: float = 20.0, steer: float = 0.02) -> lw.Model:
    """A double lane change at `speed` [m/s]: the front wheels turn by `steer` [rad] to and fro."""
    m = lw.Model("vehicle", gravity=(0, 0, -9.81))
    m.natural = "minimal"
    pace, angle = m.parameter("speed", speed, unit="m/s"), m.parameter("steer", steer, unit="rad")
    chassis = m.body("chassis", mass=CHASSIS, inertia=CHASSIS_INERTIA)
    chassis.shape(shapes.Box((3.8, 1.3, 0.4)), shapes.Box((1.8, 1.2, 0.45), at=(-0.2, 0, 0.4), opacity=0.6))
    chassis.start(position=(0, 0, HEIGHT), velocity=(pace, 0, 0), spin=(0, 0, 0))
    turn = angle * lw.sin(pi * m.t) * lw.exp(-((m.t - 2) ** 4) / 4)
    load = CHASSIS * 9.81 / (FRONT + REAR) / 2
    m.insert(axle, "front", at=chassis.at(), x=FRONT, load=load * REAR, speed=pace, steer=turn)
    m.insert(axle, "rear", at=chassis.at(), x=-REAR, load=load * FRONT, speed=pace, corner=Driven, cornering=65e3)
    return m
