"""Equations → the symbolic functions a Program is made of (see core/program.py for their arguments)."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np

from linkwork.algebra import contact_solve
from linkwork.algebra.projection import Metric, projected
from linkwork.algebra.proximal import KKT, REGULARISATION, Order, standing_in
from linkwork.core.courses import in_time
from linkwork.core.equations import Equations, Row
from linkwork.geometry import SX


def builders(eq: Equations) -> dict[str, Callable[[], ca.Function]]:
    """name → function that derives it; nothing is derived before it is asked for."""
    cached: list[tuple[SX, SX]] = []

    def solved() -> tuple[SX, SX]:
        if not cached:
            cached.append(_solved(eq))
        return cached[0]

    state, chain = [eq.t, eq.y, eq.p], SX.sym("c", 4)
    motion, constraints, seen, closure = eq.motion, eq.constraints, eq.observation, eq.contacts.closure

    def function(name: str, arguments: list[SX], results: list[SX]) -> ca.Function:
        if eq.signals.courses is not None:
            results = in_time(results, eq.signals.courses)
        return ca.Function(name, arguments, results, {"cse": True, "allow_free": False})

    def with_solution(expressions: list[SX]) -> list[SX]:
        a, multipliers = solved()
        return ca.substitute(expressions, [eq.a, eq.multipliers], [a, multipliers]) if expressions else []

    def rhs() -> ca.Function:
        (zdot,) = with_solution([motion.zdot])
        return function("rhs", state, [ca.densify(ca.vertcat(motion.qdot, solved()[0], zdot))])

    def outputs() -> ca.Function:
        values = with_solution([ca.vertcat(*(value for _, value in seen.outputs.values()))])
        return function("outputs", state, [ca.densify(values[0])])

    def probes() -> ca.Function:
        values = with_solution([ca.vertcat(SX(0, 1), *(value for _, value in seen.probes.values()))])
        return function("probes", state, [ca.densify(values[0])])

    def events() -> ca.Function:
        values = [ca.vertcat(*(g[0] for _, g in seen.events))]
        if any(g.numel() > 1 for _, g in seen.events):
            bounds = [g[1:] if g.numel() > 1 else SX.zeros(3, 1) for _, g in seen.events]
            values.append(ca.vec(ca.horzcat(*bounds).T))  # all paces, all grains, all holds
        return function("events", state, [ca.densify(x) for x in (with_solution(values) if closure else values)])

    def project() -> ca.Function:
        return function("project", state, _projection(eq))

    def margins() -> ca.Function:
        return function("margins", state, [ca.densify(_margins(eq))])

    def retract() -> ca.Function:
        step = SX.sym("step", eq.v.numel())
        return function("retract", [eq.q, step], [ca.densify(motion.retract(eq.q, step))])

    def balance(missing: SX) -> SX:
        """missing: what the rows lack, as accelerations; 0 in the end, it stands in for mass that is not there."""
        pull = closure.pull if closure else constraints.jacobian
        return motion.mass @ eq.a + pull.T @ eq.multipliers - motion.force + _standing_in(eq, missing)

    def slack() -> SX:
        """What rows that modes leave open ask of their multipliers instead."""
        return closure.slack @ eq.multipliers if closure else SX(eq.multipliers.numel(), 1)

    def residuals() -> SX:
        """Index-1 algebraic equations in a and λ."""
        if motion.explicit:
            return eq.a - motion.force
        missing = constraints.jacobian @ eq.a - constraints.gamma + slack()
        return ca.vertcat(balance(missing), missing)

    def dae_parts() -> tuple[SX, SX]:
        Y = ca.vertcat(eq.y, eq.a, eq.multipliers)
        return Y, ca.vertcat(motion.qdot, eq.a, motion.zdot, residuals())

    def renamed(Y: SX, value: SX, name: str, *more: SX) -> ca.Function:
        fresh = SX.sym("Y", Y.numel())
        return function(name, [eq.t, fresh, eq.p, *more], [ca.substitute(value, Y, fresh)])

    def dae() -> ca.Function:
        Y, F = dae_parts()
        return renamed(Y, ca.densify(F), "dae")

    def dae_jacobian() -> ca.Function:
        Y, F = dae_parts()
        jumping = [k for k, name in enumerate(eq.states.names) if name in eq.states.held]
        moving = np.setdiff1d(np.arange(Y.numel()), jumping).tolist()
        matrix = SX(F.numel(), Y.numel())
        matrix[:, moving] = ca.jacobian(F, Y[moving])  # what only jumps is constant in a step
        return renamed(Y, _softened(matrix, eq, SX.ones(eq.multipliers.numel(), 1)), "dae_jacobian")

    def alpha_parts() -> tuple[list[SX], SX, SX]:
        zdot = SX.sym("zdot", eq.z.numel())
        if motion.explicit:
            value = ca.vertcat(eq.a - motion.force, zdot - motion.zdot)
            return [eq.t, eq.y, eq.a, zdot, eq.p, chain], value, zdot
        n = constraints.position.numel()
        kept = ca.vertcat(constraints.position, constraints.velocity[n:, :]) + slack()
        value = ca.vertcat(balance(kept / by_acceleration()), zdot - motion.zdot, kept)
        return [eq.t, eq.y, ca.vertcat(eq.a, eq.multipliers), zdot, eq.p, chain], value, zdot

    def by_acceleration() -> SX:
        """What positions, or speeds, of rows change by per unit of their accelerations."""
        n = constraints.position.numel()
        return ca.vertcat(ca.repmat(chain[2], n, 1), ca.repmat(chain[1], constraints.velocity.numel() - n, 1))

    def alpha_residual() -> ca.Function:
        arguments, value, _ = alpha_parts()
        return function("alpha_residual", arguments, [ca.densify(value)])

    def alpha_jacobian() -> ca.Function:
        """Chain rule of the time-stepping formulas: q moves by H·δq, v by c₁, z by c₃ per unit of a and ż."""
        arguments, value, zdot = alpha_parts()
        c = chain
        H = ca.jacobian(motion.qdot, eq.v)
        by_a = c[0] * ca.jacobian(value, eq.a) + c[1] * ca.jacobian(value, eq.v) + c[2] * (ca.jacobian(value, eq.q) @ H)
        by_z = ca.jacobian(value, zdot) + c[3] * ca.jacobian(value, eq.z)
        matrix = ca.sparsify(ca.horzcat(by_a, by_z, ca.jacobian(value, eq.multipliers)))
        return function("alpha_jacobian", arguments, [_softened(matrix, eq, by_acceleration())])

    made = (rhs, outputs, probes, events, project, margins, retract, dae, dae_jacobian, alpha_residual, alpha_jacobian)
    return {f.__name__: f for f in made}


def _solved(eq: Equations) -> tuple[SX, SX]:
    """(v̇, λ)."""
    motion, constraints = eq.motion, eq.constraints
    if motion.explicit:
        return motion.force, SX(0, 1)
    if eq.contacts.closure is not None:
        system = motion.mass, constraints.jacobian, motion.force, constraints.gamma
        return contact_solve.solve(*system, eq.contacts.closure, motion.order)
    return KKT(motion.mass, constraints.jacobian, _order(eq)).solve(motion.force, constraints.gamma)


def _standing_in(eq: Equations, missing: SX) -> SX:
    """Bᵀ W (B a − c) of the rows that pass forces on to bodies too light to hold against them (see `KKT`)."""
    if eq.motion.order is None or not eq.motion.order.weights:
        return SX(eq.v.numel(), 1)
    weights = standing_in(eq.motion.mass, eq.constraints.jacobian, eq.motion.order)
    rows = list(weights)
    return eq.constraints.jacobian[rows, :].T @ (ca.vertcat(*weights.values()) * missing[rows])


def _softened(matrix: SX, eq: Equations, per_acceleration: SX) -> SX:
    """A Newton matrix, its rows of constraints softened by a share of what they would feel of free bodies.

    Next to flat positions rows of cut joints vanish but for rounding errors; their multipliers must not. Newton's
    residual stays exact: the softness only slows it down.
    """
    felt = eq.motion.order.felt if eq.motion.order is not None and not eq.motion.explicit else ()
    first = matrix.shape[0] - eq.multipliers.numel()
    for k, x in enumerate(felt):
        if x is not None:
            matrix[first + k, first + k] -= REGULARISATION * per_acceleration[k] * x
    return matrix


def _order(eq: Equations) -> Order | None:
    return eq.motion.order and eq.motion.order.away(eq.constraints.position)


def margin_rows(eq: Equations) -> list[Row]:
    """Rows that `margins` looks at: those of joints, not of contacts, which come and go."""
    constraints, closure = eq.constraints, eq.contacts.closure
    if constraints.singular_rows is not None:
        return constraints.singular_rows
    return [constraints.rows[k] for k in (closure.joints if closure else range(constraints.jacobian.shape[0]))]


def _margins(eq: Equations) -> SX:
    constraints, order = eq.constraints, eq.motion.order
    if constraints.margins is not None:
        return constraints.margins.make()[0]
    if eq.contacts.closure is None:
        return KKT(eq.motion.mass, constraints.jacobian, order).margins()
    kept = eq.contacts.closure.joints
    if order is not None:
        order = order.renumbered({row: k for k, row in enumerate(kept)}, len(kept))
    return KKT(eq.motion.mass, constraints.jacobian[kept, :] if kept else SX(0, eq.v.numel()), order).margins()


def _projection(eq: Equations) -> list[SX]:
    """One Newton step back to Φ = 0, then A v = b."""
    motion, constraints = eq.motion, eq.constraints
    size = np.array(motion.order.size) if motion.order is not None else np.ones(constraints.velocity.numel())
    rows = constraints.position, constraints.velocity
    largest = [ca.norm_inf(x / ca.DM(size[: x.numel()])) if x.numel() else SX(0) for x in rows]
    if constraints.projected is not None:
        q, v = constraints.projected.make()
    elif constraints.velocity.numel():
        metric: Metric = (
            contact_solve.Nearest(motion.mass, constraints.jacobian)
            if contact_solve.applies(eq.contacts.closure, eq.v.numel())
            else KKT(motion.mass, constraints.jacobian, _order(eq))
        )
        q, v = projected(metric, eq.q, eq.v, *rows, motion.retract, eq.states.steps)
    else:
        q, v = motion.retract(eq.q, SX.zeros(eq.v.numel(), 1)), eq.v
    z = eq.z
    if eq.algebraic.improved is not None:
        a, multipliers = (SX.zeros(s.numel(), 1) for s in (eq.a, eq.multipliers))  # they do not enter
        z = ca.substitute(eq.algebraic.improved, ca.vertcat(eq.a, eq.multipliers), ca.vertcat(a, multipliers))
        largest[0] = ca.fmax(largest[0], ca.norm_inf((z - eq.z) / (1e-3 + ca.fabs(z))))
    return [ca.densify(ca.vertcat(q, v, z)), ca.vertcat(*largest)]
