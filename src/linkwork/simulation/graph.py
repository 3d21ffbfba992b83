"""Simulate a bond graph by itself: BondGraph → Equations → Program → Result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import casadi as ca
import numpy as np

from linkwork.bondgraph.elements import C, Element, I
from linkwork.bondgraph.graph import BondGraph
from linkwork.bondgraph.reading.graph_equations import graph_equations
from linkwork.bondgraph.reading.state_equations import StateEquations, components
from linkwork.bondgraph.reading.store_amounts import oriented
from linkwork.compile.program import compile_program
from linkwork.core.equations import Equations
from linkwork.core.errors import AssemblyError, IntegrationError, ModelError, UnknownName
from linkwork.core.interrupts import listening
from linkwork.core.kinds import tolerances
from linkwork.core.plain_data import Record
from linkwork.core.program import Program
from linkwork.core.progress.showing import showing
from linkwork.core.result import Result
from linkwork.core.signal import Inputs
from linkwork.core.words import checked_as_verb
from linkwork.formulations.order import PIVOT_CHANGE
from linkwork.integrate import Trajectory
from linkwork.integrate.solver import Solver
from linkwork.signals.breakpoints import stops_of
from linkwork.signals.inputs import signals_of
from linkwork.simulation.arguments import checked_duration, checked_tolerance, parameters_of, sample_times
from linkwork.simulation.bonds.table import attach_bonds
from linkwork.simulation.choice.solver import AUTOMATIC, Automatic, SolverChoice
from linkwork.simulation.cost import check_memory
from linkwork.simulation.description.describe import versions
from linkwork.simulation.graph_failure import explain_graph
from linkwork.simulation.interruptions import SolverChange
from linkwork.simulation.record import sampled, solver_record, status_of
from linkwork.simulation.run import run
from linkwork.simulation.timing import Stopwatch
from linkwork.simulation.watch.evidence import Evidence, judge
from linkwork.simulation.watch.samples import asked_for, with_watch

ALLOWED = 1e-6
"""Largest relative mismatch in an algebraic loop that still counts as solved."""
GIVES_WAY = 1e-3
"""Largest displacement of what stands for a joint, relative to the mechanism [rad: itself]."""
NAMED_COMPONENTS = 4


Prepared: TypeAlias = tuple[Equations, StateEquations, Program]


@dataclass
class Ready:
    """A program and where it starts, as `run` takes them."""

    program: Program
    equations: Equations
    state: np.ndarray
    p: np.ndarray


@checked_as_verb(atol=tolerances)
def simulate(
    graph: BondGraph,
    duration: float,
    *,
    method: str | None = None,
    solver: str | Solver = "auto",
    rtol: float = 1e-8,
    atol: float | np.ndarray = 1e-10,
    output: float | np.ndarray | None = None,
    step: float | None = None,
    max_step: float | None = None,
    parameters: Mapping[str, float] | None = None,
    inputs: Inputs | None = None,
    progress: Callable[[float], None] | None = None,
) -> Result:
    """Run the graph for `duration` seconds and return its channels over time; `result.bonds` has power and activity.

    method: how causality is assigned: "scap", "relaxed" or "lagrangian" (see `g.causality`), else as `g.method` says;
    solver: "auto", a name ("dopri5", "radau", …) or a solver object; output: time between samples [s] (default: 501
    samples), or the times themselves; parameters: values other than the defaults, nothing is compiled again;
    inputs: name → number, (times, values) or function of t. Stores in derivative causality start as the others ask.
    atol: for a state that holds ½ J of energy, so that it means the same in all domains; or one for each state.
    """
    values, method = parameter_values(graph, parameters), graph.method if method is None else method
    return run_prepared(
        lambda: _prepared(graph, method, values), values, duration, graph=graph, label=f"bond graph, {method}",
        solver=solver, rtol=rtol, atol=atol, output=output, step=step, max_step=max_step, inputs=inputs,
        progress=progress,
    )  # fmt: skip


def run_prepared(
    prepare: Callable[[], Prepared],
    values: np.ndarray,
    duration: float,
    *,
    graph: BondGraph,
    label: str,
    solver: str | Solver = "auto",
    rtol: float = 1e-8,
    atol: float | np.ndarray = 1e-10,
    output: float | np.ndarray | None = None,
    step: float | None = None,
    max_step: float | None = None,
    inputs: Inputs | None = None,
    progress: Callable[[float], None] | None = None,
) -> Result:
    """Run what is prepared. values: of the parameters; label: how the record calls it; the rest as for `simulate`."""
    duration = checked_duration(graph, duration)
    checked_tolerance(graph, rtol=rtol)
    clock = Stopwatch()
    eq, states, program = prepare()
    p = np.concatenate([values, list(graph.inputs.values())])
    signals, times = signals_of(graph, inputs, eq, duration), sample_times(duration, output)
    stops, max_step = stops_of(eq, p, signals, duration), signals.longest_step(duration, max_step)
    ready = Ready(program, eq, consistent_start(eq, states, program, p), p)
    options: Record = {
        "signals": signals, "rtol": rtol, "atol": _tolerances(states, ready.state, p, atol), "step": step,
        "max_step": max_step, "stops": stops,
    }  # fmt: skip
    clock.prepared(program)
    chosen = _chosen(solver, ready, Automatic(duration, rtol, signals))
    check_memory(graph.name, times.size, eq.layout.y + len(program.channels))
    program.function("outputs")
    clock.started()
    changes = [SolverChange(chosen)] if isinstance(chosen, Automatic) else []
    path = run(ready, duration, with_watch(times), interruptions=changes, solver=chosen, progress=progress,
               name=graph.name, **options)  # fmt: skip
    clock.stopped()
    record: Record = _record(states, eq, path, p) | solver_record(chosen) | {
        "formulation": label, "rtol": rtol, "atol": atol, "duration": duration,
        "timings": clock.timings,
    }  # fmt: skip
    channels, data = sampled(program, path, p, signals, stops, duration)
    observed = Result(path.t, data, channels, record=record)
    evidence = Evidence(graph, eq, program, path, p, signals, observed, record["solver"], rtol, _scalar(atol))
    result, path = asked_for(observed, path, times)
    attach_bonds(result, eq, program, path, ready.state, p, solver=chosen, **options)
    if record["status"] == "failed":
        raise explain_graph(states, eq, program, path, p, result)
    _check_loops(graph, states, result)
    _check_joints(graph, observed, result)
    result.warn(judge(evidence))
    return result


def _chosen(solver: str | Solver, ready: Ready, automatic: Automatic) -> SolverChoice:
    if not isinstance(solver, str) or solver != AUTOMATIC:
        return solver
    automatic.look(ready.program, 0.0, ready.state, ready.p, presumed=ready.equations.motion.stiff)
    return automatic


def _record(states: StateEquations, eq: Equations, path: Trajectory, p: np.ndarray) -> Record:
    """What `result.record` says of the graph and its trajectory."""
    graph = states.graph
    record: Record = {
        "model": graph.name,
        "status": status_of(path),
        "parameters": dict(zip(graph.parameters, p.tolist(), strict=False)),
        "degrees": {"states": states.x.numel(), "constraints": states.invariant.numel()},
        "statistics": path.stats,
        "versions": versions(),
        "show": _shown(eq),
    }
    if followed := _followed(states, p):
        record["starts that follow others"] = followed
    return record


def _prepared(graph: BondGraph, method: str, values: np.ndarray) -> Prepared:
    """Equations and program; where parameters are far from those that pivots were chosen for, with others."""
    known = graph.memory.setdefault(method, [])
    for chosen, prepared in known:
        with np.errstate(all="ignore"):
            ratio = np.abs(values / chosen)
        if np.all((ratio < PIVOT_CHANGE) & (ratio > 1 / PIVOT_CHANGE) | (values == 0) | (chosen == 0)):
            return prepared
    defaults = dict(graph.parameters)
    try:
        graph.parameters.update(zip(defaults, values.tolist(), strict=True))
        eq, states = graph_equations(graph, method)
    finally:
        graph.parameters.update(defaults)
    known.append((values, (eq, states, compile_program(eq, graph.parameters, graph.inputs))))
    return known[-1][1]


def _scalar(atol: float | Sequence[float] | np.ndarray) -> float:
    return float(np.max(atol, initial=0.0))


def parameter_values(graph: BondGraph, given: Mapping[str, float] | None) -> np.ndarray:
    """Values in the order of the graph's parameters, defaults replaced by those given."""
    given = parameters_of(graph, given)
    for name, value in given.items():
        if name not in graph.parameters:
            raise UnknownName("parameter", name, graph.parameters, component=graph.name)
        if not isinstance(value, int | float | np.number) or not np.isfinite(value):
            raise ModelError(f"{value!r} is not a finite number.", component=name, remedy="Give a number.")
    return np.array([given.get(n, default) for n, default in graph.parameters.items()], dtype=float)


def consistent_start(eq: Equations, states: StateEquations, program: Program, p: np.ndarray) -> np.ndarray:
    """y at the start: as given, moved onto the flows that are enforced."""
    x = states.start(p)
    y = np.concatenate([x, np.zeros(eq.layout.y - x.size)])
    if not np.all(np.isfinite(y)):
        name = eq.states.names[int(np.argmin(np.isfinite(y)))]
        raise ModelError("its start is not a finite number.", component=name, remedy="Check its start and its law.")
    if not eq.constraints.velocity.numel():
        return y
    for _ in range(20):
        moved, residual = program.function("project")(0.0, y, p)
        step = np.abs(moved - y).max()
        y = np.array(moved)
        if not np.all(np.isfinite(y)):
            break
        if step <= 1e-13 * (1 + np.abs(y).max()):
            return y
    names = ", ".join(dict.fromkeys(states.invariant_of))
    raise AssemblyError(
        f"no start was found that {names} allow.",
        component=states.graph.name,
        remedy="Give starts that are nearer to what they enforce.",
    )


def _tolerances(states: StateEquations, y: np.ndarray, p: np.ndarray, atol: Any) -> np.ndarray:
    """Absolute tolerance of each state of y: volumes of oil are small numbers, momenta large ones."""
    if np.ndim(atol) and len(atol) != y.size:
        raise ModelError(
            f"atol has {len(atol)} numbers for {y.size} states.",
            component=states.graph.name,
            remedy="Give one, or one each.",
        )
    if np.ndim(atol):
        return np.asarray(atol, dtype=float)
    checked_tolerance(states.graph, atol=atol)
    scale = np.ones(y.size)
    n = states.x.numel()
    scale[:n] = states.scales(y[:n], p)
    return float(atol) * scale


def _followed(states: StateEquations, p: np.ndarray) -> dict[str, list[float]]:
    """Dependent stores whose own start was overruled: what they really start with (flow of I, displacement of C)."""
    overruled: dict[str, list[float]] = {}
    reading = states.reading
    for d in reading.dependents:
        element = d.element
        if not isinstance(element, I | C) or element.start.is_zero():
            continue
        flow = oriented(states.causality, reading, element)[1]
        at = [states.graph.t, states.x, states.p]
        values = ca.Function("s", at, [d.amount if isinstance(element, C) else flow, element.start])
        real, wanted = (np.array(v).ravel() for v in values(0.0, states.start(p), p))
        if np.abs(real - wanted).max() > 1e-9 * (1 + np.abs(wanted).max()):
            overruled[element.name] = real.tolist()
    return overruled


def _shown(eq: Equations) -> list[str]:
    """What stores give: flows of inertias, efforts of compliances; else anything."""
    graph: BondGraph = eq.graph
    wanted: list[tuple[Element, str]] = [(e, "flow") for e in graph.of_type(I)]
    wanted += [(e, "effort") for e in graph.of_type(C)]
    names = [f"{e.name}.{what}" for e, what in wanted if f"{e.name}.{what}" in eq.observation.outputs]
    return (names or [n for n in eq.observation.outputs if n.endswith((".effort", ".flow"))])[:NAMED_COMPONENTS]


def _check_loops(graph: BondGraph, states: StateEquations, result: Result) -> None:
    if "residual.loops" not in result or result["residual.loops"].max(initial=0.0) <= ALLOWED:
        return
    worst = int(np.argmax(result["residual.loops"]))
    where = ", ".join(states.reading.loops) or "sources that refer to efforts and flows"
    raise IntegrationError(
        f"an algebraic loop ({where}) was not solved at t = {result.t[worst]:.6g} s: relative mismatch "
        f"{result['residual.loops'][worst]:.2g}.",
        component=graph.name,
        remedy="Put a small store into the loop, or give laws that are smooth and rise. See error.partial.",
        partial=result,
    )


def _check_joints(graph: BondGraph, observed: Result, result: Result) -> None:
    """Compliances that stand for joints must not give way by more than these may be open; observed: at more times."""
    for element in graph.of_type(C):
        names = components(f"{element.name}.displacement", element.size)
        if not element.holds or names[0] not in observed:
            continue
        unit, word = (1.0, "rad") if graph.bond_at(element, 0).kind == "rotation" else (graph.length, "m")
        off = np.abs([observed[name] for name in names]).max(axis=0)
        if off.max() > GIVES_WAY * unit:
            first = int(np.argmax(off > GIVES_WAY * unit))
            raise IntegrationError(
                f"it gives way by {off.max():.3g} {word} (from t = {observed.t[first]:.6g} s on).",
                component=element.holds,
                remedy=f"Stiffen {element.name}: take m.bondgraph(joints='rc', compliance=lw.Compliance(error=…)), or "
                "change its law. See error.partial.",
                partial=result,
            )


BondGraph.register("simulate", listening(showing(simulate)))
