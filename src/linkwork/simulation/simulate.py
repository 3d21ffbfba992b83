"""Simulate: Model → Equations → Program → Result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from linkwork.assembly.assemble import Assembly
from linkwork.core.activity import begin as announce
from linkwork.core.compliance import Compliance
from linkwork.core.errors import UnknownName
from linkwork.core.kinds import names_in
from linkwork.core.plain_data import Record
from linkwork.core.program import TIERS
from linkwork.core.registry import verb
from linkwork.core.result import Result
from linkwork.core.signal import Inputs
from linkwork.formulations.stabilisation import Baumgarte, Projection, stabilisation_of
from linkwork.integrate import Newmark, Trajectory
from linkwork.integrate.registry import resolve_solver
from linkwork.integrate.solver import Solver
from linkwork.large.size import LARGE, count_bodies
from linkwork.signals.breakpoints import stops_of, table_corners
from linkwork.signals.continuity import check_continuity
from linkwork.signals.inputs import Signals, signals_of
from linkwork.simulation.arguments import checked_duration, checked_tolerance, parameters_of, sample_times
from linkwork.simulation.as_placed import as_placed, check_as_placed
from linkwork.simulation.choice.formulation import choose
from linkwork.simulation.choice.solver import AUTOMATIC, IMPLICIT, Automatic, SolverChoice
from linkwork.simulation.cost import INTERRUPTED_STEPS, check_memory
from linkwork.simulation.description.describe import describe
from linkwork.simulation.failure import broken, explain
from linkwork.simulation.going_on import Beginning, Resumed, begun_at, time_begins_anew
from linkwork.simulation.interruptions import Setting, interruptions_of
from linkwork.simulation.interruptions.interruption import Runnable
from linkwork.simulation.live import Watcher
from linkwork.simulation.prepare import Choice, Prepared, prepare, repartitioned, starting_at
from linkwork.simulation.record import record_of, result_of
from linkwork.simulation.refusal import jumping
from linkwork.simulation.run import run
from linkwork.simulation.task import Task
from linkwork.simulation.timing import Stopwatch
from linkwork.simulation.verify import doubts, verified
from linkwork.simulation.watch import Evidence, judge
from linkwork.simulation.watch.samples import asked_for, with_watch

if TYPE_CHECKING:
    from linkwork.core.model import Model


QUIET_STEPS = 1000
"""Steps without an event before a run is looked at again where friction may turn with a slip that has hardly begun."""


@verb
def simulate(
    model: Model,
    duration: float,
    *,
    formulation: str | None = None,
    solver: str | Solver = "auto",
    rtol: float = 1e-8,
    atol: float = 1e-10,
    output: float | np.ndarray | None = None,
    step: float | None = None,
    max_step: float | None = None,
    stabilisation: Projection | Baumgarte | str = "projection",
    compliance: Compliance | None = None,
    loops: str = "multipliers",
    independent: Sequence[str] | None = None,
    parameters: Mapping[str, float] | None = None,
    inputs: Inputs | None = None,
    start: Beginning | None = None,
    assemble: bool = True,
    progress: Callable[[float], None] | None = None,
    watch: Callable[[Result], None] | None = None,
    verify: bool = False,
    compile: str = "auto",
    kernels: bool | None = None,
) -> Result:
    """Run the model for `duration` seconds and return its channels over time.

    formulation: "absolute" (default; "minimal" where positions are given), … (see `linkwork.formulations`) or "auto":
    the fastest by the mechanism's shape;
    solver: "auto" (radau where the equations are stiff, else dopri5), a name ("rk4", "dopri5", "dop853", "radau",
    "generalized_alpha", "newmark", "hht", "cvodes", "idas") or a solver object with its options;
    output: time between samples [s] (default: 501 samples), or the times themselves;
    step: of fixed-step solvers, first step of the others; stabilisation: "projection" or `lw.Baumgarte(α, β)`;
    compliance: how soft the joints of the compliant formulation are (`lw.Compliance(error=1e-6)`);
    loops: "multipliers", or "partition": speeds are split into independent (`independent`, else chosen by pivoting and
    changed where they become ill-conditioned) and dependent ones;
    parameters: values other than the defaults; inputs: name → number, (times, values) or function of t;
    start: where it begins, what `m.equilibrium()` or `m.assemble()` returns, a Result, at whose end it goes on, or
    (result, time) (default: as components say);
    assemble=False: bodies start where they were put, with the springs of compliant joints stretched;
    progress: called with the share that is done, instead of the bar that a terminal or a notebook shows where it takes
    long; True: told where there is no terminal, too;
    watch: called up to ten times a second with what there is so far.
    verify: run again, tighter and in another formulation; `result.verification` has the digits that both agree on.
    compile: "fast": machine code at once; "best": as good as it gets, made before the run; "auto": at once, and better
    code in its place while the run goes on, where that pays. The numbers are the same bit by bit.
    kernels: compiled loops over components of a kind instead of straight-line code for all; default: where a model has
    many bodies and all its components have kernels (see docs/large.md).
    The run judges itself: what it finds is in `result.warnings` and told as LinkworkWarning; open joints are an error.
    Ctrl-C ends the run early and returns what was computed, with record["status"] = "cancelled".
    """
    duration = checked_duration(model, duration)
    checked_tolerance(model, rtol=rtol)
    choice = choice_of(model, formulation, stabilisation, compliance, loops, independent)
    times = sample_times(duration, output)
    if compile not in TIERS:
        raise UnknownName("way to compile", compile, TIERS, component=model.name)
    begun = None if start is None else begun_at(model, start, parameters, inputs)
    fresh = time_begins_anew(model, start)
    task = Task(model, duration, times, choice, solver, rtol, atol, step, max_step, parameters, inputs, begun,
                assemble, progress, watch, compile, kernels)  # fmt: skip
    result = simulated(task)
    result.warn(fresh)
    if verify and result.record["status"] == "finished":
        verification = verified(model, duration, result, task.again)
        result.record["verification"] = verification.plain()
        result.warn(doubts(verification, result))
    return result


@dataclass(frozen=True)
class Begun:
    """A run that is ready to go."""

    task: Task
    ready: Prepared
    setting: Setting
    options: Record
    clock: Stopwatch


def simulated(task: Task) -> Result:
    """Prepare, integrate, observe, judge."""
    straight = ""
    if task.kernels or count_bodies(task.model) >= LARGE:
        from linkwork.simulation.by_kernels import attempt, simulated_by_kernels  # few models need what makes kernels

        looped = attempt(task, simulated_by_kernels)
        if looped.result is not None:
            return looped.result
        straight = looped.reason
        if straight:
            announce(f"deriving straight-line code: {straight}")
    begun = begin(task)
    return finish(begun, follow(begun), straight)


def begin(task: Task, assembly: Assembly | None = None) -> Begun:
    """Assemble the start, unless it is known, and choose whatever is left to be chosen."""
    clock = Stopwatch()
    if not task.assemble:
        check_as_placed(task)
    ready = _prepared(task, task.choice, assembly, implicit=_implicit(task, assembly))
    ready.program.tier = task.tier
    ready = ready if task.start is None else starting_at(ready, task.start)
    ready = ready if task.assemble else as_placed(task, ready)
    clock.prepared(ready.program)
    setting, options = setting_of(task, ready, clock)
    return Begun(task, ready, setting, options, clock)


def _prepared(task: Task, choice: Choice, assembly: Assembly | None, *, implicit: bool = False) -> Prepared:
    return prepare(
        task.model, choice, parameters_of(task.model, task.parameters), contacts=True, inputs=task.inputs,
        assembly=assembly, implicit=implicit,
    )  # fmt: skip


def _implicit(task: Task, assembly: Assembly | None) -> bool:
    """Whether the solver is, or will be, implicit; asked where the formulation hangs on it."""
    if task.choice.formulation != AUTOMATIC:
        return False
    if not (isinstance(task.solver, str) and task.solver == AUTOMATIC):
        return resolve_solver(task.solver).implicit
    model = task.model
    if task.choice.loops == "partition" or choose(model)[0] == choose(model, implicit=True)[0]:
        return False
    ready = _prepared(task, replace(task.choice, formulation="absolute"), assembly)  # the start needs them anyway
    ready.program.tier = task.tier
    ready = ready if task.start is None else starting_at(ready, task.start)
    automatic = Automatic(task.duration, task.rtol, signals_of(model, task.inputs, ready.equations, task.duration))
    _look_at_start(automatic, ready)
    return automatic.solver == IMPLICIT


def follow(begun: Begun) -> Trajectory:
    """Integrate. Runs of one model that have begun may be followed at the same time, each in a thread of its own."""
    return _path(begun.task, begun.setting, begun.options, begun.clock)


def finish(begun: Begun, path: Trajectory, straight: str = "") -> Result:
    """The channels that were asked for, judged; an error where it is no result. straight: why not by kernels."""
    task, ready, setting = begun.task, begun.ready, begun.setting
    record = record_of(task, ready, path, setting.solver, begun.clock.timings)
    if straight:
        record["kernels"] = f"none: {straight}"
    observed = result_of(task.model, ready.program, path, ready.p, setting.signals, record, setting.stops)
    evidence = Evidence(
        task.model, ready.equations, ready.program, path, ready.p, setting.signals, observed, record["solver"],
        task.rtol, task.atol, task.choice.compliance, task.assemble,
    )  # fmt: skip
    return _judged(task, ready, evidence, begun.options)


def choice_of(
    model: Model,
    formulation: str | None,
    stabilisation: Projection | Baumgarte | str,
    compliance: Compliance | None,
    loops: str,
    independent: Sequence[str] | None,
) -> Choice:
    """How the equations are written, from the words of `simulate`."""
    if loops not in ("multipliers", "partition"):
        raise UnknownName("way to treat loops", loops, ["multipliers", "partition"])
    chosen = None if independent is None else names_in(independent)
    loops = loops if chosen is None else "partition"
    return Choice(formulation or model.natural, stabilisation_of(stabilisation), compliance, loops, chosen)


def setting_of(task: Task, ready: Prepared, clock: Stopwatch) -> tuple[Setting, Record]:
    """What the run is made of, and options for all that integrate it."""
    model, eq, p, duration = task.model, ready.equations, ready.p, task.duration
    signals = signals_of(model, task.inputs, eq, duration)
    stops = stops_of(eq, p, signals, duration)
    check_continuity(eq, p, signals, stops, ready.state, duration)
    solver, max_step = _solver(task, ready, signals), signals.longest_step(duration, task.max_step)
    if max_step is None and any(e.action != "record" for e in ready.program.events):
        max_step = (
            duration / INTERRUPTED_STEPS
        )  # in free flight steps grow without limit, and bodies would pass through each other
    again = clock.timed(_partitioning(model, ready)) if ready.choice.loops == "partition" else None
    options = {
        "solver": solver, "signals": signals, "rtol": task.rtol, "atol": task.atol, "step": task.step,
        "max_step": max_step, "stops": stops,
        # Particles are projected with Baumgarte's terms too: these act on loops alone.
        "projection": not eq.constraints.stabilised,
    }  # fmt: skip
    return Setting(
        model, ready, signals, stops, duration, solver, again, resumed=isinstance(task.start, Resumed)
    ), options


def _partitioning(model: Model, ready: Prepared) -> Callable[[float, np.ndarray], Prepared]:
    return lambda t, y: repartitioned(model, ready, t, y)


def _solver(task: Task, ready: Prepared, signals: Signals) -> SolverChoice:
    eq, solver = ready.equations, task.solver
    if isinstance(solver, Newmark):
        recording = eq.states.unweighted[eq.q.numel() + eq.v.numel() :]
        first_order = [k for k, idle in enumerate(recording) if not idle and k not in eq.states.accounts]
        return solver.for_states(eq.states.names[eq.q.numel() :], bool(first_order))
    if not (isinstance(solver, str) and solver == AUTOMATIC):
        return solver
    turns = any(c.slip.numel() > 1 for c in eq.contacts.places)
    automatic = Automatic(task.duration, task.rtol, signals, first=QUIET_STEPS if turns else None)
    _look_at_start(automatic, ready)
    return automatic


def _look_at_start(automatic: Automatic, ready: Prepared) -> None:
    """Choose the solver; kept for the next run with the same numbers."""
    eq, y, p = ready.equations, ready.state, ready.p
    key = y.tobytes(), p.tobytes(), automatic.duration, automatic.rtol, automatic.first
    known, choice = eq.memory.get("look", (None, None))
    if known != key or automatic.signals:
        automatic.look(ready.program, 0.0, y, p, presumed=eq.motion.stiff)
        if not automatic.signals:
            eq.memory["look"] = key, replace(automatic)
    else:
        vars(automatic).update(vars(choice) | {"signals": automatic.signals})


def _path(task: Task, setting: Setting, options: Record, clock: Stopwatch) -> Trajectory:
    """The trajectory, with what happened on the way."""
    model, ready = task.model, setting.ready
    eq, program = ready.equations, ready.program
    check_memory(model.name, task.times.size, eq.layout.y + len(program.channels))
    program.function("outputs")
    clock.started()
    path = run(
        ready,
        task.duration,
        with_watch(task.times),
        interruptions=interruptions_of(setting),
        progress=task.progress,
        watch=_watcher(task, ready, setting.signals),
        name=model.name,
        **options,
    )
    path.notes += [(t, "table") for t in table_corners(eq.signals.taken, task.duration) if t <= path.t[-1]]
    clock.stopped()
    return path


def _judged(task: Task, ready: Prepared, evidence: Evidence, options: Record) -> Result:
    """The samples that were asked for, with what the watch has to say; an error where it is no result."""
    eq = evidence.equations
    result, path = asked_for(evidence.result, evidence.path, task.times)
    if path.ok:
        if (error := broken(evidence, result)) is not None:
            raise error
        result.warn(judge(evidence))
    if eq.constraints.softness:
        result.record["compliance"]["largest deflection"] = float(result["residual.position"].max())
    if eq.observation.graph is not None:
        from linkwork.simulation.bonds.table import attach_bonds

        # partitioned equations have lost the multipliers that bonds carry as efforts
        whole, compiled_whole = task.model.memory[ready.choice]
        jumps = jumping(task.model)
        attach_bonds(result, whole, compiled_whole, path, ready.state, ready.p, jumps=jumps, **options)
    if result.record["status"] == "failed":
        raise explain(task.model, eq, evidence.program, path, ready.p, result, evidence)
    return result


def _watcher(task: Task, ready: Runnable, signals: Signals) -> Watcher | None:
    """None where nobody watches, or where the states change their meaning on the way (partitioned speeds)."""
    if task.watch is None or task.choice.loops == "partition":
        return None
    model, p = task.model, ready.p
    record = {"model": model.name, "status": "running"}
    return Watcher(task.watch, ready.program, p, signals, record, describe(model, p))
