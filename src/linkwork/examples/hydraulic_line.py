"""Bond graph of a pump, a line with a relief valve, and a cylinder that lifts a mass."""

import linkwork as lw

DURATION = 0.3
SHOW = ("hose.effort", "cylinder.port1.effort", "mass.flow", "lift", "relief.flow")
BAR = 1e5


def model(load: float = 500.0, opening: float = 60.0) -> lw.BondGraph:
    """The pump starts within 50 ms; load [kg]; the relief valve opens at `opening` [bar].

    The oil in the line has mass and friction, hose and chamber are elastic: a water hammer that dies away.
    """
    g = lw.BondGraph("pump, line and cylinder")
    delivery = g.parameter("delivery", 2e-4, unit="m³/s")
    area = g.parameter("area", 1e-3, unit="m²")
    m = g.parameter("load", load, unit="kg")
    opens = g.parameter("opening", opening, unit="bar") * BAR
    pump = g.zero("pump", domain="hydraulic")
    g.MSf("delivery", delivery * lw.fmin(g.t / 0.05, 1), at=pump)
    g.C("hose", compliance=2e-13, at=pump)
    g.R("relief", inverse=lambda p: lw.fmax(p - opens, 0) / 1e10, at=pump)  # flow by pressure: it is shut below
    g.R("leak", 1e12, at=pump)
    line = g.one("line-flow", domain="hydraulic")
    g.bond(pump, line)
    g.I("line", 2e7, at=line)
    g.R("friction", lambda q: 1e9 * q + 1e14 * q * lw.fabs(q), at=line)
    chamber = g.zero("chamber", domain="hydraulic")
    g.bond(line, chamber)
    g.C("oil", compliance=1e-13, at=chamber)
    rod = g.one("rod", domain="translation")
    (_, pushed) = g.chain(chamber, g.TF("cylinder", 1 / area), rod)
    g.I("mass", m, at=rod)
    g.R("seal", 2000.0, at=rod)
    g.Se("weight", -9.81 * m, at=rod)
    g.C("stop", lambda x: lw.if_else(x < 0, 1e7 * x, 0), energy=lambda x: lw.if_else(x < 0, 5e6 * x**2, 0), at=rod)
    g.signal("lift", pushed.flow, unit="m")
    return g
