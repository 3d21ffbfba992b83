"""A run of a large model: kernels in loops instead of straight-line code, behind the same Program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.errors import IntegrationError, ModelError
from linkwork.core.pieces import OverTime
from linkwork.core.plain_data import Record
from linkwork.core.program import Program
from linkwork.core.result import Result
from linkwork.formulations.stabilisation import Baumgarte
from linkwork.integrate import Trajectory, evaluate, resolve_solver
from linkwork.integrate.solver import NativeSolver
from linkwork.large.fits import driven, large_of
from linkwork.large.program import Large
from linkwork.large.size import LARGE, count_bodies
from linkwork.large.slots import Unfit
from linkwork.large.start import Start, Starting, placed
from linkwork.signals.breakpoints import stops_of
from linkwork.signals.inputs import Signals, signals_of
from linkwork.simulation.arguments import parameters_of
from linkwork.simulation.choice.formulation import AUTOMATIC as ANY
from linkwork.simulation.choice.solver import AUTOMATIC, EXPLICIT, IMPLICIT, Automatic, SolverChoice, judge
from linkwork.simulation.cost import INTERRUPTED_STEPS, check_memory
from linkwork.simulation.description.describe import versions
from linkwork.simulation.failure import ENDS, undefined
from linkwork.simulation.live import Watcher
from linkwork.simulation.record import result_of, solver_record, status_of
from linkwork.simulation.run import run
from linkwork.simulation.task import Task
from linkwork.simulation.timing import Stopwatch
from linkwork.simulation.watch.large import findings, open_joint

if TYPE_CHECKING:
    from linkwork.core.model import Model

MODES = 4
"""Eigenvalues of largest size that are looked for, to judge whether equations are stiff."""
RITZ_TOLERANCE = 1e-2
"""Of these, relative: more is not asked."""
DISTURBANCE = 1e-7
"""Of states, relative to 1 or their size."""


@dataclass
class Ready:
    """A program, where it starts, and its parameters and inputs."""

    program: Program
    state: np.ndarray
    p: np.ndarray

    @property
    def equations(self) -> object:
        raise NotImplementedError("Kernels have no equations in one piece.")


@dataclass
class Attempt:
    """A result, or why there is none: the model then takes straight-line code."""

    result: Result | None
    reason: str


def attempt(task: Task) -> Attempt:
    """Run by kernels where that is asked for, or where the model is large and has kernels."""
    if task.kernels is False:
        return Attempt(None, "It was asked for." if count_bodies(task.model) >= LARGE else "")
    if task.kernels is None and count_bodies(task.model) < LARGE:
        return Attempt(None, "")
    try:
        _check(task)
        with task.model.prepared_for(parameters_of(task.model, task.parameters)):
            return Attempt(_simulated(task), "")
    except Unfit as reason:
        if task.kernels:
            raise ModelError(
                f"it has no kernels: {reason.cause}.", component=reason.component, remedy="Leave kernels=True out."
            ) from reason
        return Attempt(None, f"{reason.component} has no kernels: {reason.cause}.")


def _check(task: Task) -> None:
    """What is asked for, beside the model, must be something that kernels can do."""
    name = task.model.name
    if task.choice.formulation not in ("absolute", ANY):
        raise Unfit(name, f"the formulation {task.choice.formulation!r} is asked for")
    if task.choice.loops != "multipliers" or task.choice.compliance is not None or not task.assemble:
        raise Unfit(name, "partitioned speeds, soft joints or an open start are asked for")
    if not (isinstance(task.solver, str) and task.solver == AUTOMATIC):
        solver = resolve_solver(task.solver)
        if not isinstance(solver, NativeSolver) or set(solver.functions) - {"rhs"}:
            raise Unfit(name, f"the solver {solver.name!r} is asked for, and kernels have explicit ones only")


def _simulated(task: Task) -> Result:
    """Prepare, integrate, observe, judge."""
    clock = Stopwatch()
    model = task.model
    large = large_of(model, task.choice.stabilisation)
    signals = signals_of(model, task.inputs)
    p = _p(model, task, signals)
    stops = stops_of(large.tables.groups[0].kind.eq, p, signals, task.duration)
    if len(stops) and (names := driven(large)):
        raise Unfit(names[0], "it is driven by a signal that may jump")
    start = Starting(large, p).start() if task.start is None else placed(large, task.start, p)
    program = large.ready(start.state, p)
    clock.prepared(program)
    ready = Ready(program, start.state, p)
    solver = _solver(task, ready, signals)
    check_memory(model.name, task.times.size, program.layout.y + len(program.channels))
    program.function("outputs")
    program.function("rhs")
    clock.started()
    path = _path(task, ready, signals, stops, solver)
    clock.stopped()
    record = _record(task, large, ready, path, solver, start, clock.timings)
    result = result_of(model, program, path, p, signals, record, stops)
    return _judged(task, large, ready, path, result)


def _p(model: Model, task: Task, signals: Signals) -> np.ndarray:
    """Parameters, then inputs at t = 0."""
    p = np.concatenate([model.parameter_values(parameters_of(model, task.parameters)), list(model.inputs.values())])
    for k, signal in signals.items():
        p[len(model.parameters) + k] = signal(0.0) if callable(signal) else signal
    return p


def _path(task: Task, ready: Ready, signals: Signals, stops: np.ndarray, solver: SolverChoice) -> Trajectory:
    watcher = None
    if task.watch is not None:
        watcher = Watcher(
            task.watch, ready.program, ready.p, signals, {"model": task.model.name, "status": "running"}, {}
        )
    max_step = signals.longest_step(task.duration, task.max_step)
    if max_step is None and any(e.action != "record" for e in ready.program.events):
        max_step = task.duration / INTERRUPTED_STEPS
    return run(
        ready,  # type: ignore[arg-type]  # nothing interrupts it, so nobody asks for its equations
        task.duration, task.times, solver=solver, signals=signals, rtol=task.rtol, atol=task.atol, step=task.step,
        max_step=max_step, stops=stops, progress=task.progress,
        watch=watcher, name=task.model.name, projection=not isinstance(task.choice.stabilisation, Baumgarte),
    )  # fmt: skip


def _solver(task: Task, ready: Ready, signals: Mapping[int, OverTime]) -> SolverChoice:
    """By the fastest modes of the equations; kernels have explicit methods only."""
    if not (isinstance(task.solver, str) and task.solver == AUTOMATIC):
        return task.solver
    eigenvalues = modes(ready.program, ready.state, ready.p, signals)
    name, reason = judge(eigenvalues, remaining=task.duration, rtol=task.rtol)
    if name == IMPLICIT:
        raise Unfit(task.model.name, f"an implicit solver is needed, which kernels do not have. {reason}")
    return Automatic(task.duration, task.rtol, signals, solver=EXPLICIT, reason=reason)


def modes(program: Program, y: np.ndarray, p: np.ndarray, signals: Mapping[int, OverTime]) -> np.ndarray | None:
    """Eigenvalues [1/s] of largest size of ∂ẏ/∂y, by Arnoldi's method; each product is a difference of two rates."""
    from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigs

    rhs, scale, inputs = program.function("rhs"), np.maximum(1.0, np.abs(y)), len(program.inputs)
    (here,) = evaluate(rhs, np.zeros(1), y[None], p, signals, inputs=inputs)
    if not np.all(np.isfinite(here)):
        return None

    def product(x: np.ndarray) -> np.ndarray:
        x = x.ravel()
        size = float(np.abs(x).max(initial=0.0)) or 1.0
        step = DISTURBANCE / size
        (rate,) = evaluate(rhs, np.zeros(1), (y + step * scale * x)[None], p, signals, inputs=inputs)
        return (rate - here) / (step * scale)

    operator = LinearOperator((y.size, y.size), matvec=product, dtype=float)
    first = np.random.default_rng(0).standard_normal(y.size)
    try:
        return eigs(
            operator, k=min(MODES, y.size - 2), v0=first, tol=RITZ_TOLERANCE, maxiter=20, return_eigenvectors=False
        )
    except ArpackNoConvergence as error:
        return error.eigenvalues if error.eigenvalues.size else np.zeros(1)
    except ArpackError:  # nothing but free motions
        return np.zeros(1)


def _record(
    task: Task, large: Large, ready: Ready, path: Trajectory, solver: SolverChoice, start: Start,
    timings: dict[str, float],
) -> Record:  # fmt: skip
    tables = large.tables
    asked = task.choice.formulation != ANY
    kinds, components = len(tables.groups), sum(len(g.members) for g in tables.groups)
    redundant = sorted(set(large.redundant_owners))
    return {
        "model": task.model.name,
        "status": status_of(path),
        "formulation": "absolute",
        "formulation_reason": "It was asked for." if asked else "It is the one that has kernels for large models.",
        "stabilisation": type(task.choice.stabilisation).__name__.lower(),
        **solver_record(solver),
        "rtol": task.rtol,
        "atol": task.atol,
        "duration": task.duration,
        "parameters": dict(zip(task.model.parameters, ready.p.tolist(), strict=False)),
        "assembly": f"residual {start.residual:.1e} after {start.iterations} steps",
        "degrees": {"coordinates": tables.nq, "speeds": tables.nv, "constraints": tables.m},
        "kernels": f"{kinds} kinds for {components} components",
        "code": ready.program.code,
        "timings": timings,
        "statistics": path.stats,
        "versions": versions(),
    } | ({"undetermined reactions": redundant} if redundant else {})


def _judged(task: Task, large: Large, ready: Ready, path: Trajectory, result: Result) -> Result:
    """The result with what is to be said of it; an error where it is none."""
    if path.status == "cancelled":
        return result
    if not path.ok:
        t = float(path.t[-1])
        owner = task.model.name if path.culprit is None else large.state_names[path.culprit]
        cause, remedy = ENDS.get(path.status, (path.message or path.status, "Try a smaller rtol."))
        raise IntegrationError(
            f"{cause} at t = {t:.6g} s.",
            component=owner,
            remedy=f"{remedy} The {result.t.size} samples before are in error.partial.",
            partial=replace_status(result),
        )
    error = undefined(result) or open_joint(large, path, ready.p, result)
    if error is not None:
        raise error
    result.warn(findings(large, path, ready.p, result, task.rtol, task.atol))
    return result


def replace_status(result: Result) -> Result:
    """The same, as the part of a run that failed."""
    return Result(
        result.t, result.data, result.channels, record=result.record | {"status": "failed"}, events=result.events,
        description=result.description,
    )  # fmt: skip
