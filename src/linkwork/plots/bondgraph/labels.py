"""What is written at an element of a bond graph, and on which side of its symbol: where no bond leaves."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from linkwork.bondgraph.elements import Element, Junction
from linkwork.bondgraph.graph import BondGraph
from linkwork.plots.bondgraph.layout import Grid
from linkwork.plots.bondgraph.spacing import Extent
from linkwork.plots.bondgraph.text import ASCENT, DESCENT, Run, runs, width

SYMBOL, SMALL = 14.0, 10.5
"""Font sizes [px] of symbols with what stands in line with them, and of names beside junctions and transformers."""
_COLON = Run(" : ")
_CLEAR, _ASIDE = 5.0, 8.0  # between a symbol and its name; where a causal stroke may stand between them [px]

# Sides in the order of preference, as unit steps (right, down).
SIDES = {
    "NE": (1, -1),
    "NW": (-1, -1),
    "SE": (1, 1),
    "SW": (-1, 1),
    "N": (0, -1),
    "S": (0, 1),
    "E": (1, 0),
    "W": (-1, 0),
}


@dataclass(frozen=True)
class Label:
    """symbol and name as runs; inline: the name follows the symbol after a colon, else it stands beside it, small."""

    symbol: tuple[Run, ...]
    name: tuple[Run, ...]
    inline: bool
    side: str

    @property
    def half(self) -> float:
        """Half the width of the symbol [px]."""
        return width(self.symbol, SYMBOL) / 2

    def boxes(self, side: str | None = None) -> list[tuple[float, float, float, float]]:
        """Left, top, right, bottom [px] of the symbol and of the name, from the centre of the symbol."""
        top, bottom = -SYMBOL * 0.36, SYMBOL * 0.36
        made = [(-self.half, top, self.half, bottom)]
        if not self.name:
            return made
        if self.inline:
            reach = self.half + width(self.name, SYMBOL)
            made.append((self.half, top, reach, bottom) if self.side == "E" else (-reach, top, -self.half, bottom))
            return made
        long, high = width(self.name, SMALL), SMALL * (ASCENT + DESCENT)
        right, down = SIDES[side or self.side]
        x = right * (self.half + (_ASIDE if down else _CLEAR)) if right else -long / 2
        if right < 0:
            x -= long
        y = -high / 2 if not down else bottom + 3 if down > 0 else top - 2.5 - high
        made.append((x, y, x + long, y + high))
        return made

    def beside(self) -> Label:
        """The same with a small name above or below, for where a bond would run through it."""
        return replace(self, name=tuple(run for run in self.name if run != _COLON), inline=False, side="N")

    @property
    def extent(self) -> Extent:
        boxes = self.boxes()
        core = boxes if self.inline else boxes[:1]
        reach = [[-min(b[0] for b in s), max(b[2] for b in s), -min(b[1] for b in s), max(b[3] for b in s)]
                 for s in (core, boxes)]  # fmt: skip
        return Extent(*reach[0], *reach[1])


def labels(graph: BondGraph, grid: Grid) -> dict[str, Label]:
    """The label of each element, by its name."""
    return {element.name: _label(graph, grid, element) for element in graph.elements.values()}


def _label(graph: BondGraph, grid: Grid, element: Element) -> Label:
    symbol = (Run(element.symbol),)
    text = _own_name(element)
    name = runs(text) if text and text != element.symbol else ()
    steps = _steps(graph, grid.cell, element)
    if isinstance(element, Junction) or element.ports > 1:
        return Label(symbol, name, False, _side(steps, wide=element.ports > 1))
    side = "W" if steps and steps[0][0] > 0 else "E"
    return Label(symbol, ((_COLON, *name) if side == "E" else (*name, _COLON)) if name else (), True, side)


def _own_name(element: Element) -> str:
    """Its label without the name of its group, which is written over the group.

    Junctions and transformers of a group that were given no label have made-up names, which would only be in the way.
    """
    text, group = element.label, element.group
    if group and text == element.name and (isinstance(element, Junction) or element.ports > 1):
        return ""
    if group and re.match(rf"{re.escape(group)}[-_.: ]", text):
        return text[len(group) + 1 :]
    return text.removesuffix(f" {group}") if group else text


def _steps(graph: BondGraph, cell: Mapping[str, tuple[int, int]], element: Element) -> list[tuple[int, int]]:
    """Columns and rows to each neighbour."""
    c, r = cell[element.name]
    near = [cell[b.other(element).name] for b in graph.bonds_of(element)]
    return [(c2 - c, r2 - r) for c2, r2 in near]


def _side(steps: list[tuple[int, int]], *, wide: bool) -> str:
    """The side farthest from all bonds; of equals the first, for wide symbols the one right above or below."""
    order = sorted(SIDES, key=lambda side: wide and len(side) > 1)

    def clearance(side: str) -> float:
        own = math.atan2(SIDES[side][1], SIDES[side][0])
        turns = (abs((math.atan2(dy, dx) - own + math.pi) % (2 * math.pi) - math.pi) for dx, dy in steps)
        return min(min(turns, default=math.pi), math.pi / 4 + 1e-9)  # an eighth of a turn is enough

    return max(order, key=lambda side: (round(clearance(side), 6), -order.index(side)))
