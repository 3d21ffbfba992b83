"""Simulate: Model → Equations → Program → Result."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.arguments import checked_duration, checked_tolerance, parameters_of, sample_times
from linkwork.analyses.bond_table import attach_bonds
from linkwork.analyses.breakpoints import stops_of, table_corners
from linkwork.analyses.check import undetermined_reactions
from linkwork.analyses.contacting.manifolds import chooser_of
from linkwork.analyses.contacting.referee import referee_of, values_of
from linkwork.analyses.continuity import check_continuity
from linkwork.analyses.cost import check_memory
from linkwork.analyses.describe import describe, reach_of, versions
from linkwork.analyses.failure import broken, explain
from linkwork.analyses.findings.run import Evidence, judge
from linkwork.analyses.findings.samples import asked_for, with_watch
from linkwork.analyses.prepare import Choice, prepare, repartitioned, starting_at
from linkwork.analyses.run import run
from linkwork.analyses.sampling import sampler_of
from linkwork.analyses.settling import settler_of
from linkwork.analyses.sides import channels_at, seen_at
from linkwork.analyses.signals import signals_of
from linkwork.analyses.stiffness import AUTOMATIC, Automatic
from linkwork.analyses.timing import Building
from linkwork.analyses.verify import doubts, verified
from linkwork.analyses.watching import Watcher, since_start
from linkwork.core.component import Compliance
from linkwork.core.equations import Equations
from linkwork.core.errors import UnknownName
from linkwork.core.kinds import names_in
from linkwork.core.program import Channel, Program
from linkwork.core.registry import verb
from linkwork.core.result import Result
from linkwork.core.signal import Inputs
from linkwork.formulations.stabilisation import Baumgarte, Projection, stabilisation_of
from linkwork.integrate import Newmark, Trajectory

if TYPE_CHECKING:
    from linkwork.core.model import Model

LEAST = 100
"""Steps that a run takes at least where contacts, end stops or switches may interrupt it."""

SOON = 1000
"""Steps without an event before a run is looked at again where friction may turn with a slip that has hardly begun."""


@verb
def simulate(
    model: Model,
    duration: float,
    *,
    formulation: str | None = None,
    solver: Any = "auto",
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
    start: Any = None,
    progress: Callable[[float], None] | None = None,
    watch: Callable[[Result], None] | None = None,
    verify: bool = False,
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
    start: where it begins, what `m.equilibrium()` or `m.assemble()` returns (default: as components say);
    progress: called with the share that is done; watch: called up to ten times a second with what there is so far.
    verify: run again, tighter and in another formulation; `result.verification` has the digits that both agree on.
    The run judges itself: what it finds is in `result.warnings` and told as LinkworkWarning; open joints are an error.
    Ctrl-C ends the run early and returns what was computed, with record["status"] = "cancelled".
    """
    given = {
        "solver": solver, "rtol": rtol, "atol": atol, "step": step, "max_step": max_step, "compliance": compliance,
        "parameters": parameters, "inputs": inputs,
    }  # fmt: skip
    duration = checked_duration(model, duration)
    checked_tolerance(model, rtol=rtol)
    stabilisation = stabilisation_of(stabilisation)
    clock = time.perf_counter()
    choice = Choice(
        formulation or model.natural,
        stabilisation,
        compliance,
        _loops(loops, independent),
        None if independent is None else names_in(independent),
    )
    ready = prepare(model, choice, parameters_of(model, parameters), contacts=True, inputs=inputs)
    ready = ready if start is None else starting_at(ready, start)
    eq, program, p, assembly = ready.equations, ready.program, ready.p, ready.assembly
    before, own = program.compile_seconds, program.derive_seconds
    derived = time.perf_counter() - clock
    signals = signals_of(model, inputs, eq, duration)
    stops = stops_of(eq, p, signals, duration)
    check_continuity(eq, p, signals, stops, ready.state, duration)
    times = sample_times(duration, output)
    max_step = signals.longest_step(duration, max_step)
    if isinstance(solver, Newmark):
        solver = solver.for_states(eq.state_names[eq.q.numel() :])
    elif isinstance(solver, str) and solver == AUTOMATIC:
        turns = any(c.slip.numel() > 1 for c in eq.contacts)
        solver = Automatic(duration, rtol, signals, first=SOON if turns else None)
        solver.look(program, 0.0, ready.state, p, presumed=eq.stiff)
    if max_step is None and any(e.action != "record" for e in program.events):
        max_step = duration / LEAST  # in free flight steps grow without limit, and bodies would pass through each other
    check_memory(model.name, times.size, eq.layout.y + len(program.channels))
    program.function("outputs")
    settler, building = settler_of(model, ready, signals, stops, duration), Building(program)
    started = time.perf_counter()
    path, changes = run(
        ready,
        duration,
        with_watch(times),
        again=building.timed(lambda t, y: repartitioned(model, ready, t, y)),
        signals=signals,
        solver=solver,
        rtol=rtol,
        atol=atol,
        step=step,
        max_step=max_step,
        projection=not eq.stabilised,  # particles are projected with Baumgarte's terms too: these act on loops alone
        progress=progress,
        name=model.name,
        sampler=sampler_of(model, signals, duration),
        referee=referee_of(ready, signals),
        settler=settler,
        chooser=chooser_of(model, eq, values_of(ready, signals)),
        watch=_watcher(watch, model, choice, program, p, signals),
        stops=stops,
    )
    path.notes += [(t, "table") for t in table_corners(eq, duration) if t <= path.t[-1]]
    if settler and path.ok:
        settler.check(path)
    ran = time.perf_counter() - started - building.seconds
    record = {
        "model": model.name,
        "status": path.status if path.status == "cancelled" else ("finished" if path.ok else "failed"),
        "formulation": ready.formulation,
        "formulation_reason": ready.reason,
        "stabilisation": type(stabilisation).__name__.lower(),
        "solver": str(solver) if isinstance(solver, str | Automatic) else repr(solver),
        "solver_reason": solver.reason if isinstance(solver, Automatic) else "It was asked for.",
        "rtol": rtol,
        "atol": atol,
        "duration": duration,
        "parameters": dict(zip(model.parameters, p.tolist(), strict=False)),
        "assembly": str(assembly),
        "degrees": {"coordinates": eq.q.numel(), "speeds": eq.v.numel(), "constraints": len(eq.rows)},
        "timings": {
            "derive": derived + program.derive_seconds - own,
            "compile": program.compile_seconds - before,
            "run": ran,
        },
        "statistics": path.stats | ({"coordinate changes": changes} if choice.loops == "partition" else {}),
        "versions": versions(),
    }
    if undetermined := undetermined_reactions(model, assembly.state, p):
        record["undetermined reactions"] = undetermined
    if eq.softness:
        record["compliance"] = _compliance(eq)
    seen = _result(model, program, path, p, signals, record, seen_at(path.t, stops, duration))
    watched = Evidence(model, eq, program, path, p, signals, seen, str(record["solver"]), rtol, atol, compliance)
    result, path = asked_for(seen, path, times)
    if path.ok:
        if (error := broken(watched, result)) is not None:
            raise error
        result.warn(judge(watched))
    if eq.softness:
        result.record["compliance"]["largest deflection"] = float(result["residual.position"].max())
    if eq.graph is not None:
        # partitioned equations have lost the multipliers that bonds carry as efforts
        whole, compiled_whole = model.memory[ready.choice]
        attach_bonds(
            result,
            whole,
            compiled_whole,
            path,
            ready.state,
            p,
            solver=solver,
            signals=signals,
            rtol=rtol,
            atol=atol,
            step=step,
            max_step=max_step,
            projection=not whole.stabilised,
            stops=stops,
        )
    if record["status"] == "failed":
        raise explain(model, eq, program, path, p, result, watched)
    if verify and record["status"] == "finished":
        found = verified(model, duration, result, given)
        result.record["verification"] = found.plain()
        result.warn(doubts(found, result))
    return result


def _result(
    model: Model, program: Program, path: Trajectory, p: Any, signals: Any, record: dict[str, Any], seen: np.ndarray
) -> Result:
    """seen: the times [s] at which the samples are looked at, on one side of what jumps there."""
    data = channels_at(program.function("outputs"), path.t, seen, path.y, p, signals, inputs=len(program.inputs))
    data = since_start(data, program.channels)
    channels = (*program.channels, Channel("solver.step", "s"))
    events = sorted([(t, program.events[k].name) for t, k, _ in path.events] + path.notes, key=lambda event: event[0])
    data = np.column_stack([data, path.step])
    description = describe(model, p, reach_of([c.name for c in channels], data))
    return Result(path.t, data, channels, record=record, events=events, description=description)


def _watcher(show: Any, model: Model, choice: Choice, program: Program, p: np.ndarray, signals: Any) -> Watcher | None:
    """None where nobody watches, or where the states change their meaning on the way (partitioned speeds)."""
    if show is None or choice.loops == "partition":
        return None
    description = describe(model, p)
    return Watcher(show, program, p, signals, {"model": model.name, "status": "running"}, description)


def _compliance(eq: Equations) -> dict[str, Any]:
    """How soft the soft rows are; the deflection is the error against ideal joints, to first order."""
    stiffness, damping = zip(*eq.softness.values(), strict=True)
    return {
        "rows": len(eq.softness),
        "stiffness": [min(stiffness), max(stiffness)],
        "damping": [min(damping), max(damping)],
    }


def _loops(loops: str, independent: Sequence[str] | None) -> str:
    if loops not in ("multipliers", "partition"):
        raise UnknownName("way to treat loops", loops, ["multipliers", "partition"])
    return "partition" if independent is not None else loops
