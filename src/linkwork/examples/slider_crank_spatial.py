"""Slider-crank of spatial bodies: isostatic, or over-constrained by three revolutes and a prismatic (BND 4.2)."""

import math

import linkwork as lw

DURATION = 5.0
SHOW = ("piston.x", "O.angle.rate", "O.reaction.f?")


def model(redundant: bool = True) -> lw.Model:
    """The mechanism of `slider-crank` in space; with `redundant` its joints hold 3 directions twice (BND table 4)."""
    m = lw.Model("slider-crank-spatial", gravity=(0, -9.81, 0))
    angle = 0.3
    tilt = -math.asin(0.2 * math.sin(angle))  # of the rod
    elbow = (0.2 * math.cos(angle), 0.2 * math.sin(angle), 0.0)
    end = (elbow[0] + math.cos(tilt), 0.0, 0.0)
    crank = m.body("crank", mass=1, inertia=(0.7, 0.8, 1))
    rod = m.body("rod", mass=1, inertia=(0.7, 0.8, 1))
    piston = m.body("piston", mass=1, inertia=(0.7, 0.8, 1))
    crank.start(position=(elbow[0] / 2, elbow[1] / 2, 0), angle=angle)
    rod.start(position=((elbow[0] + end[0]) / 2, elbow[1] / 2, 0), angle=tilt)
    piston.start(position=end)
    O = m.revolute("O", m.ground.at(0, 0, 0), crank.at(-0.1, 0, 0))
    if redundant:
        m.revolute("A", crank, rod, point=elbow, axis=(0, 0, 1))
        m.revolute("B", rod, piston, point=end, axis=(0, 0, 1))
    else:
        m.rotational("A", crank, rod, point=elbow)
        m.spherical("B", rod, piston, point=end)
    P = m.prismatic("P", m.ground.at(0, 0, 0), piston.at(0, 0, 0))
    O.angle.law(lw.Effort(m.parameter("torque", 10.0, unit="N·m")))
    O.angle.law(lw.Damper(2))
    P.slide.law(lw.Damper(5))
    O.angle.start(angle, rate=0)
    return m
