"""Where the groups of a bond graph (bodies, joints) stand: on a coarse grid, neighbours next to each other."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from linkwork.bondgraph.elements import Element
from linkwork.bondgraph.graph import BondGraph
from linkwork.plots.bondgraph.board import Board

_PAGE = math.sqrt(2.0)  # width over height of a landscape A4 page
_GROUP = 1.0  # width over height of a group as it usually comes out


@dataclass
class Group:
    """Elements drawn together. title: "" for those that belong to nothing; place: column and row among the groups."""

    title: str
    members: list[Element]
    place: tuple[int, int] = (0, 0)


def groups(graph: BondGraph) -> list[Group]:
    """The groups of a graph, placed. What has no group forms one group with all it hangs together with."""
    by_name: dict[str, Group] = {}
    for element in graph.elements.values():
        if element.group:
            by_name.setdefault(element.group, Group(element.group, [])).members.append(element)
    loose = [e for e in graph.elements.values() if not e.group]
    made = list(by_name.values()) + [Group("", piece) for piece in _pieces(graph, loose)]
    _place(graph, made)
    return made


def _pieces(graph: BondGraph, elements: list[Element]) -> list[list[Element]]:
    """The connected pieces of a part of the graph."""
    left = {e.name: e for e in elements}
    pieces: list[list[Element]] = []
    while left:
        piece = [left.pop(next(iter(left)))]
        for element in piece:
            for bond in graph.bonds_of(element):
                other = left.pop(bond.other(element).name, None)
                if other is not None:
                    piece.append(other)
        pieces.append(piece)
    return pieces


def _place(graph: BondGraph, made: list[Group]) -> None:
    index = {e.name: k for k, group in enumerate(made) for e in group.members}
    joined = {
        (min(a, b), max(a, b))
        for bond in graph.bonds
        if (a := index[bond.tail.element.name]) != (b := index[bond.head.element.name])
    }
    n = len(made)
    columns, rows = _shape(n, float(np.mean([len(g.members) for g in made])) if made else 1.0)
    cells = np.array([(c, r) for r in range(rows) for c in range(columns)], dtype=float)
    snake = sorted(cells.tolist(), key=lambda cell: (cell[1], cell[0] if cell[1] % 2 == 0 else -cell[0]))
    position = np.zeros((n, 2))
    for k, cell in zip(_order(n, joined), snake, strict=False):
        position[k] = cell
    zero, lines = np.zeros(len(joined)), np.array(sorted(joined), dtype=int).reshape(-1, 2)
    best, reached = position, math.inf
    for sweeps, seed in ((0, 0), (30, 1), (30, 2)):
        if reached < len(joined) + 1e-9:  # all neighbours stand side by side: nothing can be better than this snake
            break
        board = Board(position.copy(), lines, [0] * n, [cells], [0] * n, zero, zero)
        board.anneal(sweeps, seed)
        cost = board.settle()
        if cost < reached - 1e-9:
            best, reached = board.position, cost
    used = [sorted({p[axis] for p in best.tolist()}) for axis in (0, 1)]
    for group, (c, r) in zip(made, best.tolist(), strict=True):
        group.place = (used[0].index(c), used[1].index(r))


def _shape(n: int, members: float) -> tuple[int, int]:
    """Columns and rows of groups for which a landscape page shows them largest."""
    wide, high = _GROUP * (math.sqrt(members) + 1), math.sqrt(members) + 1

    def needed(columns: int) -> float:
        return max(columns * wide / _PAGE, math.ceil(n / columns) * high)

    columns = min(range(1, max(n, 1) + 1), key=lambda k: (round(needed(k), 6), k))
    return columns, math.ceil(max(n, 1) / columns)


def _order(n: int, joined: set[tuple[int, int]]) -> list[int]:
    """Groups along the mechanism: depth first from an end, the longest branch last, so that chains stay together."""
    neighbours: dict[int, list[int]] = {k: [] for k in range(n)}
    for a, b in sorted(joined):
        neighbours[a].append(b)
        neighbours[b].append(a)
    order: list[int] = []
    visited: set[int] = set()
    for start in sorted(range(n), key=lambda k: (len(neighbours[k]), k)):
        stack = [start]
        while stack:
            k = stack.pop()
            if k in visited:
                continue
            visited.add(k)
            order.append(k)
            stack += sorted((j for j in neighbours[k] if j not in visited), key=lambda j: -len(neighbours[j]))
    return order
