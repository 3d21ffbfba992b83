"""Valve train: a camshaft with a measured cam lifts a valve against its spring; too fast, the roller leaves the cam."""

from math import pi

import linkwork as lw
from linkwork.components import shapes

DURATION = 0.08
SHOW = ("guide.slide", "nose.force", "nose.gap", "valve.ay")

BASE, ROLLER = 0.018, 0.009
"""Radii of the base circle and of the roller [m]."""
STEM = 0.032
"""From the roller up to where the stem is guided [m]."""
LIFT = (
    0.0, 0.0, 0.0, 0.004, 0.031, 0.117, 0.306, 0.640, 1.146, 1.828, 2.660, 3.591, 4.555, 5.479, 6.293, 6.937, 7.364,
    7.543, 7.364, 6.937, 6.293, 5.479, 4.555, 3.591, 2.660, 1.828, 1.146, 0.640, 0.306, 0.117, 0.031, 0.004, 0.0, 0.0,
)  # fmt: skip
"""Measured every 5° of the cam, around its nose [mm]; the rest of it is round."""


def profile() -> lw.Table:
    """Radius [m] over the angle [rad] of the cam."""
    lift = [*LIFT, *([0.0] * (72 - len(LIFT)))]
    return lw.Table([2 * pi * k / 72 for k in range(73)], [BASE + 1e-3 * x for x in [*lift, lift[0]]], "cubic",
                    ends="periodic")  # fmt: skip


def model(speed: float = 150.0, stiffness: float = 15e3) -> lw.Model:
    """speed of the camshaft [rad/s], stiffness of the spring [N/m]; it follows up to about 230 rad/s."""
    m = lw.Model("valve train", gravity=(0, -9.81))
    w = m.parameter("speed", speed, unit="rad/s")
    k = m.parameter("stiffness", stiffness, unit="N/m")
    radius = profile()
    cam = m.body("cam", mass=1.2, inertia=3e-4)
    outline = [(r * c, r * s) for r, c, s in _around(radius)]
    cam.shape(shapes.Line(outline), shapes.Disc(0.006, 0.01))
    valve = m.body("valve", mass=0.14, inertia=1e-4)
    stem = [(0, 0), (0, 0.11), (-0.016, 0.118), (0.016, 0.118), (0, 0.11)]
    valve.shape(shapes.Disc(ROLLER, 0.01), shapes.Line(stem))
    shaft = m.revolute("shaft", m.ground.at(), cam.at())
    shaft.angle.law(lw.Motion(lambda t: pi + w * t))
    upright = pi / 2
    guide = m.prismatic("guide", m.ground.at(0, STEM, rotation=upright), valve.at(0, STEM, rotation=upright))
    guide.slide.start(BASE + ROLLER)
    m.cam("nose", cam.at(), valve.at(), radius=radius, roller=ROLLER, stiffness=2e9, dissipation=2.0)
    m.spring("spring", m.ground.at(0, 0.13), valve.at(0, 0.05), stiffness=k, length=0.065, damping=4.0)
    return m


def _around(radius: lw.Table, points: int = 144) -> list[tuple[float, float, float]]:
    turn = [2 * pi * k / points for k in range(points + 1)]
    return [(float(radius(a)), float(lw.cos(a)), float(lw.sin(a))) for a in turn]
