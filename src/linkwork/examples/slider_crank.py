"""Slider-crank: constant torque against damping (BND table 7), in the plane."""

import linkwork as lw

DURATION = 5.0
SHOW = ("piston.x", "O.angle.rate", "O.reaction.f?")


def model() -> lw.Model:
    """Crank 0.2 m, rod 1 m; 10 N·m on the crank, 2 N·m·s/rad in its bearing, 5 N·s/m under the piston."""
    m = lw.Model("slider-crank", gravity=(0, -9.81))
    torque = m.parameter("torque", 10.0, unit="N·m")
    crank = m.body("crank", mass=1, inertia=1)
    rod = m.body("rod", mass=1, inertia=1)
    piston = m.body("piston", mass=1, inertia=1)
    O = m.revolute("O", m.ground.at(0, 0), crank.at(-0.1, 0))
    m.revolute("A", crank.at(0.1, 0), rod.at(-0.5, 0))
    m.revolute("B", rod.at(0.5, 0), piston.at(0, 0))
    P = m.prismatic("P", m.ground.at(0, 0), piston.at(0, 0))
    O.angle.law(lw.Effort(torque))
    O.angle.law(lw.Damper(2))
    P.slide.law(lw.Damper(5))
    O.angle.start(0.3, rate=0)
    return m
