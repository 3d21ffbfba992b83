"""What formulations read off a multibond graph: flows and efforts in the order of speeds and constraint rows."""

from __future__ import annotations

from typing import Any

import casadi as ca

from linkwork.bondgraph.assigning.causality import Causality
from linkwork.bondgraph.expanding.expansion import expand
from linkwork.bondgraph.graph import BondGraph
from linkwork.bondgraph.reading.reading import Reading, read
from linkwork.formulations import maximal
from linkwork.formulations.bondgraph.net import Multibond
from linkwork.geometry import SX


def flows_of(net: Multibond, reading: Reading, rows: maximal.Rows) -> SX:
    """Blocked flows less what they should be, in the order of the rows."""
    g, found = net.graph, []
    for row in rows.all_names:
        at = net.blocked[row]
        element = g[at.element]
        flow = reading.flow[g.bond_at(element, 0)][at.index]
        found.append(flow - net.wanted[at.element][at.index])
    return ca.vertcat(SX(0, 1), *found)


def efforts_of(net: Multibond, reading: Reading, rows: maximal.Rows) -> SX:
    """What blocks each row: the effort of its element, or of spring and damper together."""
    g, found = net.graph, []
    for row in rows.all_names:
        at = net.blocked[row]
        parts = [at.element] if at.spring is None else [at.element, at.spring]
        found.append(sum((reading.effort[g.bond_at(g[n], 0)][at.index] for n in parts), SX(0)))
    return ca.vertcat(SX(0, 1), *found)


def multipliers_of(net: Multibond, reading: Reading, rows: maximal.Rows) -> Any:
    """A function that names the efforts of ideal constraints as the rows do."""
    of = {e.element.name: e.symbol for e in reading.enforced}
    old, new = [], []
    for n, row in enumerate(rows.names):
        at = net.blocked[row]
        old.append(of[at.element][at.index])
        new.append(rows.multipliers[n])
    return lambda expressions: ca.substitute(expressions, old, new) if old else expressions


def probes(reading: Reading, put: Any) -> dict[str, tuple[str, SX]]:
    """Effort, flow and power of every bond that was read, for after a run."""
    names, values = [], []
    for bond in reading.effort:
        power = reading.power(bond)
        names.append((f"{bond.name}.power", "W"))
        values.append(power)
        for letter, vector in (("e", reading.effort[bond]), ("f", reading.flow[bond])):
            for i in range(bond.size):
                names.append((f"{bond.name}.{letter}{i + 1}", ""))
                values.append(vector[i])
    return {name: (unit, x) for (name, unit), x in zip(names, put(values), strict=True)}


def followed(causality: Causality, known: dict[str, SX], bonds: str) -> tuple[BondGraph, Reading, Reading]:
    """The graph that is read, what it says of the vector bonds, and of its own; bonds: "vector" or "scalar"."""
    if bonds == "vector":
        reading = read(causality, known)
        return causality.graph, reading, reading
    scalar = expand(causality)
    by_bond = scalar.read(known)
    return scalar.graph, scalar.gathered(by_bond), by_bond
