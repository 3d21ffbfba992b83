"""Resistors with several ports: each port gives the effort or the flow, whichever it is not given."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import casadi as ca

from linkwork.bondgraph.constitutive import law, matrix
from linkwork.bondgraph.elements import Field
from linkwork.bondgraph.graph import Bond
from linkwork.core.errors import ModelError
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.bondgraph.reading.reading import _Reader


def resistive_definition(
    reader: _Reader, r: Field, letter: str, bond: Bond
) -> tuple[list[tuple[str, Bond]], Callable[[], SX]]:
    """What a bond variable that the field determines needs, and how it is made of that."""
    bonds = [reader.graph.bond_at(r, k) for k in range(r.ports)]
    takes_effort = [reader.causality.receives_effort(b, r) for b in bonds]
    signs = [1 if b.head.element is r else -1 for b in bonds]
    needs = [("e" if takes else "f", b) for takes, b in zip(takes_effort, bonds, strict=True)]
    k = bonds.index(bond)

    def answer() -> SX:
        given = [(1 if v[0] == "e" else s) * reader.value[v] for v, s in zip(needs, signs, strict=True)]
        return (signs[k] if letter == "f" else 1) * answers(r, takes_effort, given)[k]

    return needs, answer


def answers(field: Field, takes_effort: list[bool], given: list[SX]) -> list[SX]:
    """What each port gives for what it takes (flows counted into the element, n×1 each).

    With e = R f split into ports that take the flow (a) and the effort (b): f_b = R_bb⁻¹ (e_b − R_ba f_a).
    """
    sizes = [x.numel() for x in given]
    stacked = ca.vertcat(*given)
    if callable(field.law):
        whole = _by_function(field, takes_effort, stacked)
    else:
        whole = _by_matrix(field, takes_effort, sizes, stacked)
    return ca.vertsplit(whole, [0, *(sum(sizes[: k + 1]) for k in range(len(sizes)))])


def _by_function(field: Field, takes_effort: list[bool], stacked: SX) -> SX:
    inverse = field.inverse
    if not any(takes_effort):
        return law(field.law, stacked)
    if all(takes_effort) and inverse is not None:
        return law(inverse, stacked)
    raise ModelError(
        "its law is a function of the flows of all its ports, but some of them are given the effort.",
        component=field.name,
        remedy="Give it a matrix, or stores next to its ports that determine the flows; an inverse serves if all "
        "efforts are given.",
    )


def _by_matrix(field: Field, takes_effort: list[bool], sizes: list[int], stacked: SX) -> SX:
    R = matrix(field.law, field.size)
    effort_in = [x for takes, n in zip(takes_effort, sizes, strict=True) for x in [takes] * n]
    a, b = ([i for i, x in enumerate(effort_in) if x is wanted] for wanted in (False, True))
    whole = SX(field.size, 1)
    flow_b = ca.solve(ca.densify(R[b, b]), stacked[b] - R[b, a] @ stacked[a]) if b else SX(0, 1)
    if b:
        whole[b] = flow_b
    if a:
        whole[a] = R[a, a] @ stacked[a] + (R[a, b] @ flow_b if b else 0)
    return whole
