"""The bicausal line of an inverse model: bonds along which effort and flow both go from an output to a source.

Gawthrop (1995): a source-sensor at the output knows effort and flow (what is wanted, and that nothing is connected),
the bonds to the source hand both on, and the source becomes a detector of both. A 1-junction on the line hands its flow
to all other bonds, a 0-junction its effort: stores there may have to take derivative causality.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from linkwork.bondgraph.assigning.causality import Causality, assign
from linkwork.bondgraph.editing import remove
from linkwork.bondgraph.elements import GY, TF, Element, Junction, Se, Sf
from linkwork.bondgraph.graph import Bond, BondGraph
from linkwork.bondgraph.structural.detectors import junction_on
from linkwork.bondgraph.transfer.outputs import measured, measured_by

PATH_LIMIT = 50
"""Lines that are tried, the shortest first."""
PLACE = "output-place"
"""The junction that is put in where the output has none."""


@dataclass
class BicausalLine:
    """elements: from the source to the output; bonds: names of those that are bicausal, in this order.

    derivative: stores that the line leaves without a state; conflict: why it is no causal line, empty if it is one.
    """

    elements: list[str]
    bonds: list[str]
    derivative: list[str] = field(default_factory=list)
    integral: list[str] = field(default_factory=list)
    conflict: str = ""
    strokes: dict[str, str] = field(default_factory=dict)
    """Of all bonds beside the line, by name: the end that receives the effort."""
    receives: dict[str, str] = field(default_factory=dict)
    """Of the bonds of the line: the end that receives both effort and flow."""

    def __str__(self) -> str:
        return " — ".join(self.elements)


def bicausal_line(graph: BondGraph, source: str, output: str) -> BicausalLine | None:
    """The best line between a source and a channel: without conflict, with fewest stores in derivative causality.

    None: no power line joins them. Bonds are those of the graph, but for a junction put in where the output has none.
    """
    twin = copy.deepcopy(graph)
    signal = next((s for s in twin.signals if s.name == output), None)
    measurement = measured(twin, output) if signal is None else measured_by(twin, signal)
    if measurement is None:
        return None
    letter = {"e": "f", "f": "e"}[measurement.letter] if measurement.power else measurement.letter
    place = junction_on(twin, measurement, letter, PLACE)
    tried = [_examined(twin, path, output) for path in islice(_paths(twin, twin[source], place), PATH_LIMIT)]
    return min(tried, key=lambda x: (bool(x.conflict), len(x.derivative), len(x.bonds)), default=None)


def _paths(graph: BondGraph, source: Element, place: Junction) -> Iterator[list[Bond]]:
    """Simple paths of bonds through junctions and two-ports, the shortest first."""
    import networkx as nx

    whole = nx.MultiGraph()
    for k, b in enumerate(graph.bonds):
        ends = (b.tail.element, b.head.element)
        if all(e is source or isinstance(e, Junction | TF | GY) for e in ends):
            whole.add_edge(ends[0].name, ends[1].name, key=k)
    if source.name not in whole or place.name not in whole:
        return
    paths = islice(nx.all_simple_edge_paths(whole, source.name, place.name), 20 * PATH_LIMIT)
    for path in sorted(paths, key=len):
        yield [graph.bonds[k] for _, _, k in path]


def _examined(graph: BondGraph, path: list[Bond], output: str) -> BicausalLine:
    """Causality of all else when the line is taken as known."""
    twin = copy.deepcopy(graph)
    bonds = [twin.bonds[graph.bonds.index(b)] for b in path]
    nodes = _nodes(bonds)
    shown = [e.name for e in nodes if e.name != PLACE]
    line = BicausalLine([*shown, output], list(dict.fromkeys(map(_base, path))))
    ring = {e.name: e for e in nodes if isinstance(e, Junction)}
    for bond in [b for e in ring.values() for b in twin.bonds_of(e) if b not in bonds]:
        if bond in twin.bonds:
            _known(twin, bond, ring)
    line.receives = {_base(b): b.end_of(e) for b, e in zip(bonds, nodes, strict=False)}
    for element in nodes:
        remove(twin, element)
    causality = assign(twin, "scap", strict=False)
    line.strokes = {_base(b): end for b, end in causality.stroke.items()}
    line.derivative, line.integral = _names(causality.derivative), _names(causality.integral)
    line.conflict = causality.conflicts[0].text if causality.conflicts else _blocked(nodes)
    return line


def _names(stores: list[tuple[Element, int]]) -> list[str]:
    return list(dict.fromkeys(e.name for e, _ in stores))


def _blocked(nodes: list[Element]) -> str:
    stuck = [e.name for e in nodes if isinstance(e, TF | GY) and not e.invertible]
    return f"{stuck[0]} cannot be inverted, and both effort and flow would have to pass it." if stuck else ""


def _nodes(bonds: list[Bond]) -> list[Element]:
    """Elements along a path that begins at its first one-port."""
    first = bonds[0]
    start = next(e for e in (first.tail.element, first.head.element) if not isinstance(e, Junction | TF | GY))
    elements = [start]
    for bond in bonds:
        elements.append(bond.other(elements[-1]))
    return elements


def _known(graph: BondGraph, bond: Bond, line: dict[str, Junction]) -> None:
    """In the place of junctions of the line, at the ends of a bond: a source of what they hand on."""
    ends: list[object] = []
    for k, port in enumerate((bond.tail, bond.head)):
        j = line.get(port.element.name)
        if j is None:
            ends.append(port.element if isinstance(port.element, Junction) else (port.element, port.index))
        else:
            made = Sf if j.kind == 1 else Se
            ends.append(graph.add(made(f"{j.name}-{bond.name}-{k}", 0.0, bond.size)))
    remove(graph, bond)
    graph.bond(ends[0], ends[1], kind=bond.kind, size=bond.size, name=bond.name)


def _base(bond: Bond) -> str:
    """Its name in the graph as it was before a junction was put in."""
    return bond.name.removesuffix(f"-{PLACE}")


def bicausal_causality(graph: BondGraph, line: BicausalLine) -> Causality:
    """Strokes of the inverse model, on the bonds of the graph: for drawing."""
    made = Causality(graph, "bicausal")
    for bond in graph.bonds:
        if bond.name in line.strokes:
            made.stroke[bond] = line.strokes[bond.name]
        elif bond.name in line.receives:
            made.stroke[bond] = line.receives[bond.name]
            made.bicausal.add(bond)
    made.integral = [(graph[name], 0) for name in line.integral]
    made.derivative = [(graph[name], 0) for name in line.derivative]
    return made
