"""Four-bar linkage: a crank turned at constant speed rocks an output lever."""

import linkwork as lw
from linkwork.components import shapes

DURATION = 4.0
SHOW = ("D.angle", "A.angle.effort", "B.reaction.f?")


def model(speed: float = 3.0) -> lw.Model:
    """Steel rods of 0.2, 0.6 and 0.4 m on a base of 0.6 m; the crank turns at `speed` [rad/s]."""
    m = lw.Model("four-bar", gravity=(0, -9.81))
    w = m.parameter("speed", speed, unit="rad/s")
    crank = m.rod("crank", length=0.2, radius=0.01, density=7850)
    coupler = m.rod("coupler", length=0.6, radius=0.01, density=7850)
    lever = m.rod("lever", length=0.4, radius=0.01, density=7850)
    A = m.revolute("A", m.ground.at(0, 0), crank.at(-0.1, 0))
    m.revolute("B", crank.at(0.1, 0), coupler.at(-0.3, 0))
    m.revolute("C", coupler.at(0.3, 0), lever.at(0.2, 0))
    D = m.revolute("D", m.ground.at(0.6, 0), lever.at(-0.2, 0))
    A.angle.law(lw.Motion(lambda t: w * t))
    lever.start(position=(0.6, 0.2), angle=1.57)  # the branch with the lever up
    D.angle.law(lw.Damper(0.5))
    coupler.shape(shapes.Line([(-0.3, 0), (0, 0.2), (0.3, 0)]))
    m.point("coupler_point", coupler.at(0, 0.2))
    return m
