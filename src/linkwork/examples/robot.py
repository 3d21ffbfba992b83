"""Robot with 5 degrees of freedom, point-to-point motion under given actuator efforts (SYM VII.C)."""

import linkwork as lw
from linkwork import if_else, rotx, roty, rotz, shift
from linkwork.components import shapes

DURATION = 2.0
SHOW = ("q?",)

WRIST, GRIP = 0.5, 0.05
"""L and C [m]: from the arm's mass centre to the wrist, from there to the hand's."""
START = (2.25, -0.5236, 0.75, 0.0, 0.0)
"""The paper prints no start: this one is ours."""


def efforts(t: lw.SX) -> dict[str, lw.SX]:
    """SYM table IV, with T0_Z = 673 t − 508: forces [N] and torques [N·m] by actuator."""

    def phases(first: lw.SX | float, second: lw.SX | float, third: lw.SX | float) -> lw.SX:
        return if_else(t < 0.5, first, if_else(t < 1.5, second, third))

    return {
        "F0z": phases(6348, 4905, 3462),
        "T0z": phases(673 * t - 508, 148 * lw.exp(-5.5 * (t - 0.5)) - 8, 240),
        "F1y": phases(36 * t + 986, -2, -1019),
        "T2x": phases(63.5, 49.05, 34.6),
    }


def model() -> lw.Kinematics:
    """A column that lifts and turns, an arm that slides and turns on it, a hand that bends."""
    k = lw.Kinematics("robot", coordinates=5, gravity=(0, 0, -9.81), units=("m", "rad", "m", "rad", "rad"))
    q = k.q
    column = rotz(q[1]) @ shift(0, 0, q[0])
    arm = column @ roty(q[3]) @ shift(0, q[2])
    hand = arm @ shift(0, WRIST) @ rotx(q[4]) @ shift(0, GRIP)
    base = k.body("column", column, mass=250, inertia=(90, 10, 90))
    boom = k.body("arm", arm, mass=150, inertia=(13, 0.75, 13))
    grip = k.body("hand", hand, mass=100, inertia=(4, 1, 4.3))
    k.ground.shape(shapes.Cylinder(0.09, 3.0, "z", at=(0, 0, 1.5), colour="steel"))
    base.shape(shapes.Box((0.36, 0.5, 0.36)))
    boom.shape(shapes.Box((0.14, 2.4, 0.14), at=(0, WRIST - 1.2, 0)))
    grip.shape(shapes.Frustum(0.09, 0.04, 2 * GRIP, "y"), shapes.Sphere(0.09, at=(0, -GRIP, 0), colour="steel"))
    push = efforts(k.t)
    k.force("F0z", base, (0, 0, push["F0z"]), frame="body")
    k.torque("T0z", base, (0, 0, push["T0z"]), frame="body")
    k.force("F1y", boom, (0, push["F1y"], 0), frame="body", reaction=base)
    k.torque("T2x", grip, (push["T2x"], 0, 0), frame="body", reaction=boom)
    for name, when in (("coast", 0.5), ("brake", 1.5)):
        k.event(name, lambda when=when: k.t - when, action="restart")
    return k.start(*START)
