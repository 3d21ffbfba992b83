"""Rings of the junction structure: variables that are computed from each other, and independent cycles among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import casadi as ca

from linkwork.bondgraph.following.dependence import Dependence, Variable


@dataclass
class Ring:
    """cycles: one for each link that closes a circle in a search (the shortest through it); independent: how many
    cycles there are of which none is a combination of the others."""

    cycles: list[list[Variable]]
    independent: int


def rings(d: Dependence) -> list[Ring]:
    """Each once: a ring of flows comes with one of efforts along the same bonds."""
    by_bonds: dict[frozenset[str], Ring] = {}
    for members in _strong(d):
        key = frozenset(b.name for _, b in members)
        if key not in by_bonds:
            by_bonds[key] = _ring(d, members)
    return list(by_bonds.values())


def _strong(d: Dependence) -> list[list[Variable]]:
    """Sets of two variables or more that need each other; of a pair of flows and efforts the flows first."""
    variables = list(d.needs)
    number = {v: i for i, v in enumerate(variables)}
    links = [(number[v], number[n]) for v, needs in d.needs.items() for n in needs if n in number]
    pattern = ca.Sparsity.triplet(len(variables), len(variables), [r for r, _ in links], [c for _, c in links])
    _, order, offsets = pattern.scc()
    sets = [[variables[i] for i in sorted(order[a:b])] for a, b in zip(offsets, offsets[1:], strict=False) if b - a > 1]
    return sorted(sets, key=lambda members: (members[0][0] == "e", number[members[0]]))


def _ring(d: Dependence, members: list[Variable]) -> Ring:
    among = dict.fromkeys(members)
    cycles: dict[frozenset[str], list[Variable]] = {}
    for tail, head in _closing(d, among):
        cycle = d.cycle(head, tail, among)
        cycles.setdefault(frozenset(b.name for _, b in cycle), cycle)
    links = sum(n in among for v in members for n in d.needs[v])
    return Ring(list(cycles.values()), links - len(members) + 1)


def _closing(d: Dependence, among: dict[Variable, None]) -> Iterator[tuple[Variable, Variable]]:
    """Links (from, to) that lead back to where a depth-first search is still at work."""
    done: set[Variable] = set()
    for start in among:
        if start in done:
            continue
        active = {start}
        stack = [(start, iter(d.feeds.get(start, [])))]
        while stack:
            here, rest = stack[-1]
            after = next((v for v in rest if v in among and v not in done), None)
            if after is None:
                stack.pop()
                active.discard(here)
                done.add(here)
            elif after in active:
                yield here, after
            else:
                active.add(after)
                stack.append((after, iter(d.feeds.get(after, []))))
