"""The inverse of a bond graph: which source makes an output what it should be, as for the sizing of drives."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwork.analyses.graphs.driven import driven
from linkwork.analyses.graphs.inverse.inverse_run import simulate
from linkwork.analyses.graphs.inverse.lie import derivatives, solve_for_input
from linkwork.analyses.graphs.inverse.model import InverseModel
from linkwork.analyses.graphs.inverse.wanted import Wanted
from linkwork.bondgraph.assigning.causality import Causality
from linkwork.bondgraph.bicausal.line import BicausalLine, bicausal_causality, bicausal_line
from linkwork.bondgraph.editing import replace as replace_element
from linkwork.bondgraph.elements import Se, Sf
from linkwork.bondgraph.graph import BondGraph
from linkwork.bondgraph.reading.graph_channels import observe
from linkwork.bondgraph.reading.input_rates import InputRateNeeded
from linkwork.bondgraph.reading.state_equations import StateEquations, components, state_equations
from linkwork.bondgraph.transfer.outputs import measured_by
from linkwork.core.errors import ModelError, UnknownName
from linkwork.core.kinds import text, tolerances
from linkwork.core.result import Result
from linkwork.core.signal import Inputs
from linkwork.core.words import checked_as_verb
from linkwork.geometry import SX
from linkwork.integrate.solver import Solver


@dataclass(frozen=True, repr=False)
class GraphInverse:
    """The source that brings about a wanted output; print() it for what it takes, `simulate` runs it.

    order: relative order, derivatives of the wanted output that the source follows; line: the bicausal bonds between
    source and output, None where several directions are solved together; zero_dynamics: eigenvalues [1/s] at the start
    of what goes on inside while the output is as wanted; unknown: "effort" or "flow", what is solved for.
    """

    graph: BondGraph
    source: str
    output: str
    unknown: str
    order: int
    line: BicausalLine | None
    zero_dynamics: np.ndarray
    model: InverseModel
    unit: str

    @property
    def states(self) -> list[str]:
        """Of the graph; as many of them as the order follow from what is wanted."""
        return [n for v in self.model.eq.variables for n in components(v.name, v.symbol.numel())]

    def causality(self) -> Causality:
        """Strokes of the inverse model, for `g.draw(inverse.causality())`: bicausal bonds have two half strokes."""
        if self.line is None or self.line.conflict:
            raise ModelError(
                "its inverse has no bicausal line of single bonds.",
                component=self.graph.name,
                remedy="Take scalar bonds, and an output of a single element.",
            )
        return bicausal_causality(self.graph, self.line)

    def equations(self) -> str:
        """The source in terms of the states and of what is wanted, then the rates of the states."""
        name = f"{self.source}.{self.unknown}"
        last = self.model.wanted[-1].name()
        lines = [f"{self.graph.name}: {name} for {self.output}, whose derivative of order {self.order} is {last}"]
        element = self.model.eq.graph[self.source]
        assert isinstance(element, Se | Sf)
        value = ca.substitute(element.value, self.model.u, self.model.source)
        lines.append(f"  {name} = {ca.cse(ca.simplify(value))}")
        for level, symbol in zip(self.model.levels, self.model.wanted, strict=False):
            lines.append(f"  {symbol.name()} = {ca.cse(ca.simplify(level))}")
        made = self.model.driven(self.output, self.model.wanted)
        for v in made.variables:
            for i, state in enumerate(components(v.name, v.symbol.numel())):
                lines.append(f"  d/dt {state} = {ca.cse(ca.simplify(v.rate[i]))}")
        return "\n".join(lines)

    @checked_as_verb(atol=tolerances)
    def simulate(
        self,
        duration: float,
        wanted: Wanted,
        *,
        solver: str | Solver = "auto",
        rtol: float = 1e-8,
        atol: float | np.ndarray = 1e-10,
        output: float | np.ndarray | None = None,
        max_step: float | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Inputs | None = None,
    ) -> Result:
        """Run with the output as wanted: channels of the source are what it must give, all others what follows.

        wanted: a number, a function of t [s] written with symbols, a lw.Table, or (times, values), which become a
        smooth spline; output: time between samples [s], or the times. A start that is not as wanted is moved, and a
        warning says so; so does one where what goes on inside grows of itself (unstable zero dynamics).
        """
        options = {"solver": solver, "rtol": rtol, "atol": atol, "output": output, "max_step": max_step}
        return simulate(self, duration, wanted, parameters, inputs, options)

    @property
    def name(self) -> str:
        return self.graph.name

    def __str__(self) -> str:
        inner = len(self.zero_dynamics)
        lines = [f"{self.graph.name}: {self.source}.{self.unknown} that makes {self.output} what is wanted"]
        lines.append(f"  relative order {self.order}, {len(self.states)} states, {inner} of them inner (zero dynamics)")
        if self.line is None:
            lines.append("  no bicausal line of single bonds: solved from all equations together")
        elif self.line.conflict:
            lines.append(f"  no bicausal line alone ({self.line.conflict}); solved together")
        else:
            lines.append(f"  bicausal line {self.line}")
            before = {e.name for e, _ in self.model.eq.causality.derivative}
            own, anyway = ([n for n in self.line.derivative if (n in before) == x] for x in (False, True))
            also = f" (and as before: {', '.join(anyway)})" if anyway else ""
            lines.append(f"  put into derivative causality: {', '.join(own) or 'none'}{also}")
        if inner:
            values = ", ".join(f"{x:.4g}" if x.imag else f"{x.real:.4g}" for x in self.zero_dynamics)
            lines.append(f"  zero dynamics at the start [1/s]: {values}")
        return "\n".join(lines)

    __repr__ = __str__


def inverse(graph: BondGraph, source: str, output: str, *, method: str | None = None) -> GraphInverse:
    """The inverse model: what a source must do so that an output is as wanted.

    source: an effort or flow source; output: a channel, such as "load.flow", "spring.effort" or a signal. The output is
    differentiated along the state equations until the source shows, as often as its relative order, and solved for the
    source: exactly, nonlinear or not. Bicausal bonds show the way (`line`). method: how causality is assigned.
    """
    for word, given in (("source", source), ("output", output)):
        text.taken(word, given, graph.name)
    element = graph.elements.get(source)
    if not isinstance(element, Se | Sf):
        known = [e.name for e in graph.elements.values() if isinstance(e, Se | Sf)]
        raise UnknownName("source", source, known, component=graph.name)
    eq, name, unknown = _open(graph, source, method or graph.method)
    twin = eq.graph
    observed = observe(eq)
    if output not in observed.channels:
        raise UnknownName("channel", output, observed.channels, component=graph.name)
    unit, h = observed.channels[output]
    accounts = ca.vertcat(SX(0, 1), *(symbol for _, symbol, _ in observed.integrals))
    if ca.depends_on(h, accounts):
        raise ModelError(
            "is an integral over time, no function of the states.", component=output, remedy="Take a power."
        )
    (u,) = twin.symbols([name])
    p = np.array([*twin.parameters.values(), *twin.inputs.values()])
    derived = derivatives(eq, h, u, p, output)
    line = _line(graph, source, output)
    if derived is None:
        raise _without_influence(source, output, line)
    wanted = [SX.sym(f"{output}{'′' * k if k < 4 else f'({k})'}") for k in range(derived.order + 1)]
    value = solve_for_input(derived, u, wanted[-1])
    model = InverseModel(eq, u, derived.levels, wanted, value, ca.jacobian(derived.highest, u))
    zero = _zero_dynamics(model, output, p)
    return GraphInverse(graph, source, output, unknown, derived.order, line, zero, model, unit)


def _open(graph: BondGraph, source: str, method: str) -> tuple[StateEquations, str, str]:
    """State equations with the source as an input; where its rate would be needed, with its other variable unknown."""
    unknown = "effort" if isinstance(graph[source], Se) else "flow"
    twin, (name,) = driven(graph, [source], alone=True)
    try:
        return state_equations(twin, method), name, unknown
    except InputRateNeeded:
        other = copy.deepcopy(graph)
        replace_element(other, source, Sf(source, 0.0) if unknown == "effort" else Se(source, 0.0))
        twin, (name,) = driven(other, [source], alone=True)
        return state_equations(twin, method), name, "flow" if unknown == "effort" else "effort"


def _line(graph: BondGraph, source: str, output: str) -> BicausalLine | None:
    """Where bonds are scalar and the output is that of an element."""
    if any(b.size != 1 for b in graph.bonds) or output.rpartition(".")[2] in ("power", "energy"):
        return None
    signal = next((s for s in graph.signals if s.name == output), None)
    return bicausal_line(graph, source, output) if signal is None or measured_by(graph, signal) else None


def _without_influence(source: str, output: str, line: BicausalLine | None) -> ModelError:
    if line is not None and line.conflict:
        why = f"on the line {line} causality conflicts: {line.conflict}"
    else:
        why = "no causal line joins them." if line is None else f"what goes along {line} cancels."
    return ModelError(
        f"it has no influence on {output!r}, however often that is differentiated: {why}",
        component=source,
        remedy="Choose an output behind the source, or take out what determines it in between.",
    )


def _zero_dynamics(model: InverseModel, output: str, p: np.ndarray) -> np.ndarray:
    """Eigenvalues at the start, with the output going on as it does there by itself."""
    eq = model.eq
    x = eq.start(p)
    at = ca.Function("now", [eq.graph.t, eq.x, eq.p], [ca.densify(ca.vertcat(SX(0, 1), *model.levels))])
    values = [SX(float(v)) for v in np.array(at(0.0, x, p)).ravel()]
    made = model.driven(output, [*values, SX(0)])
    return model.zero_dynamics(made, 0.0, x, p)[0]


BondGraph.register("inverse", inverse)
