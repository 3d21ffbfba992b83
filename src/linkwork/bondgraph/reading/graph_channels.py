"""What is recorded of a graph's run: efforts, flows and powers of elements, stored energies, the balance of all.

Effort × flow of a channel pair is the power that goes into the element, for sources and constraints as on their bond.
`power` of sources and constraints is what they supply, of two-ports what passes from the first port to the second.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca

from linkwork.bondgraph.constitutive import law
from linkwork.bondgraph.domains import Domain, resolve, units_of
from linkwork.bondgraph.elements import GY, TF, C, Constraint, Element, Junction, R, Se, Sf
from linkwork.bondgraph.graph import Bond
from linkwork.bondgraph.reading.state_equations import WORDS, StateEquations, components
from linkwork.bondgraph.reading.store_amounts import energy_of, is_store, kind_of, oriented
from linkwork.geometry import SX

Channels = dict[str, tuple[str, SX]]
"""name → (unit, value)."""


@dataclass
class Observed:
    """Channels, and integrals to be carried along: (name, symbol, rate)."""

    channels: Channels = field(default_factory=dict)
    integrals: list[tuple[str, SX, SX]] = field(default_factory=list)


def is_source(element: Element) -> bool:
    """Whether energy comes from outside through it."""
    return isinstance(element, Se | Sf | Constraint)


def observe(eq: StateEquations) -> Observed:
    """All channels of a graph."""
    units = {b: units_of(b, d) for b, d in resolve(eq.graph).items()}
    observed = Observed()
    for v in eq.variables:
        unit = v.unit if v.element is None else _amount_unit(eq, v.element, v.kind, units)
        _vector(observed.channels, v.name, unit, v.symbol)
    stored, supplied, dissipated = SX(0), SX(0), SX(0)
    for element in eq.graph.elements.values():
        if isinstance(element, Junction):
            _junction(eq, element, units, observed.channels)
            continue
        power = _element(eq, element, units, observed.channels)
        mine = {units[b] for b in eq.graph.bonds_of(element)}
        if is_store(element):
            energy = energy_of(eq.causality, eq.reading, element)
            if energy is None:  # a law without a known integral: the work done on it since the start
                energy = SX.sym(f"{element.name}.energy")
                observed.integrals.append((f"{element.name}.energy", energy, power))
            if isinstance(element, C) and element.displacement is not None:
                _vector(observed.channels, f"{element.name}.displacement", "", element.displacement)
            observed.channels[f"{element.name}.energy"] = (next(iter(mine)).energy, energy)
            stored += 0 if any(d.pseudo for d in mine) else energy
        elif not any(d.pseudo for d in mine):
            supplied += power if is_source(element) else 0
            dissipated += power if kind_of(element) == "R" else 0
    _balance(observed, stored, supplied, dissipated)
    if eq.invariant.numel():
        observed.channels["residual.velocity"] = ("", ca.norm_inf(eq.invariant))
    if eq.position.numel():
        observed.channels["residual.position"] = ("", ca.norm_inf(eq.position))
    if eq.iterated:
        observed.channels["residual.loops"] = ("", mismatch(eq))
    return observed


def _balance(observed: Observed, stored: SX, supplied: SX, dissipated: SX) -> None:
    for name, rate in (("dissipated", dissipated), ("supplied", supplied)):
        observed.integrals.append((f"energy.{name}", SX.sym(f"energy.{name}"), rate))
    lost, brought = (symbol for _, symbol, _ in observed.integrals[-2:])
    observed.channels["energy.total"] = ("J", stored)
    observed.channels["energy.dissipated"], observed.channels["energy.supplied"] = ("J", lost), ("J", brought)
    observed.channels["energy.balance"] = ("J", stored + lost - brought)


def _vector(channels: Channels, name: str, unit: str, value: SX) -> None:
    for i, each in enumerate(components(name, value.numel())):
        channels[each] = (unit, value[i])


def _amount_unit(eq: StateEquations, element: Element, kind: str, units: dict[Bond, Domain]) -> str:
    domains = {units[b] for b in eq.graph.bonds_of(element)}
    return str(getattr(domains.pop(), WORDS[kind])) if len(domains) == 1 else ""


def _junction(eq: StateEquations, junction: Junction, units: dict[Bond, Domain], channels: Channels) -> None:
    first = eq.graph.bonds_of(junction)[0]
    value = (eq.reading.effort if junction.kind == 0 else eq.reading.flow)[first]
    unit = units[first].effort if junction.kind == 0 else units[first].flow
    _vector(channels, f"{junction.name}.{junction.common}", unit, value)


def _element(eq: StateEquations, element: Element, units: dict[Bond, Domain], channels: Channels) -> SX:
    """Channels of one element; returns its power as recorded."""
    graph, reading = eq.graph, eq.reading
    total = SX(0)
    for k in range(element.ports):
        bond = graph.bond_at(element, k)
        effort, flow = reading.effort[bond], reading.flow[bond]
        into = 1 if bond.head.element is element else -1
        name = element.name if element.ports == 1 else f"{element.name}.port{k + 1}"
        _vector(channels, f"{name}.effort", units[bond].effort, effort)
        _vector(channels, f"{name}.flow", units[bond].flow, flow if is_source(element) else into * flow)
        power = into * ca.dot(effort, flow)
        if not (isinstance(element, TF | GY) and k):
            total += -power if is_source(element) else power
    channels[f"{element.name}.power"] = (units[graph.bond_at(element, 0)].power, total)
    return total


def mismatch(eq: StateEquations) -> SX:
    """Largest relative mismatch of junctions and resistors: shows whether iteration has solved the algebraic loops."""
    reading, graph = eq.reading, eq.graph
    mismatches = [SX(0)]

    def equal(parts: list[SX]) -> None:
        mismatches.append(ca.norm_inf(sum(parts, SX(0)) / (1e-6 + sum((ca.fabs(x) for x in parts), SX(0)))))

    for element in graph.elements.values():
        if isinstance(element, Junction):
            bonds = graph.bonds_of(element)
            summed, same = (reading.flow, reading.effort) if element.kind == 0 else (reading.effort, reading.flow)
            equal([(1 if b.head.element is element else -1) * summed[b] for b in bonds])
            for b in bonds[1:]:
                equal([same[b], -same[bonds[0]]])
        elif isinstance(element, R):
            effort, flow = oriented(eq.causality, reading, element)
            equal(
                [effort, -law(element.law, flow)] if element.law is not None else [flow, -law(element.inverse, effort)]
            )
    return ca.mmax(ca.vertcat(*mismatches))
