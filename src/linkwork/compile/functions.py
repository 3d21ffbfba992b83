"""Equations → the symbolic functions a Program is made of (see core/program.py for their arguments)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import casadi as ca
import numpy as np

from linkwork.algebra import contact_solve
from linkwork.algebra.projection import Metric, projected
from linkwork.algebra.proximal import KKT, Order
from linkwork.compile.implicit import GeneralizedAlpha, Index1
from linkwork.core.courses import in_time
from linkwork.core.equations import Equations, Row
from linkwork.geometry import SX

SHIFTED = {"dae_jacobian": "dae_shifted", "alpha_jacobian": "alpha_shifted"}
"""Jacobians → the functions that they are derivatives of, by the last argument where that is zero."""


def builders(eq: Equations, *, shared: bool = False) -> dict[str, Callable[[], ca.Function]]:
    """name → function that derives it; nothing is derived before it is asked for.

    shared: without anything that is computed twice; whoever compiles them sees to that in less time.
    """
    of = Functions(eq, shared)
    made = (of.rhs, of.outputs, of.probes, of.events, of.project, of.margins, of.retract)
    implicit = (of.dae, of.dae_jacobian, of.dae_shifted, of.alpha_residual, of.alpha_jacobian, of.alpha_shifted)
    return {f.__name__: f for f in made + implicit}


class Functions:
    """One method for each function of a Program, of the same name."""

    def __init__(self, eq: Equations, shared: bool = False):
        self.eq, self.state, self.shared = eq, [eq.t, eq.y, eq.p], shared

    @cached_property
    def solution(self) -> tuple[SX, SX]:
        return _solved(self.eq)

    @cached_property
    def alpha(self) -> GeneralizedAlpha:
        return GeneralizedAlpha(self.eq)

    def _function(self, name: str, arguments: list[SX], results: list[SX]) -> ca.Function:
        if self.eq.signals.courses is not None:
            results = in_time(results, self.eq.signals.courses)
        return ca.Function(name, arguments, results, {"cse": self.shared, "allow_free": False})

    def _with_solution(self, expressions: list[SX]) -> list[SX]:
        eq = self.eq
        return ca.substitute(expressions, [eq.a, eq.multipliers], [*self.solution]) if expressions else []

    def rhs(self) -> ca.Function:
        motion = self.eq.motion
        (zdot,) = self._with_solution([motion.zdot])
        return self._function("rhs", self.state, [ca.densify(ca.vertcat(motion.qdot, self.solution[0], zdot))])

    def outputs(self) -> ca.Function:
        values = self._with_solution([ca.vertcat(*(value for _, value in self.eq.observation.outputs.values()))])
        return self._function("outputs", self.state, [ca.densify(values[0])])

    def probes(self) -> ca.Function:
        values = [ca.vertcat(SX(0, 1), *(value for _, value in self.eq.observation.probes.values()))]
        return self._function("probes", self.state, [ca.densify(self._with_solution(values)[0])])

    def events(self) -> ca.Function:
        events = self.eq.observation.events
        values = [ca.vertcat(*(g[0] for _, g in events))]
        if any(g.numel() > 1 for _, g in events):
            bounds = [g[1:] if g.numel() > 1 else SX.zeros(3, 1) for _, g in events]
            values.append(ca.vec(ca.horzcat(*bounds).T))  # all paces, all grains, all holds
        values = self._with_solution(values) if self.eq.contacts.closure else values
        return self._function("events", self.state, [ca.densify(x) for x in values])

    def project(self) -> ca.Function:
        return self._function("project", self.state, _projection(self.eq))

    def margins(self) -> ca.Function:
        return self._function("margins", self.state, [ca.densify(_margins(self.eq))])

    def retract(self) -> ca.Function:
        q, step = self.eq.q, SX.sym("step", self.eq.v.numel())
        return self._function("retract", [q, step], [ca.densify(self.eq.motion.retract(q, step))])

    def _index1(self, name: str, write: Callable[[Index1], SX]) -> ca.Function:
        system = Index1(self.eq)
        value, fresh = write(system), SX.sym("Y", system.Y.numel())
        return self._function(name, [self.eq.t, fresh, self.eq.p], [ca.substitute(value, system.Y, fresh)])

    def dae(self) -> ca.Function:
        return self._index1("dae", lambda system: ca.densify(system.residual()))

    def dae_jacobian(self) -> ca.Function:
        return self._index1("dae_jacobian", Index1.jacobian)

    def dae_shifted(self) -> ca.Function:
        system = Index1(self.eq)
        fresh, by = (SX.sym(name, system.Y.numel()) for name in ("Y", "δ"))
        value = ca.substitute(system.shifted(by), system.Y, fresh)
        return self._function("dae_shifted", [self.eq.t, fresh, self.eq.p, by], [ca.densify(value)])

    def alpha_residual(self) -> ca.Function:
        return self._function("alpha_residual", self.alpha.arguments, [ca.densify(self.alpha.residual())])

    def alpha_jacobian(self) -> ca.Function:
        return self._function("alpha_jacobian", self.alpha.arguments, [self.alpha.jacobian()])

    def alpha_shifted(self) -> ca.Function:
        by = SX.sym("δ", sum(x.numel() for x in (self.eq.a, self.eq.z, self.eq.multipliers)))
        return self._function("alpha_shifted", [*self.alpha.arguments, by], [ca.densify(self.alpha.shifted(by))])


def _solved(eq: Equations) -> tuple[SX, SX]:
    """(v̇, λ)."""
    motion, constraints = eq.motion, eq.constraints
    if motion.explicit:
        return motion.force, SX(0, 1)
    if eq.contacts.closure is not None:
        system = motion.mass, constraints.jacobian, motion.force, constraints.gamma
        return contact_solve.solve(*system, eq.contacts.closure, motion.order)
    return KKT(motion.mass, constraints.jacobian, _order(eq)).solve(motion.force, constraints.gamma)


def _order(eq: Equations) -> Order | None:
    return eq.motion.order and eq.motion.order.away(eq.constraints.position)


def margin_rows(eq: Equations) -> list[Row]:
    """Rows that `margins` looks at: those of joints, not of contacts, which come and go; none in a tree, where no row
    can ever depend on others."""
    constraints, closure = eq.constraints, eq.contacts.closure
    if constraints.singular_rows is not None:
        return constraints.singular_rows
    rows = closure.joints if closure else range(constraints.jacobian.shape[0])
    order = eq.motion.order
    if order is not None and order.regular and {*rows} <= {k for _, held in order.pairs for k in held}:
        return []
    return [constraints.rows[k] for k in rows]


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


def _nearest(eq: Equations) -> list[SX]:
    """[q, v] one step nearer to all rows, by the shortest way in the mass metric."""
    motion, constraints = eq.motion, eq.constraints
    metric: Metric = (
        contact_solve.Nearest(motion.mass, constraints.jacobian)
        if contact_solve.applies(eq.contacts.closure, eq.v.numel())
        else KKT(motion.mass, constraints.jacobian, _order(eq))
    )
    nearest = projected(metric, eq.q, eq.v, constraints.position, constraints.velocity, motion.retract, eq.states.steps)
    return [*nearest]


def _projection(eq: Equations) -> list[SX]:
    """One Newton step back to Φ = 0, then A v = b."""
    motion, constraints = eq.motion, eq.constraints
    size = np.array(motion.order.size) if motion.order is not None else np.ones(constraints.velocity.numel())
    rows = constraints.position, constraints.velocity
    largest = [ca.norm_inf(x / ca.DM(size[: x.numel()])) if x.numel() else SX(0) for x in rows]
    if constraints.projected is not None:
        q, v = constraints.projected.make()
        if eq.contacts.closure is not None:  # where joints hold already, on to closed contacts
            q, v = ca.substitute(_nearest(eq), [eq.q, eq.v], [q, v])
    elif constraints.velocity.numel():
        q, v = _nearest(eq)
    else:
        q, v = motion.retract(eq.q, SX.zeros(eq.v.numel(), 1)), eq.v
    z = eq.z
    if eq.algebraic.improved is not None:
        a, multipliers = (SX.zeros(s.numel(), 1) for s in (eq.a, eq.multipliers))  # they do not enter
        z = ca.substitute(eq.algebraic.improved, ca.vertcat(eq.a, eq.multipliers), ca.vertcat(a, multipliers))
        largest[0] = ca.fmax(largest[0], ca.norm_inf((z - eq.z) / (1e-3 + ca.fabs(z))))
    return [ca.densify(ca.vertcat(q, v, z)), ca.vertcat(*largest)]
