"""Taking elements out of a graph by their physics: what carries no power brings no effort, or no flow.

An element on a 1-junction brings no effort, one on a 0-junction no flow: its bond goes, and so does a junction or
two-port that leads nowhere then. Where a flow or an effort of zero is what remains, it stays as a source of nothing.
"""

from __future__ import annotations

import casadi as ca

from linkwork.bondgraph.editing import remove
from linkwork.bondgraph.elements import GY, TF, Element, EulerGyrator, Junction, Se, Sf
from linkwork.bondgraph.graph import Bond, BondGraph
from linkwork.geometry import SX

EFFORT, FLOW = "effort", "flow"


def take_out(graph: BondGraph, element: Element) -> None:
    """Remove a one-port; with an inertia goes what turns its momentum about (ω × J ω)."""
    for other in graph.of_type(EulerGyrator):
        if other.inertia == element.name:
            take_out(graph, other)
    (bond,) = graph.bonds_of(element)
    beside = bond.other(element)
    remove(graph, element)
    _settle(graph, beside, bond)


def _settle(graph: BondGraph, node: Element, gone: Bond) -> None:
    """A bond of a node is gone, and nothing came along it."""
    left = graph.bonds_of(node)
    if isinstance(node, Junction):
        if len(left) == 1:
            _lead_nowhere(graph, node, left[0], EFFORT if node.kind == 1 else FLOW)
        elif not left:
            remove(graph, node)
    elif isinstance(node, TF | GY):
        _pass(graph, node, None)
    else:
        remove(graph, node)  # it was bonded to what is gone, and to nothing else


def _lead_nowhere(graph: BondGraph, junction: Junction, bond: Bond, zero: str) -> None:
    """The only bond left on a junction carries no effort (1) or no flow (0)."""
    beside = bond.other(junction)
    remove(graph, junction)
    _impose(graph, beside, bond, zero)


def _impose(graph: BondGraph, node: Element, bond: Bond, zero: str) -> None:
    """A node has lost a bond on which effort or flow is zero."""
    if isinstance(node, TF | GY):
        _pass(graph, node, zero)
        return
    if isinstance(node, Junction) and zero == (EFFORT if node.kind == 1 else FLOW):
        _settle(graph, node, bond)
        return
    name = f"{node.name}-none"
    if name in graph.elements:
        return  # it says so already
    made = (Se if zero == EFFORT else Sf)(name, 0.0, bond.size)
    graph.add(made, group=node.group, label="0")
    ends = (node, made) if bond.tail.element is node else (made, node)
    new = graph.bond(*ends, kind=bond.kind, size=bond.size, name=bond.name)
    new.effort, new.flow = bond.effort, bond.flow  # signals may refer to them


def _pass(graph: BondGraph, element: TF | GY, zero: str | None) -> None:
    """A two-port that has lost one bond goes; what was zero there is zero on its other side, for a GY the other one."""
    left = list(graph.bonds_of(element))
    remove(graph, element)
    for bond in left:
        beside = bond.other(element)
        if zero is None:
            _settle(graph, beside, bond)
        else:
            other = {EFFORT: FLOW, FLOW: EFFORT}[zero]
            _impose(graph, beside, bond, other if isinstance(element, GY) else zero)


def shorten(graph: BondGraph, junction: Junction) -> bool:
    """Put one bond in the place of a junction with two, where power runs straight through it."""
    bonds = graph.bonds_of(junction)
    into = [b for b in bonds if b.head.element is junction]
    if len(bonds) != 2 or len(into) != 1 or any(b in referred(graph) for b in bonds):
        return False
    (first,), (second,) = into, [b for b in bonds if b is not into[0]]
    ends = [p.element if isinstance(p.element, Junction) else (p.element, p.index) for p in (first.tail, second.head)]
    if first.tail.element is second.head.element:
        return False
    remove(graph, junction)
    graph.bond(*ends, kind=first.kind, size=first.size, name=first.name)
    return True


def referred(graph: BondGraph) -> set[Bond]:
    """Bonds whose effort or flow signals, sources, laws or moduli depend on."""
    held = [SX(s.rate) for s in graph.signals]
    for element in graph.elements.values():
        values = [getattr(element, word, None) for word in ("value", "modulus", "law", "displacement", "start")]
        held += [v for v in values if isinstance(v, SX)]
    used = {s.element_hash() for s in ca.symvar(ca.veccat(*held))} if held else set()
    return {b for b in graph.bonds if any(s.element_hash() in used for s in _symbols(b))}


def _symbols(bond: Bond) -> list[SX]:
    return [x[i] for x in (bond.effort, bond.flow) for i in range(bond.size)]
