"""Hydraulic jack pushing a mass against a spring: stiff, then slow (SYM V.B, table I)."""

import linkwork as lw

DURATION = 0.5
SHOW = ("P.slide", "head.pressure", "rod.pressure", "P.slide.rate", "solver.step")
BAR = 1e5


def model() -> lw.Model:
    """The supply rises from 10 to 100 bar within 10 ms; the mass settles at (p1 S1 − p2 S2)/k = 95 mm."""
    m = lw.Model("hydraulic jack", gravity=(0, 0))
    mass = m.body("mass", mass=10, inertia=1)
    P = m.prismatic("P", m.ground, mass.at())
    P.slide.law(lw.Spring(1e5))
    supply = m.pressure_source("supply", lambda t: lw.fmin(10 + 90 * t / 0.01, 100) * BAR)
    tank = m.pressure_source("tank", 10 * BAR)
    head = m.chamber("head", volume=1e-4, bulk_modulus=2e8, pressure=10 * BAR)
    rod = m.chamber("rod", volume=3e-4, bulk_modulus=2e8, pressure=10 * BAR)
    m.orifice("inlet", supply, head, area=1e-5)
    m.orifice("outlet", rod, tank, area=1e-5)
    m.hydraulic_cylinder("jack", P.slide, head=head, rod=rod, head_area=1e-3, rod_area=5e-4)
    m.event("full", lambda: m.t - 0.01, action="restart")
    return m
