"""Zero-order causal paths (BND 3.3.2): ideal joints as flow sources, dependent inertias in derivative causality.

Flow sources that would contradict others are opened by break variables: efforts that bring the wanted flow about. What
is left are the flows v of the inertias in integral causality. The others follow, V = T v + c, and so do their efforts,
e = M d(T v + c)/dt; both are read off the graph. With these put in, the efforts on the independent inertias give
(M_i + TᵀM_d T) v̇ + Aᵀλ = f, the system an implicit solver would have to solve in every step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from linkwork.algebra.proximal import KKT, REACH
from linkwork.bondgraph.assigning.causality import Causality, assign
from linkwork.bondgraph.reading.reading import SingularLoop, read
from linkwork.core.equations import Deferred, Equations, Motion, Placement, Row
from linkwork.formulations import maximal
from linkwork.formulations.bondgraph.loads import multibond
from linkwork.formulations.bondgraph.net import Multibond
from linkwork.formulations.bondgraph.reading import (
    answers,
    efforts_of,
    flows_of,
    followed,
    masses_of,
    probes,
    pushes_of,
    speeds_of,
)
from linkwork.formulations.constraint_rows import gamma_of, split_rows
from linkwork.formulations.contributions import Contributions, gather
from linkwork.formulations.maximal_view import MaximalView, qdot_of, state_names_of
from linkwork.formulations.order import order_of, scales, steps
from linkwork.formulations.packing import packed
from linkwork.formulations.relative_twist import in_joint_axes
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.core.model import Model


class DependentView(MaximalView):
    """Bodies as independent movers, until `speeds_by_independent` says which speeds follow from the others."""

    def __init__(self, model: Model):
        super().__init__(model)
        self.speeds_by_independent = self.v

    def in_states(self, expressions: list[SX]) -> list[SX]:
        expressions = ca.substitute(expressions, [self.v], [self.speeds_by_independent])
        return super().in_states(expressions)


def formulate(
    model: Model,
    *,
    stabilisation: Projection | Baumgarte | None = None,
    softness: Mapping[Row, tuple[float, float]] | None = None,
    bonds: str = "vector",
) -> Equations:
    """Blocked flows by flow sources; those that must be opened by break variables have multipliers."""
    view = DependentView(model)
    got = gather(model, view)
    in_joint_axes(view, got.position, lambda row: True)
    net, causality = opened(view, got, softness)
    graph, reading, by_bond = followed(causality, net.known_flows(), bonds)
    rows = split_rows(view, got, softness)
    all_jacobian = ca.jacobian(rows.all_velocity, view.v)
    ideal_names = rows.names[: rows.position.numel()]
    ideal = rows.position  # of all ideal joints, closed or opened
    ideal_jacobian = ca.jacobian(view.time_derivative(ideal), view.v)
    masses = masses_of(net)
    free = _independent(net, causality)
    v, a = view.v[free], SX.sym("a", len(free))
    V = ca.densify(speeds_of(net, reading))
    T = ca.jacobian(V, v)
    bias = ca.substitute(view.time_derivative(V), view.v, V)
    for _, symbol, rate in got.first_order:  # drives whose speed is a state
        bias += ca.jacobian(V, symbol) @ rate
    V_dot = T @ a + bias
    multiplied = {e.element.name for e in reading.enforced}
    rows.hard = [k for k in rows.hard if net.blocked[rows.all_names[k]].element in multiplied]
    rows.multipliers = SX.sym("lambda", len(rows.hard))
    felt = [(x.acceleration, view.acceleration(view.rate(x.second), V_dot, a)) for x in got.inertias]
    put = answers(net, reading, rows, masses @ V_dot, felt)
    read_off = [pushes_of(net, reading), flows_of(net, reading, rows), efforts_of(net, reading, rows)]
    efforts, flows, rows.all_pull = put(read_off)
    seen = maximal.observed(view, got, replace(rows), all_jacobian, V_dot)  # with the rows as the bodies have them
    rows.all_velocity = flows
    balance = (masses @ V_dot)[free] - efforts[free]
    unknown = ca.vertcat(a, rows.multipliers)
    force = -ca.substitute(balance, unknown, SX.zeros(unknown.numel(), 1))
    mass = ca.triu2symm(ca.triu(ca.jacobian(balance, a)))
    jacobian = ca.jacobian(balance, rows.multipliers).T
    gamma = gamma_of(view, got, rows, stabilisation)
    view.speeds_by_independent = V
    names = state_names_of(view)
    n = view.q.numel()
    whole = order_of(view, ideal_names, ideal_jacobian, of_bodies=True)
    order = order_of(view, rows.names, all_jacobian[rows.hard, :] if rows.hard else SX(0, view.v.numel()))
    full = {"position": ideal, "jacobian": ideal_jacobian, "mass": masses, "T": T}
    full = dict(zip(full, view.in_states(list(full.values())), strict=True))

    def retract(q: SX, step: SX) -> SX:
        """Of second order: T belongs to the middle of the way."""
        half = view.retract(q, ca.substitute(full["T"], view.q, q) @ (step / 2))
        return view.retract(q, ca.substitute(full["T"], view.q, half) @ step)

    def projected() -> list[SX]:
        """Positions of all bodies by the shortest way in the mass metric; then the speeds that are states."""
        q = view.q
        if full["position"].numel():
            kkt = KKT(full["mass"], full["jacobian"], whole)
            q = view.retract(q, kkt.closest(full["position"], reach=REACH * steps(view)))
        else:
            q = view.retract(q, SX.zeros(view.v.numel(), 1))
        if not eq.constraints.velocity.numel():
            return [q, v]
        M, A, wrong = ca.substitute([eq.motion.mass, eq.constraints.jacobian, eq.constraints.velocity], [view.q], [q])
        return [q, v + KKT(M, A, order).closest(wrong)]

    def start(placed: Placement) -> np.ndarray:
        whole = view.start(placed)
        return np.concatenate([whole[:n], whole[n:][free]])

    eq = packed(
        view,
        got,
        seen,
        q=view.q,
        v=v,
        a=a,
        motion=Motion(qdot_of(view), mass, force, retract, order=order),
        jacobian=jacobian,
        gamma=gamma,
        rows=rows,
        names=names[:n] + [names[n + k] for k in free],
        stabilisation=stabilisation,
        softness=softness,
        probes=probes(by_bond, put),
        graph=graph,
        scale=scales(view)[[*range(n), *(n + k for k in free)]],
        steps=steps(view)[free],
        start=start,
        projected=Deferred(projected),
    )
    return eq


def opened(view: MaximalView, got: Contributions, softness: Any) -> tuple[Multibond, Causality]:
    """The graph with as many flow sources opened as it takes: first by causality, then where flows go in circles.

    Flows round a closed chain of hinges (class 4) determine each other, often with gain one. Then the chain says
    nothing of the flow itself but asks for an effort: one source of the chain is opened.
    """
    extra: list[str] = []
    while True:
        net = multibond(view, got, joints="ideal", softness=softness, opened=extra)
        causality = assign(net.graph, method="relaxed")
        try:
            read(causality, net.known_flows(), flow_circles=False)
        except SingularLoop as error:
            if not error.sources:
                raise  # nothing on the circle could be opened
            extra.append(error.sources[0])
        else:
            return net, causality


def _independent(net: Multibond, causality: Causality) -> list[int]:
    """Indices of the speeds whose inertias are in integral causality."""
    derivative = {element.name for element, _ in causality.derivative}
    found: list[int] = []
    k = 0
    for name in net.inertias():
        size = net.graph[name].size
        if name not in derivative:
            found += range(k, k + size)
        k += size
    return found
