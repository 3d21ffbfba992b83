"""Equations read off the multibond graph (BND 3.3): Lagrange multipliers and R/C elements.

The graph is built from the model, its causality assigned, and efforts and flows are followed in causal order. With v
the flows of the inertias, ṗ = e(v, λ) and the blocked flows give M v̇ + Aᵀλ = f and A v = b: A and Aᵀ are read
separately, one along the flows and one along the efforts. They can be read off the graph with scalar bonds as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import casadi as ca

from linkwork.bondgraph.assigning.causality import assign
from linkwork.contact.places import forces_of
from linkwork.core.equations import Equations, Row
from linkwork.formulations import maximal
from linkwork.formulations.bondgraph.loads import filled
from linkwork.formulations.bondgraph.net import Multibond
from linkwork.formulations.bondgraph.reading import (
    answers,
    efforts_of,
    flows_of,
    follow_graph,
    masses_of,
    probes,
    pushes_of,
)
from linkwork.formulations.constraint_rows import split_rows
from linkwork.formulations.contributions import gather
from linkwork.formulations.maximal_view import MaximalView
from linkwork.formulations.relative_twist import in_joint_axes
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.core.model import Model


def formulate(
    model: Model,
    *,
    stabilisation: Projection | Baumgarte | None = None,
    softness: Mapping[Row, tuple[float, float]] | None = None,
    bonds: str = "vector",
    structure: type[Multibond] = Multibond,
) -> Equations:
    """Blocked flows by efforts that keep them so (MSe), soft ones by R/C elements. bonds: "vector" or "scalar"."""
    view = MaximalView(model)
    contributions = gather(model, view)
    in_joint_axes(view, contributions.position, lambda row: True)
    net = filled(structure(view, "lagrange", softness or {}), contributions)
    graph, reading, by_bond = follow_graph(assign(net.graph), net.known_flows(), bonds)
    rows = split_rows(view, contributions, softness)
    answered = answers(net, reading, rows)
    read_off = [pushes_of(net, reading), flows_of(net, reading, rows), efforts_of(net, reading, rows)]
    efforts, rows.all_velocity, rows.all_pull = answered(read_off)
    added, owed = maximal.inertias(view, contributions)
    open_ = ca.vertcat(
        rows.multipliers, forces_of(contributions.contacts), *(x.acceleration for x in contributions.inertias)
    )
    nothing = SX.zeros(open_.numel(), 1)
    return maximal.finished(
        view,
        contributions,
        rows,
        ca.sparsify(masses_of(net) + added),
        ca.substitute(efforts, open_, nothing) - owed,
        -ca.jacobian(efforts, rows.multipliers).T,
        stabilisation=stabilisation,
        softness=softness,
        probes=probes(by_bond, answered),
        graph=graph,
    )
