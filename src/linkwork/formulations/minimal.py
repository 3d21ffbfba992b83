"""Joint coordinates along a spanning tree (BND 3.3.1; SYM).

Trees: accelerations by the articulated-body recursion, O(n). Loops: cut joints with multipliers; then with T the
velocity transformation V = T v of all bodies, TᵀM T v̇ + (A T)ᵀλ = Tᵀ(f − M Ṫv): BND's virtual inertia (12) and
gyristor (13). Motion laws on tree joints are built in exactly, ball joints have no singular angles.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import casadi as ca

from linkwork.components.bodies import Body
from linkwork.components.coordinate import Coordinate
from linkwork.components.joint import Joint
from linkwork.components.relations import Dependence
from linkwork.core.component import Constraint
from linkwork.core.equations import Equations, Row
from linkwork.formulations import maximal, observe
from linkwork.formulations.articulated import accelerations
from linkwork.formulations.charts import Chart
from linkwork.formulations.contributions import Contributions, gather
from linkwork.formulations.dependence import reduced
from linkwork.formulations.inwards import joint_wrenches
from linkwork.formulations.recursion import Moving, child_marker
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.formulations.tree_view import TreeView
from linkwork.geometry import SX


def formulate(
    model: Any,
    *,
    stabilisation: Projection | Baumgarte | None = None,
    softness: Mapping[Row, tuple[float, float]] | None = None,
    recursion: bool = True,
) -> Equations:
    """Tree: v̇ explicit. Loops: TᵀM T v̇ + (A T)ᵀλ = Tᵀ(f − M Ṫv), A T v̇ = γ − A Ṫv.

    recursion=False: the mass matrix of trees too, for equations to read. Position matrices (SYM (8)) have it always.
    """
    view = TreeView(model)
    got = gather(model, view)
    resting = view.carried(SX.zeros(view.rates.numel(), 1))
    view.carry(resting)
    rows = maximal.split_rows(view, got, softness)
    push = maximal.applied(view, got.loads) - rows.soft_pull
    efforts = SX.zeros(view.rates.numel(), 1)
    for c, effort in got.efforts.items():
        if c in view.direct or c in view.variables:
            efforts += ca.jacobian(view.rate(c), view.rates).T @ effort
        elif c not in view.driven:
            push += ca.jacobian(view.rate(c), view.v).T @ effort
    a, multipliers = SX.sym("a", view.rates.numel()), rows.multipliers
    gamma = maximal.gamma_of(view, got, rows, stabilisation)
    if rows.hard or view.variables or not recursion:
        _, speeds, drift = view.stacked(resting, SX.zeros(len(view.variables), 1))
        T = ca.jacobian(speeds, view.rates)
        M = maximal.masses(view)
        by_body, by_rate = ca.jacobian(rows.velocity, view.v), ca.jacobian(rows.velocity, view.chart_rates)
        by_rate = ca.horzcat(by_rate, SX(by_rate.shape[0], len(view.variables)))  # these are among view.v
        by_body, by_rate, own, push_, gamma = view.in_states([by_body, by_rate, maximal.own_forces(view), push, gamma])
        mass = T.T @ M @ T
        force = efforts + T.T @ (own + push_ - M @ drift)
        jacobian, gamma = by_body @ T + by_rate, gamma - by_body @ drift
    else:
        mass, jacobian = SX.eye(view.rates.numel()), SX(0, view.rates.numel())
        force = _articulated(view, efforts, push)
    moving = view.carried(a)
    body_acceleration = view.stacked(moving, view.split(a)[-1])[2]
    seen = _observed(view, got, rows, push, moving, body_acceleration)
    outputs, names = observe.channels(model, view, got, seen)
    turn_states = [(c.name, symbol, view.rate(c)) for c, symbol in view.turns.items()]
    first_order = got.first_order + [s for chart in view.charts for s in chart.first_order]
    states = turn_states + first_order + seen.work
    z, zdot = ca.vertcat(*(s for _, s, _ in states)), ca.vertcat(*(d for _, _, d in states))
    exprs = [force, zdot, rows.position, rows.velocity, *outputs, *(g for _, g in got.events)]
    force, zdot, position, velocity, *rest = view.in_states(exprs)
    (force, mass, jacobian, gamma) = view.in_states([force, mass, jacobian, gamma])
    values, switches = rest[: len(outputs)], rest[len(outputs) :]
    variables = [v.name for v in view.variables]
    n_states = view.coordinates.numel() + view.rates.numel()
    equations = Equations(
        t=view.t,
        q=view.coordinates,
        v=view.rates,
        z=z,
        parameters=ca.vertcat(*model.symbols(model.parameters)),
        inputs=ca.vertcat(*model.symbols(model.inputs)),
        a=a,
        multipliers=multipliers,
        qdot=view.in_states([view._qdot()])[0],
        mass=mass,
        force=ca.densify(force),
        zdot=zdot,
        position=position,
        velocity=velocity,
        jacobian=jacobian,
        gamma=gamma,
        retract=view.retract,
        start=view.start,
        rows=rows.names,
        outputs={name: (unit, value) for (name, unit), value in zip(names, values, strict=True)},
        events=[(e, g) for (e, _), g in zip(got.events, switches, strict=True)],
        unweighted=[False] * n_states + [True] * len(turn_states) + [False] * (len(states) - len(turn_states)),
        state_names=[
            *(chart.link.body.name for chart in view.charts for _ in range(chart.q.numel())),
            *variables,
            *(chart.link.body.name for chart in view.charts for _ in range(chart.v.numel())),
            *variables,
            *(name for name, _, _ in states),
        ],
        speed_names=[*(name for chart in view.charts for name in chart.speed_names()), *variables],
        starts=got.starts,
        stabilised=isinstance(stabilisation, Baumgarte),
        softness=softness or {},
        stiff=bool(rows.soft),
    )
    return reduced(model, equations, view.direct) if model.of_type(Dependence) else equations


def _articulated(view: TreeView, efforts: SX, push: SX) -> SX:
    pushes = {}
    for chart in view.charts:
        part = push[view.slice(chart.link.body)]
        if part.nnz() and not ca.simplify(part).is_zero():
            pushes[chart.link.body.name] = _in_joint_frame(view, chart, part)
    return ca.vertcat(*accelerations(view.charts, view.model.gravity, view.split(efforts)[:-1], pushes))


def _in_joint_frame(view: TreeView, chart: Chart, push: SX) -> tuple[SX, SX]:
    """(moment, force) about the child's joint frame, in its axes, of a generalised force on the body."""
    R = view.body(chart.link.body).R
    force = R.T @ (ca.vertcat(push[0], push[1], 0) if view.planar else push[:3])
    moment = ca.vertcat(0, 0, push[2]) if view.planar else push[3:6]
    local = child_marker(chart)
    f = local.R.T @ force
    centre = -(local.R.T @ local.p)
    return local.R.T @ moment + ca.cross(centre, f), f


def _observed(
    view: TreeView, got: Contributions, rows: maximal.Rows, push: SX, moving: dict[str, Moving], acceleration: SX
) -> observe.Observed:
    """Reactions: cut joints by their rows; tree joints by Newton and Euler from the tips inwards."""
    by_body = ca.jacobian(rows.all_velocity, view.v)
    pull = rows.all_pull
    outside = push + rows.soft_pull - by_body.T @ pull
    balance = maximal.masses(view) @ acceleration - maximal.own_forces(view) - outside
    wrenches = joint_wrenches(view, balance)
    charts = {chart.link.joint.name: chart for chart in view.charts if chart.link.joint is not None}
    totals: dict[Coordinate, SX] = {}
    for chart in charts.values():
        wrench = _as_spatial(view, chart, wrenches[chart.link.body.name])
        along = chart.S.T @ wrench
        totals |= {c: ca.jacobian(rate, chart.v) @ along for c, (_, rate) in chart.direct.items()}
        totals |= {c: d.S.T @ wrench for c, d in chart.driven.items()}

    def of_joint(joint: Joint, body: Body) -> tuple[SX, SX]:
        if joint.name not in charts:
            return observe.pull_of_rows(view, body, by_body, pull, rows.of(joint.name))
        chart = charts[joint.name]
        child = chart.link.body
        force, moment = wrenches[child.name]
        for c in [*chart.direct, *chart.driven]:
            effort = ca.jacobian(view.body_rate(c), view.v[view.slice(child)]).T @ totals[c]
            f, m = _as_vectors(view, child, effort)
            force, moment = force - f, moment - m
        if body is child:
            return force, moment
        arm = view.body(child).p - view.body(body).p
        return -force, -moment - ca.cross(arm, force)

    def servo(c: Coordinate) -> SX:
        if c not in view.driven:
            return -sum((pull[k] for k in rows.of(c.name)), SX(0))
        by_rate = ca.jacobian(rows.all_velocity, view.driven[c].rate_symbol)
        return totals[c] - got.efforts.get(c, SX(0)) + by_rate.T @ pull

    servos = sum((servo(c) * view.rate(c) for c in view.driven), SX(0))
    return observe.Observed(
        acceleration=acceleration,
        pull=of_joint,
        servo=servo,
        multipliers={
            c.name: [pull[k] for k in rows.of(c.name)] for c in view.model.of_type(Constraint) if rows.of(c.name)
        },
        position=rows.all_position,
        velocity=rows.all_velocity,
        work=maximal.work_states(view, got, rows.all_velocity, pull, servos),
    )


def _as_spatial(view: TreeView, chart: Chart, wrench: tuple[SX, SX]) -> SX:
    """(moment, force) about the child's joint frame in its axes, of a wrench at the mass centre in world axes."""
    force, moment = wrench
    R = view.body(chart.link.body).R
    local = child_marker(chart)
    f = local.R.T @ (R.T @ force)
    return ca.vertcat(local.R.T @ (R.T @ moment) + ca.cross(-(local.R.T @ local.p), f), f)


def _as_vectors(view: TreeView, body: Body, effort: SX) -> tuple[SX, SX]:
    if view.planar:
        return ca.vertcat(effort[0], effort[1], 0), ca.vertcat(0, 0, effort[2])
    return effort[:3], view.body(body).R @ effort[3:6]
