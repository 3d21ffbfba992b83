"""Symbols in laws, moduli and sources that nothing gives a value to: found before a run, named with their element."""

from __future__ import annotations

from collections.abc import Iterable

import casadi as ca

from linkwork.bondgraph.elements import Element
from linkwork.bondgraph.graph import BondGraph
from linkwork.bondgraph.reading.reading import Reading
from linkwork.core.errors import ModelError
from linkwork.geometry import SX


def check_own_model(graph: BondGraph) -> None:
    """Refuse a graph that only shows a mechanism: its equations are not all in it."""
    if graph.closed:
        raise ModelError(
            f"was read from a mechanism and is not a model itself ({graph.closed}).",
            component=graph.name,
            remedy="Run the model itself: m.simulate(…, formulation='bondgraph'), or ask for m.bondgraph().",
        )


def check_symbols(graph: BondGraph, reading: Reading, states: list[SX]) -> None:
    """Every symbol must be one the graph knows: a stranger could never get a value."""
    check_own_model(graph)
    symbols = [graph.t, *states, *graph.symbols(graph.parameters), *graph.symbols(graph.inputs)]
    symbols += [s for b in graph.bonds for s in (b.effort, b.flow)]
    known = {s.element_hash() for s in ca.symvar(ca.vertcat(*symbols))}
    for element in graph.elements.values():
        _check(element.name, _expressions(element), known)
    for signal in graph.signals:
        _check(signal.name, [SX(signal.rate), SX(signal.start)], known)


def _check(name: str, expressions: Iterable[SX], known: set[int]) -> None:
    strangers = [s.name() for x in expressions for s in ca.symvar(x) if s.element_hash() not in known]
    if strangers:
        raise ModelError(
            f"depends on {', '.join(dict.fromkeys(strangers))}, which this graph does not know.",
            component=name,
            remedy="Use g.t, symbols of g.parameter(…), g.input(…) or g.signal(…), or bond.effort and bond.flow.",
        )


def _expressions(element: Element) -> Iterable[SX]:
    for attribute in ("value", "modulus", "law", "inverse", "energy", "start", "displacement"):
        given = vars(element).get(attribute)
        if isinstance(given, SX):
            yield given
        elif callable(given):
            x = SX.sym("x", element.size)
            own = {s.element_hash() for s in ca.symvar(x)}
            yield ca.vertcat(SX(0, 1), *(s for s in ca.symvar(SX(given(x))) if s.element_hash() not in own))
