"""Minimal coordinates from the graph (BND 3.3.1): virtual inertia and gyristor.

Flow sources at the joints' rates u determine all flows, V = T u + c, and receive the efforts that all elements send
back. With ṗ = M d(T u + c)/dt for the inertias, all of which are dependent, that effort is Ĩ u̇ + MGR u + … − Tᵀf, with
the virtual inertia Ĩ = TᵀM T (12) and the gyristor TᵀM Ṫ (13). It must vanish, as there are no such sources in the
mechanism. Loops: cut joints, with efforts that keep them closed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import casadi as ca

from linkwork.bondgraph.assigning.causality import assign
from linkwork.components.relations import Dependence
from linkwork.contact.places import forces_of, push_of
from linkwork.core.equations import Equations, Row
from linkwork.core.errors import ModelError
from linkwork.formulations import maximal
from linkwork.formulations.bondgraph.loads import filled
from linkwork.formulations.bondgraph.reading import (
    answers,
    effort_on,
    efforts_of,
    flows_of,
    follow_graph,
    masses_of,
    probes,
    speeds_of,
)
from linkwork.formulations.bondgraph.tree import TreeMultibond
from linkwork.formulations.constraint_rows import gamma_of, split_rows
from linkwork.formulations.contributions import gather
from linkwork.formulations.equations_on_tree import equations_on_tree
from linkwork.formulations.order import ordered
from linkwork.formulations.relative_twist import in_joint_axes
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.formulations.tree_reactions import observed_on_tree
from linkwork.formulations.tree_view import TreeView
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.core.model import Model


def formulate(
    model: Model,
    *,
    stabilisation: Projection | Baumgarte | None = None,
    softness: Mapping[Row, tuple[float, float]] | None = None,
    bonds: str = "vector",
) -> Equations:
    """Ĩ u̇ + Aᵀλ = f, A u̇ = γ: everything by following efforts and flows through the graph."""
    if model.of_type(Dependence):
        raise ModelError(
            "closed-form solutions of loops are not read from graphs.",
            component=model.of_type(Dependence)[0].name,
            remedy="Use formulation='minimal', or take the dependence out.",
        )
    view = TreeView(model)
    contributions = gather(model, view)
    in_joint_axes(view, contributions.position, lambda row: True)
    resting = view.carried(SX.zeros(view.rates.numel(), 1))
    view.carry(resting)
    net = filled(TreeMultibond(view, "lagrange", softness or {}), contributions)
    graph, reading, by_bond = follow_graph(assign(net.graph), {}, bonds)
    rows = split_rows(view, contributions, softness)
    masses = masses_of(net)
    u, a = view.rates, SX.sym("a", view.rates.numel())
    V = speeds_of(net, reading)
    V_dot = ca.jacobian(V, u) @ a + ca.substitute(view.time_derivative(V), view.v, V)
    felt = [(x.acceleration, view.acceleration(view.rate(x.second), V_dot, a)) for x in contributions.inertias]
    answered = answers(net, reading, rows, masses @ V_dot, felt)
    back = ca.vertcat(SX(0, 1), *(-effort_on(net, reading, name) for name in net.sources))
    push = maximal.applied(view, contributions.loads) - rows.soft_pull + push_of(contributions.contacts, view)
    for c, effort in contributions.efforts.items():
        if c not in view.direct and c not in view.driven:
            push += ca.jacobian(view.rate(c), view.v).T @ effort
    back, flows, rows.all_pull = answered([back, flows_of(net, reading, rows), efforts_of(net, reading, rows)])
    order = ordered(view, rows) if rows.hard else None
    observed = observed_on_tree(
        view, contributions, replace(rows), push, V_dot
    )  # with the rows as the bodies have them
    rows.all_velocity = flows
    unknown = ca.vertcat(a, rows.multipliers, forces_of(contributions.contacts))
    force = -ca.substitute(back, unknown, SX.zeros(unknown.numel(), 1))
    mass = ca.triu2symm(ca.triu(ca.jacobian(back, a)))
    return equations_on_tree(
        view,
        contributions,
        observed,
        rows,
        a,
        mass=mass,
        force=force,
        jacobian=ca.jacobian(back, rows.multipliers).T,
        gamma=gamma_of(view, contributions, rows, stabilisation),
        stabilisation=stabilisation,
        softness=softness,
        probes=probes(by_bond, answered),
        graph=graph,
        order=order,
    )
