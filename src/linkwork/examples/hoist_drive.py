"""Bond graph of a hoist: motor, gear, drum, elastic rope, load; `sizing()` finds the voltage that a lift needs."""

from math import pi

import linkwork as lw

DURATION = 4.0
SHOW = ("load.flow", "height", "armature.flow", "rope.effort", "supply.power")

GRAVITY = 9.81


def model(load: float = 200.0, stiffness: float = 2e5) -> lw.BondGraph:
    """load [kg] hangs still on a rope of `stiffness` [N/m], held by the motor; the input `voltage` [V] lifts it.

    Drum 0.2 m, gear 30:1. The default voltage lifts at about 1 m/s.
    """
    g = lw.BondGraph("hoist")
    voltage = g.input("voltage", 100.0, unit="V")
    m = g.parameter("load", load, unit="kg")
    K = g.parameter("K", 0.6, unit="V·s/rad")
    R = g.parameter("R", 0.4, unit="Ω")
    ratio, radius = g.parameter("ratio", 1 / 30), g.parameter("radius", 0.2, unit="m")
    weight = GRAVITY * m
    circuit = g.one("circuit", domain="electrical")
    g.MSe("supply", voltage, at=circuit)
    g.R("winding", R, at=circuit)
    g.I("armature", 2e-3, start=weight * radius * ratio / K, at=circuit)
    shaft = g.one("shaft", domain="rotation")
    g.chain(circuit, g.GY("motor", K), shaft)
    g.I("rotor", 0.02, at=shaft)
    g.R("bearing", 5e-3, at=shaft)
    drum = g.one("drum-turns", domain="rotation")
    g.chain(shaft, g.TF("gear", ratio), drum)
    g.I("drum", 0.8, at=drum)
    pull, lifted = g.zero("pull", domain="translation"), g.one("lifted", domain="translation")
    g.chain(drum, g.TF("winding-radius", radius), pull, lifted)
    stretch = g.one("stretch", domain="translation")
    g.bond(pull, stretch)
    g.C("rope", stiffness, start=weight / stiffness, at=stretch)
    g.R("strands", 2e3, at=stretch)
    (bond,) = g.bonds_of(g.I("load", m, at=lifted))
    g.Se("weight", -weight, at=lifted)
    g.signal("height", bond.flow, unit="m")
    return g


def sizing(lift: float = 8.0, duration: float = 8.0, *, load: float = 200.0) -> lw.Result:
    """What the supply must give to lift the load by `lift` [m] within `duration` [s], from rest to rest."""
    peak = 8 * lift / (3 * duration)
    inverse = model(load).inverse("supply", "load.flow")
    return inverse.simulate(duration, lambda t: peak * lw.sin(pi * t / duration) ** 4)
