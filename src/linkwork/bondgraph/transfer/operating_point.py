"""Numbers of the gains of a signal-flow graph: parameters, and where laws are not linear the start of the graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import casadi as ca
import numpy as np

from linkwork.bondgraph.reading.state_equations import StateEquations, state_equations
from linkwork.bondgraph.reading.store_amounts import amount_of
from linkwork.bondgraph.transfer.laurent import Laurent
from linkwork.bondgraph.transfer.mason import Route
from linkwork.bondgraph.transfer.signal_flow import Gain, SignalFlow
from linkwork.core import kinds
from linkwork.core.errors import ModelError, UnknownName
from linkwork.geometry import SX


@dataclass
class Values:
    """What the symbols of gains stand for."""

    parameters: dict[str, float]
    symbols: list[SX]
    numbers: list[float]
    names: dict[int, str] = field(default_factory=dict)
    """Parameters by the hash of their symbol."""
    _known: dict[int, Fraction] = field(default_factory=dict)

    def coefficient(self, gain: Gain) -> Fraction:
        """c or 1/c, times the sign: the decimal that the double stands for (0.1 is 1/10), so that terms cancel."""
        if id(gain) not in self._known:
            c = gain.coefficient
            if ca.symvar(c):
                c = ca.Function("c", [ca.vertcat(*self.symbols)], [c])(np.array(self.numbers))
            number = float(c)
            if not np.isfinite(number) or (gain.inverse and number == 0.0):
                name = gain.element.name if gain.element is not None else None
                raise ModelError(
                    f"its slope at the start is {'1/0' if np.isfinite(number) else number}.",
                    component=name,
                    remedy="Start where its law has a slope, or give it another value.",
                )
            exact = Fraction(repr(number))
            self._known[id(gain)] = gain.sign * (1 / exact if gain.inverse else exact)
        return self._known[id(gain)]

    def gain(self, route: Route) -> Laurent:
        product, power = Fraction(1), 0
        for gain in route.gains:
            product, power = product * self.coefficient(gain), power + gain.power
        return Laurent({power: product})


def values_at_start(flow: SignalFlow, parameters: Mapping[str, float] | None) -> Values:
    """Parameters as given; efforts, flows, signals and what stores hold at the start, if any gain asks for them."""
    graph = flow.graph
    chosen = dict(graph.parameters)
    for name, value in kinds.mapping.taken("parameters", parameters or {}, graph.name).items():
        if name not in chosen:
            raise UnknownName("parameter", name, chosen, component=graph.name)
        chosen[name] = float(kinds.number.taken(name, value, graph.name))
    symbols, numbers = list(graph.symbols(chosen)), list(chosen.values())
    made = Values(chosen, symbols, numbers, {s.element_hash(): n for n, s in zip(chosen, symbols, strict=True)})
    symbols += graph.symbols(graph.inputs)
    numbers += graph.inputs.values()
    symbols.append(graph.t)
    numbers.append(0.0)
    known = {s.element_hash() for s in symbols}
    asked = {s.element_hash() for gain in flow.by.values() for s in ca.symvar(gain.coefficient)}
    if not asked <= known:
        _add_start(flow, made, np.array(numbers[:-1]))
    return made


def _add_start(flow: SignalFlow, made: Values, p: np.ndarray) -> None:
    graph = flow.graph
    eq = state_equations(graph, flow.causality.method)
    named = [(b.effort, eq.reading.effort[b]) for b in graph.bonds]
    named += [(b.flow, eq.reading.flow[b]) for b in graph.bonds]
    named += [(s.symbol, s.symbol) for s in graph.signals]
    named += [(x, _held(eq, name)) for name, x in flow.amounts.items()]
    f = ca.Function("start", [graph.t, eq.x, eq.p], [ca.densify(ca.vertcat(*(value for _, value in named)))])
    values = np.array(f(0.0, eq.start(p), p)).ravel()
    made.symbols += [symbol for symbol, _ in named]
    made.numbers += values.tolist()


def _held(eq: StateEquations, name: str) -> SX:
    return amount_of(eq.causality, eq.reading, eq.graph[name])  # type: ignore[arg-type]
