"""Point coordinates (PRT): bodies as particles; no angles and no rotation matrices in the state.

Particles on joint centres and axes belong to both bodies, so that revolute and spherical constraints vanish. Momentum
equations are generated from the tips of the tree inwards and projected on what each joint leaves free, PRT (20)–(25):
with X the velocities of all particles per unit of joint acceleration u, Xᵀμ(X u + ẍ₀) = forces, and r̈ = X u + r̈₀.
Loops: cut joints with multipliers. Distances (and what joints the particles do not absorb) are kept by projection.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import casadi as ca

from linkwork.algebra import projection
from linkwork.algebra.proximal import KKT, REACH, Order, within
from linkwork.components.bodies import Body
from linkwork.components.coordinate import Coordinate
from linkwork.components.joint import Joint, JointCoordinate
from linkwork.core.equations import Deferred, Equations, Motion, Row
from linkwork.core.errors import ModelError
from linkwork.formulations import maximal, observe
from linkwork.formulations.constraint_rows import Rows, gamma_of, split_rows
from linkwork.formulations.contributions import Contributions, gather
from linkwork.formulations.inwards import joint_wrenches
from linkwork.formulations.order import order_of, steps
from linkwork.formulations.packing import packed
from linkwork.formulations.particle_chain import Chain
from linkwork.formulations.particle_view import PointsView
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.geometry import SX, Wrench

if TYPE_CHECKING:
    from linkwork.core.model import Model


def formulate(
    model: Model,
    *,
    stabilisation: Projection | Baumgarte | None = None,
    softness: Mapping[Row, tuple[float, float]] | None = None,
) -> Equations:
    """Solve for the joint accelerations u (and multipliers of cut joints); r̈ of the particles follows."""
    view = PointsView(model)
    got = gather(model, view)
    rows = split_rows(view, got, softness)
    push = maximal.applied(view, got.loads) - rows.soft_pull
    for c, effort in got.efforts.items():
        push += ca.jacobian(view.rate(c), view.v).T @ effort
    chain = Chain(view)
    u = SX.sym("u", chain.size)
    T, drift = chain.speeds(), chain.drift()
    by_body = ca.jacobian(rows.velocity, view.v)
    order = order_of(view, rows.names, by_body)
    mass, inertial = chain.momentum()
    added, owed = maximal.inertias(view, got)
    mass = mass + T.T @ added @ T
    force = T.T @ (push + _weight(view) - owed - added @ drift) - inertial
    jacobian = by_body @ T
    gamma = gamma_of(view, got, rows, stabilisation) - by_body @ drift
    acceleration = T @ u + drift
    seen = _observed(view, got, rows, push - owed - added @ acceleration, acceleration, chain)
    n = view.points.numel()
    owners = [name for name, _, r, _ in view.fresh for _ in range(2 if view.planar else 3)]
    owners += [v.name for v in view.variables]
    inner, inner_speed, cut, cut_speed = _surface(view, rows)
    if isinstance(stabilisation, Baumgarte) and not cut_speed.numel():
        raise ModelError(
            "its particles are kept on the constraints by projection, and it has no loop for Baumgarte's terms.",
            component=model.name,
            remedy="Use stabilisation='projection', or formulation='absolute'.",
        )
    X, moved = view.in_states([chain.spread(), chain.fresh(u)])
    eq = packed(
        view,
        got,
        seen,
        q=view.points,
        v=view.velocities,
        a=u,
        motion=Motion(view.velocities, mass, force, view.retract),
        jacobian=jacobian,
        gamma=gamma,
        rows=rows,
        names=owners * 2,
        counters=view.counters(),
        first_order=chain.first_order,
        softness=softness,
        start=view.start,
    )
    mass, jacobian = eq.motion.mass, eq.constraints.jacobian
    solution = KKT(mass, jacobian, order.away(cut)).solve(eq.motion.force, eq.constraints.gamma)
    explicit = eq.solved(*solution)
    (moved,) = ca.substitute([moved], [u, eq.multipliers], list(solution))

    def projected() -> list[SX]:
        """Distances first, by the shortest way; then cut joints, by joint motions alone, mass as the metric."""
        q, v, reach = view.points, view.velocities, REACH * steps(view)
        if inner_speed.numel():
            by_point = ca.jacobian(inner_speed, v)
            felt = [ca.sumsqr(row) for row in ca.vertsplit(by_point)]  # rows have units of their own
            rigid = KKT(SX.eye(n), by_point, Order(felt=felt))
            q, v = projection.projected(rigid, q, v, inner, inner_speed, operator.add, steps(view))
        if cut_speed.numel():
            missing = SX.zeros(cut_speed.numel() - cut.numel(), 1)
            # Factors are taken where they are used: next to a singular position old ones would blow errors up.
            M, A, spread, gap = ca.substitute([mass, jacobian, X, cut], [view.points], [q])
            q = q + within(spread @ KKT(M, A, order.away(gap)).closest(ca.vertcat(gap, missing)), reach)
            M, A, spread, slip = ca.substitute([mass, jacobian, X, cut_speed], [view.points, view.velocities], [q, v])
            v = v + spread @ KKT(M, A, order).closest(slip)
        return [q, v]

    tied = eq.constraints.rows
    return replace(
        explicit,
        symbols=replace(explicit.symbols, a=SX.sym("a", n)),
        motion=replace(explicit.motion, mass=SX.eye(n), force=ca.densify(moved)),
        constraints=replace(
            explicit.constraints,
            position=ca.vertcat(inner, cut),
            velocity=ca.vertcat(inner_speed, cut_speed),
            jacobian=SX(0, n),
            gamma=SX(0, 1),
            rows=[],
            projected=Deferred(projected),
            singular_rows=tied or None,
            margins=Deferred(lambda: [KKT(mass, jacobian, order).margins()]) if tied else None,
        ),
    )


def _weight(view: PointsView) -> SX:
    gravity = [*view.model.gravity, 0, 0][: 3 if not view.planar else 2]
    return ca.vertcat(
        *(ca.vertcat(*(b.mass * g for g in gravity), SX(1 if view.planar else 3, 1)) for b in view.bodies),
        SX(len(view.variables), 1),
    )


def _surface(view: PointsView, rows: Rows) -> tuple[SX, SX, SX, SX]:
    """What projection keeps: (position, speed) of bodies and tree joints, then of cut joints; in states."""
    distances = []
    for link in view.links:
        shared = view.freedoms[link.body.name].shared
        pairs = view.particles[link.body.name].distances(view.positions[link.body.name])
        distances += [d for (i, j), d in pairs.items() if not (i < shared and j < shared)]
    own = ca.vertcat(*distances)
    tree = ca.vertcat(*(x for f in view.freedoms.values() for x in f.position_rows))
    tree_speed = ca.vertcat(view.time_derivative(tree), *(x for f in view.freedoms.values() for x in f.speed_rows))
    tree, tree_speed, cut, cut_speed = view.in_states([tree, tree_speed, rows.position, rows.velocity])
    own_speed = ca.jtimes(own, view.points, view.velocities)
    return ca.vertcat(own, tree), ca.vertcat(own_speed, tree_speed), cut, cut_speed


def _observed(
    view: PointsView, got: Contributions, rows: Rows, push: SX, acceleration: SX, chain: Chain
) -> observe.Observed:
    """Reactions: cut joints by their rows; tree joints by Newton and Euler from the tips inwards."""
    by_body = ca.jacobian(rows.all_velocity, view.v)
    pull = rows.all_pull
    outside = push + rows.soft_pull - by_body.T @ pull
    balance = maximal.masses(view) @ acceleration - maximal.own_forces(view) - outside
    wrenches = joint_wrenches(view, balance)
    carried = {link.joint.name: link for link in view.links if link.joint is not None}

    def servo(c: Coordinate) -> SX:
        if not isinstance(c, JointCoordinate) or not view.prescribes(c):
            return -sum((pull[k] for k in rows.of(c.name)), SX(0))
        link = carried[c.joint.name]
        W, U = view.freedoms[link.body.name].driven[c]
        arm = view.body(link.body).p - view.frame(view.freedoms[link.body.name].child).p
        wrench = wrenches[link.body.name].moved(arm)
        return ca.dot(W, wrench.moment) + ca.dot(U, wrench.force)

    def of_joint(joint: Joint, body: Body) -> Wrench:
        if joint.name not in carried:
            return observe.pull_of_rows(view, body, by_body, pull, rows.of(joint.name))
        child = carried[joint.name].body
        wrench = wrenches[child.name]
        for c in view.freedoms[child.name].driven:
            effort = ca.jacobian(view.rate(c), view.v[view.slice(child)]).T @ servo(c)
            wrench -= Wrench.of_speeds(effort, view.body(child).R)
        return wrench if body is child else -wrench.moved(view.body(child).p - view.body(body).p)

    servos = sum((servo(c) * view.rate(c) for f in view.freedoms.values() for c in f.driven), SX(0))
    return observe.Observed(
        acceleration=acceleration,
        pull=of_joint,
        servo=servo,
        multipliers={},
        position=rows.all_position,
        velocity=rows.all_velocity,
        work=maximal.work_states(view, got, rows.all_velocity, pull, acceleration, servos),
    )
