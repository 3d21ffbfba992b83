"""Equations read off the multibond graph (BND 3.3): Lagrange multipliers and R/C elements.

The graph is built from the model, its causality assigned, and efforts and flows are followed in causal order. With v
the flows of the inertias, ṗ = e(v, λ) and the blocked flows give M v̇ + Aᵀλ = f and A v = b: A and Aᵀ are read
separately, one along the flows and one along the efforts. They can be read off the graph with scalar bonds as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import casadi as ca

from linkwork.bondgraph.assigning.causality import assign
from linkwork.core.equations import Equations, Row
from linkwork.formulations import maximal
from linkwork.formulations.bondgraph.loads import in_joint_axes, multibond
from linkwork.formulations.bondgraph.net import Multibond
from linkwork.formulations.bondgraph.reading import (
    efforts_of,
    flows_of,
    followed,
    multipliers_of,
    probes,
)
from linkwork.formulations.contributions import gather
from linkwork.formulations.maximal_view import MaximalView, qdot_of, state_names_of
from linkwork.formulations.packing import packed
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.geometry import SX


def formulate(
    model: Any,
    *,
    stabilisation: Projection | Baumgarte | None = None,
    softness: Mapping[Row, tuple[float, float]] | None = None,
    bonds: str = "vector",
    structure: type[Multibond] = Multibond,
) -> Equations:
    """Blocked flows by efforts that keep them so (MSe), soft ones by R/C elements. bonds: "vector" or "scalar"."""
    view = MaximalView(model)
    got = gather(model, view)
    in_joint_axes(view, got)
    net = multibond(view, got, joints="lagrange", softness=softness, kind=structure)
    graph, reading, by_bond = followed(assign(net.graph), net.known_flows(), bonds)
    rows = maximal.split_rows(view, got, softness)
    put = multipliers_of(net, reading, rows)
    efforts = ca.vertcat(SX(0, 1), *(reading.effort[net.graph.bond_at(net.graph[n], 0)] for n in net.inertias()))
    read_off = [efforts, flows_of(net, reading, rows), efforts_of(net, reading, rows)]
    efforts, rows.all_velocity, rows.all_pull = put(read_off)
    nothing = SX.zeros(rows.multipliers.numel(), 1)
    force = ca.substitute(efforts, rows.multipliers, nothing)
    transposed = -ca.jacobian(efforts, rows.multipliers)
    a = SX.sym("a", view.v.numel())
    seen = maximal.observed(view, got, rows, ca.jacobian(rows.all_velocity, view.v), a)
    return packed(
        view,
        got,
        seen,
        q=view.q,
        v=view.v,
        a=a,
        qdot=qdot_of(view),
        mass=maximal.masses(view),
        force=force,
        position=rows.position,
        velocity=rows.velocity,
        jacobian=transposed.T,
        gamma=maximal.gamma_of(view, got, rows, stabilisation),
        multipliers=rows.multipliers,
        rows=rows.names,
        names=state_names_of(view),
        stabilisation=stabilisation,
        softness=softness,
        probes=probes(by_bond, put),
        graph=graph,
        retract=view.retract,
        start=view.start,
        stiff=bool(rows.soft),
    )
