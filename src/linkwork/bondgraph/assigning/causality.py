"""Which end of each bond receives the effort: `assign` a graph its causality, and what can be asked of the result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product

from linkwork.bondgraph.assigning.assignment import ORDER, Assignment
from linkwork.bondgraph.assigning.causal_rules import FLOW, STORE, Wish, wishes
from linkwork.bondgraph.assigning.conflicts import Conflict, refused, unbalanced
from linkwork.bondgraph.assigning.junction_structure import junction_structure
from linkwork.bondgraph.assigning.origins import EFFORT, origins
from linkwork.bondgraph.assigning.origins import FLOW as FLOWS
from linkwork.bondgraph.elements import GY, Element
from linkwork.bondgraph.graph import Bond, BondGraph
from linkwork.core import kinds
from linkwork.core.errors import ModelError

EXHAUSTIVE = 4
"""Rings with an odd number of gyrators up to which all combinations of their causalities are looked at."""


@dataclass
class Causality:
    """Result of `assign`. print() it for a table and plain sentences."""

    graph: BondGraph
    method: str = "scap"
    stroke: dict[Bond, str] = field(default_factory=dict)
    """ "head" or "tail": the end that receives the effort."""
    integral: list[tuple[Element, int]] = field(default_factory=list)
    """Stores (element, port) whose state is independent."""
    derivative: list[tuple[Element, int]] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    chosen: list[Bond] = field(default_factory=list)
    """Bonds that could be either way after all else: one algebraic loop each."""
    opened: list[Element] = field(default_factory=list)
    """Flow sources turned into the effort that brings about their flow: one Lagrange multiplier (vector) each."""
    because: dict[Bond, tuple[Element, tuple[Bond, ...]]] = field(default_factory=dict)
    """Bonds that had no choice: the element whose rule says so, and the bonds that decide there."""
    bicausal: set[Bond] = field(default_factory=set)
    """Bonds of an inverse model whose flow goes the same way as their effort: the stroke's end receives both."""

    def receives_effort(self, bond: Bond, element: Element) -> bool:
        """Whether the element receives the effort of the bond and determines its flow."""
        return self.stroke[bond] == bond.end_of(element)

    def report(self) -> str:
        """Table of all elements, then what is worth knowing and what to do about it."""
        from linkwork.bondgraph.assigning.causality_report import report

        return report(self)

    def __str__(self) -> str:
        return self.report()


def assign(graph: BondGraph, method: str = "scap", *, strict: bool = True) -> Causality:
    """Causal strokes of a graph.

    method: "scap": flow sources are fixed; "relaxed": those that conflict with others are opened, that is turned into
    an effort such that the flow has its value; "lagrangian": stores come before flow sources, so that a flow source
    that would take the state of a store is opened, and no derivative causality is left because of it.
    strict: a conflict is an error; otherwise it is recorded and the element concerned does not get its causality.
    """
    if method not in ORDER:
        raise ModelError(f"method {method!r}.", component=graph.name, remedy=f"It is one of {', '.join(ORDER)}.")
    graph.check()
    structure, asked = junction_structure(graph), wishes(graph)
    runs = _tried(structure.odd, lambda setting: Assignment(graph, method, structure, asked, setting))
    best = min(runs, key=lambda run: (run.score, len(run.chosen)))
    result = _recorded(best)
    for i, gyrator in enumerate(structure.odd):
        if any(run.score == best.score and run.setting[i] != best.setting[i] for run in runs):
            result.chosen.append(graph.bond_at(gyrator, 0))
    if strict and result.conflicts:
        first = result.conflicts[0]
        raise ModelError(first.text, component=first.elements[0].name, remedy=first.remedy)
    return result


def _tried(odd: list[GY], run: Callable[[tuple[bool, ...]], Assignment]) -> list[Assignment]:
    """Assignments for the causalities of odd gyrators: all; for many of them the likeliest, changed if it conflicts."""
    if len(odd) <= EXHAUSTIVE:
        return [run(setting) for setting in product((False, True), repeat=len(odd))]
    free = run(())
    best = run(tuple(free.receives_effort(g, 0) and free.receives_effort(g, 1) for g in odd))
    improved = True
    while improved and best.score[0]:
        improved = False
        for i in range(len(odd)):
            other = run(tuple(x != (k == i) for k, x in enumerate(best.setting)))
            if other.score < best.score:
                best, improved = other, True
    return [best]


def _recorded(run: Assignment) -> Causality:
    graph, elements = run.graph, run.structure.elements
    result = Causality(graph, run.method)
    for i, b in enumerate(graph.bonds):
        result.stroke[b] = "head" if run.head_receives(i) else "tail"
        reason = run.tokens.reason[i]
        if reason is not None:
            result.because[b] = (elements[reason[0]], tuple(graph.bonds[k] for k in reason[1]))
    result.chosen = [graph.bonds[i] for i in run.chosen]
    result.integral = [(w.element, w.port) for w in run.granted if w.strength == STORE]
    result.derivative = [(w.element, w.port) for w in run.refused if w.strength == STORE]
    if run.method != "scap":
        result.opened = [w.element for w in run.refused if w.strength == FLOW]
    for node, region in run.unbalanced:
        nodes = [elements[n] for n in sorted(region - {node}) if n >= 0]
        result.conflicts.append(unbalanced(elements[node], nodes))
    result.conflicts += [_conflict(result, w) for w in run.conflicting]
    return result


def _conflict(result: Causality, wish: Wish) -> Conflict:
    """The element would give what it is now given: where that comes from is what it conflicts with."""
    bond = result.graph.bond_at(wish.element, wish.port)
    return refused(wish.element, origins(result, bond, FLOWS if wish.effort_in else EFFORT))


def _causality(graph: BondGraph, method: str | None = None, *, strict: bool = True) -> Causality:
    """Causal strokes; print() them for a report. method, strict: see `assigning.causality`."""
    kinds.truth.taken("strict", strict, graph.name)
    if method is not None:
        kinds.text.taken("method", method, graph.name)
    return assign(graph, method or graph.method, strict=strict)


BondGraph.register("causality", _causality)
