"""Preferred derivative causality: as many stores as possible lose their state, with sources or detectors dualised.

Sueur and Dauphin-Tanguy (1991): the stores that keep integral causality then are as many as the rank of [A B] (of
[A; C] with detectors) lacks to the number of states.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

from linkwork.bondgraph.assigning.assignment import Assignment
from linkwork.bondgraph.assigning.causal_rules import EITHER, FIXED, FLOW, STORE, Wish, wishes
from linkwork.bondgraph.assigning.causality import EXHAUSTIVE, Causality
from linkwork.bondgraph.assigning.junction_structure import junction_structure
from linkwork.bondgraph.elements import C, Element, I, R, Se, Sf
from linkwork.bondgraph.following.dependence import dependence
from linkwork.core.errors import ModelError


@dataclass
class Dualised:
    """left: stores that keep integral causality, each with those it is tied to; dualised: sources that gave way."""

    left: dict[str, list[str]]
    dualised: list[str]


def prefer_derivative(causality: Causality, may_change: set[str], *, moved: bool) -> Dualised:
    """causality: the usual one, with the stores that are states; may_change: sources that may be dualised.

    moved: whether stores are tied by what moves them (controllability), or by what they show (observability).
    """
    graph = causality.graph
    states = {element.name for element, _ in causality.integral}
    asked = [_turned(w, may_change) for w in wishes(graph)]
    asked.sort(key=lambda w: w.strength == STORE and w.element.name in states)  # dependent stores stay dependent
    structure = junction_structure(graph)
    if len(structure.odd) > EXHAUSTIVE:
        raise ModelError(
            f"has {len(structure.odd)} gyrators that close rings with an odd number of them; up to {EXHAUSTIVE} can be "
            "tried.",
            component=graph.name,
            remedy="Ask the numbers: the Kalman rank of g.linearize().",
        )
    settings = product((False, True), repeat=len(structure.odd))
    runs = [Assignment(graph, "lagrangian", structure, asked, setting) for setting in settings]
    best = min(runs, key=lambda run: (run.score[0], _refused_stores(run), run.score))
    left = [w.element for w in best.refused if w.strength == STORE]
    turned = [w.element.name for w in best.refused if w.strength == FLOW]
    return Dualised({e.name: _combined_with(causality, best, e, moved) for e in left}, turned)


def _turned(wish: Wish, may_change: set[str]) -> Wish:
    element = wish.element
    if isinstance(element, C | I):
        return replace(wish, effort_in=not wish.effort_in, strength=STORE)
    if isinstance(element, R):
        return replace(wish, strength=EITHER)  # whatever its law: it has a slope, both ways
    if isinstance(element, Se | Sf):
        return replace(wish, strength=FLOW if element.name in may_change else FIXED)
    return wish


def _refused_stores(run: Assignment) -> int:
    return sum(w.strength == STORE for w in run.refused)


def _combined_with(causality: Causality, run: Assignment, store: Element, moved: bool) -> list[str]:
    """Stores with which one that is left holds a combination: whose rates make its own, or whose states follow it."""
    graph = causality.graph
    made = Causality(graph, stroke={b: "head" if run.head_receives(i) else "tail" for i, b in enumerate(graph.bonds)})
    made.integral = [(w.element, w.port) for w in run.refused if w.strength == STORE]
    made.derivative = [(w.element, w.port) for w in run.granted if w.strength == STORE]
    flow = dependence(made)
    mine = next(end for end in flow.ends.values() if end.element is store)
    others = flow.of_kind("derivative")
    if moved:
        before = flow.back(mine.receives, algebraic=True)
        return [e.element.name for e in others if e.gives in before]
    return [e.element.name for e in others if mine.gives in flow.back(e.receives, algebraic=True)]
