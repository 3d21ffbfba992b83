"""Whipple's bicycle, the benchmark of Meijaard and others (2007): pushed sideways at 5 m/s it steers itself upright."""

import numpy as np

import linkwork as lw
from linkwork.components import shapes

DURATION = 5.0
SHOW = ("frame.y", "frame.wx", "steer.angle", "steer.angle.rate")

TILT, BASE, TRAIL, REAR, FRONT = np.pi / 10, 1.02, 0.08, 0.3, 0.35
"""Tilt of the steering axis [rad]; wheelbase, trail, radii of the wheels [m]."""


def model(speed: float = 5.0, push: float = 30.0) -> lw.Model:
    """x ahead, z down, as in the benchmark. speed [m/s]; push [N]: a sideways blow of 0.2 s on the frame."""
    m = lw.Model("bicycle", gravity=(0, 0, 9.81))
    rear = m.body("rear", mass=2, inertia=(0.0603, 0.12, 0.0603)).start(position=(0, 0, -REAR))
    frame = m.body("frame", mass=85, inertia=(9.2, 11, 2.8, 0, 2.4, 0)).start(position=(0.3, 0, -0.9))
    fork = m.body("fork", mass=4, inertia=(0.05892, 0.06, 0.00708, 0, -0.00756, 0)).start(position=(0.9, 0, -0.7))
    front = m.body("front", mass=3, inertia=(0.1405, 0.28, 0.1405)).start(position=(BASE, 0, -FRONT))
    rear.shape(shapes.Wheel(REAR, 0.03, "y"))
    front.shape(shapes.Wheel(FRONT, 0.03, "y"))
    head = (BASE + TRAIL - 0.9 * np.tan(TILT), 0, -0.9)  # on the steering axis
    frame.shape(*(shapes.Rod(_from(a, (0.3, 0, -0.9)), _from(b, (0.3, 0, -0.9)), 0.02) for a, b in (
        ((0, 0, -REAR), (0.45, 0, -0.3)), ((0.45, 0, -0.3), (0.25, 0, -0.95)), ((0, 0, -REAR), (0.25, 0, -0.95)),
        ((0.45, 0, -0.3), head), ((0.25, 0, -0.95), head),
    )))  # fmt: skip
    fork.shape(shapes.Rod(_from((BASE, 0, -FRONT), (0.9, 0, -0.7)), _from(head, (0.9, 0, -0.7)), 0.02))
    m.revolute("hub", frame, rear, point=(0, 0, -REAR), axis=(0, 1, 0))
    m.revolute("steer", frame, fork, point=head, axis=(np.sin(TILT), 0, np.cos(TILT)))
    m.revolute("axle", fork, front, point=(BASE, 0, -FRONT), axis=(0, 1, 0))
    road = m.ground.at(0, 0, 0, rotation=np.diag([1.0, -1, -1]))  # its z axis points up
    across = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])  # z of these axes is the axle
    m.rolling("rear-contact", rear.at(rotation=across), road, radius=REAR)
    m.rolling("front-contact", front.at(rotation=across), road, radius=FRONT)
    frame.start(velocity=(speed, 0, 0), spin=(0, 0, 0))
    if push:
        m.force("push", frame, lambda t: (0, push * lw.exp(-(((t - 0.5) / 0.1) ** 2)), 0))
    return m


def _from(point: tuple[float, ...], centre: tuple[float, ...]) -> tuple[float, ...]:
    """A point of the world at the start, in the axes of a body that has its mass centre there."""
    return tuple(float(p - c) for p, c in zip(point, centre, strict=True))
