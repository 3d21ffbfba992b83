"""Changing a graph: what is taken out, and what is put in the place of something else."""

from __future__ import annotations

from linkwork.bondgraph.elements import Element, Junction
from linkwork.bondgraph.graph import Bond, BondGraph
from linkwork.core import kinds
from linkwork.core.errors import ModelError


def remove(graph: BondGraph, what: object) -> None:
    """Take out a bond, or an element with all its bonds."""
    graph._own()
    if isinstance(what, Bond):
        if what not in graph.bonds:
            raise ModelError(f"{what!r} is not in this graph.", component=graph.name, remedy="See g.bonds.")
        graph.bonds.remove(what)
        for port in (what.tail, what.head):
            graph._bonds[port.element.name].remove(what)
            graph._used[port.element.name].discard(port.index)
        graph.changed()
        return
    element = graph[what] if isinstance(what, str) else what
    if not isinstance(element, Element) or graph.elements.get(element.name) is not element:
        raise ModelError(
            f"{kinds.shown(what)} is not in this graph.",
            component=graph.name,
            remedy="Give an element, its name or a bond.",
        )
    for bond in list(graph._bonds[element.name]):
        remove(graph, bond)
    graph.discard(element)


def replace(graph: BondGraph, old: object, new: object) -> Element:
    """Put another element in the place of one: on the same bonds, in the same group."""
    graph._own()
    element = graph[old] if isinstance(old, str) else old
    if not isinstance(element, Element) or graph.elements.get(element.name) is not element:
        raise ModelError(f"{kinds.shown(old)} is not in this graph.", component=graph.name, remedy="Give its name.")
    if not isinstance(new, Element) or new.graph is not None:
        raise ModelError(
            f"{kinds.shown(new)} is not an element that is free.", component=element.name, remedy="Make a new one."
        )
    if not isinstance(element, Junction) and (new.ports, new.sizes) != (element.ports, element.sizes):
        raise ModelError(
            f"has ports of sizes {element.sizes}, {new.name!r} of sizes {new.sizes}.",
            component=element.name,
            remedy="Give an element that fits on the same bonds.",
        )
    if new.name != element.name and new.name in graph.elements:
        raise ModelError("the name is taken already.", component=new.name, remedy="Choose another name.")
    bonds = [(b.name, b.tail, b.head, b.kind, b.size) for b in graph._bonds[element.name]]
    flows = [(b.effort, b.flow) for b in graph._bonds[element.name]]
    new.group, new.domain = new.group or element.group, new.domain or element.domain
    remove(graph, element)
    graph.add(new)
    for (name, tail, head, kind, size), (effort, flow) in zip(bonds, flows, strict=True):
        ends = [(new if port.element is element else port.element, port.index) for port in (tail, head)]
        a, b = (e if isinstance(e, Junction) else (e, k) for e, k in ends)
        bond = graph.bond(a, b, kind=kind, size=size, name=name)
        bond.effort, bond.flow = effort, flow  # signals and sources refer to them
    return new


BondGraph.register("remove", remove)
BondGraph.register("replace", replace)
