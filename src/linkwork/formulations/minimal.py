"""Joint coordinates along a spanning tree (BND 3.3.1; SYM).

Trees: accelerations by the articulated-body recursion, O(n). Loops: cut joints with multipliers; then with T the
velocity transformation V = T v of all bodies, TᵀM T v̇ + (A T)ᵀλ = Tᵀ(f − M Ṫv): BND's virtual inertia (12) and
gyristor (13). Motion laws on tree joints are built in exactly, ball joints have no singular angles.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import casadi as ca
import numpy as np

from linkwork.components.bodies import Body
from linkwork.components.joint import Coordinate, Joint
from linkwork.core.component import Constraint
from linkwork.core.equations import Equations, Placement, Row
from linkwork.formulations import maximal, observe
from linkwork.formulations.articulated import accelerations
from linkwork.formulations.charts import Chart, Driven, chart_of
from linkwork.formulations.contributions import Contributions, gather
from linkwork.formulations.inwards import joint_wrenches
from linkwork.formulations.recursion import Moving, child_marker, outwards, parent_marker
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.formulations.tree import spanning_tree
from linkwork.geometry import SX, rotations


class TreeView(maximal.MaximalView):
    """Bodies carried by a tree of joints.

    Components see bodies as independent movers, as in the maximal view; `in_states` then puts in where the tree carries
    them. Coordinates of tree joints are states themselves, and count full turns without further ado.
    """

    def __init__(self, model: Any):
        super().__init__(model)
        self.tree = spanning_tree(model)
        self.links = self.tree.links
        parameters = ca.vertcat(*model.symbols(model.parameters))
        self.charts = [chart_of(link, self.t, parameters, self.planar) for link in self.links]
        self.direct = {c: pair for chart in self.charts for c, pair in chart.direct.items()}
        self.driven: dict[Coordinate, Driven] = {c: d for chart in self.charts for c, d in chart.driven.items()}
        self.coordinates = ca.vertcat(*(chart.q for chart in self.charts))
        self.rates = ca.vertcat(*(chart.v for chart in self.charts))
        self.speeds = ca.vertcat(self.v, self.rates, *(d.rate_symbol for d in self.driven.values()))
        self.turns = {c: s for c, s in self.turns.items() if c not in self.direct and c not in self.driven}
        self._held = {chart.link.joint.name for chart in self.charts if chart.link.joint is not None}
        self._where: list[Any] = []

    def holds(self, constraint: Constraint) -> bool:
        return constraint.name in self._held

    def prescribes(self, c: Coordinate) -> bool:
        return c in self.driven

    def coordinate(self, c: Coordinate) -> SX:
        if c in self.direct:
            return self.direct[c][0]
        return self.driven[c].symbol if c in self.driven else super().coordinate(c)

    def rate(self, c: Coordinate) -> SX:
        if c in self.direct:
            return self.direct[c][1]
        return self.driven[c].rate_symbol if c in self.driven else super().rate(c)

    def body_rate(self, c: Coordinate) -> SX:
        """The rate of a coordinate as the bodies' speeds give it."""
        return super().rate(c)

    def time_derivative(self, x: SX) -> SX:
        driven = self.driven.values()
        moving = ca.vertcat(
            self.config, self.t, self.coordinates, *(d.symbol for d in driven), *(d.rate_symbol for d in driven)
        )
        rates = ca.vertcat(
            self.config_rate, 1, self._qdot(), *(d.rate_symbol for d in driven), *(d.second for d in driven)
        )
        return ca.jtimes(x, moving, rates)

    def _qdot(self) -> SX:
        return ca.vertcat(*(chart.qdot for chart in self.charts))

    def quaternion(self, body: Body) -> SX:
        return rotations.quaternion_of(self.body(body).R)

    def carried(self, vdot: SX) -> dict[str, Moving]:
        """Motion of all bodies for joint accelerations v̇."""
        return outwards(self.charts, self.model.ground, self.split(vdot))

    def split(self, rates: SX) -> list[SX]:
        """A vector in the space of v, chart by chart; a fixed joint's part has no rows."""
        sizes = np.cumsum([0] + [chart.v.numel() for chart in self.charts])
        return ca.vertsplit(rates, sizes.tolist())  # an empty slice of a scalar would have the wrong shape

    def stacked(self, moving: dict[str, Moving]) -> tuple[SX, SX, SX]:
        """Configuration, speeds and accelerations of all bodies in the order of the maximal view."""
        config, speed, acceleration = [], [], []
        for body in self.bodies:
            m = moving[body.name]
            R = m.pose.R
            if m.pose.turn is not None and self.planar:
                config.append(ca.vertcat(m.pose.p[0], m.pose.p[1], R[0, 0], R[1, 0], m.pose.turn))
                speed.append(ca.vertcat(m.v[0], m.v[1], m.w[2]))
                acceleration.append(ca.vertcat(m.a[0], m.a[1], m.alpha[2]))
            else:
                config.append(ca.vertcat(m.pose.p, ca.vec(R)))
                speed.append(ca.vertcat(m.v, R.T @ m.w))
                acceleration.append(ca.vertcat(m.a, R.T @ m.alpha))
        return ca.vertcat(*config), ca.vertcat(*speed), ca.vertcat(*acceleration)

    def carry(self, moving: dict[str, Moving]) -> None:
        """Fix what `in_states` puts in for the bodies."""
        config, speed, _ = self.stacked(moving)
        driven = self.driven.values()
        symbols = ca.vertcat(*(ca.vertcat(d.symbol, d.rate_symbol) for d in driven))
        values = ca.vertcat(*(ca.vertcat(d.value, d.rate) for d in driven))
        self._where = [[self.config, self.v, symbols], [ca.densify(config), ca.densify(speed), values]]

    def in_states(self, expressions: list[SX]) -> list[SX]:
        return ca.substitute(expressions, *self._where)

    def retract(self, q: SX, step: SX) -> SX:
        sizes = np.cumsum([0] + [chart.q.numel() for chart in self.charts])
        parts = zip(self.charts, ca.vertsplit(q, sizes.tolist()), self.split(step), strict=True)
        return ca.vertcat(*(chart.retract(x, part) for chart, x, part in parts))

    def start(self, placed: Placement) -> np.ndarray:
        q: list[float] = []
        v: list[float] = []
        symbols = ca.vertcat(*self.model.symbols([*self.model.parameters, *self.model.inputs]))
        for chart in self.charts:
            f = ca.Function(
                "markers", [symbols], [m for x in (parent_marker(chart), child_marker(chart)) for m in (x.R, x.p)]
            )
            RM, pM, RN, pN = (np.array(x) for x in f(placed.parameters))
            R0, p0, v0, w0 = _placed(placed, chart.link.parent.name)
            R1, p1, v1, w1 = _placed(placed, chart.link.body.name)
            M, N = R0 @ RM, R1 @ RN
            oM, oN = p0 + R0 @ pM.ravel(), p1 + R1 @ pN.ravel()
            spin = w1 - w0
            speed = v1 + np.cross(w1, oN - p1) - (v0 + np.cross(w0, oM - p0)) - np.cross(w0, oN - oM)
            values, rates = chart.start(placed, M.T @ N, np.concatenate([N.T @ spin, N.T @ speed]))
            q += values
            v += rates
        return np.array(q + v)


def _placed(placed: Placement, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    if name not in placed.position:
        return np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3)
    return placed.rotation[name], placed.position[name], placed.velocity[name], placed.spin[name]


def formulate(
    model: Any,
    *,
    stabilisation: Projection | Baumgarte | None = None,
    softness: Mapping[Row, tuple[float, float]] | None = None,
) -> Equations:
    """Tree: v̇ explicit. Loops: TᵀM T v̇ + (A T)ᵀλ = Tᵀ(f − M Ṫv), A T v̇ = γ − A Ṫv."""
    view = TreeView(model)
    got = gather(model, view)
    resting = view.carried(SX.zeros(view.rates.numel(), 1))
    view.carry(resting)
    rows = maximal.split_rows(view, got, softness)
    push = maximal.applied(view, got.loads) - rows.soft_pull
    efforts = SX.zeros(view.rates.numel(), 1)
    for c, effort in got.efforts.items():
        if c in view.direct:
            efforts += ca.jacobian(view.rate(c), view.rates).T @ effort
        elif c not in view.driven:
            push += ca.jacobian(view.rate(c), view.v).T @ effort
    a, multipliers = SX.sym("a", view.rates.numel()), rows.multipliers
    gamma = maximal.gamma_of(view, got, rows, stabilisation)
    if rows.hard:
        T = ca.jacobian(view.stacked(resting)[1], view.rates)
        drift = view.stacked(resting)[2]
        M = maximal.masses(view)
        by_body, by_rate = ca.jacobian(rows.velocity, view.v), ca.jacobian(rows.velocity, view.rates)
        by_body, by_rate, own, push_, gamma = view.in_states([by_body, by_rate, maximal.own_forces(view), push, gamma])
        mass = T.T @ M @ T
        force = efforts + T.T @ (own + push_ - M @ drift)
        jacobian, gamma = by_body @ T + by_rate, gamma - by_body @ drift
    else:
        mass, jacobian = SX.eye(view.rates.numel()), SX(0, view.rates.numel())
        force = _articulated(view, efforts, push)
    moving = view.carried(a)
    body_acceleration = view.stacked(moving)[2]
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
    n_states = view.coordinates.numel() + view.rates.numel()
    return Equations(
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
        state_names=[chart.link.body.name for chart in view.charts for _ in range(chart.q.numel())]
        + [chart.link.body.name for chart in view.charts for _ in range(chart.v.numel())]
        + [name for name, _, _ in states],
        stabilised=isinstance(stabilisation, Baumgarte),
        stiff=bool(rows.soft),
    )


def _articulated(view: TreeView, efforts: SX, push: SX) -> SX:
    pushes = {}
    for chart in view.charts:
        part = push[view.slice(chart.link.body)]
        if part.nnz() and not ca.simplify(part).is_zero():
            pushes[chart.link.body.name] = _in_joint_frame(view, chart, part)
    return ca.vertcat(*accelerations(view.charts, view.model.gravity, view.split(efforts), pushes))


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
