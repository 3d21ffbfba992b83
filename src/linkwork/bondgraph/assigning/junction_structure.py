"""From a bond graph to the tokens of an Orientation: nodes, tokens each of them needs, bonds that are dualised."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from linkwork.bondgraph.assigning.causal_rules import passes
from linkwork.bondgraph.elements import GY, Element, Junction
from linkwork.bondgraph.graph import BondGraph


@dataclass
class JunctionStructure:
    """Nodes: junctions and two-ports that pass causality, and one leaf for every other port."""

    elements: list[Element]
    """Of each node."""
    leaf: dict[tuple[Element, int], int]
    """Bond (its number in the graph) of each port that is a leaf."""
    ends: list[tuple[int, int]]
    need: list[int | None]
    dual: list[bool]
    """Bonds whose token stands at the end that does not receive the effort."""
    odd: list[GY]
    """Gyrators that no dualisation turns into transformers (they close a ring with an odd number): leaves here."""


def junction_structure(graph: BondGraph) -> JunctionStructure:
    number = {id(b): i for i, b in enumerate(graph.bonds)}
    joined = {e.name: [number[id(b)] for b in graph.bonds_of(e)] for e in graph.elements.values()}
    dual, odd = _dualised(graph, joined)
    elements: list[Element] = []
    need: list[int | None] = []
    node: dict[str, int] = {}
    for e in graph.elements.values():
        if passes(e) and e not in odd:
            node[e.name] = len(elements)
            elements.append(e)
            need.append(_needed(e, len(joined[e.name]), dual[joined[e.name][0]]))
    leaf: dict[tuple[Element, int], int] = {}
    ends: list[tuple[int, int]] = []
    for i, b in enumerate(graph.bonds):
        pair = []
        for port in (b.tail, b.head):
            at = node.get(port.element.name)
            if at is None:
                at = len(elements)
                elements.append(port.element)
                need.append(None)
                leaf[port.element, port.index] = i
            pair.append(at)
        ends.append((pair[0], pair[1]))
    return JunctionStructure(elements, leaf, ends, need, dual, odd)


def _needed(element: Element, bonds: int, dual: bool) -> int:
    if isinstance(element, Junction):
        return 1 if (element.kind == 0) != dual else bonds - 1
    return 1


def _dualised(graph: BondGraph, joined: dict[str, list[int]]) -> tuple[list[bool], list[GY]]:
    """Two colours for the bonds, so that they differ across every gyrator and nowhere else, as far as that goes."""
    through = [e for e in graph.elements.values() if passes(e)]
    gyrators = [e for e in through if isinstance(e, GY)]
    near: list[list[int]] = [[] for _ in graph.bonds]
    for e in through:
        for b in () if isinstance(e, GY) else joined[e.name]:
            near[b] += joined[e.name]
    region, regions = _regions(near)
    across: list[list[int]] = [[] for _ in range(regions)]
    for g in gyrators:
        a, b = (region[i] for i in joined[g.name])
        across[a].append(b)
        across[b].append(a)
    colour = _two_colours(across)
    dual = [colour[r] for r in region]
    return dual, [g for g in gyrators if len({dual[i] for i in joined[g.name]}) == 1]


def _regions(near: list[list[int]]) -> tuple[list[int], int]:
    """The number of each node's connected region, and how many regions there are."""
    region, regions = [-1] * len(near), 0
    for first in range(len(near)):
        if region[first] < 0:
            region[first] = regions
            queue = deque([first])
            while queue:
                for other in near[queue.popleft()]:
                    if region[other] < 0:
                        region[other] = regions
                        queue.append(other)
            regions += 1
    return region, regions


def _two_colours(across: list[list[int]]) -> list[bool]:
    """A colour for each node, another one than that of the node it was reached from."""
    colour: list[bool | None] = [None] * len(across)
    for start in range(len(across)):
        if colour[start] is None:
            colour[start] = False
            queue = deque([start])
            while queue:
                here = queue.popleft()
                for there in across[here]:
                    if colour[there] is None:
                        colour[there] = not colour[here]
                        queue.append(there)
    return [bool(c) for c in colour]
