"""The slider-crank's bond graph, edited: a heavier rod, a flywheel on an elastic shaft, a brake."""

import linkwork as lw
from linkwork.bondgraph.elements import I
from linkwork.examples import slider_crank

DURATION = 2.0
SHOW = ("crank.angle", "flywheel.flow", "shaft.effort", "brake.power")


def model(flywheel: float = 0.5, stiffness: float = 400.0, brake: float = 0.2) -> lw.BondGraph:
    """flywheel [kg·m²] on a shaft of `stiffness` [N·m/rad] at the crank, held back by a brake [N·m·s/rad]."""
    g = slider_crank.model().bondgraph()
    g.replace("rod-J", I("rod-J", g.parameter("rod", 2.0, unit="kg·m²")))
    crank = g["crank-rotation"]
    twist, wheel = g.zero("twist", domain="rotation"), g.one("wheel", domain="rotation")
    g.bond(crank, twist)
    g.C("shaft", g.parameter("stiffness", stiffness, unit="N·m/rad"), at=twist)
    g.bond(twist, wheel)
    g.I("flywheel", g.parameter("flywheel", flywheel, unit="kg·m²"), at=wheel)
    g.R("brake", g.parameter("brake", brake, unit="N·m·s/rad"), at=wheel)
    return g
