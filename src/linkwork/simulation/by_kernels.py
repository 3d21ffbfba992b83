"""A run of a large model: kernels in loops instead of straight-line code, behind the same Program."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from linkwork.core.errors import IntegrationError, ModelError
from linkwork.core.pieces import OverTime
from linkwork.core.plain_data import Record
from linkwork.core.program import Program
from linkwork.core.result import Result
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.integrate import Trajectory, resolve_solver
from linkwork.integrate.solver import NativeSolver
from linkwork.large.fits import FORMULATIONS, is_tree, large_of
from linkwork.large.groups import Softness
from linkwork.large.large_model import LargeModel
from linkwork.large.program import Large
from linkwork.large.size import LARGE, count_bodies
from linkwork.large.slots import Unfit
from linkwork.large.start import Start, Starting, in_states_of, placed
from linkwork.large.stops import driving, stops_by_kinds
from linkwork.large.tree.program import LargeTree
from linkwork.large.tree.start import in_joints
from linkwork.signals.breakpoints import table_corners
from linkwork.signals.inputs import Signals, values_in_time
from linkwork.simulation.arguments import parameters_of
from linkwork.simulation.choice.compliance_by_kernels import compliant, softness_by_kernels
from linkwork.simulation.choice.fastest_modes import ByFastestModes
from linkwork.simulation.choice.formulation import AUTOMATIC as ANY
from linkwork.simulation.choice.solver import AUTOMATIC, IMPLICIT, Automatic, SolverChoice
from linkwork.simulation.cost import INTERRUPTED_STEPS, check_memory
from linkwork.simulation.description.describe import versions
from linkwork.simulation.failure import ENDS, NO_NUMBER, first_nonfinite, undefined
from linkwork.simulation.interruptions import Interruption, SolverChange
from linkwork.simulation.live import Watcher
from linkwork.simulation.record import compliance_record, result_of, solver_record, status_of
from linkwork.simulation.run import run
from linkwork.simulation.task import Task
from linkwork.simulation.timing import Stopwatch
from linkwork.simulation.watch.large import Values, findings, open_joint

if TYPE_CHECKING:
    from linkwork.core.model import Model

TIGHTER = "Try a smaller rtol."
Made = TypeVar("Made")
Way = Callable[[Task, str, str], Made]
"""What is to be done by kernels: of a task, a formulation, and why that one."""


@dataclass
class Ready:
    """A program, where it starts, and its parameters and inputs."""

    program: Program
    state: np.ndarray
    p: np.ndarray
    implicit: bool = True
    """Whether implicit methods can go on with it."""

    @property
    def equations(self) -> object:
        raise NotImplementedError("Kernels have no equations in one piece.")


@dataclass
class Attempt(Generic[Made]):
    """A result, or why there is none: the model then takes straight-line code."""

    result: Made | None
    reason: str


def attempt(task: Task, way: Way[Made]) -> Attempt[Made]:
    """Go the way by kernels where that is asked for, or where the model is large and has kernels."""
    if task.kernels is False:
        return Attempt(None, "It was asked for." if count_bodies(task.model) >= LARGE else "")
    if task.kernels is None and count_bodies(task.model) < LARGE:
        return Attempt(None, "")
    try:
        _check(task)
        with task.model.prepared_for(parameters_of(task.model, task.parameters)):
            return Attempt(_chosen(task, way), "")
    except Unfit as reason:
        if task.kernels:
            raise ModelError(
                f"it has no kernels: {reason.cause}.", component=reason.component, remedy="Leave kernels=True out."
            ) from reason
        return Attempt(None, f"{reason.component} has no kernels: {reason.cause}.")


def _check(task: Task) -> None:
    """What is asked for, beside the model, must be something that kernels can do."""
    name = task.model.name
    if task.choice.formulation not in (*FORMULATIONS, ANY):
        raise Unfit(name, f"the formulation {task.choice.formulation!r} is asked for")
    if task.choice.loops != "multipliers" or task.choice.compliance is not None or not task.assemble:
        raise Unfit(name, "partitioned speeds, soft joints or an open start are asked for")
    if not (isinstance(task.solver, str) and task.solver == AUTOMATIC):
        solver = resolve_solver(task.solver)
        if not isinstance(solver, NativeSolver):
            raise Unfit(name, f"the solver {solver.name!r} is asked for, which needs equations in one piece")
        if solver.implicit and task.choice.formulation == "minimal":
            raise Unfit(name, f"the solver {solver.name!r} is asked for, whose matrix is full in joint coordinates")


def _chosen(task: Task, way: Way[Made]) -> Made:
    """Where the formulation is left open, joint coordinates for trees, unless they are stiff; else absolute ones."""
    if task.choice.formulation != ANY:
        return way(task, task.choice.formulation, "It was asked for.")
    solver = None if task.solver == AUTOMATIC else resolve_solver(task.solver)
    if is_tree(task.model) and not (solver and solver.implicit):
        with contextlib.suppress(Unfit):
            return way(task, "minimal", "The joints make a tree: kernels in its coordinates are the fastest.")
    return way(task, "absolute", "It is the one that has kernels for large models with loops, or stiff ones.")


def prepared(task: Task, formulation: str) -> tuple[Begun, Ready, Signals]:
    """The model as kernels, their program, and what drives it."""
    begun = _begun(task, formulation)
    signals = driving(begun.large, task.inputs)
    p = _p(begun.large, task, signals)
    program = begun.large.ready(begun.y, p)
    program.tier = task.tier
    return begun, Ready(program, begun.y, p, implicit=formulation != "minimal"), signals


def simulated_by_kernels(task: Task, formulation: str, reason: str) -> Result:
    """Prepare, integrate, observe, judge."""
    clock = Stopwatch()
    model = task.model
    begun, ready, signals = prepared(task, formulation)
    large, stops, program, p = begun.large, begun.stops, ready.program, ready.p
    clock.prepared(program)
    solver = solver_of(task, ready, signals, presumed=bool(large.softness))
    check_memory(model.name, task.times.size, program.layout.y + len(program.channels))
    program.function("outputs")
    clock.started()
    path = _path(task, ready, signals, stops, solver)
    path.notes += [(t, "table") for t in table_corners(large.tables.taken, task.duration) if t <= path.t[-1]]
    clock.stopped()
    record = _record(task, begun, ready, path, solver, clock.timings) | {"formulation_reason": reason}
    result = result_of(model, program, path, p, signals, record, stops)
    return _judged(task, large, ready, values_in_time(p, len(model.parameters), signals), path, result)


@dataclass(frozen=True)
class Begun:
    """The model as kernels, and where it starts."""

    large: LargeModel
    absolute: Large
    ideal: Large
    """In absolute coordinates, with the joints closed that are springs in the others."""
    start: Start
    """In absolute coordinates."""
    p: np.ndarray
    """For those."""
    y: np.ndarray
    stops: np.ndarray
    """When time alone makes it jump."""

    def state_at(self, p: np.ndarray) -> np.ndarray:
        """Where it would start with these parameters, if no start is given."""
        closed = Starting(self.ideal, p).start()
        return _in_states(self.large, self.absolute, in_states_of(self.absolute, self.ideal, closed), p)


def _begun(task: Task, formulation: str) -> Begun:
    """Constraints that are springs start closed, and their stiffness follows from what they bear there."""
    model, stabilisation = task.model, task.choice.stabilisation
    ideal = _absolute(model, stabilisation)
    p = _p(ideal, task, driving(ideal, task.inputs))
    starting = Starting(ideal, p)
    if any(compliant(c) for c in model.components.values()):
        closed = starting.start()
        softness = partial(softness_by_kernels, starting, closed.state)
        absolute = _absolute(model, stabilisation, softness)
        start = in_states_of(absolute, ideal, closed) if task.start is None else placed(absolute, task.start, p)
    else:
        softness, absolute = None, ideal
        start = starting.start() if task.start is None else placed(ideal, task.start, p)
    stops = stops_by_kinds(absolute, p, driving(absolute, task.inputs), start.state, task.duration)
    large = absolute if formulation == "absolute" else large_of(model, stabilisation, formulation, softness)
    return Begun(large, absolute, ideal, start, p, _in_states(large, absolute, start, p), stops)


def _in_states(large: LargeModel, absolute: Large, start: Start, p: np.ndarray) -> np.ndarray:
    """y of a formulation."""
    if isinstance(large, LargeTree):
        return in_joints(large, absolute, Starting(absolute, p), start.state)
    return start.state


def _absolute(
    model: Model, stabilisation: Projection | Baumgarte, softness: Callable[[], Softness] | None = None
) -> Large:
    """Its kernels in absolute coordinates."""
    large = large_of(model, stabilisation, "absolute", softness)
    assert isinstance(large, Large)
    return large


def _p(large: LargeModel, task: Task, signals: Signals) -> np.ndarray:
    """Parameters, then inputs and all else that is followed over time, at t = 0."""
    model, followed = large.model, np.zeros(len(large.tables.taken))
    given = model.parameter_values(parameters_of(model, task.parameters))
    p = np.concatenate([given, list(model.inputs.values()), followed])
    for k, signal in signals.items():
        p[len(model.parameters) + k] = signal(0.0) if callable(signal) else signal
    return p


def _path(task: Task, ready: Ready, signals: Signals, stops: np.ndarray, solver: SolverChoice) -> Trajectory:
    watcher = None
    if task.watch is not None:
        watcher = Watcher(
            task.watch, ready.program, ready.p, signals, {"model": task.model.name, "status": "running"}, {}
        )
    return run(
        ready,  # type: ignore[arg-type]  # nothing that interrupts it asks for its equations
        task.duration, task.times, solver=solver, step=task.step, stops=stops, progress=task.progress, watch=watcher,
        interruptions=interruptions_of(ready, solver), name=task.model.name, **options_of(task, ready, signals),
    )  # fmt: skip


def interruptions_of(ready: Ready, solver: SolverChoice) -> list[Interruption]:
    """Those that need no equations in one piece."""
    return [SolverChange(solver)] if isinstance(solver, Automatic) and ready.implicit else []


def options_of(task: Task, ready: Ready, signals: Signals) -> Record:
    """For all that integrate it."""
    max_step = signals.longest_step(task.duration, task.max_step)
    if max_step is None and any(e.action != "record" for e in ready.program.events):
        max_step = task.duration / INTERRUPTED_STEPS
    projection = not isinstance(task.choice.stabilisation, Baumgarte)
    return {
        "signals": signals, "rtol": task.rtol, "atol": task.atol, "max_step": max_step, "projection": projection
    }  # fmt: skip


def solver_of(task: Task, ready: Ready, signals: Mapping[int, OverTime], *, presumed: bool) -> SolverChoice:
    """The one that is asked for, or one that is chosen by the fastest modes of the equations."""
    if not (isinstance(task.solver, str) and task.solver == AUTOMATIC):
        return task.solver
    automatic = ByFastestModes(task.duration, task.rtol, signals)
    automatic.look(ready.program, 0.0, ready.state, ready.p, presumed=presumed)
    if automatic.solver == IMPLICIT and not ready.implicit:
        raise Unfit(task.model.name, "its equations are stiff, and their matrix is full in joint coordinates")
    return automatic


def _record(
    task: Task, begun: Begun, ready: Ready, path: Trajectory, solver: SolverChoice, timings: dict[str, float]
) -> Record:  # fmt: skip
    large, start = begun.large, begun.start
    layout = large.layout
    redundant = sorted(set(large.owners_of_redundancy(begun.absolute, start.state, begun.p)))
    more: Record = {"undetermined reactions": redundant} if redundant else {}
    if large.softness:
        more["compliance"] = compliance_record([pair for rows in large.softness.values() for pair in rows.values()])
    return {
        "model": task.model.name,
        "status": status_of(path),
        "formulation": large.formulation,
        "formulation_reason": "",
        "stabilisation": type(task.choice.stabilisation).__name__.lower(),
        **solver_record(solver),
        "rtol": task.rtol,
        "atol": task.atol,
        "duration": task.duration,
        "parameters": dict(zip(task.model.parameters, ready.p.tolist(), strict=False)),
        "assembly": f"residual {start.residual:.1e} after {start.iterations} steps",
        "degrees": {"coordinates": layout.q, "speeds": layout.v, "constraints": layout.multipliers},
        "kernels": large.counted,
        "code": ready.program.code,
        "timings": timings,
        "statistics": path.stats,
        "versions": versions(),
    } | more


def _judged(
    task: Task, large: LargeModel, ready: Ready, values: Values, path: Trajectory, result: Result
) -> Result:  # fmt: skip
    """The result with what is to be said of it; an error where it is none."""
    if path.status == "cancelled":
        return result
    if not path.ok:
        raise failure(large, ready.program, ready.p, path, replace_status(result))
    if large.softness:
        result.record["compliance"]["largest deflection"] = float(result["residual.position"].max())
    error = undefined(result) or open_joint(large, path, values, result)
    if error is not None:
        raise error
    result.warn(findings(large, path, values, result, task.rtol, task.atol))
    return result


def failure(
    large: LargeModel, program: Program, p: np.ndarray, path: Trajectory, partial: Result
) -> IntegrationError:  # fmt: skip
    """The error for a trajectory that did not finish."""
    owner = large.model.name if path.culprit is None else large.state_names[path.culprit]
    time = f"at t = {path.t[-1]:.6g} s."
    if path.status == "nonfinite":
        component, value = first_nonfinite(program, path, p)
        owner, told, remedy = component or owner, f"gave {value} {time}", NO_NUMBER
    elif path.status in ENDS or not path.message:
        cause, remedy = ENDS.get(path.status, (path.status, TIGHTER))
        told = f"{cause} {time}"
    else:
        told, remedy = path.message, TIGHTER
    return IntegrationError(
        told,
        component=owner,
        remedy=f"{remedy} The {partial.t.size} samples before are in error.partial.",
        partial=partial,
    )


def replace_status(result: Result) -> Result:
    """The same, as the part of a run that failed."""
    return Result(
        result.t, result.data, result.channels, record=result.record | {"status": "failed"}, events=result.events,
        description=result.description,
    )  # fmt: skip
