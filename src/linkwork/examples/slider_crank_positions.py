"""Slider-crank from position matrices, its loop solved by hand or along with the motion (SYM VII.B)."""

import linkwork as lw
from linkwork import asin, cos, rotz, shift, sin
from linkwork.components import shapes

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
    crank = k.body("crank", rotz(q) @ shift(l1 / 2), mass=1, inertia=(0.0833, 0.0833, 0.0833))
    rod = k.body("rod", shift(x) @ rotz(-alpha) @ shift(-l2 / 2), mass=2, inertia=(0.6667, 0.6667, 0.6667))
    piston = k.body("piston", shift(x), mass=5, inertia=(2, 2, 2))
    crank.shape(shapes.Box((l1 + 0.1, 0.16, 0.08)))
    rod.shape(shapes.Cylinder(0.05, l2))
    piston.shape(shapes.Cylinder(0.22, 0.4))
    return k.start(q0=1)
