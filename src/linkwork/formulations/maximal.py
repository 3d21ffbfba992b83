"""Absolute coordinates, one set per body: what the rigid and the compliant formulation share.

A body has (x, y, θ) in the plane, position and Euler parameters in space; speeds are v (world) and ω (body axes).
With Φ(t, q): Φ̇ = ∂Φ/∂q·q̇ + ∂Φ/∂t, A = ∂Φ̇/∂v, γ = −(dΦ̇/dt at v̇ = 0): AME (14)–(30) for any joint.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import casadi as ca

from linkwork.components.bodies import Body
from linkwork.components.joint import Joint
from linkwork.core.component import Constraint, Load
from linkwork.core.equations import Equations, Row
from linkwork.formulations import observe
from linkwork.formulations.contributions import Contributions, gather
from linkwork.formulations.maximal_view import MaximalView, qdot_of, state_names_of
from linkwork.formulations.packing import packed
from linkwork.formulations.relative_twist import closure_in_joint
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.geometry import SX, as_vector, cross


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
    if softness:
        _in_joint_axes(view, got, softness)
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


def _in_joint_axes(view: Any, got: Contributions, softness: Mapping[Row, tuple[float, float]]) -> None:
    """Write soft joints in the axes of their first frames: dampers must not mind that a deflection turns with them."""
    owners = {row.owner for row in softness}
    own = {j.name: closure_in_joint(view, j) for j in view.model.of_type(Joint) if j.name in owners}
    for k, (row, _) in enumerate(got.position):
        if row in softness and row.owner in own:
            got.position[k] = (row, own[row.owner][int(row.direction.split()[-1]) - 1])


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
    gamma = gamma_of(view, got, rows, stabilisation)
    a = SX.sym("a", view.v.numel())
    seen = observed(view, got, rows, all_jacobian, a)
    return packed(
        view,
        got,
        seen,
        q=view.q,
        v=view.v,
        a=a,
        qdot=qdot_of(view),
        mass=mass,
        force=force,
        position=rows.position,
        velocity=rows.velocity,
        jacobian=all_jacobian[rows.hard, :],
        gamma=gamma,
        multipliers=rows.multipliers,
        rows=rows.names,
        names=state_names_of(view),
        stabilisation=stabilisation,
        softness=softness,
        retract=view.retract,
        start=view.start,
        stiff=bool(rows.soft),
    )


def observed(view: MaximalView, got: Contributions, rows: Rows, all_jacobian: SX, acceleration: SX) -> observe.Observed:
    """What the rows say of reactions, drives and work."""
    owned = {c.name: rows.of(c.name) for c in view.model.of_type(Constraint)}
    return observe.Observed(
        acceleration=acceleration,
        pull=lambda joint, body: observe.pull_of_rows(view, body, all_jacobian, rows.all_pull, owned[joint.name]),
        servo=lambda c: -sum((rows.all_pull[k] for k in rows.of(c.name)), SX(0)),
        multipliers={name: [rows.all_pull[k] for k in mine] for name, mine in owned.items() if mine},
        position=rows.all_position,
        velocity=rows.all_velocity,
        work=work_states(view, got, rows.all_velocity, rows.all_pull),
    )


def _newton_euler(view: MaximalView, got: Contributions) -> tuple[SX, SX]:
    """Mass matrix and all forces but those of constraints (AME (5), (9); Euler's equation in body axes)."""
    force = own_forces(view) + applied(view, got.loads)
    for c, effort in got.efforts.items():
        force += ca.jacobian(view.rate(c), view.v).T @ effort
    return masses(view), ca.densify(force)


def masses(view: MaximalView) -> SX:
    """Block-diagonal mass matrix; variables have none of their own."""
    none = SX(len(view.variables), len(view.variables))
    if view.planar:
        blocks = [ca.diagcat(b.mass, b.mass, b.inertia) for b in view.bodies]
    else:
        blocks = [ca.diagcat(b.mass, b.mass, b.mass, ca.sparsify(SX(b.inertia))) for b in view.bodies]
    return ca.sparsify(ca.diagcat(*blocks, none))


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
    return ca.vertcat(*parts, SX(len(view.variables), 1))


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
    return ca.vertcat(*total.values(), SX(len(view.variables), 1))


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
