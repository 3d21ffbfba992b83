"""Two mechanisms that several tests share: a driven arm, and a quick-return shaper."""

from __future__ import annotations

from typing import Any

import linkwork as lw


def arm() -> tuple[Any, Any]:
    """Two links; the first one turns at a given speed."""
    m = lw.Model("arm", gravity=(0, -9.81))
    upper, fore = m.rod("upper", length=1, mass=2), m.rod("fore", length=0.7, mass=m.parameter("mass", 1.0, unit="kg"))
    S = m.revolute("S", m.ground.at(0, 0), upper.at(-0.5, 0))
    E = m.revolute("E", upper.at(0.5, 0), fore.at(-0.35, 0))
    S.angle.law(lw.Motion(speed=lambda t: 1 + 0.2 * lw.cos(t)))
    E.angle.law(lw.Damper(0.3))
    S.angle.start(0.1)
    E.angle.start(-0.5, rate=0)
    return m, E


def shaper() -> Any:
    """A crank in the slot of a lever."""
    m = lw.Model("shaper", gravity=(0, -9.81))
    crank, lever = m.rod("crank", length=0.1, mass=0.5), m.rod("lever", length=0.8, mass=1.5)
    O = m.revolute("O", m.ground.at(0, m.parameter("h", 0.3)), crank.at(-0.05, 0))
    m.revolute("Q", m.ground.at(0, 0), lever.at(-0.4, 0))
    m.point_on_line("S", lever.at(-0.4, 0), crank.at(0.05, 0))
    O.angle.law(lw.Effort(m.input("torque", 3.0, unit="N·m")))
    O.angle.law(lw.Damper(0.4))
    O.angle.start(0.2, rate=0)
    lever.start(position=(0, 0.4), angle=1.4)
    return m
