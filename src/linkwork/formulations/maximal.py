"""Absolute coordinates, one set per body: what the rigid and the compliant formulation share.

A body has (x, y, θ) in the plane, position and Euler parameters in space; speeds are v (world) and ω (body axes).
With Φ(t, q): Φ̇ = ∂Φ/∂q·q̇ + ∂Φ/∂t, A = ∂Φ̇/∂v, γ = −(dΦ̇/dt at v̇ = 0): AME (14)–(30) for any joint.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Unpack

import casadi as ca

from linkwork.components.bodies import Body
from linkwork.core.component import Constraint, Load
from linkwork.core.equations import Equations, Motion, Row
from linkwork.formulations import observe
from linkwork.formulations.constraint_rows import Rows, gamma_of, split_rows
from linkwork.formulations.contributions import Contributions, gather
from linkwork.formulations.energies import work_states
from linkwork.formulations.equations_of_parts import ReadOff, equations_of_parts
from linkwork.formulations.maximal_view import MaximalView, qdot_of, state_names_of
from linkwork.formulations.order import order_of
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.geometry import SX, Wrench, as_vector, cross

if TYPE_CHECKING:
    from linkwork.core.model import Model


def equations_of(
    model: Model,
    *,
    stabilisation: Projection | Baumgarte | None = None,
    softness: Mapping[Row, tuple[float, float]] | None = None,
) -> Equations:
    """M v̇ + Aᵀλ = f and A v̇ = γ for the hard rows; soft rows are in f."""
    view = MaximalView(model)
    contributions = gather(model, view)
    rows = split_rows(view, contributions, softness)
    mass, force = _newton_euler(view, contributions)
    force -= rows.soft_pull
    jacobian = ca.jacobian(rows.velocity, view.v)
    return finished(view, contributions, rows, mass, force, jacobian, stabilisation=stabilisation, softness=softness)


def finished(
    view: MaximalView,
    contributions: Contributions,
    rows: Rows,
    mass: SX,
    force: SX,
    jacobian: SX,
    *,
    stabilisation: Projection | Baumgarte | None,
    softness: Mapping[Row, tuple[float, float]] | None,
    a: SX | None = None,
    **more: Unpack[ReadOff],
) -> Equations:
    """Equations in the coordinates of all bodies; a: symbols of their accelerations."""
    a = SX.sym("a", view.v.numel()) if a is None else a
    return equations_of_parts(
        view,
        contributions,
        observed(view, contributions, rows, ca.jacobian(rows.all_velocity, view.v), a),
        q=view.q,
        v=view.v,
        a=a,
        motion=Motion(
            qdot_of(view), mass, force, view.retract, order=order_of(view, rows.names, jacobian, of_bodies=True)
        ),
        jacobian=jacobian,
        gamma=gamma_of(view, contributions, rows, stabilisation),
        rows=rows,
        names=state_names_of(view),
        stabilisation=stabilisation,
        softness=softness,
        start=view.start,
        **more,
    )


def observed(
    view: MaximalView, contributions: Contributions, rows: Rows, all_jacobian: SX, acceleration: SX
) -> observe.Observed:
    """What the rows say of reactions, drives and work."""
    owned = {c.name: rows.of(c.name) for c in view.model.of_type(Constraint)}
    held = rows.by_owner(view.model.of_type(Constraint))
    return observe.Observed(
        acceleration=acceleration,
        pull=lambda joint, body: observe.pull_of_rows(view, body, all_jacobian, rows.all_pull, owned[joint.name]),
        servo=lambda c: -sum((rows.all_pull[k] for k in rows.of(c.name)), SX(0)),
        multipliers=held,
        held=held,
        position=rows.all_position,
        velocity=rows.all_velocity,
        work=work_states(view, contributions, rows.all_velocity, rows.all_pull, acceleration),
    )


def _newton_euler(view: MaximalView, contributions: Contributions) -> tuple[SX, SX]:
    """Mass matrix and all forces but those of constraints (AME (5), (9); Euler's equation in body axes)."""
    force = own_forces(view) + applied(view, contributions.loads)
    for c, effort in contributions.efforts.items():
        force += ca.jacobian(view.rate(c), view.v).T @ effort
    added, owed = inertias(view, contributions)
    return ca.sparsify(masses(view) + added), ca.densify(force - owed)


def inertias(view: MaximalView, contributions: Contributions) -> tuple[SX, SX]:
    """Mass matrix and forces of what components with ports join rigidly to coordinates."""
    n = view.v.numel()
    mass, owed = SX(n, n), SX(n, 1)
    for x in contributions.inertias:
        first, second = (ca.jacobian(view.rate(c), view.v) for c in (x.first, x.second))
        mass += first.T @ (x.value * second)
        owed += first.T @ (x.value * view.time_derivative(view.rate(x.second)))
    return mass, owed


def masses(view: MaximalView) -> SX:
    """Block-diagonal mass matrix; variables have none of their own."""
    none = SX(len(view.variables), len(view.variables))
    return ca.sparsify(ca.diagcat(*(mass_of(view, b) for b in view.bodies), none))


def mass_of(view: MaximalView, body: Body) -> SX:
    """A body's own mass matrix: world axes for its position, body axes for its rotation."""
    return ca.diagcat(*[body.mass] * view.space.along, ca.sparsify(SX(body.inertia)))


def own_forces(view: MaximalView) -> SX:
    """Weight, and the gyroscopic moment in body axes."""
    gravity, parts = as_vector(view.model.gravity), []
    for body in view.bodies:
        J = view.space.inertia(SX(body.inertia))
        _, w = view.space.split(view.v[view.slice(body)])
        parts.append(view.space.both(body.mass * gravity, -cross(w, J @ w)))
    return ca.vertcat(*parts, SX(len(view.variables), 1))


def applied(view: MaximalView, loads: list[tuple[str, Load]]) -> SX:
    """Generalised forces of loads, in the order of the speeds."""
    total: dict[str, SX] = {b.name: SX(view.space.size, 1) for b in view.bodies}
    for _, load in loads:
        if isinstance(load.marker.body, Body):
            body = view.body(load.marker.body)
            wrench = Wrench(load.force, load.torque).moved(view.frame(load.marker).p - body.p)
            total[load.marker.body.name] += wrench.on_speeds(body.R, view.space)
    return ca.vertcat(*total.values(), SX(len(view.variables), 1))
