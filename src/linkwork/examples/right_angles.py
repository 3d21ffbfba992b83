"""Two slider-cranks in planes at right angles, the pistons joined by a rod with ball joints: planar parts in space."""

from math import cos, sin

import linkwork as lw
from linkwork.components import shapes
from linkwork.components.joint import JointCoordinate
from linkwork.components.plane import Plane

DURATION = 2.0
SHOW = ("front.P.slide", "side.P.slide", "side.O.angle", "coupler.reaction.fx")

UPRIGHT = ((1, 0, 0), (0, 0, -1), (0, 1, 0))
ACROSS = ((0, 0, 1), (1, 0, 0), (0, 1, 0))
"""Axes of the planes: columns are x, y and the normal in the world."""


def slider_crank(p: Plane, radius: float, length: float, start: float) -> JointCoordinate:
    """Crank, rod and a piston along x, in any plane; returns the angle of the crank."""
    crank = p.body("crank", mass=1, inertia=0.002)
    rod = p.body("rod", mass=0.6, inertia=0.005)
    piston = p.body("piston", mass=0.8, inertia=0.001)
    crank.shape(shapes.Box((radius + 0.02, 0.02, 0.01)))
    rod.shape(shapes.Box((length, 0.012, 0.01)))
    piston.shape(shapes.Box((0.06, 0.04, 0.04)))
    O = p.revolute("O", p.ground.at(0, 0), crank.at(-radius / 2, 0))
    p.revolute("A", crank.at(radius / 2, 0), rod.at(-length / 2, 0))
    p.revolute("B", rod.at(length / 2, 0), piston.at())
    p.prismatic("P", p.ground.at(0, 0), piston.at())
    crank.start(position=(radius / 2 * cos(start), radius / 2 * sin(start)), angle=start)
    return O.angle


def model(speed: float = 6.0) -> lw.Model:
    """speed of the driving crank [rad/s]; the other one rocks."""
    m = lw.Model("right angles", gravity=(0, 0, -9.81))
    w = m.parameter("speed", speed, unit="rad/s")
    front = m.plane("front", at=m.ground.at(rotation=UPRIGHT))
    side = m.plane("side", at=m.ground.at(rotation=ACROSS))
    slider_crank(front, 0.05, 0.3, start=0.4).law(lw.Motion(lambda t: 0.4 + w * t))
    slider_crank(side, 0.15, 0.4, start=1.2)
    m.distance("coupler", m["front.piston"].at(), m["side.piston"].at(), length=0.55)
    return m
