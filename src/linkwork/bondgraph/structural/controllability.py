"""Structural controllability and observability: what sources reach, and what outputs show, whatever the numbers are."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import casadi as ca

from linkwork.bondgraph.assigning.causality import Causality, assign
from linkwork.bondgraph.assigning.conflicts import said
from linkwork.bondgraph.elements import GY, TF, C, Element, I, Junction, R, Se, Sf
from linkwork.bondgraph.following.dependence import Dependence, Variable, dependence
from linkwork.bondgraph.graph import BondGraph
from linkwork.bondgraph.reading.known_symbols import check_own_model
from linkwork.bondgraph.structural.cancelling import has_rings, not_moved, not_shown
from linkwork.bondgraph.structural.derivative_preference import Dualised, prefer_derivative
from linkwork.bondgraph.structural.detectors import add_detectors
from linkwork.core import kinds
from linkwork.core.errors import ModelError, UnknownName


@dataclass(frozen=True)
class StructuralProperty:
    """Whether all states are controllable (or observable) for almost all values of the parameters; print() it.

    states: stores in integral causality; dependent: those in derivative causality, which have no state of their own;
    unreached: states that no causal path joins to a source (an output); rank: of [A B] (of [A; C]) by structure;
    tied: store → stores with which it holds a combination of states that no source moves (no output shows);
    dualised: sources (outputs) that had to be dualised to find the rank; cancelled: stores that causal paths reach,
    but in a ring of bonds what goes one way round cancels what goes the other.
    """

    graph: str
    word: str
    """"controllable" or "observable"."""
    by: list[str]
    """Sources or outputs."""
    states: list[str]
    dependent: list[str]
    unreached: list[str]
    rank: int
    tied: dict[str, list[str]] = field(default_factory=dict)
    dualised: list[str] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        return not self.unreached and not self.cancelled and self.rank == len(self.states)

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        answer = "structurally" if self.holds else "not structurally"
        by_sources = self.word == "controllable"
        moved = (
            ("from", "no source moves", "from a source to")
            if by_sources
            else ("by", "no output shows", "to an output from")
        )
        lines = [f"{self.graph} is {answer} {self.word} {moved[0]} {', '.join(self.by) or 'nothing'}"]
        lines.append(f"  {len(self.states)} states ({', '.join(self.states) or 'none'}), rank {self.rank}")
        if self.dependent:
            lines.append(f"  no states of their own: {', '.join(self.dependent)}")
        if self.dualised:
            lines.append(f"  dualised: {', '.join(self.dualised)}")
        lines += [f"- {name}: no causal path leads {moved[2]} it." for name in self.unreached]
        lines += [f"- {name}: what goes round a ring of bonds to it cancels." for name in self.cancelled]
        for name, others in self.tied.items():
            whole = f"a combination of {', '.join([name, *others])}" if others else name
            lines.append(f"- {whole} stays constant, and {moved[1]} it.")
        return "\n".join(lines)


def controllability(
    graph: BondGraph, sources: Sequence[str] | str | None = None, *, method: str | None = None
) -> StructuralProperty:
    """Whether the sources can bring all stores to any state, for almost all values of the parameters.

    sources: names of effort and flow sources (default: all); the others are given. Sueur and Dauphin-Tanguy's two
    conditions: a causal path from a source to every store with a state; and every store takes derivative causality
    when it is preferred and the sources may be dualised. Values that are equal or otherwise related can still spoil
    it: the Kalman rank of `g.linearize()` tells.
    """
    causality = _checked(graph, method)
    names = [e.name for e in graph.elements.values() if isinstance(e, Se | Sf)]
    chosen = _named(graph, "source", sources, names)
    flow = dependence(causality)
    starts = [end.gives for end in flow.ends.values() if end.element.name in chosen]
    reached = _forward(flow, starts)
    states = {e.element.name: e for e in flow.of_kind("integral")}
    unreached = [name for name, end in states.items() if end.receives not in reached]
    preferred = prefer_derivative(causality, set(chosen), moved=True)
    lost = not_moved(graph, chosen, causality.method) if has_rings(graph) else []
    return _property(causality, "controllable", chosen, unreached, preferred, lost)


def observability(graph: BondGraph, outputs: Sequence[str] | str, *, method: str | None = None) -> StructuralProperty:
    """Whether the outputs show the states of all stores, for almost all values of the parameters.

    outputs: channels such as "mass.flow", "spring.effort" or a junction's "shaft.flow". The conditions are those of
    `controllability`, with causal paths to the outputs and detectors in the place of sources.
    """
    wanted = [outputs] if isinstance(outputs, str) else list(kinds.names.taken("outputs", outputs, graph.name))
    _checked(graph, method)
    twin = copy.deepcopy(graph)
    detectors = add_detectors(twin, wanted)
    causality = _checked(twin, method or graph.method)
    flow = dependence(causality)
    ends = {end.element.name: end for end in flow.ends.values()}
    shown = [ends[d].receives for d in detectors]
    states = {e.element.name: e for e in flow.of_kind("integral")}
    unreached = [name for name, end in states.items() if _forward(flow, [end.gives]).isdisjoint(shown)]
    preferred = prefer_derivative(causality, set(detectors), moved=False)
    preferred.dualised = [detectors[d] for d in preferred.dualised]
    lost = not_shown(graph, wanted, causality.method) if has_rings(graph) else []
    return _property(causality, "observable", wanted, unreached, preferred, lost)


def _property(
    causality: Causality, word: str, by: list[str], unreached: list[str], preferred: Dualised, lost: list[str]
) -> StructuralProperty:
    states = [e.name for e, _ in causality.integral]
    dependent = [e.name for e, _ in causality.derivative]
    rank = len(states) - len(preferred.left)
    known = {*unreached, *preferred.left, *(other for others in preferred.left.values() for other in others)}
    cancelled = [name for name in lost if name not in known]
    name = causality.graph.name
    return StructuralProperty(
        name, word, by, states, dependent, unreached, rank, preferred.left, preferred.dualised, cancelled
    )


def _named(graph: BondGraph, what: str, given: Sequence[str] | str | None, known: Iterable[str]) -> list[str]:
    if given is None:
        return list(known)
    chosen = [given] if isinstance(given, str) else list(kinds.names.taken(f"{what}s", given, graph.name))
    for name in chosen:
        if name not in known:
            raise UnknownName(what, name, known, component=graph.name)
    return chosen


def _forward(flow: Dependence, starts: Iterable[Variable]) -> set[Variable]:
    """All variables that some change, through junctions, laws and stores."""
    laws = {end.receives: end.gives for end in flow.ends.values() if end.kind not in ("source", "break variable")}
    reached, waiting = set(starts), list(starts)
    while waiting:
        here = waiting.pop()
        after = [*flow.feeds.get(here, []), *([laws[here]] if here in laws else [])]
        waiting += [v for v in after if v not in reached]
        reached.update(after)
    return reached


def _checked(graph: BondGraph, method: str | None) -> Causality:
    """Its causality, if structure can be read from it: scalar bonds, no signals that act."""
    check_own_model(graph)
    causality = assign(graph, graph.method if method is None else kinds.text.taken("method", method, graph.name))
    for bond in graph.bonds:
        if bond.size != 1:
            raise ModelError(
                f"is a vector bond ({bond.tail.element.name} – {bond.head.element.name}, {bond.size} components): "
                "causal strokes tell nothing of single components.",
                component=bond.name,
                remedy="Ask the numbers: the Kalman rank of g.linearize().",
            )
    for element in graph.elements.values():
        _check_element(causality, element)
    return causality


def _check_element(causality: Causality, element: Element) -> None:
    remedy = "Ask the numbers: the Kalman rank of g.linearize()."
    if element in causality.opened or not isinstance(element, Junction | TF | GY | Se | Sf | R | C | I):
        raise ModelError(
            f"{said(element)} is solved for: strokes do not tell what it does.", component=element.name, remedy=remedy
        )
    graph = causality.graph
    held = [getattr(element, word, None) for word in ("value", "modulus", "law", "displacement")]
    moving = [s.symbol for s in graph.signals] + [s for b in graph.bonds for s in (b.effort, b.flow)]
    for value in held:
        if isinstance(value, ca.SX) and moving and ca.depends_on(value, ca.vertcat(*moving)):
            raise ModelError(
                "follows a signal: what acts by signals has no strokes.", component=element.name, remedy=remedy
            )


BondGraph.register("controllability", controllability)
BondGraph.register("observability", observability)
