"""Minimal coordinates from the graph (BND 3.3.1): virtual inertia and gyristor.

Flow sources at the joints' rates u determine all flows, V = T u + c, and receive the efforts that all elements send
back. With ṗ = M d(T u + c)/dt for the all of which are dependent, that effort is Ĩ u̇ + MGR u + … − Tᵀf, with
the virtual inertia Ĩ = TᵀM T (12) and the gyristor TᵀM Ṫ (13). It must vanish, as there are no such sources in the
mechanism. Loops: cut joints, with efforts that keep them closed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import casadi as ca

from linkwork.bondgraph.assigning.causality import assign
from linkwork.bondgraph.reading.reading import Reading
from linkwork.components.relations import Dependence
from linkwork.core.equations import Equations, Row
from linkwork.core.errors import ModelError
from linkwork.formulations import maximal
from linkwork.formulations.bondgraph.loads import in_joint_axes, multibond
from linkwork.formulations.bondgraph.reading import efforts_of, flows_of, followed, probes
from linkwork.formulations.bondgraph.tree import TreeMultibond
from linkwork.formulations.contributions import gather
from linkwork.formulations.packing import packed
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.formulations.tree_reactions import observed_on_tree
from linkwork.formulations.tree_view import TreeView
from linkwork.geometry import SX


def formulate(
    model: Any,
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
    got = gather(model, view)
    in_joint_axes(view, got)
    resting = view.carried(SX.zeros(view.rates.numel(), 1))
    view.carry(resting)
    net: TreeMultibond = multibond(view, got, joints="lagrange", softness=softness, kind=TreeMultibond)
    graph, reading, by_bond = followed(assign(net.graph), {}, bonds)
    rows = maximal.split_rows(view, got, softness)
    masses = maximal.masses(view)
    u, a = view.rates, SX.sym("a", view.rates.numel())
    flows = (reading.flow[net.graph.bond_at(net.graph[n], 0)] for n in net.inertias())
    V = ca.vertcat(SX(0, 1), *flows, view.rates_of_symbols)
    V_dot = ca.jacobian(V, u) @ a + ca.substitute(view.time_derivative(V), view.v, V)
    put = _put(net, reading, rows, masses @ V_dot)
    sources = [net.sources[chart.link.body.name] for chart in view.charts if chart.v.numel()]
    sources += [net.sources[v.name] for v in view.variables]
    back = ca.vertcat(SX(0, 1), *(_effort(net, reading, name) for name in sources))
    push = maximal.applied(view, got.loads) - rows.soft_pull
    for c, effort in got.efforts.items():
        if c not in view.direct and c not in view.driven:
            push += ca.jacobian(view.rate(c), view.v).T @ effort
    back, flows, rows.all_pull = put([back, flows_of(net, reading, rows), efforts_of(net, reading, rows)])
    seen = observed_on_tree(view, got, replace(rows), push, V_dot)  # with the rows as the bodies have them
    rows.all_velocity = flows
    unknown = ca.vertcat(a, rows.multipliers)
    force = -ca.substitute(back, unknown, SX.zeros(unknown.numel(), 1))
    mass = ca.triu2symm(ca.triu(ca.jacobian(back, a)))
    transposed = ca.jacobian(back, rows.multipliers)
    variables = [v.name for v in view.variables]
    owners = [chart.link.body.name for chart in view.charts for _ in range(chart.q.numel())] + variables
    return packed(
        view,
        got,
        seen,
        q=view.coordinates,
        v=u,
        a=a,
        qdot=view._qdot(),
        mass=mass,
        force=force,
        position=rows.position,
        velocity=rows.velocity,
        jacobian=transposed.T,
        gamma=maximal.gamma_of(view, got, rows, stabilisation),
        multipliers=rows.multipliers,
        rows=rows.names,
        names=[*owners, *(c.link.body.name for c in view.charts for _ in range(c.v.numel())), *variables],
        first_order=[s for chart in view.charts for s in chart.first_order],
        stabilisation=stabilisation,
        softness=softness,
        probes=probes(by_bond, put),
        graph=graph,
        retract=view.retract,
        start=view.start,
        speed_names=[*(name for chart in view.charts for name in chart.speed_names()), *variables],
        stiff=bool(rows.soft),
    )


def _effort(net: TreeMultibond, reading: Reading, source: str) -> SX:
    """What a flow source has to push with."""
    return reading.effort[net.graph.bond_at(net.graph[source], 0)]


def _put(net: TreeMultibond, reading: Reading, rows: maximal.Rows, momentum_rate: SX) -> Any:
    """Puts in what the inertias answer, and names the efforts on cut joints as multipliers of their rows."""
    of = {e.element.name: e.symbol for e in reading.enforced}
    old, new = [], []
    for n, row in enumerate(rows.names):
        at = net.blocked[row]
        old.append(of[at.element][at.index])
        new.append(rows.multipliers[n])
    rates, k = {d.element.name: d.symbol for d in reading.dependents}, 0
    for name in net.inertias():
        size = net.graph[name].size
        old.append(rates[name])
        new.append(momentum_rate[k : k + size])
        k += size
    return lambda expressions: ca.substitute(expressions, old, new) if old else expressions
