"""Slider-crank from position matrices, its loop solved by hand or along with the motion (SYM VII.B)."""

import linkwork as lw
from linkwork import asin, cos, rotz, shift, sin

DURATION = 5.0
SHOW = ("q0", "piston.x")


def model(implicit: bool = False) -> lw.Kinematics:
    """Crank 1 m, rod 2 m, under gravity from 1 rad.

    α and x follow from q0 by (39), or are variables that conditions determine (implicit).
    """
    k = lw.Kinematics("slider-crank", coordinates=1, gravity=(0, -9.81, 0))
    l1, l2 = 1.0, 2.0
    q = k.q[0]
    if implicit:
        alpha = k.variable("alpha", guess=0.4).symbol
        x = k.variable("x", guess=2.5, unit="m").symbol
        k.condition("loop", l1 * sin(q) - l2 * sin(alpha), l1 * cos(q) + l2 * cos(alpha) - x)
    else:
        alpha = asin(l1 * sin(q) / l2)
        x = l1 * cos(q) + l2 * cos(alpha)
    k.body("crank", rotz(q) @ shift(l1 / 2), mass=1, inertia=(0.0833, 0.0833, 0.0833))
    k.body("rod", shift(x) @ rotz(-alpha) @ shift(-l2 / 2), mass=2, inertia=(0.6667, 0.6667, 0.6667))
    k.body("piston", shift(x), mass=5, inertia=(2, 2, 2))
    return k.start(q0=1)
