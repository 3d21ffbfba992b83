"""Momentum or displacement of whole stores, whatever the causality of their ports; what they hold; how they start."""

from __future__ import annotations

from typing import Any, TypeGuard

import casadi as ca
import numpy as np

from linkwork.bondgraph.assigning.causality import Causality
from linkwork.bondgraph.constitutive import matrix
from linkwork.bondgraph.elements import C, Element, Field, I
from linkwork.bondgraph.reading.reading import Reading, State
from linkwork.core.errors import ModelError
from linkwork.geometry import SX


def kind_of(element: Element) -> str:
    """ "I", "C", "R" for stores and resistors, also as fields; "" for all else."""
    if isinstance(element, Field):
        return element.kind
    return element.symbol if element.symbol in ("I", "C", "R") else ""


def is_store(element: Element) -> TypeGuard[C | I | Field]:
    return kind_of(element) in ("I", "C")


def check_stores(causality: Causality) -> None:
    """What a store in this causality cannot do, or no store may do."""
    derivative = {element.name for element, _ in causality.derivative}
    for element in causality.graph.elements.values():
        if not isinstance(element, C | I | Field) or not is_store(element):
            continue
        if callable(element.law):
            given = element.inverse is not None and not ports_apart(causality, element)[0]
            if element.name in derivative and element.ports > 1 and not given:
                raise ModelError(
                    "is a field with a nonlinear law, and some of its ports have derivative causality.",
                    component=element.name,
                    remedy="Put a small store of the other kind next to those ports, or give the field a matrix; "
                    "an inverse serves if all ports have it.",
                )
            continue
        law = matrix(element.law, element.size)
        if law.is_constant():
            value = ca.DM(law).full()
            if np.abs(value - value.T).max() > 1e-12 * np.abs(value).max():
                raise ModelError(
                    "its matrix is not symmetric: going round in a circle it would gain energy.",
                    component=element.name,
                    remedy="Give a symmetric matrix; a gyrator or a source for the rest.",
                )


def ports_apart(causality: Causality, element: Element) -> tuple[list[int], list[int]]:
    """Indices of the components on ports in integral and in derivative causality."""
    derivative = {(e.name, k) for e, k in causality.derivative}
    inner: list[int] = []
    outer: list[int] = []
    first = 0
    for k in range(element.ports):
        n = causality.graph.bond_at(element, k).size
        (outer if (element.name, k) in derivative else inner).extend(range(first, first + n))
        first += n
    return inner, outer


def oriented(causality: Causality, reading: Reading, element: Element) -> tuple[SX, SX]:
    """Effort and flow of all ports, stacked; the flow counts into the element."""
    efforts, flows = [], []
    for k in range(element.ports):
        bond = causality.graph.bond_at(element, k)
        efforts.append(reading.effort[bond])
        flows.append((1 if bond.head.element is element else -1) * reading.flow[bond])
    return ca.vertcat(*efforts), ca.vertcat(*flows)


def amount_of(causality: Causality, reading: Reading, element: C | I | Field) -> SX:
    """Momentum (I) or displacement (C) of all ports, stacked."""
    if isinstance(element, C) and element.displacement is not None:
        return element.displacement
    inner, outer = ports_apart(causality, element)
    whole = SX(element.size, 1)
    for indices, amount in (
        (inner, next((s.symbol for s in reading.states if s.element is element), None)),
        (outer, next((d.amount for d in reading.dependents if d.element is element), None)),
    ):
        if indices and amount is not None:
            whole[indices] = amount
    return whole


def energy_of(causality: Causality, reading: Reading, element: C | I | Field) -> SX | None:
    """Stored energy [J]; None for a nonlinear law without an energy of its own."""
    amount = amount_of(causality, reading, element)
    if element.energy is not None:
        return SX(element.energy(amount))
    if callable(element.law):
        return None
    effort, flow = oriented(causality, reading, element)
    return ca.dot(amount, effort if kind_of(element) == "C" else flow) / 2


def start_of(causality: Causality, reading: Reading, state: State) -> SX:
    """Start of a state. A field with ports of both causalities: what its dependent ports have adds to its momentum."""
    element: Any = state.element
    inner, outer = ports_apart(causality, element)
    if not outer or callable(element.law):
        return state.start
    M = matrix(element.law, element.size)
    effort, flow = oriented(causality, reading, element)
    if state.kind == "I":
        return M[inner, inner] @ element.start[inner] + M[inner, outer] @ flow[outer]
    return state.start
