"""Zero-order causal paths in words: each one, and what opens all of them with the index of what is left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from linkwork.bondgraph.assigning.causality import Causality, assign
from linkwork.bondgraph.assigning.conflicts import said
from linkwork.bondgraph.following.dependence import BREAK, DERIVATIVE, Dependence, Variable, dependence
from linkwork.bondgraph.following.paths import CausalPath, paths_and_counts
from linkwork.bondgraph.graph import BondGraph
from linkwork.core import kinds

TITLES = {
    1: "store in integral – store in derivative causality",
    2: "between algebraic elements",
    3: "back to the same port",
    4: "closed within the junction structure",
}


@dataclass
class Opening:
    """What a causal graph has to be solved for besides its states."""

    causality: Causality
    paths: list[CausalPath]
    count: dict[int, int]
    """Paths of each class; of more than are listed in `paths` the shortest are."""
    breaks: list[str]
    """Break variables: with these as unknowns no zero-order path is left."""
    index: int
    """Of the differential-algebraic equations with the break variables as unknowns; 0: explicit equations."""

    @property
    def classes(self) -> list[int]:
        return sorted(k for k, n in self.count.items() if n)

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def open_paths(given: BondGraph | Causality, method: str = "relaxed") -> Opening:
    """All zero-order paths, and the variables that open them. given: causality, or a graph that `method` gives one."""
    causality = assign(given, method) if isinstance(given, BondGraph) else given
    d = dependence(causality)
    paths, count = paths_and_counts(d)
    breaks = [f"effort of {said(end.element)}" for end in d.of_kind(BREAK)]
    breaks += [
        f"{'effort' if end.gives[0] == 'e' else 'flow'} of {said(end.element)}"
        + (f" (port {end.port + 1})" if end.element.ports > 1 else "")
        for end in d.of_kind(DERIVATIVE)
    ]
    breaks += [f"{'effort' if letter == 'e' else 'flow'} of {bond.name}" for letter, bond in _cuts(d)]
    return Opening(causality, paths, count, breaks, _index(d, paths))


def _index(d: Dependence, paths: list[CausalPath]) -> int:
    index = max((p.index for p in paths), default=0)
    for end in d.of_kind(BREAK):
        reached = d.back(end.receives, algebraic=True)
        index = max(index, 1 if end.gives in reached else 2)
    rates = {end.gives for end in d.of_kind(DERIVATIVE)}
    for end in d.of_kind(DERIVATIVE):
        # a rate that depends on another rate has to be differentiated once more
        index = max(index, 2 if rates & d.back(end.receives, algebraic=True).keys() else 1)
    return index


def _cuts(d: Dependence) -> list[Variable]:
    """Where following the variables back comes round in a circle: as the equations are read off the graph."""
    done: set[Variable] = set()
    cuts: dict[Variable, None] = {}
    bonds = dict.fromkeys(b for _, b in [*d.needs, *d.ends])
    for start in (v for b in bonds for v in (("e", b), ("f", b))):
        stack = [] if start in done else [(start, iter(d.through(start)))]
        active = {start}
        while stack:
            here, rest = stack[-1]
            need = next((v for v in rest if v not in done and v not in cuts), None)
            if need is None:
                stack.pop()
                active.discard(here)
                done.add(here)
            elif need in active:
                cuts[need] = None
            else:
                active.add(need)
                stack.append((need, iter(d.through(need))))
    return list(cuts)


def _lines(opening: Opening) -> Iterator[str]:
    name = opening.causality.graph.name
    if not opening.paths and not opening.breaks:
        yield f"Zero-order causal paths of {name}: none; explicit equations (index 0)."
        return
    total = sum(opening.count.values())
    yield f"Zero-order causal paths of {name} ({opening.causality.method}): {total}, index {opening.index}"
    yield "class  number  what"
    for number, title in TITLES.items():
        if opening.count[number]:
            yield f"{number:>5}  {opening.count[number]:>6}  {title}"
    for path in opening.paths:
        yield f"- {path}"
    if opening.breaks:
        yield f"Opened by {len(opening.breaks)} break variable(s): {', '.join(opening.breaks)}."


def _paths(graph: BondGraph, method: str = "relaxed") -> Opening:
    """Zero-order causal paths by class, the break variables that open them, and the index; print() it."""
    kinds.text.taken("method", method, graph.name)
    return open_paths(graph, method)


BondGraph.register("paths", _paths)
