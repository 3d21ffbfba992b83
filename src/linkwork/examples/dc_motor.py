"""Bond graph of a DC motor that drives a load through a rigid gear."""

import linkwork as lw

DURATION = 0.5
SHOW = ("armature.flow", "rotor.flow", "load.flow", "supply.power", "resistance.power")


def model(voltage: float = 12.0) -> lw.BondGraph:
    """Supply [V], armature, gyrator, rotor and bearing, gear 10:1, load.

    The gear is rigid: the load's inertia adds to the rotor's. It has derivative causality and no state of its own.
    """
    g = lw.BondGraph("DC motor")
    V = g.input("voltage", voltage, unit="V")
    R = g.parameter("R", 0.5, unit="Ω")
    K = g.parameter("K", 0.1, unit="V·s/rad")
    n = g.parameter("ratio", 0.1)
    circuit = g.one("circuit", domain="electrical")
    g.MSe("supply", V, at=circuit)
    g.R("resistance", R, at=circuit)
    g.I("armature", 1e-3, at=circuit)
    shaft = g.one("shaft", domain="rotation")
    g.chain(circuit, g.GY("motor", K), shaft)
    g.I("rotor", 1e-3, at=shaft)
    g.R("bearing", 1e-3, at=shaft)
    driven = g.one("driven", domain="rotation")
    g.chain(shaft, g.TF("gear", n), driven)
    g.I("load", 0.1, at=driven)
    return g
