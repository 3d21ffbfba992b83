"""Crane: a winch hoists a load on two falls of rope over pulleys; a second rope holds the boom."""

from math import cos, pi, sin

import linkwork as lw
from linkwork.components import shapes

DURATION = 8.0
SHOW = ("load.y", "load.x", "hoist.tension", "stay.tension", "drum.angle.effort")

BOOM, SLOPE = 8.0, 50 * pi / 180
"""Length of the boom [m] and its angle at the start [rad]."""
DRUM, SHEAVE, HOOK = 0.3, 0.3, 0.25
"""Radii of the drum, of the pulley at the tip and of the one at the hook [m]."""


def model(load: float = 500.0, lift: float = 2.5) -> lw.Model:
    """load: its mass [kg]; lift: how far it is hoisted [m], with a smooth start and stop."""
    m = lw.Model("crane", gravity=(0, -9.81))
    mass = m.parameter("mass", load, unit="kg")
    rise = m.parameter("lift", lift, unit="m")
    m.ground.shape(shapes.Line([(-2.5, 0.5), (-2.5, 6.0)]))
    foot, tip = (0.0, 1.0), (BOOM * cos(SLOPE), 1 + BOOM * sin(SLOPE))
    boom = m.body("boom", mass=400.0, inertia=400.0 * BOOM**2 / 12)
    boom.start(position=((foot[0] + tip[0]) / 2, (foot[1] + tip[1]) / 2), angle=SLOPE)
    boom.shape(shapes.Box((BOOM, 0.35, 0.35)))
    m.revolute("foot", m.ground.at(*foot), boom.at(-BOOM / 2, 0))
    end = boom.at(BOOM / 2, 0)
    m.rope("stay", m.ground.at(-2.5, 6.0), end, stiffness=3e6, damping=2e4)
    drum = m.body("winch", mass=100.0, inertia=5.0).start(position=(-2.0, 1.0))
    drum.shape(shapes.Disc(DRUM, 0.3))
    shaft = m.revolute("drum", m.ground.at(-2.0, 1.0), drum.at())
    # Two falls: the drum takes up twice the lift.
    shaft.angle.law(lw.Motion(lambda t: 2 * rise / DRUM * (t / DURATION - lw.sin(2 * pi * t / DURATION) / (2 * pi))))
    box = m.body("load", mass=mass, inertia=load / 6).start(position=(tip[0] + SHEAVE - HOOK, 2.0), angle=0)
    box.shape(shapes.Box((1.0, 1.0, 1.0)), shapes.Line([(0, 0.5), (0, 1.2)]))
    m.rope(
        "hoist",
        m.ground.at(-2.0, 1.0 + DRUM),
        lw.Pulley(end, -SHEAVE),
        lw.Pulley(box.at(0, 1.2), -HOOK),
        boom.at(BOOM / 2 - 0.3, -0.2),
        stiffness=4e5,
        damping=4e3,
        winch=shaft.angle,
        drum=DRUM,
    )
    return m
