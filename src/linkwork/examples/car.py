"""Four-wheel car on an uneven road: suspensions, steering and tyres that grip, slide and lift off."""

from collections.abc import Callable

import numpy as np

import linkwork as lw
from linkwork.components import shapes

DURATION = 4.0
SHOW = ("chassis.z", "chassis.y", "chassis.wz", "front-left-tyre.load", "front-left.slide")

CHASSIS, KNUCKLE, WHEEL = 1200.0, 20.0, 20.0
"""Masses [kg]."""
CHASSIS_INERTIA, KNUCKLE_INERTIA, WHEEL_INERTIA = (400.0, 1600.0, 1800.0), (0.4, 0.4, 0.4), (0.5, 0.9, 0.5)
"""[kg·m²]; the axle of a wheel is y."""
FRONT, REAR, TRACK, HEIGHT = 1.1, 1.5, 1.5, 0.55
"""Mass centre of the chassis to the axles; distance of the wheels; its height above the road at rest [m]."""
RADIUS, TYRE, SUSPENSION, SHOCK = 0.32, 2e5, 25e3, 2000.0
"""Wheel radius [m]; stiffness of a tyre and of a suspension [N/m]; damping of a suspension [N·s/m]."""
CORNERING, SLIP = (55e3, 65e3), 80e3
"""Of a tyre in front and behind [N/rad], of any along [N]."""
BASE, GRAVITY = FRONT + REAR, 9.81
ACROSS = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
"""Axes whose z is the car's y: an axle."""


def sprung_load(front: bool) -> float:
    """What a suspension carries at rest [N]."""
    return CHASSIS * GRAVITY * (REAR if front else FRONT) / BASE / 2


def wheel_load(front: bool) -> float:
    """What a tyre carries at rest [N]."""
    return sprung_load(front) + (KNUCKLE + WHEEL) * GRAVITY


def model(speed: float = 15.0, steer: float = 0.03, bump: float = 0.05, friction: float = 0.9) -> lw.Model:
    """Rolls straight at `speed` [m/s], its left wheels over a `bump` [m] 10 m ahead, then turns its wheels by `steer`.

    steer [rad]: after two seconds; 0 goes straight. A controller on the rear wheels keeps the speed.
    """
    m = lw.Model("car", gravity=(0, 0, -GRAVITY))
    m.natural = "minimal"  # a tree: nine bodies and no loop
    angle = m.parameter("steer", steer, unit="rad")
    height = m.parameter("bump", bump, unit="m")
    pace = m.parameter("speed", speed, unit="m/s")
    grip = m.parameter("friction", friction)
    chassis = m.body("chassis", mass=CHASSIS, inertia=CHASSIS_INERTIA)
    chassis.shape(shapes.Box((3.8, 1.3, 0.4)), shapes.Box((1.8, 1.2, 0.45), at=(-0.2, 0, 0.4), opacity=0.6))
    chassis.start(position=(0, 0, HEIGHT), velocity=(pace, 0, 0), spin=(0, 0, 0))

    def road(x: lw.SX, y: lw.SX) -> lw.SX:
        """Smooth hump on the left-hand side of the lane."""
        return height * lw.exp(-(((x - 10) / 0.6) ** 2)) * (1 + lw.tanh(y / 0.4)) / 2

    m.ground.shape(shapes.Terrain(road, (7, 13), (-3, 3), points=24, colour="#c3ccd4"))

    def turn(t: lw.SX) -> lw.SX:
        return angle * (1 + lw.tanh((t - 2) / 0.15)) / 2

    for end, x in (("front", FRONT), ("rear", -REAR)):
        for side, y in (("left", TRACK / 2), ("right", -TRACK / 2)):
            front = end == "front"
            name, centre = f"{end}-{side}", RADIUS - wheel_load(front) / TYRE
            knuckle = m.body(f"{name}-knuckle", mass=KNUCKLE, inertia=KNUCKLE_INERTIA).start(position=(x, y, centre))
            knuckle.shape(shapes.Sphere(0.06, colour="#7a8290"))
            wheel = m.body(f"{name}-wheel", mass=WHEEL, inertia=WHEEL_INERTIA).start(position=(x, y, centre))
            wheel.shape(shapes.Wheel(RADIUS, 0.2, "y", colour="#7a8290"))
            suspension = lw.Spring(SUSPENSION, rest=-sprung_load(front) / SUSPENSION), lw.Damper(SHOCK)
            strut = chassis.at(x, y, centre - HEIGHT), knuckle.at()
            joint = m.axial_joint(name, *strut, translation=suspension, rotation=lw.Motion(turn if front else 0.0))
            joint.slide.start(0, rate=0)
            hub = m.revolute(f"{name}-hub", knuckle.at(rotation=ACROSS), wheel.at(rotation=ACROSS))
            hub.angle.start(0, rate=pace / centre)
            if not front:
                m.torque(f"{side}-drive", wheel, cruise(pace), frame="body", reaction=chassis)
            m.tyre(
                f"{name}-tyre", wheel.at(rotation=ACROSS), radius=RADIUS, stiffness=TYRE, friction=grip,
                cornering=CORNERING[0 if front else 1], slip_stiffness=SLIP, height=road,
            )  # fmt: skip
    return m


def cruise(pace: lw.SX) -> Callable[[lw.Frame], tuple[lw.SX | float, ...]]:
    """Torque [N·m] about the axle that keeps the car's speed; the same on both sides, as an open differential gives."""
    return lambda b: (0, 500.0 * (pace - lw.dot(b.v, b.x)), 0)
