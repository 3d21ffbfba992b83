"""From the cells of a grid to pixels: columns and rows as close together as texts, bonds and boxes allow."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from linkwork.bondgraph.graph import BondGraph
from linkwork.plots.bondgraph.layout import Grid

_CLOSEST = 26.0  # columns and rows, so that slanted bonds stay readable [px]
_SYMBOL = 16.0  # half the width of the widest symbol [px]
BOND, APART = 40.0, 12.0
"""Length of a bond, and space between strangers [px]."""
PAD, TITLE, BETWEEN = 11.0, 13.0, 34.0
"""Inside a group's box, height of its title, between boxes [px]."""


@dataclass(frozen=True)
class Extent:
    """How far texts reach from the centre of an element [px]: its symbol and what stands in line with it, and all."""

    left: float
    right: float
    up: float
    down: float
    all_left: float
    all_right: float
    all_up: float
    all_down: float


def coordinates(
    graph: BondGraph, placed: Grid, extent: Mapping[str, Extent], titles: Mapping[str, float]
) -> dict[str, tuple[float, float]]:
    """Centre of each element [px], y downwards. titles: width of each group's title [px]."""
    bonded = {frozenset((b.tail.element.name, b.head.element.name)) for b in graph.bonds}
    across, down = _Stretch(), _Stretch()
    names = list(placed.cell)
    of = placed.group_of
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            (ca, ra), (cb, rb) = placed.cell[a], placed.cell[b]
            joined = frozenset((a, b)) in bonded
            apart = of[a] is not of[b] and bool(of[a].title or of[b].title)
            if ra == rb or (apart and ca != cb and of[a].place[1] == of[b].place[1]):
                p, q = (a, b) if ca < cb else (b, a)
                across.keep(placed.cell[p][0], placed.cell[q][0], _beside(extent[p], extent[q], joined, apart))
            if ca == cb or (apart and ra != rb and of[a].place[1] != of[b].place[1]):
                p, q = (a, b) if ra < rb else (b, a)
                down.keep(placed.cell[p][1], placed.cell[q][1], _below(extent[p], extent[q], joined, apart))
    for bond in graph.bonds:  # an upright bond keeps clear of the texts it passes
        (c, r), (c2, r2) = placed.cell[bond.tail.element.name], placed.cell[bond.head.element.name]
        if c == c2:
            for name, (ca, ra) in placed.cell.items():
                if min(r, r2) < ra < max(r, r2) and ca != c:
                    reach = extent[name].all_right if ca < c else extent[name].all_left
                    across.keep(min(c, ca), max(c, ca), reach + APART)
    for group in placed.groups:
        last = max(placed.cell[e.name][0] for e in group.members)
        first = min(group.members, key=lambda e: placed.cell[e.name][0])
        for name, (c, _) in placed.cell.items():
            other = of[name]
            if group.title and other is not group and c > last and other.place[1] == group.place[1]:
                need = titles[group.title] - extent[first.name].all_left + extent[name].all_left + PAD + BETWEEN
                across.keep(placed.cell[first.name][0], c, need)
    y = down.solve({r for _, r in placed.cell.values()})
    for bond in graph.bonds:  # a slanted bond is as long as others
        a, b = sorted((bond.tail.element.name, bond.head.element.name), key=lambda name: placed.cell[name][0])
        (ca, ra), (cb, rb) = placed.cell[a], placed.cell[b]
        if ca != cb and ra != rb:
            long = BOND + min(extent[a].right, _SYMBOL) + min(extent[b].left, _SYMBOL)
            across.keep(ca, cb, math.sqrt(max(0.0, long**2 - (y[ra] - y[rb]) ** 2)))
    x = across.solve({c for c, _ in placed.cell.values()})
    return {name: (x[c], y[r]) for name, (c, r) in placed.cell.items()}


def _beside(a: Extent, b: Extent, joined: bool, apart: bool) -> float:
    gap = 2 * PAD + BETWEEN if apart else APART
    need = a.all_right + gap + b.all_left
    return max(need, a.right + BOND + b.left) if joined else need


def _below(a: Extent, b: Extent, joined: bool, apart: bool) -> float:
    gap = 2 * PAD + TITLE + BETWEEN if apart else APART / 2
    need = a.all_down + gap + b.all_up
    return max(need, a.down + BOND + b.up) if joined else need


class _Stretch:
    """Columns (or rows) as close together as the distances asked for allow."""

    def __init__(self) -> None:
        self.asked: dict[int, dict[int, float]] = {}

    def keep(self, a: int, b: int, distance: float) -> None:
        """b at least `distance` [px] after a; a < b."""
        before = self.asked.setdefault(b, {})
        before[a] = max(before.get(a, 0.0), distance)

    def solve(self, used: set[int]) -> dict[int, float]:
        """Where each of them is [px]."""
        at: dict[int, float] = {}
        previous = -_CLOSEST
        for k in sorted(used):
            at[k] = max([previous + _CLOSEST, *(at[a] + d for a, d in self.asked.get(k, {}).items())])
            previous = at[k]
        return at
