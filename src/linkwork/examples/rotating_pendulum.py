"""Pendulum with a rotating end: a rod on a ball joint carries a heavy body that spins about the rod (PRT)."""

import linkwork as lw
from linkwork.components import shapes

DURATION = 10.0
SHOW = ("P2.x", "P2.y", "P2.z")


def model(spin: float = 2.0, regular: bool = False) -> lw.Model:
    """Masses and inertias of PRT's table 1. The lengths are ours: mass centres 0.5 m and 1 m from the support.

    The rod starts horizontally and at rest, the end spins at `spin` [rad/s]; with `regular` the whole starts with the
    precession that keeps the rod level: Ω = (m₁l₁ + m₂l₂) g/(I₂·spin).
    """
    m = lw.Model("rotating-pendulum", gravity=(0, 0, -9.81))
    rod = m.body("rod", mass=1.5, inertia=(0.1, 0.1, 0.1)).start(position=(0.5, 0, 0))
    end = m.body("end", mass=25.0, inertia=(25.0, 25.0, 25.0)).start(position=(1.0, 0, 0))
    rod.shape(shapes.Rod((-0.5, 0, 0), (0.5, 0, 0), 0.03))
    end.shape(shapes.Disc(0.3, 0.12, "x"))
    m.spherical("support", m.ground, rod, point=(0, 0, 0))
    axle = m.revolute("axle", rod, end, point=(1, 0, 0), axis=(1, 0, 0))
    turn = (1.5 * 0.5 + 25.0 * 1.0) * 9.81 / (25.0 * spin) if regular else 0.0
    rod.start(spin=(0, 0, turn))
    axle.angle.start(0, rate=spin)
    m.point("P2", end.at(0, 0, 0))
    return m
