"""Equations → the symbolic functions a Program is made of (see core/program.py for their arguments)."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np

from linkwork.algebra import contact_solve
from linkwork.algebra.proximal import KKT, REACH, Order
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

    state = [eq.t, eq.y, eq.p]

    def function(name: str, arguments: list[SX], results: list[SX]) -> ca.Function:
        if eq.signals.courses is not None:
            results = in_time(results, eq.signals.courses)
        return ca.Function(name, arguments, results, {"cse": True, "allow_free": False})

    def with_solution(expressions: list[SX]) -> list[SX]:
        a, multipliers = solved()
        return ca.substitute(expressions, [eq.a, eq.multipliers], [a, multipliers]) if expressions else []

    def rhs() -> ca.Function:
        (zdot,) = with_solution([eq.motion.zdot])
        return function("rhs", state, [ca.densify(ca.vertcat(eq.motion.qdot, solved()[0], zdot))])

    def outputs() -> ca.Function:
        values = with_solution([ca.vertcat(*(value for _, value in eq.observation.outputs.values()))])
        return function("outputs", state, [ca.densify(values[0])])

    def probes() -> ca.Function:
        values = with_solution([ca.vertcat(SX(0, 1), *(value for _, value in eq.observation.probes.values()))])
        return function("probes", state, [ca.densify(values[0])])

    def events() -> ca.Function:
        values = [ca.vertcat(*(g[0] for _, g in eq.observation.events))]
        if any(g.numel() > 1 for _, g in eq.observation.events):
            bounds = [g[1:] if g.numel() > 1 else SX.zeros(3, 1) for _, g in eq.observation.events]
            values.append(ca.vec(ca.horzcat(*bounds).T))  # all paces, all grains, all holds
        return function(
            "events", state, [ca.densify(x) for x in (with_solution(values) if eq.contacts.closure else values)]
        )

    def project() -> ca.Function:
        return function("project", state, _projection(eq))

    def margins() -> ca.Function:
        return function("margins", state, [ca.densify(_margins(eq))])

    def retract() -> ca.Function:
        step = SX.sym("step", eq.v.numel())
        return function("retract", [eq.q, step], [ca.densify(eq.motion.retract(eq.q, step))])

    def balance() -> SX:
        pull = eq.contacts.closure.pull if eq.contacts.closure else eq.constraints.jacobian
        return eq.motion.mass @ eq.a + pull.T @ eq.multipliers - eq.motion.force

    def slack() -> SX:
        """What rows that modes leave open ask of their multipliers instead."""
        return eq.contacts.closure.slack @ eq.multipliers if eq.contacts.closure else SX(eq.multipliers.numel(), 1)

    def residuals() -> SX:
        """Index-1 algebraic equations in a and λ."""
        if eq.motion.explicit:
            return eq.a - eq.motion.force
        return ca.vertcat(balance(), eq.constraints.jacobian @ eq.a - eq.constraints.gamma + slack())

    def dae_parts() -> tuple[SX, SX]:
        Y = ca.vertcat(eq.y, eq.a, eq.multipliers)
        return Y, ca.vertcat(eq.motion.qdot, eq.a, eq.motion.zdot, residuals())

    def renamed(Y: SX, value: SX, name: str, *more: SX) -> ca.Function:
        fresh = SX.sym("Y", Y.numel())
        return function(name, [eq.t, fresh, eq.p, *more], [ca.substitute(value, Y, fresh)])

    def dae() -> ca.Function:
        Y, F = dae_parts()
        return renamed(Y, ca.densify(F), "dae")

    def dae_jacobian() -> ca.Function:
        Y, F = dae_parts()
        held = [k for k, name in enumerate(eq.states.names) if name in eq.states.held]
        moving = np.setdiff1d(np.arange(Y.numel()), held).tolist()
        matrix = SX(F.numel(), Y.numel())
        matrix[:, moving] = ca.jacobian(F, Y[moving])  # what only jumps is constant in a step
        return renamed(Y, matrix, "dae_jacobian")

    def alpha_parts() -> tuple[list[SX], SX, SX]:
        zdot = SX.sym("zdot", eq.z.numel())
        if eq.motion.explicit:
            value = ca.vertcat(eq.a - eq.motion.force, zdot - eq.motion.zdot)
            return [eq.t, eq.y, eq.a, zdot, eq.p], value, zdot
        n = eq.constraints.position.numel()
        kept = ca.vertcat(eq.constraints.position, eq.constraints.velocity[n:, :]) + slack()
        value = ca.vertcat(balance(), zdot - eq.motion.zdot, kept)
        return [eq.t, eq.y, ca.vertcat(eq.a, eq.multipliers), zdot, eq.p], value, zdot

    def alpha_residual() -> ca.Function:
        arguments, value, _ = alpha_parts()
        return function("alpha_residual", arguments, [ca.densify(value)])

    def alpha_jacobian() -> ca.Function:
        """Chain rule of the time-stepping formulas: q moves by H·δq, v by c₁, z by c₃ per unit of a and ż."""
        arguments, value, zdot = alpha_parts()
        c = SX.sym("c", 4)
        H = ca.jacobian(eq.motion.qdot, eq.v)
        by_a = c[0] * ca.jacobian(value, eq.a) + c[1] * ca.jacobian(value, eq.v) + c[2] * (ca.jacobian(value, eq.q) @ H)
        by_z = ca.jacobian(value, zdot) + c[3] * ca.jacobian(value, eq.z)
        matrix = ca.sparsify(ca.horzcat(by_a, by_z, ca.jacobian(value, eq.multipliers)))
        return function("alpha_jacobian", [*arguments, c], [matrix])

    made = (rhs, outputs, probes, events, project, margins, retract, dae, dae_jacobian, alpha_residual, alpha_jacobian)
    return {f.__name__: f for f in made}


def _solved(eq: Equations) -> tuple[SX, SX]:
    """(v̇, λ)."""
    if eq.motion.explicit:
        return eq.motion.force, SX(0, 1)
    if eq.contacts.closure is not None:
        return contact_solve.solve(
            eq.motion.mass,
            eq.constraints.jacobian,
            eq.motion.force,
            eq.constraints.gamma,
            eq.contacts.closure,
            eq.motion.order,
        )
    return KKT(eq.motion.mass, eq.constraints.jacobian, _order(eq)).solve(eq.motion.force, eq.constraints.gamma)


def _order(eq: Equations) -> Order | None:
    return eq.motion.order and eq.motion.order.away(eq.constraints.position)


def margin_rows(eq: Equations) -> list[Row]:
    """Rows that `margins` looks at: those of joints, not of contacts, which come and go."""
    if eq.constraints.singular_rows is not None:
        return eq.constraints.singular_rows
    return [
        eq.constraints.rows[k]
        for k in (eq.contacts.closure.joints if eq.contacts.closure else range(eq.constraints.jacobian.shape[0]))
    ]


def _margins(eq: Equations) -> SX:
    if eq.constraints.margins is not None:
        return eq.constraints.margins.make()[0]
    if eq.contacts.closure is None:
        return KKT(eq.motion.mass, eq.constraints.jacobian, eq.motion.order).margins()
    kept, order = eq.contacts.closure.joints, eq.motion.order
    if order is not None:
        order = order.renumbered({row: k for k, row in enumerate(kept)}, len(kept))
    return KKT(eq.motion.mass, eq.constraints.jacobian[kept, :] if kept else SX(0, eq.v.numel()), order).margins()


def _projection(eq: Equations) -> list[SX]:
    """One Newton step back to Φ = 0, then A v = b."""
    size = np.array(eq.motion.order.size) if eq.motion.order is not None else np.ones(eq.constraints.velocity.numel())
    largest = [
        ca.norm_inf(x / ca.DM(size[: x.numel()])) if x.numel() else SX(0)
        for x in (eq.constraints.position, eq.constraints.velocity)
    ]
    if eq.constraints.projected is not None:
        q, v = eq.constraints.projected.make()
    elif eq.constraints.velocity.numel():
        missing = SX.zeros(eq.constraints.velocity.numel() - eq.constraints.position.numel(), 1)
        # The factors at the unprojected position serve both.
        kkt: KKT | contact_solve.Nearest = (
            contact_solve.Nearest(eq.motion.mass, eq.constraints.jacobian)
            if contact_solve.applies(eq.contacts.closure, eq.v.numel())
            else KKT(eq.motion.mass, eq.constraints.jacobian, _order(eq))
        )
        q = eq.motion.retract(
            eq.q, kkt.closest(ca.vertcat(eq.constraints.position, missing), reach=REACH * eq.states.steps)
        )
        v = eq.v + kkt.closest(ca.substitute(eq.constraints.velocity, eq.q, q))
    else:
        q, v = eq.motion.retract(eq.q, SX.zeros(eq.v.numel(), 1)), eq.v
    z = eq.z
    if eq.algebraic.improved is not None:
        a, multipliers = (SX.zeros(s.numel(), 1) for s in (eq.a, eq.multipliers))  # they do not enter
        z = ca.substitute(eq.algebraic.improved, ca.vertcat(eq.a, eq.multipliers), ca.vertcat(a, multipliers))
        largest[0] = ca.fmax(largest[0], ca.norm_inf((z - eq.z) / (1e-3 + ca.fabs(z))))
    return [ca.densify(ca.vertcat(q, v, z)), ca.vertcat(*largest)]
