"""Zero-order causal paths: closed without any integration, so that equations are implicit (BND 3.3.2).

Class 1 lies between a store in integral causality and one in derivative causality, class 2 between algebraic elements;
both go and come back along the same bonds. Class 3 starts and ends at the same port. Class 4 closes within the junction
structure. A flow source that had to be opened stands for the path that it would have closed: of class 1 where it could
determine a store, of class 4 where it closes a loop of the mechanism.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from linkwork.bondgraph.assigning.causality import Causality
from linkwork.bondgraph.assigning.conflicts import listed, said
from linkwork.bondgraph.elements import Element, Sf
from linkwork.bondgraph.following.dependence import (
    ALGEBRAIC,
    BREAK,
    DERIVATIVE,
    INTEGRAL,
    Dependence,
    End,
    Variable,
    dependence,
    other,
    way,
)
from linkwork.bondgraph.following.matching import matched
from linkwork.bondgraph.following.rings import rings
from linkwork.bondgraph.graph import Bond

LISTED_PATHS = 200
"""Paths of a class that are listed; the rest is counted."""


@dataclass
class CausalPath:
    """One zero-order causal path. index: of the differential-algebraic equations that it alone leads to."""

    number: int
    """Class, 1 to 4."""
    ends: list[Element]
    """Elements it runs between; none for class 4, which has no end."""
    variables: list[Variable]
    """("e" or "f", bond) in causal order, as far as the path does not come back along the same bonds."""
    index: int
    opened_by: Element | None = None
    """The flow source that was opened so that this path does not exist."""
    also: list[Element] = field(default_factory=list)
    """Further stores on which what it ends at depends."""
    determined: bool = True
    """Whether some store answers; where only sources meet, nothing determines the effort."""

    @property
    def bonds(self) -> list[Bond]:
        return list(dict.fromkeys(b for _, b in self.variables))

    @property
    def elements(self) -> list[Element]:
        """All elements on it, in the order in which they are met."""
        met = {e.name: e for e in self.ends[:1]}
        closed = self.bonds if self.ends else [*self.bonds, self.bonds[0]]
        for a, b in pairwise(closed):
            ends = (b.tail.element, b.head.element)
            met |= {e.name: e for e in (a.tail.element, a.head.element) if e in ends}
        met |= {e.name: e for e in self.ends}
        return list(met.values())

    @property
    def meaning(self) -> str:
        """What it does to the equations."""
        if self.opened_by is not None:
            if not self.determined:
                return "its flow is imposed already by other flow sources: its effort cannot be determined"
            ring = "closes a ring of bonds (a loop of the mechanism, or transformers between components)"
            what = ring if self.number == 4 else "the store is determined by the source"
            return f"{what}; opened, its effort is an unknown and its flow an equation (index {self.index})"
        if self.number == 1:
            return "the dependent store has no state of its own, its rate is implicit (index 1)"
        if self.number in (2, 3):
            return "an algebraic loop (index 1)"
        needed = "its solution has to be differentiated (index 2)" if self.index == 2 else "an algebraic loop (index 1)"
        return f"junctions determine each other in a ring: {needed}"

    @property
    def remedy(self) -> str:
        """What opens it."""
        if self.opened_by is not None:
            if not self.determined:
                return "Take one of the flow sources out."
            return (
                "It is open: solve with the effort as a multiplier, or put a stiff compliance and resistor in its "
                "place."
            )
        if self.number == 1:
            return "Solve for both rates together, add the dependent store to the other, or put a compliance between."
        if self.number in (2, 3):
            return "Solve the loop, put a small store between, or combine the elements into one."
        return (
            "Cut one variable and solve for it, or put a modulated effort (break variable) on a 1-junction of the ring."
        )

    def __str__(self) -> str:
        bonds = ", ".join(b.name for b in self.bonds[:12]) + (", …" if len(self.bonds) > 12 else "")
        where = listed(self.ends) if self.ends else f"ring through {listed(self.elements)}"
        if self.opened_by is not None:
            where = f"{said(self.ends[0])} and {said(self.opened_by)} (opened)"
        return f"class {self.number}, {where}, along {bonds}: {self.meaning}. {self.remedy}"


def zero_order_paths(causality: Causality) -> list[CausalPath]:
    """All classes: the shortest path of each dependent store, pair of algebraic ports, source and independent ring.

    They are paths of power: that a modulus follows an effort or flow is not looked at.
    """
    return paths_and_counts(dependence(causality))[0]


def paths_and_counts(d: Dependence) -> tuple[list[CausalPath], dict[int, int]]:
    """The paths, and how many of each class there are: every pair of ports, and all independent rings."""
    paths: list[CausalPath] = []
    count = dict.fromkeys((1, 2, 3, 4), 0)
    for search in (_dependent, _opened, _algebraic, _closed):
        for path, more in search(d):
            count[path.number] += more
            if sum(p.number == path.number for p in paths) < LISTED_PATHS:
                paths.append(path)
    return sorted(paths, key=lambda p: p.number), count


def _dependent(d: Dependence) -> list[tuple[CausalPath, int]]:
    """Class 1: what a store in derivative causality receives comes from stores in integral causality."""
    result = []
    for end in d.of_kind(DERIVATIVE):
        reached = d.back(end.receives, algebraic=True)
        stores = [d.ends[v] for v in reached if v in d.ends and d.ends[v].kind == INTEGRAL]
        if stores:
            nearest = stores[0]
            path = way(reached, nearest.gives)
            also = list(dict.fromkeys(s.element for s in stores[1:] if s.element is not nearest.element))
            made = CausalPath(1, [nearest.element, end.element], path, 1, also=also)
            result.append((made, len(stores)))
    return result


def _opened(d: Dependence) -> list[tuple[CausalPath, int]]:
    """Flow sources that were opened: what their flow comes from instead.

    A store from which a single way leads to the source could have been determined by it, and would have derivative
    causality then: class 1, as often as the store has components. Where that would come round in a circle: class 4.
    """
    opened = [end for end in d.of_kind(BREAK) if isinstance(end.element, Sf)]  # others are efforts by design
    searches = {end: d.back(end.receives, algebraic=True) for end in opened}
    ends = {end: [d.ends[v] for v in reached if v in d.ends] for end, reached in searches.items()}
    stores = {end: [s for s in met if s.kind == INTEGRAL] for end, met in ends.items()}
    single = {end: [s.element for s in stores[end] if d.single(searches[end], s.gives)] for end in opened}
    room = {s.element: s.element.size for s in d.of_kind(INTEGRAL)}
    depends = {end: {s.element for s in stores[end]} for end in opened}
    determined = matched(single, depends, {end: end.element.size for end in opened}, room)
    result = []
    for end in opened:
        sources = [s for s in ends[end] if _imposes(s)]
        if end in determined:
            start = next(s for s in stores[end] if s.element is determined[end])
        elif sources or stores[end]:
            start = sources[-1] if sources else stores[end][0]  # the farthest source: the whole loop
        else:
            continue
        number, index = 1 if end in determined else 4, 1 if end.gives in searches[end] else 2
        made = CausalPath(number, [start.element, end.element], way(searches[end], start.gives), index)
        made.opened_by, made.determined = end.element, bool(stores[end])
        made.also = list(dict.fromkeys(s.element for s in stores[end] if s is not start))
        result.append((made, 1))
    return result


def _imposes(end: End) -> bool:
    return isinstance(end.element, Sf) and end.kind != BREAK


def _algebraic(d: Dependence) -> list[tuple[CausalPath, int]]:
    """Classes 2 and 3: from an algebraic port to another or back to itself, within the junction structure."""
    result = []
    ports = d.of_kind(ALGEBRAIC, BREAK)
    order = {end.gives: k for k, end in enumerate(ports)}
    for k, end in enumerate(ports):
        reached = d.back(end.receives, algebraic=False)
        for v in reached:
            if order.get(v, -1) >= k:  # each pair once: what goes there comes back
                path = way(reached, v)
                if v == end.gives:
                    result.append((CausalPath(3, [end.element], path, 1), 1))
                elif not end.kind == ports[order[v]].kind == BREAK:
                    result.append((CausalPath(2, [ports[order[v]].element, end.element], path, 1), 1))
    return result


def _closed(d: Dependence) -> list[tuple[CausalPath, int]]:
    """Class 4: rings of the junction structure. Where a dependent store needs their solution it is differentiated."""
    result = []
    late: set[Variable] = set()
    for end in d.of_kind(DERIVATIVE, BREAK):
        late.update(d.back(end.receives, algebraic=True))
    for ring in rings(d):
        for k, path in enumerate(ring.cycles):
            index = 2 if any(v in late or other(v) in late for v in path) else 1
            result.append((CausalPath(4, [], path, index), ring.independent if k == 0 else 0))
    return result
