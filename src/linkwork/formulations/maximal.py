"""Absolute coordinates, one set per body: what the rigid and the compliant formulation share.

A body has (x, y, θ) in the plane, position and Euler parameters in space; speeds are v (world) and ω (body axes).
With Φ(t, q): Φ̇ = ∂Φ/∂q·q̇ + ∂Φ/∂t, A = ∂Φ̇/∂v, γ = −(dΦ̇/dt at v̇ = 0): AME (14)–(30) for any joint.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np

from linkwork.components.bodies import Body, Ground
from linkwork.components.joint import Coordinate, Joint
from linkwork.core.component import Frame, Marker
from linkwork.core.equations import Equations, Placement, Row
from linkwork.formulations import observe
from linkwork.formulations.contributions import Contributions, gather
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.geometry import SX, Pose, as_vector, cross, rotations


class MaximalView:
    """Bodies as independent movers.

    Expressions are written in `config`: (x, y, θ), or position and rotation matrix, a vector whose rate is linear in v.
    In space this keeps joints bilinear in the axes; Euler parameters enter only once, by `in_states`.
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
        self.turns = {
            c: SX.sym(f"{c.name}.turns")
            for j in model.of_type(Joint)
            for c in j.coordinates
            if c.turns and not self.planar
        }
        self._measures: dict[Coordinate, SX] = {}
        self._rates: dict[Coordinate, SX] = {}

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
        if self.planar:
            return expressions
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
    frame = Frame(
        as_vector((q[0], q[1])), rotations.about_z(q[2]), q[2], as_vector((v[0], v[1])), as_vector((0, 0, v[2]))
    )
    return {"frame": frame, "q": q, "v": v, "config": q, "rate": v, "value": q}


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


Softness = Callable[[Row], "tuple[float, float] | None"]
"""(stiffness, damping) of a row that is a stiff spring-damper; None for an ideal one."""


def equations_of(
    model: Any, *, stabilisation: Projection | Baumgarte | None = None, softness: Softness | None = None
) -> Equations:
    """M v̇ + Aᵀλ = f and A v̇ = γ; soft rows are forces −Aᵀ(k Φ + d Φ̇) instead (BND's R/C elements)."""
    view = MaximalView(model)
    got = gather(model, view)
    mass, force = _newton_euler(view, got)
    all_rows = [r for r, _ in got.position] + [r for r, _ in got.speed]
    whole = ca.vertcat(*(x for _, x in got.position))
    all_velocity = ca.vertcat(view.time_derivative(whole), *(x for _, x in got.speed))
    all_jacobian = ca.jacobian(all_velocity, view.v)
    soft = {k: kd for k, row in enumerate(all_rows) if (kd := softness(row) if softness else None) is not None}
    hard = [k for k in range(len(all_rows)) if k not in soft]
    a, multipliers = SX.sym("a", view.v.numel()), SX.sym("lambda", len(hard))
    pull = SX.zeros(len(all_rows), 1)
    for n, k in enumerate(hard):
        pull[k] = multipliers[n]
    n_position = whole.numel()
    for k, (stiffness, damping) in soft.items():
        pull[k] = damping * all_velocity[k] + (stiffness * whole[k] if k < n_position else 0)
        got.potential += stiffness * whole[k] ** 2 / 2 if k < n_position else 0
        got.dissipation += damping * all_velocity[k] ** 2
    if soft:
        chosen = list(soft)
        force -= all_jacobian[chosen, :].T @ pull[chosen]
    position = whole[[k for k in hard if k < n_position]]
    velocity, jacobian = all_velocity[hard], all_jacobian[hard, :]
    gamma = _gamma(view, got, position, velocity, stabilisation)
    work = _work(view, got, all_velocity, pull)
    outputs, names = observe.channels(model, view, got, all_jacobian, all_velocity, a, pull, all_rows, whole, work)
    turn_states = [(c.name, symbol, view.rate(c)) for c, symbol in view.turns.items()]
    states = turn_states + got.first_order + work
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
        rows=[all_rows[k] for k in hard],
        outputs={name: (unit, value) for (name, unit), value in zip(names, values, strict=True)},
        events=[(e, g) for (e, _), g in zip(got.events, switches, strict=True)],
        unweighted=[False] * (view.q.numel() + view.v.numel())
        + [True] * len(turn_states)
        + [False] * (len(states) - len(turn_states)),
        state_names=_state_names(view) + [name for name, _, _ in states],
        stabilised=isinstance(stabilisation, Baumgarte),
        stiff=bool(soft),
    )


def _gamma(view: MaximalView, got: Contributions, position: SX, velocity: SX, stabilisation: Any) -> SX:
    """γ of A v̇ = γ, with Baumgarte's terms where asked for (AME (27)–(30))."""
    gamma = -view.time_derivative(velocity)
    if got.first_order:
        driven = ca.vertcat(*(s for _, s, _ in got.first_order))
        gamma -= ca.jtimes(velocity, driven, ca.vertcat(*(d for _, _, d in got.first_order)))
    if isinstance(stabilisation, Baumgarte):
        gamma -= 2 * stabilisation.alpha * velocity
        gamma -= stabilisation.beta**2 * ca.vertcat(position, SX(velocity.numel() - position.numel(), 1))
    return gamma


def _newton_euler(view: MaximalView, got: Contributions) -> tuple[SX, SX]:
    """Mass matrix and all forces but those of constraints (AME (5), (9); Euler's equation in body axes)."""
    blocks, forces = [], {}
    gravity = as_vector(view.model.gravity)
    for body in view.bodies:
        weight = body.mass * gravity
        if view.planar:
            blocks.append(ca.diagcat(body.mass, body.mass, body.inertia))
            forces[body.name] = ca.vertcat(weight[0], weight[1], 0)
        else:
            J, w = SX(body.inertia), view.v[view.slice(body)][3:6]
            blocks.append(ca.diagcat(body.mass, body.mass, body.mass, ca.sparsify(J)))
            forces[body.name] = ca.vertcat(weight, -cross(w, J @ w))
    for _, load in got.loads:
        if isinstance(load.marker.body, Body):
            forces[load.marker.body.name] += _generalised(view, load.marker, load.force, load.torque)
    total = ca.vertcat(*(forces[b.name] for b in view.bodies))
    for c, effort in got.efforts.items():
        total += ca.jacobian(view.rate(c), view.v).T @ effort
    return ca.sparsify(ca.diagcat(*blocks)), ca.densify(total)


def _generalised(view: MaximalView, marker: Marker, force: SX, torque: SX) -> SX:
    body = view.body(marker.body)
    moment = torque + cross(view.frame(marker).p - body.p, force)
    if view.planar:
        return ca.vertcat(force[0], force[1], moment[2])
    return ca.vertcat(force, body.R.T @ moment)


def _work(view: MaximalView, got: Contributions, velocity: SX, multipliers: SX) -> list[tuple[str, SX, SX]]:
    """States that integrate what was lost and what was supplied, where there is any."""
    at_rest = ca.substitute(velocity, view.v, SX.zeros(view.v.numel(), 1))  # −b: speed that moving constraints impose
    supply = got.supply + ca.dot(multipliers, at_rest) if velocity.numel() else got.supply
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
