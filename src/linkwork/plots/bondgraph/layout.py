"""Which cell of one grid each element of a bond graph stands in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from linkwork.bondgraph.elements import Element, Junction, Se, Sf
from linkwork.bondgraph.graph import Bond, BondGraph
from linkwork.plots.bondgraph.board import Board
from linkwork.plots.bondgraph.groups import Group, groups
from linkwork.plots.bondgraph.territory import Territory, territory

_LEVEL, _HANGING, _SPINE = 0.3, 0.5, 0.9  # without groups: backbones lie, one-ports hang, the longest path is straight


@dataclass
class Grid:
    """Column and row of each element, by its name, and the groups they belong to."""

    cell: dict[str, tuple[int, int]]
    groups: list[Group]

    @property
    def group_of(self) -> dict[str, Group]:
        return {e.name: g for g in self.groups for e in g.members}


def grids(graph: BondGraph) -> Iterator[tuple[Grid, float]]:
    """Some arrangements of all elements, each with its cost.

    Groups are placed first, then in each its junctions and transformers, then what hangs on them.
    """
    placed = groups(graph)
    elements = list(graph.elements.values())
    core = [e for e in elements if _hangs_on(graph, e) is None]
    land = territory(graph, core, placed)
    n = len(core)
    for seed in range(3 if n <= 20 else 2 if n <= 70 else 1):
        frame = _board(graph, core, land, land.scattered(core))
        frame.anneal(min(40, 12 + n) if n <= 70 else 16 if n <= 300 else 8, seed, hot=4.0)
        frame.settle()
        cells = dict(zip([e.name for e in core], frame.position, strict=True))
        board, cost = _hung(graph, elements, land.doubled(), cells), 0.0
        for _ in range(2):
            board = _board(graph, elements, *land.squeezed(elements, board.position))
            cost = board.settle()
        position = land.squeezed(elements, board.position)[1]
        if len(placed) == 1:
            _left_to_right(graph, position)
        whole = {name: (int(x), int(y)) for name, (x, y) in zip(graph.elements, position.tolist(), strict=True)}
        yield Grid(whole, placed), cost


def _board(graph: BondGraph, elements: list[Element], land: Territory, position: np.ndarray) -> Board:
    """A board of some of the elements and the bonds between them."""
    index = {e.name: i for i, e in enumerate(elements)}
    bonds = [b for b in graph.bonds if b.tail.element.name in index and b.head.element.name in index]
    lines = np.array([(index[b.tail.element.name], index[b.head.element.name]) for b in bonds], dtype=int)
    flat, upright = np.zeros(len(bonds)), np.zeros(len(bonds))
    if land.alone:
        spine = _spine(graph)
        for k, b in enumerate(bonds):
            along = frozenset((b.tail.element.name, b.head.element.name)) in spine
            flat[k] = _SPINE if along else 0.0 if _hangs(graph, b) else _LEVEL
            upright[k] = 0.0 if along or not _hangs(graph, b) else _HANGING
    keys = list(land.cells)
    region = [keys.index(land.region[e.name]) for e in elements]
    block = [land.region[e.name][0] for e in elements]
    return Board(position, lines, region, [land.cells[key] for key in keys], block, flat, upright)


def _hangs_on(graph: BondGraph, element: Element) -> Element | None:
    """The element a one-port hangs on, if that is not a one-port too."""
    bonds = graph.bonds_of(element)
    other = bonds[0].other(element) if len(bonds) == 1 else None
    return other if other is not None and len(graph.bonds_of(other)) > 1 else None


def _hangs(graph: BondGraph, bond: Bond) -> bool:
    return any(len(graph.bonds_of(p.element)) == 1 for p in (bond.tail, bond.head))


def _hung(graph: BondGraph, elements: list[Element], land: Territory, core: Mapping[str, np.ndarray]) -> Board:
    """All elements on a grid twice as fine; each one-port takes the best of the cells around what it hangs on."""
    index = {e.name: i for i, e in enumerate(elements)}
    away = np.array([(-1e3 - 3 * i, -1e3) for i in range(len(elements))])  # until it has a place
    board = _board(graph, elements, land, away)
    for name, cell in core.items():
        board.position[index[name]] = 2 * cell + 1
    for name, i in index.items():
        on = _hangs_on(graph, elements[i])
        if name in core or on is None:
            continue
        taken = {tuple(p) for p in board.position.tolist()}
        free = np.array([c for c in board.cells[board.region[i]].tolist() if tuple(c) not in taken])
        far = np.abs(free - board.position[index[on.name]]).max(axis=1)
        cells = free[far <= max(3, far.min())]
        board.position[i] = cells[int(board.costs(i, cells).argmin())]
    return board


def _spine(graph: BondGraph) -> set[frozenset[str]]:
    """The bonds of a longest path through what is not hanging (exact for trees), as pairs of names."""

    def farthest(start: Element) -> list[Element]:
        came: dict[str, Element | None] = {start.name: None}
        queue = [start]
        for element in queue:
            for bond in graph.bonds_of(element):
                other = bond.other(element)
                if other.name not in came and len(graph.bonds_of(other)) > 1:
                    came[other.name] = element
                    queue.append(other)
        path, at = [], queue[-1]  # type: list[Element], Element | None
        while at is not None:
            path.append(at)
            at = came[at.name]
        return path

    inner = [e for e in graph.elements.values() if len(graph.bonds_of(e)) > 1]
    if not inner:
        return set()
    path = farthest(farthest(inner[0])[0])
    for end in (0, -1):  # a source at either end of it feeds it from the side
        sources = (b.other(path[end]) for b in graph.bonds_of(path[end]))
        source = next((e for e in sources if isinstance(e, Se | Sf) and e not in path), None)
        if source is not None:
            path.insert(0 if end == 0 else len(path), source)
    return {frozenset((a.name, b.name)) for a, b in zip(path, path[1:], strict=False)}


def _left_to_right(graph: BondGraph, position: np.ndarray) -> None:
    """Power mostly flows to the right, as one reads."""
    index = {name: i for i, name in enumerate(graph.elements)}
    along = sum(
        np.sign(position[index[b.head.element.name]][0] - position[index[b.tail.element.name]][0])
        * (1 if all(isinstance(p.element, Junction) or p.element.ports > 1 for p in (b.tail, b.head)) else 0.3)
        for b in graph.bonds
    )
    if along < 0:
        position[:, 0] = position[:, 0].max() - position[:, 0]
