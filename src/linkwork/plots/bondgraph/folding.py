"""Levels of detail: a component with several ports is one node, and a group may be folded into one."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from linkwork.bondgraph.assigning.causality import Causality
from linkwork.bondgraph.assigning.conflicts import Conflict
from linkwork.bondgraph.elements import Element
from linkwork.bondgraph.graph import Bond, BondGraph, Port
from linkwork.core.errors import LinkworkError, UnknownName


class Node(Element):
    """What stands for several elements; any number of bonds."""

    ports = 2


@dataclass
class Marks:
    """What a causality says of the bonds and elements of the drawn graph."""

    stroke: dict[Bond, str]
    conflicts: list[Conflict]
    derivative: list[tuple[Element, int]]
    bicausal: set[Bond]


def condensed(
    graph: BondGraph, causality: Causality | None, fold: bool | str | Sequence[str]
) -> tuple[BondGraph, Marks | None]:
    """The graph as it is drawn: shares of one component in one node, and groups of `fold` (True: all) in one each."""
    marks = None
    if causality is not None:
        marks = Marks(dict(causality.stroke), causality.conflicts, causality.derivative, set(causality.bicausal))
    folded = _groups(graph, fold)
    shares = Counter(e.part for e in graph.elements.values() if e.part)
    if not folded and not any(count > 1 for count in shares.values()):
        return graph, marks
    drawn, stands = BondGraph(graph.name), {}
    for e in graph.elements.values():
        if e.part and shares[e.part] > 1:
            stands[e.name] = _node(drawn, e.part, f"[{e.part}]" if e.part in folded else "")
        elif e.group in folded:
            stands[e.name] = _node(drawn, e.group, f"[{e.group}]")
        else:
            made = copy.copy(e)
            made.__dict__.pop("graph", None)
            stands[e.name] = drawn.add(made)
    _letters(graph, drawn)
    strokes: dict[Bond, str] = {}
    bicausal: set[Bond] = set()
    there: set[tuple[str, str, str]] = set()
    for bond in graph.bonds:
        a, b = stands[bond.tail.element.name], stands[bond.head.element.name]
        ends = (min(a.name, b.name), max(a.name, b.name), bond.kind)
        both = isinstance(a, Node) and isinstance(b, Node)
        if a is b or (both and ends in there):
            continue
        there.add(ends)
        made_bond = Bond(bond.name, Port(a, bond.tail.index), Port(b, bond.head.index), bond.size, bond.kind)
        drawn.bonds.append(made_bond)
        for element in (a, b):
            drawn._bonds[element.name].append(made_bond)
        if causality is not None and bond in causality.stroke:
            strokes[made_bond] = causality.stroke[bond]
            if bond in causality.bicausal:
                bicausal.add(made_bond)
    return drawn, None if marks is None else Marks(strokes, marks.conflicts, marks.derivative, bicausal)


def _groups(graph: BondGraph, fold: bool | str | Sequence[str]) -> set[str]:
    known = {e.group for e in graph.elements.values() if e.group}
    if isinstance(fold, bool):
        return known if fold else set()
    wanted = [fold] if isinstance(fold, str) else fold
    if not isinstance(wanted, list | tuple | set | frozenset):
        raise LinkworkError(f"fold is {fold!r}.", component=graph.name, remedy="Give names of groups, or True for all.")
    for name in wanted:
        if name not in known:
            raise UnknownName("group", str(name), sorted(known), component=graph.name)
    return set(wanted)


def _node(drawn: BondGraph, name: str, symbol: str) -> Element:
    if name not in drawn.elements:
        made = Node(name)
        made.symbol, made.label = symbol, "" if symbol else name
        made.group = "" if symbol else name
        drawn.add(made)
    return drawn.elements[name]


def _letters(graph: BondGraph, drawn: BondGraph) -> None:
    """A component in one node has the letter of its ports in networks; TF, where its shares differ."""
    for node in drawn.elements.values():
        if isinstance(node, Node) and not node.symbol:
            shares = [e for e in graph.elements.values() if e.part == node.name]
            own = {e.symbol for e in shares if e.group == node.name} or {e.symbol for e in shares}
            node.symbol = own.pop() if len(own) == 1 else "TF"
