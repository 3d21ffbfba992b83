"""What formulations read off a multibond graph: flows and efforts in the order of speeds and constraint rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca

from linkwork.bondgraph.assigning.causality import Causality
from linkwork.bondgraph.constitutive import matrix
from linkwork.bondgraph.elements import I
from linkwork.bondgraph.expanding.expansion import expand
from linkwork.bondgraph.graph import Bond, BondGraph
from linkwork.bondgraph.reading.reading import Reading, read
from linkwork.formulations.bondgraph.net import Multibond
from linkwork.formulations.constraint_rows import Rows
from linkwork.geometry import SX


def flows_of(net: Multibond, reading: Reading, rows: Rows) -> SX:
    """Blocked flows less what they should be, in the order of the rows."""
    flows = []
    for row in rows.all_names:
        at = net.blocked[row]
        flow = reading.flow[_bond(net, at.element)][at.index]
        flows.append(flow - net.wanted[at.element][at.index])
    return ca.vertcat(SX(0, 1), *flows)


def efforts_of(net: Multibond, reading: Reading, rows: Rows) -> SX:
    """What blocks each row: the effort of its element, or of spring and damper together."""
    efforts = []
    for row in rows.all_names:
        at = net.blocked[row]
        parts = [at.element] if at.spring is None else [at.element, at.spring]
        efforts.append(sum((reading.effort[_bond(net, n)][at.index] for n in parts), SX(0)))
    return ca.vertcat(SX(0, 1), *efforts)


def masses_of(net: Multibond) -> SX:
    """Mass matrix of the inertias, in the order of the view's speeds; sources that stand for variables have none."""
    masses = []
    for name in net.inertias():
        element = net.graph[name]
        masses.append(matrix(element.law, element.size) if isinstance(element, I) else SX(element.size, element.size))
    return ca.sparsify(ca.diagcat(SX(0, 0), *masses))


def speeds_of(net: Multibond, reading: Reading) -> SX:
    """Flows of the inertias, in the order of the view's speeds."""
    return ca.vertcat(SX(0, 1), *(reading.flow[_bond(net, name)] for name in net.inertias()))


def pushes_of(net: Multibond, reading: Reading) -> SX:
    """Efforts on the inertias, in the same order."""
    return ca.vertcat(SX(0, 1), *(effort_on(net, reading, name) for name in net.inertias()))


def effort_on(net: Multibond, reading: Reading, name: str) -> SX:
    """What pushes a one-port, whichever way its arrow points."""
    bond = _bond(net, name)
    return reading.effort[bond] if bond.head.element.name == name else -reading.effort[bond]


def _bond(net: Multibond, name: str) -> Bond:
    return net.graph.bond_at(net.graph[name], 0)


Answered = Callable[[list[SX]], list[SX]]
"""Puts in what a graph left open."""


def answers(
    net: Multibond,
    reading: Reading,
    rows: Rows,
    momentum_rate: SX | None = None,
    accelerations: Sequence[tuple[SX, SX]] = (),
) -> Answered:
    """A function that puts in what the graph left open.

    Efforts that enforce a flow become the multipliers of their rows; those of inertias in derivative causality the
    rates of their momenta (in the order of the view's speeds). accelerations: (symbol, value) of coordinates that
    inertias of components with ports are rigidly joined to.
    """
    of = {e.element.name: e.symbol for e in reading.enforced}
    old, new = [symbol for symbol, _ in accelerations], [value for _, value in accelerations]
    for n, row in enumerate(rows.names):
        at = net.blocked[row]
        old.append(of[at.element][at.index])
        new.append(rows.multipliers[n])
    rates, k = {d.element.name: d.symbol for d in reading.dependents}, 0
    for name in net.inertias():
        size = net.graph[name].size
        if name in rates:
            assert momentum_rate is not None
            old.append(rates[name])
            new.append(momentum_rate[k : k + size])
        k += size
    return lambda expressions: ca.substitute(expressions, old, new) if old else expressions


def probes(reading: Reading, answered: Answered) -> dict[str, tuple[str, SX]]:
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
    return {name: (unit, x) for (name, unit), x in zip(names, answered(values), strict=True)}


def follow_graph(causality: Causality, known: dict[str, SX], bonds: str) -> tuple[BondGraph, Reading, Reading]:
    """The graph that is read, what it says of the vector bonds, and of its own; bonds: "vector" or "scalar"."""
    if bonds == "vector":
        reading = read(causality, known)
        return causality.graph, reading, reading
    scalar = expand(causality)
    by_bond = scalar.read(known)
    return scalar.graph, scalar.gathered(by_bond), by_bond
