"""Small mechanisms whose programs are run many at a time."""

from __future__ import annotations

import numpy as np

import linkwork as lw
from linkwork.integrate import Trajectory, integrate
from linkwork.simulation.prepare import Choice, Prepared, prepare
from linkwork.sweeps.batch import BatchProblem, CaseTable


def pendulum(action: str | None = None, direction: int = 0) -> lw.Model:
    """Length L, driven by an input; with an event at an angle of −0.5 rad."""
    m = lw.Model("pendulum", gravity=(0, -9.81))
    length, torque = m.parameter("L", 1.0), m.input("torque", unit="N·m")
    bob = m.body("bob", mass=1, inertia=0.1)
    pin = m.revolute("pin", m.ground.at(0, 0), bob.at(-length, 0))
    pin.angle.law(lw.Effort(torque))
    pin.angle.law(lw.Damper(0.2))
    if action:
        m.event("half-way", lambda angle: angle + 0.5, pin.angle, action=action, direction=direction)
    return m


def slider_crank() -> lw.Model:
    m = lw.Model("slider-crank", gravity=(0, -9.81))
    inertia = m.parameter("J", 1.0)
    crank, rod, piston = (m.body(n, mass=1, inertia=j) for n, j in (("crank", inertia), ("rod", 1), ("piston", 1)))
    pin = m.revolute("O", m.ground.at(0, 0), crank.at(-0.1, 0))
    m.revolute("A", crank.at(0.1, 0), rod.at(-0.5, 0))
    m.revolute("B", rod.at(0.5, 0), piston.at(0, 0))
    m.prismatic("P", m.ground.at(0, 0), piston.at(0, 0))
    pin.angle.law(lw.Effort(10))
    pin.angle.start(0.3, rate=0)
    return m


def parallelogram() -> lw.Model:
    """Three equal cranks: redundant; it lies flat, where branches meet, twice in every turn."""
    m = lw.Model("parallelogram", gravity=(0, 0))
    bar = m.body("bar", mass=1, inertia=0.1)
    for k, x in enumerate((0.0, 0.5, 1.0)):
        crank = m.body(f"crank{k}", mass=1, inertia=0.1)
        joint = m.revolute(f"O{k}", m.ground.at(x, 0), crank.at(-0.25, 0))
        m.revolute(f"A{k}", crank.at(0.25, 0), bar.at(x - 0.5, 0))
        if not k:
            joint.angle.start(1.0, rate=-2.0)
    return m


def ready(model: lw.Model, formulation: str = "minimal") -> Prepared:
    return prepare(model, Choice(formulation=formulation))


def one_by_one(problem: BatchProblem) -> list[Trajectory]:
    """The same cases in the integrator of single ones."""
    common = problem.common
    found = []
    for case in range(problem.cases):
        signals = {k: s.of(case) if isinstance(s, CaseTable) else s for k, s in problem.signals.items()}
        scale = 1.0 if problem.program.scale is None else problem.program.scale
        path = integrate(
            problem.program, problem.starts[case], (common.t0, common.t1), times=problem.times,
            parameters=problem.p[case], signals=signals, solver=problem.solver, rtol=common.rtol,
            atol=common.atol / scale, step=common.step, max_step=common.max_step, stops=common.stops,
            max_steps=common.max_steps,
        )  # fmt: skip
        found.append(path)
    return found


def largest_difference(y: np.ndarray, paths: list[Trajectory]) -> float:
    """Of states, by the size of the largest one."""
    reference = np.array([path.y for path in paths])
    return float(np.abs(y - reference).max() / np.abs(reference).max())
