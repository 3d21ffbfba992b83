"""Resistors with several ports: each port gives the effort or the flow, whichever it is not given."""

from __future__ import annotations

from typing import Any

import casadi as ca

from linkwork.bondgraph.constitutive import law, matrix
from linkwork.bondgraph.elements import Field
from linkwork.core.errors import ModelError
from linkwork.geometry import SX


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
    inverse: Any = field.inverse
    if not any(takes_effort):
        return law(field.law, stacked)
    if all(takes_effort) and inverse is not None:
        return law(inverse, stacked)
    raise ModelError(
        "its law is a function of the flows of all its ports, but some of them are given the effort.",
        component=field.name,
        remedy="Give it a matrix, or stores next to its ports that determine the flows.",
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
