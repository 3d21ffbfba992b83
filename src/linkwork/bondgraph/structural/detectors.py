"""Detectors of efforts and flows: sources of nothing, on junctions where they can be dualised."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from linkwork.bondgraph.editing import remove
from linkwork.bondgraph.elements import Junction, Se, Sf
from linkwork.bondgraph.graph import Bond, BondGraph, Port
from linkwork.bondgraph.transfer.outputs import Measured, measured


def add_detectors(graph: BondGraph, outputs: Sequence[str]) -> dict[str, str]:
    """A detector for each channel: no flow on a 0-junction (effort), no effort on a 1-junction (flow).

    What a store holds is detected by what follows from it: the effort of a compliance, the flow of an inertia.
    Returns name of the detector → channel.
    """
    made: dict[str, str] = {}
    for channel in outputs:
        measurement = measured(graph, channel)
        letter = {"e": "f", "f": "e"}[measurement.letter] if measurement.power else measurement.letter
        name = next(n for k in count(1) if (n := f"detector{k}") not in graph.elements)
        junction = junction_on(graph, measurement, letter, f"{name}-place")
        detector = Sf(name, 0.0) if letter == "e" else Se(name, 0.0)
        graph.add(detector)
        graph.bond(detector, junction)
        made[name] = channel
    return made


def junction_on(graph: BondGraph, measurement: Measured, letter: str, name: str) -> Junction:
    """A junction that has the variable in common: the one that is there, or a new one put into the bond."""
    kind = 0 if letter == "e" else 1
    for end in (measurement.element, measurement.bond.other(measurement.element)):
        if isinstance(end, Junction) and end.kind == kind:
            return end
    junction = graph.junction(name, kind)
    split(graph, measurement.bond, junction)
    return junction


def split(graph: BondGraph, bond: Bond, junction: Junction) -> tuple[Bond, Bond]:
    """Put a junction into a bond; both halves keep its direction, the half at the tail its variables."""
    tail, head = bond.tail, bond.head
    remove(graph, bond)
    first = graph.bond(_end(tail), junction, kind=bond.kind, name=bond.name)
    first.effort, first.flow = bond.effort, bond.flow
    return first, graph.bond(junction, _end(head), kind=bond.kind, name=f"{bond.name}-{junction.name}")


def _end(port: Port) -> object:
    return port.element if isinstance(port.element, Junction) else (port.element, port.index)
