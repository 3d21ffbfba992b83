"""Accelerations and forces where friction makes the equations unsymmetric: a small system on top of the joints'."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np

from linkwork.algebra.elimination import Factors
from linkwork.algebra.proximal import KKT, Mass, Order, within
from linkwork.algebra.proximal import REGULARISATION as SOFT
from linkwork.core.unilateral import Closure
from linkwork.geometry import SX

REGULARISATION = 1e-6
"""Softness of closed contacts, relative to what each row feels of the masses. It is larger than for joints: rounding
shows in what redundant contacts share in inverse proportion to it, and which of them slips first must not depend on
that."""
REFINEMENTS = 3
"""How often it is taken out again."""
NORMAL_FORCE_SHARE = 1e-3
"""Share of the largest normal force below which friction is shared as if it were that."""


def solve(mass: SX, jacobian: SX, force: SX, gamma: SX, closure: Closure, order: Order | None = None) -> tuple[SX, SX]:
    """(a, λ) of  M a + Bᵀλ = f,  A a + C λ = γ.

    With a = a₀ + X λ_c, X the response of masses and joints to unit forces at the contacts, (A X + C) λ_c = γ − A a₀.
    Unless friction is so large that rigid bodies jam, all principal minors are positive: elimination needs no pivoting.
    Redundant contacts share their load as redundant joints do, by a softness that refinement takes out again; and what
    sticks, in proportion to the normal forces, so that a box does not slip at one edge before it does at the other.
    """
    system = _System(mass, jacobian, force, gamma, closure, order)
    rubbing = {m.normal: m.tangential for m in closure.modes if m.tangential and m.normal is not None}
    if len(rubbing) > 1:
        pushed = system.solve(system.softness, refinements=1)
        pushed = system.solve(system.softness * _reluctance(rubbing, pushed))
    else:
        pushed = system.solve(system.softness)
    return system.whole(pushed)


class _System:
    """(R X + C) λ = r for the multipliers of the contacts alone."""

    def __init__(self, mass: SX, jacobian: SX, force: SX, gamma: SX, closure: Closure, order: Order | None):
        self.joints, self.contacts = closure.joints, closure.contacts
        self.mass = mass
        if order is not None:
            order = order.renumbered({row: k for k, row in enumerate(self.joints)}, len(self.joints))
        kkt = KKT(mass, _rows(jacobian, self.joints), order)
        none = SX.zeros(len(self.joints), 1)
        self.a0, self.m0 = kkt.solve(force, _rows(gamma, self.joints))
        self.R, self.G = jacobian[self.contacts, :], -closure.pull[self.contacts, :]
        responses = [kkt.solve(self.G[k, :].T, none) for k in range(len(self.contacts))]
        self.X, self.Y = ca.horzcat(*(a for a, _ in responses)), ca.horzcat(*(m for _, m in responses))
        self.slack = closure.slack[self.contacts, self.contacts]
        self.rhs = gamma[self.contacts] - self.R @ self.a0
        felt = [ca.dot(ca.densify(self.R[k, :].T), ca.densify(self.X[:, k])) for k in range(len(self.contacts))]
        self.softness = REGULARISATION * ca.vertcat(*felt)

    def solve(self, softness: SX, refinements: int = REFINEMENTS) -> SX:
        inverse = self._by_speeds(softness) if self._many() else self._by_contacts(softness)
        x = inverse(self.rhs)
        for _ in range(refinements):
            x = x + inverse(self.rhs - self.R @ (self.X @ x) - self.slack @ x)
        return x

    def _many(self) -> bool:
        """Whether contacts have more rows than bodies have speeds: a box, for instance."""
        return not self.joints and len(self.contacts) > self.mass.shape[0]

    def _by_contacts(self, softness: SX) -> Callable[[SX], SX]:
        return Factors(self.R @ self.X + self.slack + ca.diag(softness)).solve

    def _by_speeds(self, softness: SX) -> Callable[[SX], SX]:
        """The same by way of z = X λ: with D = C + softness, (M + Gᵀ D⁻¹ R) z = Gᵀ D⁻¹ r and λ = D⁻¹ (r − R z)."""
        D = Factors(self.slack + ca.diag(softness))  # triangular: normal forces come first
        stiff = ca.horzcat(*(D.solve(ca.densify(self.R[:, k])) for k in range(self.R.shape[1])))
        factors = Factors(ca.sparsify(self.mass + self.G.T @ stiff))

        def inverse(r: SX) -> SX:
            soft = D.solve(r)
            return soft - stiff @ factors.solve(self.G.T @ soft)

        return inverse

    def whole(self, pushed: SX) -> tuple[SX, SX]:
        multipliers = SX.zeros(len(self.joints) + len(self.contacts), 1)
        multipliers[self.contacts] = pushed
        if self.joints:
            multipliers[self.joints] = self.m0 + self.Y @ pushed
        return self.a0 + self.X @ pushed, multipliers


class Nearest:
    """Steps back to closed contacts where these have more rows than bodies have speeds, and there are no joints.

    As KKT(…).closest, with A M⁻¹Aᵀ + E turned inside out: δ = −(M + AᵀE⁻¹A)⁻¹ AᵀE⁻¹ c. It is small, and as sparse as
    the bodies that touch each other.
    """

    def __init__(self, mass: SX, jacobian: SX):
        inverse = Mass(mass).solve(jacobian.T)
        felt = [ca.dot(ca.densify(jacobian[k, :].T), ca.densify(inverse[:, k])) for k in range(jacobian.shape[0])]
        stiff = 1 / (SOFT * ca.vertcat(*felt) + 1e-200)
        self.pull = jacobian.T @ ca.diag(stiff)
        self.factors = ca.ldl(ca.sparsify(ca.triu2symm(ca.triu(mass + self.pull @ jacobian))), True)

    def project(self, residual: SX, *, reach: np.ndarray | None = None) -> SX:
        step = -ca.ldl_solve(self.pull @ residual, *self.factors)
        return step if reach is None else within(step, reach)


def applies(closure: Closure | None, speeds: int) -> bool:
    """Whether `Nearest` is for these rows."""
    return closure is not None and not closure.joints and len(closure.contacts) > speeds


def _reluctance(rubbing: dict[int, tuple[int, ...]], pushed: SX) -> SX:
    """Softness of friction rows relative to others: inverse to the normal forces. rubbing: normal row → its rows."""
    largest = ca.fmax(ca.mmax(ca.fmax(pushed[list(rubbing)], 0)), 1e-300)
    weights = SX.ones(pushed.numel(), 1)
    for normal, rows in rubbing.items():
        weights[list(rows)] = 1 / ca.fmax(pushed[normal] / largest, NORMAL_FORCE_SHARE)
    return weights


def _rows(x: SX, which: list[int]) -> SX:
    """Some rows; none of a single one would lose its columns."""
    return x[which, :] if which else SX(0, x.shape[1])
