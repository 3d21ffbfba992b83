"""Double pendulum from its position matrices alone (SYM VI, VII.A)."""

import linkwork as lw
from linkwork import rotz, shift
from linkwork.components import shapes

DURATION = 5.0
SHOW = ("q0", "q1")


def model() -> lw.Kinematics:
    """Arms of 1.2 m and 1.1 m, 1.1 kg and 0.9 kg; the lower one starts 1 rad off."""
    k = lw.Kinematics("double pendulum", coordinates=2, gravity=(0, -9.81, 0))
    l0, l1, m0, m1 = 1.2, 1.1, 1.1, 0.9
    q = k.q
    upper = k.body("upper", rotz(q[0]) @ shift(0, -l0 / 2), mass=m0, inertia=(1, 1, l0**2 / 12 * m0))
    lower = k.body(
        "lower",
        rotz(q[0]) @ shift(0, -l0) @ rotz(q[1]) @ shift(0, -l1 / 2),
        mass=m1,
        inertia=(1, 1, l1**2 / 12 * m1),
    )
    upper.shape(shapes.Box((0.08, l0, 0.08)))
    lower.shape(shapes.Box((0.07, l1, 0.07)))
    return k.start(q1=1)
