"""Where elements may stand: each group has cells of the grid to itself, rotation above, translation below."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from linkwork.bondgraph.elements import Element
from linkwork.bondgraph.graph import BondGraph
from linkwork.plots.bondgraph.groups import Group

ROTATION, BETWEEN, TRANSLATION, ANY = range(4)
"""Bands of rows. Between: what turns rotation into translation. Any: groups or elements without kinds of motion."""
Key = tuple[int, int]
"""A region: group and band."""


@dataclass
class Territory:
    """region of each element, by its name; cells (n, 2), column and row, of each region; groups it belongs to."""

    groups: list[Group]
    region: dict[str, Key]
    cells: dict[Key, np.ndarray]

    @property
    def alone(self) -> bool:
        """Whether there is but one group, and it has no name."""
        return len(self.groups) == 1 and not self.groups[0].title

    def scattered(self, elements: list[Element]) -> np.ndarray:
        """Some cell of its region for each element, (n, 2), none twice."""
        left = {key: list(map(tuple, cells.tolist())) for key, cells in self.cells.items()}
        taken: set[tuple[float, ...]] = set()
        made = []
        for e in sorted(elements, key=lambda e: self.region[e.name][1]):  # those that may stand anywhere come last
            cell = next(c for c in left[self.region[e.name]] if c not in taken)
            taken.add(cell)
            made.append((e.name, cell))
        by_name = dict(made)
        return np.array([by_name[e.name] for e in elements], dtype=float).reshape(-1, 2)

    def doubled(self) -> Territory:
        """The same on a grid twice as fine, where cell (x, y) becomes (2 x + 1, 2 y + 1) and all around it is free."""
        cells = {
            key: np.unique([(2 * x + i, 2 * y + j) for x, y in old for i in range(3) for j in range(3)], axis=0)
            for key, old in self.cells.items()
        }
        return Territory(self.groups, self.region, cells)

    def squeezed(self, elements: list[Element], position: np.ndarray) -> tuple[Territory, np.ndarray]:
        """Without empty columns and rows: a group spans its columns, a band the rows it has in its row of groups."""
        tight = np.column_stack([np.unique(position[:, k], return_inverse=True)[1].ravel() for k in (0, 1)])
        columns: dict[int, list[int]] = {}
        rows: dict[Key, list[int]] = {}
        for e, (x, y) in zip(elements, tight.tolist(), strict=True):
            k, band = self.region[e.name]
            columns.setdefault(k, []).append(x)
            for b in {band, ANY}:
                rows.setdefault((self.groups[k].place[1], b), []).append(y)
        cells = {
            (k, band): _block(columns[k], rows[self.groups[k].place[1], band])
            for k, band in sorted(set(self.region.values()))
        }
        return Territory(self.groups, self.region, cells), tight.astype(float)


def _block(columns: list[int], rows: list[int]) -> np.ndarray:
    every = [(x, y) for y in range(min(rows), max(rows) + 1) for x in range(min(columns), max(columns) + 1)]
    return np.array(every, dtype=float)


def territory(graph: BondGraph, core: list[Element], groups: list[Group]) -> Territory:
    """Regions for all elements, with room for those of the core to move."""
    alone = len(groups) == 1 and not groups[0].title
    inner = {e.name for e in core}
    region = {e.name: (k, band) for k, g in enumerate(groups) for e, band in _bands(graph, g.members)}
    counts = [[0, 0, 0, 0] for _ in groups]
    for name, (k, band) in region.items():
        counts[k][band] += name in inner
    wide: dict[int, int] = {}
    high: dict[Key, int] = {}
    for g, count in zip(groups, counts, strict=True):
        w = math.ceil((2.2 if alone else 1.5) * math.sqrt(sum(count))) + 1
        wide[g.place[0]] = max(wide.get(g.place[0], 0), w)
        for band, n in enumerate(count):
            if n:
                key = g.place[1], band
                high[key] = max(high.get(key, 0), math.ceil(1.3 * n / w) + 1)
    across, down = _starts(wide), _starts({row: _rows(high, row) for row in {g.place[1] for g in groups}})
    cells = {}
    for k, band in sorted(set(region.values())):
        column, row = groups[k].place
        first = down[row] + sum(high.get((row, b), 0) for b in range(band)) if band != ANY else down[row]
        deep = max(1, high.get((row, band), 0)) if band != ANY else _rows(high, row)
        cells[k, band] = _block([across[column], across[column] + wide[column] - 1], [first, first + deep - 1])
    return Territory(groups, region, cells)


def _bands(graph: BondGraph, members: list[Element]) -> list[tuple[Element, int]]:
    kinds = [{b.kind for b in graph.bonds_of(e)} for e in members]
    if not set().union(*kinds) >= {"rotation", "translation"}:
        return [(e, ANY) for e in members]
    return [
        (e, ROTATION if k == {"rotation"} else TRANSLATION if k == {"translation"} else BETWEEN if len(k) > 1 else ANY)
        for e, k in zip(members, kinds, strict=True)
    ]


def _rows(high: dict[Key, int], row: int) -> int:
    """Rows of the grid for one row of groups: its bands, or more where a group without bands needs them."""
    return max(sum(high.get((row, b), 0) for b in range(ANY)), high.get((row, ANY), 0), 1)


def _starts(sizes: dict[int, int]) -> dict[int, int]:
    """The first cell of each column (or row) of groups; one is left free between, for what hangs on the outermost."""
    at, made = 0, {}
    for place in sorted(sizes):
        made[place] = at
        at += sizes[place] + 1
    return made
