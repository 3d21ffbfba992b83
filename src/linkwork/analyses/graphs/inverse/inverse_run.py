"""Running an inverse model: the wanted output is kept to rounding, what is left over is integrated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from linkwork.analyses.graphs.inverse.wanted import Wanted, check_jumps, read_wanted
from linkwork.bondgraph.reading.graph_channels import observe
from linkwork.bondgraph.reading.graph_equations import equations_of
from linkwork.bondgraph.reading.state_equations import StateEquations
from linkwork.compile.program import compile_program
from linkwork.core.errors import IntegrationError, ModelError
from linkwork.core.finding import Finding
from linkwork.core.result import Result
from linkwork.core.signal import Inputs
from linkwork.geometry import SX
from linkwork.signals.breakpoints import stops_of
from linkwork.signals.inputs import signals_of
from linkwork.simulation.arguments import checked_duration
from linkwork.simulation.graph import Prepared, consistent_start, parameter_values, run_prepared

if TYPE_CHECKING:
    from linkwork.analyses.graphs.inverse.inverse import GraphInverse

MISSED = 1e-6
"""Share of the wanted output by which the run may miss it."""
APART = 1e-9
"""Share of the wanted output by which the start may differ without a word."""


def simulate(
    inverse: GraphInverse,
    duration: float,
    wanted: Wanted,
    parameters: Mapping[str, float] | None,
    inputs: Inputs | None,
    options: dict[str, Any],
) -> Result:
    """See `GraphInverse.simulate`."""
    graph = inverse.model.eq.graph
    duration = checked_duration(graph, duration)
    values = parameter_values(graph, parameters)
    p = np.concatenate([values, list(graph.inputs.values())])
    symbols = ca.vertcat(SX(0, 1), *graph.symbols(graph.parameters))
    course = [read_wanted(wanted, graph.t, symbols, inverse.output)]
    for _ in range(inverse.order):
        course.append(ca.jacobian(course[-1], graph.t))
    prepared = _prepared(inverse, course)
    eq, states, program = prepared
    stops = stops_of(eq, p, signals_of(graph, inputs, eq, duration), duration)
    stops = stops[(stops[:, 0] > 0) & (stops[:, 1] < duration)]
    check_jumps(course[:-1], graph.t, (symbols, values), stops, inverse.output, inverse.order)
    start = consistent_start(eq, states, program, p)[: states.x.numel()]
    _check_influence(inverse, start, p)
    findings = [*_moved(inverse, course, p), *_unstable(inverse, states, start, p)]
    label = f"inverse of a bond graph, {inverse.source} for {inverse.output}"
    result = run_prepared(lambda: prepared, values, duration, graph=graph, label=label, inputs=inputs, **options)
    _check_reached(inverse, result)
    result.warn(findings)
    return result


def _prepared(inverse: GraphInverse, course: list[SX]) -> Prepared:
    states = inverse.model.driven(inverse.output, course)
    observed = observe(states)
    observed.channels[_channel(inverse)] = (inverse.unit, course[0])
    eq = equations_of(states, observed)
    graph = states.graph
    return eq, states, compile_program(eq, graph.parameters, graph.inputs)


def _channel(inverse: GraphInverse) -> str:
    """ "wanted", unless a signal of the graph has that name."""
    taken = any(s.name == "wanted" for s in inverse.graph.signals)
    return f"{inverse.output}.wanted" if taken else "wanted"


def _check_influence(inverse: GraphInverse, x: np.ndarray, p: np.ndarray) -> None:
    """Whether the source can act on the output where the run starts."""
    eq = inverse.model.eq
    f = ca.Function("influence", [eq.graph.t, eq.x, eq.p], [ca.densify(inverse.model.influence)])
    value = float(f(0.0, x, p))
    if not np.isfinite(value) or value == 0.0:
        raise ModelError(
            f"at the start it has no influence on {inverse.output!r} (a dead centre, or a law without slope).",
            component=inverse.source,
            remedy="Start somewhere else.",
        )


def _moved(inverse: GraphInverse, course: list[SX], p: np.ndarray) -> list[Finding]:
    """Where the graph starts with another output than is wanted."""
    model = inverse.model
    eq, x = model.eq, model.eq.start(p)
    both = [ca.densify(ca.vertcat(SX(0, 1), *part)) for part in (model.levels, course[:-1])]
    f = ca.Function("start", [eq.graph.t, eq.x, eq.p], both)
    has, wanted = (np.array(v).ravel() for v in f(0.0, x, p))
    findings = []
    for k, (a, b) in enumerate(zip(has, wanted, strict=True)):
        if abs(a - b) > APART * (1 + max(abs(a), abs(b))):
            what = "it is" if k == 0 else f"its derivative of order {k} is"
            text = f"{what} {a + 0.0:.6g} at the start of the graph, and wanted to be {b + 0.0:.6g}: it was moved."
            findings.append(Finding("start", inverse.output, 0.0, text))
    return findings


def _unstable(inverse: GraphInverse, states: StateEquations, x: np.ndarray, p: np.ndarray) -> list[Finding]:
    """Whether what goes on inside grows, where the run starts."""
    values, noise = inverse.model.zero_dynamics(states, 0.0, x, p)
    growing = values[values.real > noise]
    if not growing.size:
        return []
    fastest = float(growing.real.max())
    text = (
        f"the zero dynamics is unstable at the start (eigenvalue {fastest:.4g} 1/s): what goes on inside grows while "
        "the output is as wanted. Shorten the run, or choose another output."
    )
    return [Finding("zero dynamics", inverse.source, None, text)]


def _check_reached(inverse: GraphInverse, result: Result) -> None:
    wanted, reached = np.asarray(result[_channel(inverse)]), np.asarray(result[inverse.output])
    size = float(np.abs(wanted).max(initial=0.0))
    off = np.abs(reached - wanted)
    if off.max(initial=0.0) > MISSED * (size or 1.0):
        worst = int(np.argmax(off))
        raise IntegrationError(
            f"is {reached[worst]:.6g} at t = {result.t[worst]:.6g} s, where {wanted[worst]:.6g} is wanted.",
            component=inverse.output,
            remedy="Take a smaller rtol; near a dead centre no source can bring it about. See error.partial.",
            partial=result,
        )
