"""Spinning top: a heavy disc on a ball joint, spinning fast: it precesses and nods."""

import linkwork as lw
from linkwork.components import shapes

DURATION = 5.0
SHOW = ("tip.x", "tip.y", "tip.z", "energy.total")


def model(spin: float = 100.0, tilt: float = 0.4) -> lw.Model:
    """Disc of 1 kg and radius 0.1 m, 0.15 m above the support; spin about its axis [rad/s], tilt from upright [rad]."""
    m = lw.Model("spinning-top", gravity=(0, 0, -9.81))
    height, radius = 0.15, 0.1
    disc = m.body("disc", mass=1, inertia=(radius**2 / 4, radius**2 / 4, radius**2 / 2))
    lean = lw.rotation_y(tilt)
    axis = lean.z
    disc.shape(
        shapes.Disc(radius, 0.03),
        shapes.Rod((0, 0, -height), (0, 0, 0.05), 0.006, colour="steel"),
    )
    disc.start(position=height * axis, rotation=lean, spin=spin * axis)
    m.spherical("support", m.ground.at(0, 0, 0), disc.at(0, 0, -height))
    m.point("tip", disc.at(0, 0, 0.05))
    return m
