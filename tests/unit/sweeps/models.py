"""Models that the tests of sweeps share; at the top of a module, so that other processes can build them, too."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import linkwork as lw


def oscillator() -> lw.Model:
    """A block of 2 kg on a rail, with a spring k and a force u: x = (x0 − u/k) cos ωt + v0/ω sin ωt + u/k."""
    m = lw.Model("oscillator", gravity=(0, -9.81))
    stiffness, force = m.parameter("k", 50.0, unit="N/m"), m.input("u", 0.0, unit="N")
    block = m.body("block", mass=2.0, inertia=0.1)
    rail = m.prismatic("rail", m.ground.at(), block.at())
    rail.slide.law(lw.Spring(stiffness)).law(lw.Effort(force))
    rail.slide.start(0.1, rate=0.0)
    return m


def trouble() -> lw.Model:
    """A slider-crank that cannot be assembled with a short rod, has a root of a negative number beyond an angle, and
    stops at another."""
    m = lw.Model("trouble", gravity=(0, 0))
    rod_length, limit = m.parameter("L", 1.0, unit="m"), m.parameter("limit", 9.0, unit="rad")
    crank, rod = m.body("crank", mass=1, inertia=0.1), m.body("rod", mass=1, inertia=0.1)
    O = m.revolute("O", m.ground.at(), crank.at(-0.3, 0))
    m.revolute("A", crank.at(0.3, 0), rod.at(0, 0))
    m.point_on_line("P", m.ground.at(0, 0), rod.at(rod_length, 0))
    O.angle.law(lw.Effort(lambda t, x, v: 0.1 * lw.sqrt(limit - x)))
    O.angle.start(1.0, rate=2.0)
    m.event("end", lambda x: x - 2.5, O.angle, action="stop")
    return m


def sine(r: Any) -> float:
    """A reduction that can be sent to other processes."""
    return float(r["rail.slide"].max() - r["rail.slide"].min())


def noting(r: Any) -> float:
    """The stiffness of a case, noted in a file; the first process that comes to the twentieth case dies there, once."""
    k, log = r.record["parameters"]["k"], Path(os.environ["LINKWORK_TEST_LOG"])
    mark = log.with_name("log.died")
    with log.open("a") as file:
        file.write(f"{k!r}\n")
    if len(log.read_text().split()) > 20 and not mark.exists():
        mark.write_text("once")
        os.kill(os.getpid(), signal.SIGKILL)
    return k
