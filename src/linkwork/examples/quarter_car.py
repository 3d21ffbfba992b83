"""Bond graph of a quarter car on a road: wheel and body, tyre and suspension."""

from math import pi

import linkwork as lw

DURATION = 2.0
SHOW = ("body.flow", "wheel.flow", "travel", "tyre.effort", "suspension.effort")


def model(speed: float = 10.0, height: float = 0.01, length: float = 2.0) -> lw.BondGraph:
    """Three waves of a washboard road, height and length [m], at `speed` [m/s]; forces count from rest under gravity.

    The input `road` adds a vertical speed of the ground of your own [m/s].
    """
    g = lw.BondGraph("quarter car")
    k = g.parameter("stiffness", 20e3, unit="N/m")
    d = g.parameter("damping", 1500.0, unit="N·s/m")
    v = g.parameter("speed", speed, unit="m/s")
    h = g.parameter("height", height, unit="m")
    ground = g.input("road", 0.0, unit="m/s")
    place = v * g.t
    slope = lw.if_else(place < 3 * length, h * 2 * pi / length * lw.cos(2 * pi * place / length), 0)
    road = g.one("road", domain="translation")
    g.MSf("profile", slope * v + ground, at=road)
    contact = g.zero("contact", domain="translation")
    wheel, body = g.one("wheel-speed", domain="translation"), g.one("body-speed", domain="translation")
    g.chain(road, contact, wheel)
    g.C("tyre", 180e3, at=contact)
    g.I("wheel", 40.0, at=wheel)
    strut, relative = g.zero("strut", domain="translation"), g.one("stroke", domain="translation")
    g.chain(wheel, strut, body)
    between = g.bond(strut, relative)
    g.C("suspension", k, at=relative)
    g.R("damper", d, at=relative)
    g.I("body", 300.0, at=body)
    g.signal("travel", between.flow, unit="m")
    return g
