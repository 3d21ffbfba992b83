"""Pendulum: a uniform bar on a pin (BND table 6)."""

import linkwork as lw

DURATION = 10.0
SHOW = ("pin.angle", "pin.reaction.f?", "energy.*")


def model(length: float = 1.0, damping: float = 0.0, start: float = 0.0) -> lw.Model:
    """A bar of 1 kg that starts horizontally; damping [N·m·s/rad] in the pin."""
    m = lw.Model("pendulum", gravity=(0, -9.81))
    L = m.parameter("length", length, unit="m")
    d = m.parameter("damping", damping, unit="N·m·s/rad")
    bar = m.body("bar", mass=1, inertia=L**2 / 12)
    pin = m.revolute("pin", m.ground.at(0, 0), bar.at(-L / 2, 0))
    pin.angle.law(lw.Damper(d))
    pin.angle.start(start, rate=0)
    m.point("tip", bar.at(L / 2, 0))
    return m
