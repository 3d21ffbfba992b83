"""State equations of a bond graph to read (text, LaTeX, SymPy) and to use elsewhere (C, Python, CasADi)."""

from __future__ import annotations

import numpy as np

from linkwork.bondgraph.graph import BondGraph
from linkwork.bondgraph.reading.graph_equations import graph_equations
from linkwork.core import kinds
from linkwork.export.equations import EquationSheet


def equations(graph: BondGraph, method: str | None = None) -> EquationSheet:
    """ẋ = f(t, x, parameters, inputs): momenta, displacements and signals, solved for their rates.

    method: how causality is assigned, else as `g.method` says. The sheet has `.text()`, `.latex()`, `.sympy()`,
    `.c()`, `.python()` and `.casadi()`; what is kept at zero (flows and displacements) is in its constraints.
    """
    chosen = graph.method if method is None else kinds.text.taken("method", method, graph.name)
    eq, states = graph_equations(graph, chosen)
    p = np.array([*graph.parameters.values(), *graph.inputs.values()])
    start = np.zeros(eq.layout.y)
    start[: states.x.numel()] = states.start(p)
    named = [(name, graph.units.get(name, "")) for name in (*graph.parameters, *graph.inputs)]
    owners = frozenset(name for name in (*graph.elements, *_bodies(graph)) if "." in name)
    return EquationSheet(graph.name, f"bond graph, {chosen}", eq, eq, start, p, tuple(named), owners)


def _bodies(graph: BondGraph) -> list[str]:
    return [signal.name.rpartition(".")[0] for signal in graph.signals]


BondGraph.register("equations", equations)
