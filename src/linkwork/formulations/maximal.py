"""Absolute coordinates, one set per body: what the rigid and the compliant formulation share.

A body has (x, y, θ) in the plane, position and Euler parameters in space; speeds are v (world) and ω (body axes).
With Φ(t, q): Φ̇ = ∂Φ/∂q·q̇ + ∂Φ/∂t, A = ∂Φ̇/∂v, γ = −(dΦ̇/dt at v̇ = 0): AME (14)–(30) for any joint.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from linkwork.components.bodies import Body, Ground
from linkwork.components.joint import Coordinate, Joint
from linkwork.core.component import Constraint, Frame, Load, Marker
from linkwork.core.equations import Equations, Placement, Row
from linkwork.formulations import observe
from linkwork.formulations.contributions import Contributions, gather
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.geometry import SX, Pose, as_vector, cross, rotations


class MaximalView:
    """Bodies as independent movers.

    Expressions are written in `config`, position and rotation matrix (x, y, cos θ, sin θ, θ in the plane), whose rate
    is linear in v: joints stay bilinear in the axes, angles and Euler parameters enter only once, by `in_states`.
    """

    def __init__(self, model: Any):
        self.model, self.planar = model, model.is_planar
        self.t = SX.sym("t")
        self.bodies: list[Body] = model.of_type(Body)
        self._frames: dict[str, Frame] = {}
        self._markers: dict[Marker, Frame] = {}
        self._slices: dict[str, slice] = {}
        parts: dict[str, list[SX]] = {k: [] for k in ("q", "v", "config", "rate", "value")}
        for i, body in enumerate(self.bodies):
            added = _planar_body(body.name) if self.planar else _spatial_body(body.name)
            self._frames[body.name] = added.pop("frame")
            n = added["v"].numel()
            self._slices[body.name] = slice(i * n, (i + 1) * n)
            for k, part in added.items():
                parts[k].append(part)
        self.q, self.v, self.config, self.config_rate, self.config_value = (ca.vertcat(*p) for p in parts.values())
        self.speeds = self.v
        self._measures: dict[Coordinate, SX] = {}
        self._rates: dict[Coordinate, SX] = {}
        self.turns = {
            c: SX.sym(f"{c.name}.turns")
            for j in model.of_type(Joint)
            for c in j.coordinates
            if c.turns and not self._counts_turns(c)
        }

    def frame(self, marker: Marker) -> Frame:
        if marker not in self._markers:
            self._markers[marker] = self._place(marker)
        return self._markers[marker]

    def _place(self, marker: Marker) -> Frame:
        local = marker.local
        if isinstance(marker.body, Ground):
            return Frame(local.p, local.R, local.turn)
        body = self._frames[marker.body.name]
        pose = Pose.__matmul__(body, local)
        return Frame(pose.p, pose.R, pose.turn, body.v + cross(body.w, pose.p - body.p), body.w)

    def body(self, body: Body) -> Frame:
        return self._frames[body.name]

    def holds(self, constraint: Constraint) -> bool:
        """Whether the choice of coordinates fulfils a constraint already: never here."""
        return False

    def prescribes(self, c: Coordinate) -> bool:
        """Whether a motion law is built into the coordinates: never here."""
        return False

    def quaternion(self, body: Body) -> SX:
        i = self.bodies.index(body)
        return self.q[7 * i + 3 : 7 * i + 7]

    def slice(self, body: Body) -> slice:
        """Where a body's speeds are in v."""
        return self._slices[body.name]

    def coordinate(self, c: Coordinate) -> SX:
        """The coordinate, full turns included: the integrated angle only says which turn it is."""
        x = self._measure(c)
        if c not in self.turns:
            return x
        return x + 2 * np.pi * ca.floor((self.turns[c] - x) / (2 * np.pi) + 0.5)

    def _counts_turns(self, c: Coordinate) -> bool:
        """In the plane an angle between bodies is a difference of their own, which never jump; a direction's may."""
        return self.planar and ca.jacobian(self._measure(c), self.config).is_constant()

    def rate(self, c: Coordinate) -> SX:
        if c not in self._rates:
            self._rates[c] = self.time_derivative(self._measure(c))
        return self._rates[c]

    def _measure(self, c: Coordinate) -> SX:
        if c not in self._measures:
            M, N = self.frame(c.joint.first), self.frame(c.joint.second)
            for other, x in zip(c.joint.coordinates, _in_order(c.joint, c.joint.measure(M, N)), strict=True):
                self._measures[other] = SX(x)
        return self._measures[c]

    def time_derivative(self, x: SX) -> SX:
        """d/dt of an expression at constant speeds v."""
        return ca.jtimes(x, ca.vertcat(self.config, self.t), ca.vertcat(self.config_rate, 1))

    def in_states(self, expressions: list[SX]) -> list[SX]:
        """The same expressions in q."""
        return ca.substitute(expressions, [self.config], [self.config_value])

    def start(self, placed: Placement) -> np.ndarray:
        q, v = [], []
        for body in self.bodies:
            p, R, name = placed.position[body.name], placed.rotation[body.name], body.name
            if self.planar:
                q += [p[0], p[1], placed.angle[name]]
                v += [*placed.velocity[name][:2], placed.spin[name][2]]
            else:
                q += [*p, *rotations.quaternion_from_matrix(R)]
                v += [*placed.velocity[name], *(R.T @ placed.spin[name])]
        return np.array(q + v)

    def retract(self, q: SX, step: SX) -> SX:
        if self.planar:
            return q + step
        moved = []
        for i in range(len(self.bodies)):
            position, e = q[7 * i : 7 * i + 3], q[7 * i + 3 : 7 * i + 7]
            e = rotations.quaternion_product(e, rotations.quaternion_exponential(step[6 * i + 3 : 6 * i + 6]))
            moved += [position + step[6 * i : 6 * i + 3], e / ca.sqrt(ca.sumsqr(e))]
        return ca.vertcat(*moved)


def _in_order(joint: Joint, measured: list[SX]) -> list[SX]:
    return [measured[c.index] for c in joint.coordinates]


def _planar_body(name: str) -> dict[str, Any]:
    q, v = SX.sym(f"{name}.q", 3), SX.sym(f"{name}.v", 3)
    x, y, c, s, turn = (SX.sym(f"{name}.{k}") for k in ("x", "y", "c", "s", "turn"))
    R = ca.vertcat(ca.horzcat(c, -s, 0), ca.horzcat(s, c, 0), ca.horzcat(0, 0, 1))
    return {
        "frame": Frame(as_vector((x, y)), R, turn, as_vector((v[0], v[1])), as_vector((0, 0, v[2]))),
        "q": q,
        "v": v,
        "config": ca.vertcat(x, y, c, s, turn),
        "rate": ca.vertcat(v[0], v[1], -s * v[2], c * v[2], v[2]),
        "value": ca.vertcat(q[0], q[1], ca.cos(q[2]), ca.sin(q[2]), q[2]),
    }


def _spatial_body(name: str) -> dict[str, Any]:
    q, v = SX.sym(f"{name}.q", 7), SX.sym(f"{name}.v", 6)
    p, R = SX.sym(f"{name}.p", 3), SX.sym(f"{name}.R", 3, 3)
    w = v[3:6]
    spin = ca.horzcat(*(R[:, (i + 1) % 3] * w[(i + 2) % 3] - R[:, (i + 2) % 3] * w[(i + 1) % 3] for i in range(3)))
    return {
        "frame": Frame(p, R, None, v[:3], R @ w),
        "q": q,
        "v": v,
        "config": ca.vertcat(p, ca.vec(R)),
        "rate": ca.vertcat(v[:3], ca.vec(spin)),
        "value": ca.vertcat(q[:3], ca.vec(rotations.from_quaternion(q[3:7]))),
    }


@dataclass
class Rows:
    """Constraint rows, ideal (hard) and compliant (soft), in the symbols of a view."""

    all_names: list[Row]
    all_position: SX
    all_velocity: SX
    all_pull: SX
    """Multiplier of each row: a symbol, or k Φ + d Φ̇."""
    hard: list[int]
    soft: list[int]
    multipliers: SX
    soft_pull: SX
    """Aᵀ times the pull of the soft rows, in the order of the bodies' speeds."""

    def of(self, owner: str) -> list[int]:
        return [k for k, row in enumerate(self.all_names) if row.owner == owner]

    @property
    def names(self) -> list[Row]:
        return [self.all_names[k] for k in self.hard]

    @property
    def position(self) -> SX:
        return _picked(self.all_position, [k for k in self.hard if k < self.all_position.numel()])

    @property
    def velocity(self) -> SX:
        return _picked(self.all_velocity, self.hard)


def _picked(column: SX, rows: list[int]) -> SX:
    """Some rows of a column; none of a single one would be a row without columns."""
    return column[rows] if rows else SX(0, 1)


def split_rows(view: Any, got: Contributions, softness: Mapping[Row, tuple[float, float]] | None) -> Rows:
    """All rows; the soft ones become forces −Aᵀ(k Φ + d Φ̇) (BND's R/C elements) and enter the energies."""
    names = [r for r, _ in got.position] + [r for r, _ in got.speed]
    position = ca.vertcat(*(x for _, x in got.position))
    velocity = ca.vertcat(view.time_derivative(position), *(x for _, x in got.speed))
    given = softness or {}
    soft = [k for k, row in enumerate(names) if row in given]
    hard = [k for k in range(len(names)) if k not in soft]
    multipliers, pull = SX.sym("lambda", len(hard)), SX.zeros(len(names), 1)
    for n, k in enumerate(hard):
        pull[k] = multipliers[n]
    for k in soft:
        stiffness, damping = given[names[k]]
        deflection = position[k] if k < position.numel() else SX(0)
        pull[k] = stiffness * deflection + damping * velocity[k]
        got.potential += stiffness * deflection**2 / 2
        got.dissipation += damping * velocity[k] ** 2
    soft_pull = ca.jacobian(velocity[soft], view.v).T @ pull[soft] if soft else SX(view.v.numel(), 1)
    return Rows(names, position, velocity, pull, hard, soft, multipliers, soft_pull)


def gamma_of(view: Any, got: Contributions, rows: Rows, stabilisation: Any) -> SX:
    """γ of A v̇ = γ, with Baumgarte's terms where asked for (AME (27)–(30))."""
    gamma = -view.time_derivative(rows.velocity)
    if got.first_order:
        driven = ca.vertcat(*(s for _, s, _ in got.first_order))
        gamma -= ca.jtimes(rows.velocity, driven, ca.vertcat(*(d for _, _, d in got.first_order)))
    if isinstance(stabilisation, Baumgarte):
        missing = rows.velocity.numel() - rows.position.numel()
        gamma -= 2 * stabilisation.alpha * rows.velocity
        gamma -= stabilisation.beta**2 * ca.vertcat(rows.position, SX(missing, 1))
    return gamma


def equations_of(
    model: Any,
    *,
    stabilisation: Projection | Baumgarte | None = None,
    softness: Mapping[Row, tuple[float, float]] | None = None,
) -> Equations:
    """M v̇ + Aᵀλ = f and A v̇ = γ for the hard rows; soft rows are in f."""
    view = MaximalView(model)
    got = gather(model, view)
    rows = split_rows(view, got, softness)
    mass, force = _newton_euler(view, got)
    force -= rows.soft_pull
    all_jacobian = ca.jacobian(rows.all_velocity, view.v)
    position, velocity, jacobian = rows.position, rows.velocity, all_jacobian[rows.hard, :]
    gamma = gamma_of(view, got, rows, stabilisation)
    a, multipliers = SX.sym("a", view.v.numel()), rows.multipliers
    owned = {c.name: rows.of(c.name) for c in model.of_type(Constraint)}
    seen = observe.Observed(
        acceleration=a,
        pull=lambda joint, body: observe.pull_of_rows(view, body, all_jacobian, rows.all_pull, owned[joint.name]),
        servo=lambda c: -sum((rows.all_pull[k] for k in rows.of(c.name)), SX(0)),
        multipliers={name: [rows.all_pull[k] for k in mine] for name, mine in owned.items() if mine},
        position=rows.all_position,
        velocity=rows.all_velocity,
        work=work_states(view, got, rows.all_velocity, rows.all_pull),
    )
    outputs, names = observe.channels(model, view, got, seen)
    turn_states = [(c.name, symbol, view.rate(c)) for c, symbol in view.turns.items()]
    states = turn_states + got.first_order + seen.work
    z, zdot = ca.vertcat(*(s for _, s, _ in states)), ca.vertcat(*(d for _, _, d in states))
    exprs = [mass, force, zdot, position, velocity, jacobian, gamma, *outputs, *(g for _, g in got.events)]
    mass, force, zdot, position, velocity, jacobian, gamma, *rest = view.in_states(exprs)
    values, switches = rest[: len(outputs)], rest[len(outputs) :]
    return Equations(
        t=view.t,
        q=view.q,
        v=view.v,
        z=z,
        parameters=ca.vertcat(*model.symbols(model.parameters)),
        inputs=ca.vertcat(*model.symbols(model.inputs)),
        a=a,
        multipliers=multipliers,
        qdot=_qdot(view),
        mass=mass,
        force=force,
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
        unweighted=[False] * (view.q.numel() + view.v.numel())
        + [True] * len(turn_states)
        + [False] * (len(states) - len(turn_states)),
        state_names=_state_names(view) + [name for name, _, _ in states],
        stabilised=isinstance(stabilisation, Baumgarte),
        softness=softness or {},
        stiff=bool(rows.soft),
    )


def _newton_euler(view: MaximalView, got: Contributions) -> tuple[SX, SX]:
    """Mass matrix and all forces but those of constraints (AME (5), (9); Euler's equation in body axes)."""
    force = own_forces(view) + applied(view, got.loads)
    for c, effort in got.efforts.items():
        force += ca.jacobian(view.rate(c), view.v).T @ effort
    return masses(view), ca.densify(force)


def masses(view: MaximalView) -> SX:
    """Block-diagonal mass matrix."""
    if view.planar:
        blocks = [ca.diagcat(b.mass, b.mass, b.inertia) for b in view.bodies]
    else:
        blocks = [ca.diagcat(b.mass, b.mass, b.mass, ca.sparsify(SX(b.inertia))) for b in view.bodies]
    return ca.sparsify(ca.diagcat(*blocks))


def own_forces(view: MaximalView) -> SX:
    """Weight, and the gyroscopic moment in body axes."""
    gravity, parts = as_vector(view.model.gravity), []
    for body in view.bodies:
        weight = body.mass * gravity
        if view.planar:
            parts.append(ca.vertcat(weight[0], weight[1], 0))
        else:
            J, w = SX(body.inertia), view.v[view.slice(body)][3:6]
            parts.append(ca.vertcat(weight, -cross(w, J @ w)))
    return ca.vertcat(*parts)


def applied(view: MaximalView, loads: list[tuple[str, Load]]) -> SX:
    """Generalised forces of loads, in the order of the speeds."""
    total: dict[str, SX] = {b.name: SX(3 if view.planar else 6, 1) for b in view.bodies}
    for _, load in loads:
        if isinstance(load.marker.body, Body):
            body = view.body(load.marker.body)
            moment = load.torque + cross(view.frame(load.marker).p - body.p, load.force)
            if view.planar:
                total[load.marker.body.name] += ca.vertcat(load.force[0], load.force[1], moment[2])
            else:
                total[load.marker.body.name] += ca.vertcat(load.force, body.R.T @ moment)
    return ca.vertcat(*total.values())


def work_states(view: Any, got: Contributions, velocity: SX, multipliers: SX, servos: SX | None = None) -> list:
    """States that integrate what was lost and what was supplied, where there is any."""
    at_rest = ca.substitute(velocity, view.speeds, SX.zeros(view.speeds.numel(), 1))  # −b: what constraints impose
    supply = got.supply + (0 if servos is None else servos)
    if velocity.numel():
        supply += ca.dot(multipliers, at_rest)
    work = []
    for name, power in (("energy.dissipated", got.dissipation), ("energy.supplied", supply)):
        power = ca.simplify(power)
        if not power.is_zero():
            work.append((name, SX.sym(name), power))
    return work


def _qdot(view: MaximalView) -> SX:
    if view.planar:
        return view.v
    parts = []
    for i in range(len(view.bodies)):
        v = view.v[6 * i : 6 * i + 6]
        parts += [v[:3], rotations.quaternion_rate(view.q[7 * i + 3 : 7 * i + 7]) @ v[3:6]]
    return ca.vertcat(*parts)


def _state_names(view: MaximalView) -> list[str]:
    n, m = (3, 3) if view.planar else (7, 6)
    return [b.name for b in view.bodies for _ in range(n)] + [b.name for b in view.bodies for _ in range(m)]
