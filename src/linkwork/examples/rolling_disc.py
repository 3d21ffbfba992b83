"""Rolling disc: a tilted, spinning disc on a table, without slip (ACA (5)–(8)): it wobbles and keeps its energy."""

import numpy as np

import linkwork as lw
from linkwork.components import shapes

DURATION = 10.0
SHOW = ("disc.x", "disc.y", "disc.z", "energy.total")

MASS, RADIUS, GRAVITY = 1.2, 0.5, 9.81
INERTIA = (0.075, 0.075, 0.15)
"""Of a thin uniform disc, about its axis z last [kg·m²]."""


def model(tilt: float = 0.4, wobble: float = 0.8, spin: float = 6.0) -> lw.Model:
    """tilt of its plane from upright [rad]; turning rates about its steepest line and about its axis [rad/s]."""
    m = lw.Model("rolling-disc", gravity=(0, 0, -GRAVITY))
    lean = np.pi / 2 - tilt
    R = np.array([[1, 0, 0], [0, np.cos(lean), -np.sin(lean)], [0, np.sin(lean), np.cos(lean)]])
    disc = m.body("disc", mass=MASS, inertia=INERTIA).shape(shapes.Wheel(RADIUS, 0.02))
    m.rolling("contact", disc.at(), radius=RADIUS)
    rates = R @ np.array([0.3, wobble, spin])
    up = R[:, 1]  # along the disc from the contact to its centre
    disc.start(
        position=RADIUS * up[2] * np.array([0, 0, 1]), rotation=R, velocity=np.cross(rates, RADIUS * up), spin=rates
    )
    return m
