"""Zero-order causal paths (BND 3.3.2): ideal joints as flow sources, dependent inertias in derivative causality.

Flow sources that would contradict others are opened by break variables: efforts that bring the wanted flow about. What
is left are the flows v of the inertias in integral causality. The others follow, V = T v + c, and so do their efforts,
e = M d(T v + c)/dt; both are read off the graph. With these put in, the efforts on the independent inertias give
(M_i + TᵀM_d T) v̇ + Aᵀλ = f, the system an implicit solver would have to solve in every step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypedDict

import casadi as ca
import numpy as np

from linkwork.algebra.proximal import KKT, REACH, Order
from linkwork.bondgraph.assigning.causality import Causality, assign
from linkwork.bondgraph.reading.reading import Reading, SingularLoop, read
from linkwork.contact.places import forces_of
from linkwork.core.equations import Deferred, Equations, Motion, Row
from linkwork.formulations import maximal
from linkwork.formulations.bondgraph.loads import multibond
from linkwork.formulations.bondgraph.net import Multibond
from linkwork.formulations.bondgraph.reading import (
    answers,
    efforts_of,
    flows_of,
    follow_graph,
    masses_of,
    probes,
    pushes_of,
    speeds_of,
)
from linkwork.formulations.constraint_rows import gamma_of, split_rows
from linkwork.formulations.contributions import Contributions, gather
from linkwork.formulations.equations_of_parts import equations_of_parts
from linkwork.formulations.maximal_view import MaximalView, qdot_of, state_names_of
from linkwork.formulations.order import order_of, scales, steps
from linkwork.formulations.relative_twist import in_joint_axes
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.formulations.starting import Picked, State
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.core.model import Model


class StatesOfFlows(TypedDict):
    """What `equations_of_parts` is told of the states."""

    names: list[str]
    scale: np.ndarray
    steps: np.ndarray
    start: State


class DependentView(MaximalView):
    """Bodies as independent movers, until `speeds_by_independent` says which speeds follow from the others."""

    def __init__(self, model: Model):
        super().__init__(model)
        self.speeds_by_independent = self.v

    def in_states(self, expressions: list[SX]) -> list[SX]:
        expressions = ca.substitute(expressions, [self.v], [self.speeds_by_independent])
        return super().in_states(expressions)


@dataclass(frozen=True)
class Flows:
    """Flows v of the inertias in integral causality (`free` among all), V = T v + c of all, V̇ = T v̇ + bias."""

    free: list[int]
    v: SX
    a: SX
    V: SX
    T: SX
    V_dot: SX


@dataclass(frozen=True)
class Positions:
    """Positions of all bodies on all ideal joints, closed by flow sources or opened."""

    view: DependentView
    order: Order
    position: SX
    jacobian: SX
    mass: SX
    T: SX

    def retract(self, q: SX, step: SX) -> SX:
        """Of second order: T belongs to the middle of the way."""
        half = self.view.retract(q, ca.substitute(self.T, self.view.q, q) @ (step / 2))
        return self.view.retract(q, ca.substitute(self.T, self.view.q, half) @ step)

    def project(self) -> SX:
        """Of all bodies, by the shortest way in the mass metric."""
        view = self.view
        if not self.position.numel():
            return view.retract(view.q, SX.zeros(view.v.numel(), 1))
        kkt = KKT(self.mass, self.jacobian, self.order)
        return view.retract(view.q, kkt.project(self.position, reach=REACH * steps(view)))


def formulate(
    model: Model,
    *,
    stabilisation: Projection | Baumgarte | None = None,
    softness: Mapping[Row, tuple[float, float]] | None = None,
    bonds: str = "vector",
) -> Equations:
    """Blocked flows by flow sources; those that must be opened by break variables have multipliers."""
    view = DependentView(model)
    contributions = gather(model, view)
    in_joint_axes(view, contributions.position, lambda row: True)
    net, causality = opened(view, contributions, softness)
    graph, reading, by_bond = follow_graph(causality, net.known_flows(), bonds)
    rows = split_rows(view, contributions, softness)
    by_body = ca.jacobian(rows.all_velocity, view.v)
    ideal, names = rows.position, rows.names[: rows.position.numel()]  # of all ideal joints, closed or opened
    ideal_jacobian = ca.jacobian(view.time_derivative(ideal), view.v)
    masses = masses_of(net)
    flows = _flows(view, contributions, net, causality, reading)
    multiplied = {e.element.name for e in reading.enforced}
    rows.hard = [k for k in rows.hard if net.blocked[rows.all_names[k]].element in multiplied]
    rows.multipliers = SX.sym("lambda", len(rows.hard))
    answered = answers(net, reading, rows, masses @ flows.V_dot, _felt(view, contributions, flows))
    read_off = [pushes_of(net, reading), flows_of(net, reading, rows), efforts_of(net, reading, rows)]
    efforts, velocity, rows.all_pull = answered(read_off)
    observed = maximal.observed(
        view, contributions, replace(rows), by_body, flows.V_dot
    )  # with the rows as the bodies have them
    rows.all_velocity = velocity
    balance = (masses @ flows.V_dot)[flows.free] - efforts[flows.free]
    mass, force, jacobian = _linear(balance, flows.a, rows.multipliers, forces_of(contributions.contacts))
    gamma = gamma_of(view, contributions, rows, stabilisation)
    view.speeds_by_independent = flows.V
    whole = order_of(view, names, ideal_jacobian, of_bodies=True)
    order = order_of(view, rows.names, by_body[rows.hard, :] if rows.hard else SX(0, view.v.numel()))
    positions = Positions(view, whole, *view.in_states([ideal, ideal_jacobian, masses, flows.T]))
    eq = equations_of_parts(
        view,
        contributions,
        observed,
        q=view.q,
        v=flows.v,
        a=flows.a,
        motion=Motion(qdot_of(view), mass, force, positions.retract, order=order),
        jacobian=jacobian,
        gamma=gamma,
        rows=rows,
        stabilisation=stabilisation,
        softness=softness,
        probes=probes(by_bond, answered),
        graph=graph,
        **_states(view, flows.free),
        projected=Deferred(lambda: _projected(eq, positions, flows.v, order)),
    )
    return eq


def _flows(
    view: DependentView, contributions: Contributions, net: Multibond, causality: Causality, reading: Reading
) -> Flows:
    """V = T v + c, read off the graph, and its rate."""
    free = _independent(net, causality)
    v, a = view.v[free], SX.sym("a", len(free))
    V = ca.densify(speeds_of(net, reading))
    T = ca.jacobian(V, v)
    bias = ca.substitute(view.time_derivative(V), view.v, V)
    for _, symbol, rate in contributions.first_order:  # drives whose speed is a state
        bias += ca.jacobian(V, symbol) @ rate
    return Flows(free, v, a, V, T, T @ a + bias)


def _felt(view: DependentView, contributions: Contributions, flows: Flows) -> list[tuple[SX, SX]]:
    """Accelerations of the coordinates that inertias of components with ports are rigidly joined to."""
    return [
        (x.acceleration, view.acceleration(view.rate(x.second), flows.V_dot, flows.a)) for x in contributions.inertias
    ]


def _linear(balance: SX, a: SX, multipliers: SX, contacts: SX) -> tuple[SX, SX, SX]:
    """Mass, force and jacobian of a balance M a + Aᵀλ − f; contacts: forces that are left out of f."""
    unknown = ca.vertcat(a, multipliers, contacts)
    force = -ca.substitute(balance, unknown, SX.zeros(unknown.numel(), 1))
    return ca.triu2symm(ca.triu(ca.jacobian(balance, a))), force, ca.jacobian(balance, multipliers).T


def _states(view: DependentView, free: list[int]) -> StatesOfFlows:
    """Positions of all bodies, and the speeds that are free."""
    names, n = state_names_of(view), view.q.numel()

    return {
        "names": names[:n] + [names[n + k] for k in free],
        "scale": scales(view)[[*range(n), *(n + k for k in free)]],
        "steps": steps(view)[free],
        "start": Picked(view.start, [*range(n), *(n + k for k in free)]),
    }


def _projected(eq: Equations, positions: Positions, v: SX, order: Order) -> list[SX]:
    """Positions of all bodies; then the speeds that are states."""
    q = positions.project()
    if not eq.constraints.velocity.numel():
        return [q, v]
    rows = [eq.motion.mass, eq.constraints.jacobian, eq.constraints.velocity]
    M, A, wrong = ca.substitute(rows, [positions.view.q], [q])
    return [q, v + KKT(M, A, order).project(wrong)]


def opened(
    view: MaximalView, contributions: Contributions, softness: Mapping[Row, tuple[float, float]] | None
) -> tuple[Multibond, Causality]:
    """The graph with as many flow sources opened as it takes: first by causality, then where flows go in circles.

    Flows round a closed chain of hinges (class 4) determine each other, often with gain one. Then the chain says
    nothing of the flow itself but asks for an effort: one source of the chain is opened.
    """
    extra: list[str] = []
    while True:
        net = multibond(view, contributions, joints="ideal", softness=softness, opened=extra)
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
    speeds: list[int] = []
    k = 0
    for name in net.inertias():
        size = net.graph[name].size
        if name not in derivative:
            speeds += range(k, k + size)
        k += size
    return speeds
