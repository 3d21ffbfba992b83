"""Point coordinates (PRT): bodies as particles; no angles and no rotation matrices in the state.

Particles on joint centres and axes belong to both bodies, so that revolute and spherical constraints vanish. Momentum
equations are generated from the tips of the tree inwards and projected on what each joint leaves free, PRT (20)–(25):
with X the velocities of all particles per unit of joint acceleration u, Xᵀμ(X u + ẍ₀) = forces, and r̈ = X u + r̈₀.
Loops: cut joints with multipliers. Distances (and what joints the particles do not absorb) are kept by projection.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import casadi as ca
import numpy as np

from linkwork.components.bodies import Body, Ground
from linkwork.components.joint import Coordinate, Joint
from linkwork.core.component import Constraint
from linkwork.core.equations import Equations, Placement, Row
from linkwork.core.proximal import KKT
from linkwork.formulations import maximal, observe
from linkwork.formulations.contributions import Contributions, gather
from linkwork.formulations.inwards import joint_wrenches
from linkwork.formulations.particles import Particles, choose
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.formulations.tree import Link, spanning_tree
from linkwork.formulations.twists import Freedom, freedom_of
from linkwork.geometry import SX, Pose, cross, rotations


class PointsView(maximal.MaximalView):
    """Bodies carried by particles; components see them as in the maximal view, `in_states` puts the particles in."""

    def __init__(self, model: Any):
        self._counters: dict[str, SX] = {}
        super().__init__(model)
        self.tree = spanning_tree(model)
        self.links = self.tree.links
        self._held = {link.joint.name for link in self.links if link.joint is not None}
        self.freedoms: dict[str, Freedom] = {link.body.name: freedom_of(self, link) for link in self.links}
        self.particles: dict[str, Particles] = {}
        self.positions: dict[str, list[SX]] = {}
        self.fresh: list[tuple[str, int, SX, SX]] = []
        """(body, index among its particles, position, velocity) of each particle that is a state."""
        for link in self.links:
            self._populate(link)
        self.points = ca.vertcat(*(_kept(r, self.planar) for _, _, r, _ in self.fresh))
        self.velocities = ca.vertcat(*(_kept(v, self.planar) for _, _, _, v in self.fresh))
        if self.planar:
            self._counters = {b.name: SX.sym(f"{b.name}.turn") for b in self.bodies}
        self._where = self._carried()

    def holds(self, constraint: Constraint) -> bool:
        return constraint.name in self._held

    def prescribes(self, c: Coordinate) -> bool:
        return any(c in freedom.driven for freedom in self.freedoms.values())

    def _populate(self, link: Link) -> None:
        """Choose a body's particles: shared ones are points of the parent, the others are states."""
        freedom = self.freedoms[link.body.name]
        local = freedom.child.local
        towards = self._other_joint(link, local.p)
        length = _length(link.body, towards, local.p, self.model)
        axis = None if freedom.axis is None else local.R[:, freedom.axis]
        particles = choose(local.p, axis, towards, length, self.planar)
        self.particles[link.body.name] = particles
        at: list[SX] = []
        for i, place in enumerate(particles.places):
            if i < freedom.shared:
                at.append(self._on_parent(link, local.inverse(), place))
            else:
                r, v = (SX.sym(f"{link.body.name}.{k}{i + 1}", 2 if self.planar else 3) for k in ("r", "v"))
                at.append(_spatial(r))
                self.fresh.append((link.body.name, i, _spatial(r), _spatial(v)))
        self.positions[link.body.name] = at

    def _on_parent(self, link: Link, to_joint: Pose, place: SX) -> SX:
        """World position of a child's place on the joint's centre or axis, as a point of the parent."""
        freedom = self.freedoms[link.body.name]
        in_joint = to_joint.p + to_joint.R @ place
        marker = freedom.parent.local
        in_parent = marker.p + marker.R @ (freedom.fixed @ in_joint)
        if isinstance(link.parent, Ground):
            return in_parent
        p, R = self.particles[link.parent.name].pose(self.positions[link.parent.name])
        return p + R @ in_parent

    def _other_joint(self, link: Link, here: SX) -> SX | None:
        """The centre of another joint on this body, if one lies well apart."""
        for joint in self.model.of_type(Joint):
            for marker in joint.markers():
                if joint is not link.joint and marker.body is link.body:
                    apart = marker.local.p - here
                    if apart.is_constant() and float(ca.norm_2(apart)) > 1e-6:
                        return marker.local.p
        return None

    def _carried(self) -> list[Any]:
        config, speed = [], []
        for body in self.bodies:
            p, R = self.particles[body.name].pose(self.positions[body.name])
            rates = ca.jtimes(ca.vertcat(p, ca.vec(R)), self.points, self.velocities)
            v, dR = rates[:3], ca.reshape(rates[3:], 3, 3)
            w = sum((cross(R[:, i], dR[:, i]) for i in range(3)), SX(3, 1)) / 2
            if self.planar:
                angle = ca.atan2(R[1, 0], R[0, 0])
                angle += 2 * np.pi * ca.floor((self._counters[body.name] - angle) / (2 * np.pi) + 0.5)
                config.append(ca.vertcat(p[0], p[1], R[0, 0], R[1, 0], angle))
                speed.append(ca.vertcat(v[0], v[1], w[2]))
            else:
                config.append(ca.vertcat(p, ca.vec(R)))
                speed.append(ca.vertcat(v, R.T @ w))
        return [[self.config, self.v], [ca.densify(ca.vertcat(*config)), ca.densify(ca.vertcat(*speed))]]

    def counters(self) -> list[tuple[str, SX, SX]]:
        """Which turn a planar body is in, for its angle channel: bookkeeping, not part of the motion."""
        return [
            (f"{b.name}.turn", self._counters[b.name], self.v[self.slice(b)][2]) for b in self.bodies if self.planar
        ]

    def quaternion(self, body: Body) -> SX:
        return rotations.quaternion_of(self.body(body).R)

    def in_states(self, expressions: list[SX]) -> list[SX]:
        return ca.substitute(expressions, *self._where)

    def retract(self, q: SX, step: SX) -> SX:
        return q + step

    def start(self, placed: Placement) -> np.ndarray:
        symbols = ca.vertcat(*self.model.symbols([*self.model.parameters, *self.model.inputs]))
        q, v = [], []
        for name, i, _, _ in self.fresh:
            place = np.array(
                ca.Function("place", [symbols], [self.particles[name].places[i]])(placed.parameters)
            ).ravel()
            arm = placed.rotation[name] @ place
            q.append(_kept(placed.position[name] + arm, self.planar))
            v.append(_kept(placed.velocity[name] + np.cross(placed.spin[name], arm), self.planar))
        return np.concatenate([np.zeros(0), *q, *v])  # nothing moves where all joints are fixed


def _kept(x: Any, planar: bool) -> Any:
    return x[:2] if planar else x


def _spatial(r: SX) -> SX:
    return r if r.numel() == 3 else ca.vertcat(r, 0)


def _length(body: Body, towards: SX | None, here: SX, model: Any) -> float:
    """A length of the body's own size [m]: to its other joint, or the radius of gyration."""
    if towards is not None:
        return float(ca.norm_2(towards - here))
    values = {**model.parameters, **model.inputs}
    symbols = ca.vertcat(*model.symbols(values))
    J = SX(body.inertia)
    size = ca.sqrt((J[0, 0] + J[1, 1] + J[2, 2] if J.numel() == 9 else J) / body.mass)
    return max(float(ca.Function("size", [symbols], [size])(list(values.values()))), 1e-6)


def formulate(
    model: Any,
    *,
    stabilisation: Projection | Baumgarte | None = None,
    softness: Mapping[Row, tuple[float, float]] | None = None,
) -> Equations:
    """Solve for the joint accelerations u (and multipliers of cut joints); r̈ of the particles follows."""
    view = PointsView(model)
    got = gather(model, view)
    rows = maximal.split_rows(view, got, softness)
    push = maximal.applied(view, got.loads) - rows.soft_pull
    for c, effort in got.efforts.items():
        push += ca.jacobian(view.rate(c), view.v).T @ effort
    chain = _Chain(view)
    u, multipliers = SX.sym("u", chain.size), rows.multipliers
    T, drift = chain.speeds(), chain.drift()
    by_body = ca.jacobian(rows.velocity, view.v)
    mass, inertial = chain.momentum()
    force = T.T @ (push + _weight(view)) - inertial
    jacobian = by_body @ T
    gamma = maximal.gamma_of(view, got, rows, stabilisation) - by_body @ drift
    acceleration = T @ u + drift
    seen = _observed(view, got, rows, push, acceleration, chain)
    outputs, names = observe.channels(model, view, got, seen)
    moved = chain.fresh(u)
    turn_states = [(c.name, symbol, view.rate(c)) for c, symbol in view.turns.items()]
    first_order = got.first_order + chain.first_order
    states = turn_states + view.counters() + first_order + seen.work
    counted = len(turn_states) + len(view.counters())
    z, zdot = ca.vertcat(*(s for _, s, _ in states)), ca.vertcat(*(d for _, _, d in states))
    inner, inner_speed, cut, cut_speed = _surface(view, rows)
    X = chain.spread()
    exprs = [mass, force, jacobian, gamma, X, moved, zdot, *outputs, *(g for _, g in got.events)]
    mass, force, jacobian, gamma, X, moved, zdot, *rest = view.in_states(exprs)
    solution = KKT(mass, jacobian).solve(force, gamma)
    moved, zdot, *rest = ca.substitute([moved, zdot, *rest], [u, multipliers], list(solution))
    values, switches = rest[: len(outputs)], rest[len(outputs) :]
    n = view.points.numel()

    def projected() -> tuple[SX, SX]:
        """Distances first, by the shortest way; then cut joints, by joint motions alone, mass as the metric."""
        q, v = view.points, view.velocities
        if inner_speed.numel():
            missing = SX.zeros(inner_speed.numel() - inner.numel(), 1)
            rigid = KKT(SX.eye(n), ca.jacobian(inner_speed, v))
            q = q + rigid.closest(ca.vertcat(inner, missing))
            v = v + rigid.closest(ca.substitute(inner_speed, view.points, q))
        if cut_speed.numel():
            missing = SX.zeros(cut_speed.numel() - cut.numel(), 1)
            loops = KKT(mass, jacobian)
            q = q + X @ loops.closest(ca.vertcat(ca.substitute(cut, view.points, q), missing))
            v = v + X @ loops.closest(
                ca.substitute(cut_speed, ca.vertcat(view.points, view.velocities), ca.vertcat(q, v))
            )
        return q, v

    owners = [name for name, _, r, _ in view.fresh for _ in range(2 if view.planar else 3)]
    return Equations(
        t=view.t,
        q=view.points,
        v=view.velocities,
        z=z,
        parameters=ca.vertcat(*model.symbols(model.parameters)),
        inputs=ca.vertcat(*model.symbols(model.inputs)),
        a=SX.sym("a", n),
        multipliers=SX(0, 1),
        qdot=view.velocities,
        mass=SX.eye(n),
        force=ca.densify(moved),
        zdot=zdot,
        position=ca.vertcat(inner, cut),
        velocity=ca.vertcat(inner_speed, cut_speed),
        jacobian=SX(0, n),
        gamma=SX(0, 1),
        retract=view.retract,
        start=view.start,
        rows=[],
        outputs={name: (unit, value) for (name, unit), value in zip(names, values, strict=True)},
        events=[(e, g) for (e, _), g in zip(got.events, switches, strict=True)],
        unweighted=[False] * 2 * n + [True] * counted + [False] * (len(states) - counted),
        state_names=owners * 2 + [name for name, _, _ in states],
        explicit=True,
        projected=projected,
        stiff=bool(rows.soft),
    )


class _Chain:
    """Velocities and accelerations along the tree, per unit of joint acceleration, from the particles' own motion."""

    def __init__(self, view: PointsView):
        self.view = view
        sizes = {name: f.columns for name, f in view.freedoms.items()}
        self.size = sum(sizes.values())
        self.first_order = [s for f in view.freedoms.values() for s in f.first_order]
        zero = (SX(3, self.size), SX(3, self.size), SX(3, 1), SX(3, 1))
        self.motion = {view.model.ground.name: zero}
        """By body: ω and mass-centre velocity per unit of u; their rates at u = 0 (world axes)."""
        begin = 0
        for link in view.links:
            freedom, n = view.freedoms[link.body.name], sizes[link.body.name]
            self.motion[link.body.name] = self._step(link, freedom, begin, n)
            begin += n

    def _step(self, link: Link, freedom: Freedom, begin: int, n: int) -> tuple[SX, SX, SX, SX]:
        view = self.view
        W0, U0, alpha0, a0 = self.motion[link.parent.name]
        M, N = view.frame(freedom.parent), view.frame(freedom.child)
        w0 = SX(3, 1) if isinstance(link.parent, Ground) else view.body(link.parent).w
        base = SX(3, 1) if isinstance(link.parent, Ground) else view.body(link.parent).p
        arm, r = M.p - base, N.p - M.p
        W, U = SX(W0), U0 + _crossed(W0, arm) + _crossed(W0, r)
        W[:, begin : begin + n] = freedom.W
        U[:, begin : begin + n] = freedom.U
        a_M = a0 + cross(alpha0, arm) + cross(w0, cross(w0, arm))
        alpha = alpha0 + freedom.W_rate
        a_N = a_M + cross(alpha0, r) + cross(w0, N.v - M.v) + freedom.U_rate
        body = view.body(link.body)
        d = body.p - N.p
        return W, U + _crossed(W, d), alpha, a_N + cross(alpha, d) + cross(body.w, cross(body.w, d))

    def speeds(self) -> SX:
        """T: body speeds (as in the maximal view) per unit of u."""
        return ca.vertcat(*(self._in_view(b, self.motion[b.name][0], self.motion[b.name][1]) for b in self.view.bodies))

    def drift(self) -> SX:
        """Body accelerations at u = 0."""
        return ca.vertcat(*(self._in_view(b, self.motion[b.name][2], self.motion[b.name][3]) for b in self.view.bodies))

    def _in_view(self, body: Body, angular: SX, linear: SX) -> SX:
        if self.view.planar:
            return ca.vertcat(linear[:2, :], angular[2, :])
        return ca.vertcat(linear, self.view.body(body).R.T @ angular)

    def _particle(self, body: Body, place: SX) -> tuple[SX, SX]:
        """Velocity per unit of u, and acceleration at u = 0, of a point of the body."""
        W, U, alpha, a = self.motion[body.name]
        frame = self.view.body(body)
        d = frame.R @ place
        return U + _crossed(W, d), a + cross(alpha, d) + cross(frame.w, cross(frame.w, d))

    def momentum(self) -> tuple[SX, SX]:
        """Xᵀμ X and Xᵀμ ẍ₀ over the primary particles of all bodies: PRT (20), (22) with (5)–(9), (15)."""
        mass, force = SX(self.size, self.size), SX(self.size, 1)
        for body in self.view.bodies:
            particles = self.view.particles[body.name]
            weights = particles.weights(body.mass, body.inertia)
            pairs = [self._particle(body, s) for s in [*particles.places, particles.third()]]
            for i, (X, _) in enumerate(pairs):
                mass += X.T @ sum((weights[i, j] * Y for j, (Y, _) in enumerate(pairs)), SX(3, self.size))
                force += X.T @ sum((weights[i, j] * y for j, (_, y) in enumerate(pairs)), SX(3, 1))
        return ca.triu2symm(ca.triu(mass)), force

    def _states(self) -> list[tuple[SX, SX]]:
        return [
            self._particle(self.view.model[name], self.view.particles[name].places[i])
            for name, i, _, _ in self.view.fresh
        ]

    def spread(self) -> SX:
        """X: velocities of the particles that are states, per unit of u."""
        return ca.vertcat(*(X[:2, :] if self.view.planar else X for X, _ in self._states()))

    def fresh(self, u: SX) -> SX:
        """Accelerations of the particles that are states."""
        return ca.vertcat(*(_kept(X @ u + x0, self.view.planar) for X, x0 in self._states()))


def _crossed(W: SX, d: SX) -> SX:
    """Columns of W, each × d."""
    return -(ca.skew(d) @ W)


def _weight(view: PointsView) -> SX:
    gravity = [*view.model.gravity, 0, 0][: 3 if not view.planar else 2]
    return ca.vertcat(
        *(ca.vertcat(*(b.mass * g for g in gravity), SX(1 if view.planar else 3, 1)) for b in view.bodies)
    )


def _surface(view: PointsView, rows: maximal.Rows) -> tuple[SX, SX, SX, SX]:
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
    view: PointsView, got: Contributions, rows: maximal.Rows, push: SX, acceleration: SX, chain: _Chain
) -> observe.Observed:
    """Reactions: cut joints by their rows; tree joints by Newton and Euler from the tips inwards."""
    by_body = ca.jacobian(rows.all_velocity, view.v)
    pull = rows.all_pull
    outside = push + rows.soft_pull - by_body.T @ pull
    balance = maximal.masses(view) @ acceleration - maximal.own_forces(view) - outside
    wrenches = joint_wrenches(view, balance)
    carried = {link.joint.name: link for link in view.links if link.joint is not None}

    def servo(c: Coordinate) -> SX:
        if not view.prescribes(c):
            return -sum((pull[k] for k in rows.of(c.name)), SX(0))
        link = carried[c.joint.name]
        W, U = view.freedoms[link.body.name].driven[c]
        force, moment = wrenches[link.body.name]
        arm = view.body(link.body).p - view.frame(view.freedoms[link.body.name].child).p
        return ca.dot(W, moment + cross(arm, force)) + ca.dot(U, force)

    def of_joint(joint: Joint, body: Body) -> tuple[SX, SX]:
        if joint.name not in carried:
            return observe.pull_of_rows(view, body, by_body, pull, rows.of(joint.name))
        link = carried[joint.name]
        force, moment = wrenches[link.body.name]
        for c in view.freedoms[link.body.name].driven:
            effort = ca.jacobian(view.rate(c), view.v[view.slice(link.body)]).T @ servo(c)
            if view.planar:
                force, moment = force - ca.vertcat(effort[:2], 0), moment - ca.vertcat(0, 0, effort[2])
            else:
                force, moment = force - effort[:3], moment - view.body(link.body).R @ effort[3:6]
        if body is link.body:
            return force, moment
        return -force, -moment - cross(view.body(link.body).p - view.body(body).p, force)

    servos = sum((servo(c) * view.rate(c) for f in view.freedoms.values() for c in f.driven), SX(0))
    return observe.Observed(
        acceleration=acceleration,
        pull=of_joint,
        servo=servo,
        multipliers={},
        position=rows.all_position,
        velocity=rows.all_velocity,
        work=maximal.work_states(view, got, rows.all_velocity, pull, servos),
    )
