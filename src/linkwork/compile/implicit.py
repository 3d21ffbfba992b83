"""Residuals of implicit solvers and their Newton matrices: index-1 DAE, and generalised α."""

from __future__ import annotations

import casadi as ca
import numpy as np

from linkwork.algebra.proximal import REGULARISATION, standing_in
from linkwork.core.equations import Equations
from linkwork.geometry import SX


def slack(eq: Equations) -> SX:
    """What rows that modes leave open ask of their multipliers instead."""
    closure = eq.contacts.closure
    return closure.slack @ eq.multipliers if closure else SX(eq.multipliers.numel(), 1)


def balance(eq: Equations, missing: SX) -> SX:
    """missing: what the rows lack, as accelerations; 0 in the end, it stands in for mass that is not there."""
    motion, closure = eq.motion, eq.contacts.closure
    pull = closure.pull if closure else eq.constraints.jacobian
    return motion.mass @ eq.a + pull.T @ eq.multipliers - motion.force + _standing_in(eq, missing)


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
    first = matrix.shape[0] - eq.multipliers.numel()
    softness = _softness(eq, per_acceleration)
    for k in softness.sparsity().row():
        matrix[first + k, first + k] -= softness[k]
    return matrix


def _softness(eq: Equations, per_acceleration: SX) -> SX:
    """What `_softened` takes off the diagonal of each row of constraints."""
    felt = eq.motion.order.felt if eq.motion.order is not None and not eq.motion.explicit else ()
    softness = SX(eq.multipliers.numel(), 1)
    for k, x in enumerate(felt):
        if x is not None:
            softness[k] = REGULARISATION * per_acceleration[k] * x
    return softness


class Index1:
    """Ẏ = F(t, Y) with Y = (q, v, z, a, λ); the last rows of F, index-1 algebraic equations in a and λ, vanish."""

    def __init__(self, eq: Equations):
        self.eq, self.Y = eq, ca.vertcat(eq.y, eq.a, eq.multipliers)

    def residual(self) -> SX:
        eq, motion, constraints = self.eq, self.eq.motion, self.eq.constraints
        if motion.explicit:
            algebraic = eq.a - motion.force
        else:
            missing = constraints.jacobian @ eq.a - constraints.gamma + slack(eq)
            algebraic = ca.vertcat(balance(eq, missing), missing)
        return ca.vertcat(motion.qdot, eq.a, motion.zdot, algebraic)

    @property
    def _moving(self) -> list[int]:
        """Which of Y are not constant in a step, because they only jump."""
        jumping = [k for k, name in enumerate(self.eq.states.names) if name in self.eq.states.held]
        return np.setdiff1d(np.arange(self.Y.numel()), jumping).tolist()

    def derivative(self) -> SX:
        """Of the residual, by Y."""
        Y, F, moving = self.Y, self.residual(), self._moving
        matrix = SX(F.numel(), Y.numel())
        matrix[:, moving] = ca.jacobian(F, Y[moving])
        return matrix

    def jacobian(self) -> SX:
        return _softened(self.derivative(), self.eq, SX.ones(self.eq.multipliers.numel(), 1))

    def shifted(self, by: SX) -> SX:
        """What has the same Jacobian: the residual at Y + δ, by δ at 0."""
        eq, Y, moving = self.eq, self.Y, self._moving
        there = SX(Y)
        there[moving] += by[moving]
        soft = _softness(eq, SX.ones(eq.multipliers.numel(), 1))
        n = soft.numel()
        return _less(ca.substitute(self.residual(), Y, there), soft * by[Y.numel() - n :])


def _less(residual: SX, softened: SX) -> SX:
    """The last rows of a residual, those of the constraints, less what softens them."""
    n = residual.numel() - softened.numel()
    return residual - ca.vertcat(SX(n, 1), softened)


class GeneralizedAlpha:
    """Equations of motion and constraints of a time step, in its unknowns a, λ and ż.

    chain: what the formulas of the step change a, v, q and z by (c₀, c₁, c₂ H and c₃, with q̇ = H v) per unit of these.
    """

    def __init__(self, eq: Equations):
        self.eq, self.chain, self.zdot = eq, SX.sym("c", 4), SX.sym("zdot", eq.z.numel())

    @property
    def arguments(self) -> list[SX]:
        eq = self.eq
        unknown = eq.a if eq.motion.explicit else ca.vertcat(eq.a, eq.multipliers)
        return [eq.t, eq.y, unknown, self.zdot, eq.p, self.chain]

    def _per_acceleration(self) -> SX:
        """What positions, or speeds, of rows change by per unit of their accelerations."""
        constraints, n = self.eq.constraints, self.eq.constraints.position.numel()
        return ca.vertcat(ca.repmat(self.chain[2], n, 1), ca.repmat(self.chain[1], constraints.velocity.numel() - n, 1))

    def residual(self) -> SX:
        eq, motion, constraints = self.eq, self.eq.motion, self.eq.constraints
        if motion.explicit:
            return ca.vertcat(eq.a - motion.force, self.zdot - motion.zdot)
        n = constraints.position.numel()
        kept = ca.vertcat(constraints.position, constraints.velocity[n:, :]) + slack(eq)
        return ca.vertcat(balance(eq, kept / self._per_acceleration()), self.zdot - motion.zdot, kept)

    def derivative(self) -> SX:
        """By a, ż and λ, by the chain rule of the time-stepping formulas."""
        eq, c, value = self.eq, self.chain, self.residual()
        H = ca.jacobian(eq.motion.qdot, eq.v)
        by_a = c[0] * ca.jacobian(value, eq.a) + c[1] * ca.jacobian(value, eq.v) + c[2] * (ca.jacobian(value, eq.q) @ H)
        by_z = ca.jacobian(value, self.zdot) + c[3] * ca.jacobian(value, eq.z)
        return ca.sparsify(ca.horzcat(by_a, by_z, ca.jacobian(value, eq.multipliers)))

    def jacobian(self) -> SX:
        return _softened(self.derivative(), self.eq, self._per_acceleration())

    def shifted(self, by: SX) -> SX:
        """What has the same Jacobian: the residual where a, ż and λ are changed by δ, by δ at 0."""
        eq, c, value = self.eq, self.chain, self.residual()
        sizes = [eq.a.numel(), eq.z.numel(), eq.multipliers.numel()]
        a, zdot, multipliers = ca.vertsplit(by, np.cumsum([0, *sizes]).tolist())
        old = [eq.a, eq.v, eq.q, self.zdot, eq.z, eq.multipliers]
        turned = ca.jtimes(eq.motion.qdot, eq.v, a)  # H δa
        steps = [c[0] * a, c[1] * a, c[2] * turned, zdot, c[3] * zdot, multipliers]
        (value,) = ca.substitute([value], old, [x + step for x, step in zip(old, steps, strict=True)])
        return _less(value, _softness(eq, self._per_acceleration()) * multipliers)
