"""Mechanisms of which many cases are run: trees, loops, redundant loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import arms
import numpy as np

import linkwork as lw
from linkwork.core.program import BEST
from linkwork.simulation.prepare import Choice, Prepared, prepare
from linkwork.sweeps.batch import BatchProblem, make_batch


def slider_crank() -> lw.Model:
    """Its crank's inertia is a parameter."""
    m = lw.Model("slider-crank", gravity=(0, -9.81))
    inertia = m.parameter("J", 1.0)
    crank, rod, piston = (m.body(n, mass=1, inertia=j) for n, j in (("crank", inertia), ("rod", 1), ("piston", 1)))
    pin = m.revolute("O", m.ground.at(0, 0), crank.at(-0.1, 0))
    m.revolute("A", crank.at(0.1, 0), rod.at(-0.5, 0))
    m.revolute("B", rod.at(0.5, 0), piston.at(0, 0))
    slide = m.prismatic("P", m.ground.at(0, 0), piston.at(0, 0))
    pin.angle.law(lw.Effort(10))
    pin.angle.law(lw.Damper(2))
    slide.slide.law(lw.Damper(5))
    pin.angle.start(0.3, rate=0)
    return m


def four_bar() -> lw.Model:
    """In space, with revolute joints alone: three of its rows are redundant. The coupler's mass is a parameter."""
    m = lw.Model("four-bar", gravity=(0, 0, -9.81))
    mass = m.parameter("m", 1.0)
    crank = m.body("crank", mass=1, inertia=(0.01, 0.05, 0.05))
    coupler = m.body("coupler", mass=mass, inertia=(0.01, 0.3, 0.3))
    rocker = m.body("rocker", mass=1, inertia=(0.01, 0.2, 0.2))
    crank.start(position=(0, 0, 0.2))
    coupler.start(position=(0.75, 0, 0.7))
    rocker.start(position=(1.5, 0, 0.5))
    axis = (0, 1, 0)
    pin = m.revolute("A", m.ground, crank, point=(0, 0, 0), axis=axis)
    m.revolute("B", crank, coupler, point=(0, 0, 0.4), axis=axis)
    m.revolute("C", coupler, rocker, point=(1.5, 0, 1.0), axis=axis)
    m.revolute("D", rocker, m.ground, point=(1.5, 0, 0), axis=axis)
    pin.angle.law(lw.Effort(3))
    pin.angle.law(lw.Damper(0.5))
    return m


@dataclass(frozen=True)
class Case:
    """A mechanism, how it is formulated, and by how much its cases differ."""

    name: str
    model: Callable[[], lw.Model]
    formulation: str
    seconds: float

    def ready(self) -> Prepared:
        """With the best code from the first step on: short runs would not wait for it."""
        ready = prepare(self.model(), Choice(formulation=self.formulation))
        ready.program.tier = BEST
        return ready

    def problem(self, ready: Prepared, cases: int, solver: str, times: int = 2) -> BatchProblem:
        """Starts of the arm differ by up to 0.3 rad, the parameter of the others by a factor of two."""
        k = np.arange(cases)
        starts, p = np.repeat(ready.state[None], cases, axis=0), np.repeat(ready.p[None], cases, axis=0)
        if ready.program.parameters:
            p[:, 0] *= 1 + np.mod(0.618 * k, 1.0)
        else:
            n = ready.program.layout.q
            starts[:, :n] += 0.3 * np.sin(1.7 * k[:, None] + 0.9 * np.arange(n))
        options = {"step": 1e-3} if solver == "rk4" else {"rtol": 1e-8, "atol": 1e-10}
        times_ = np.linspace(0, self.seconds, times)
        return make_batch(ready.program, starts, times_, parameters=p, solver=solver, **options)


CASES = (
    Case("7-joint arm", lambda: arms.linkwork(7), "minimal", 0.5),
    Case("slider-crank", slider_crank, "absolute", 1.0),
    Case("slider-crank", slider_crank, "minimal", 1.0),
    Case("four-bar in space, redundant", four_bar, "absolute", 1.0),
)
