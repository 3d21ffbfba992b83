"""The equations of a formulation next to one state: what moves there, and the derivatives that analyses need.

y = [q, v, z]. Of the first-order states z those are left out that only keep account: of full turns, of work and energy.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import casadi as ca
import numpy as np

from linkwork.algebra.constrained import Dynamics
from linkwork.assembly.algebraic import solve_algebraic
from linkwork.core.equations import At, Equations
from linkwork.core.errors import ModelError
from linkwork.geometry import SX


class Local:
    """The equations of a formulation, ready to be evaluated and differentiated at any state."""

    def __init__(self, eq: Equations, name: str):
        self.eq, self.name = eq, name
        self.nq, self.nv = eq.q.numel(), eq.v.numel()
        if eq.algebraic.coupled:
            names = [eq.z_names[k] for k in eq.algebraic.coupled]
            raise ModelError(
                f"{', '.join(names)} are tied to each other: none of them is independent.",
                component=name,
                remedy="Write one of them in terms of the others, so that the states that are left are free.",
            )
        names = eq.z_names
        self.linearised = [k for k in range(len(names)) if not self._records(k, names[k])]
        self.z_names = [names[k] for k in self.linearised]
        self.z = eq.z[self.linearised] if self.linearised else SX(0, 1)
        self.zdot = eq.motion.zdot[self.linearised] if self.linearised else SX(0, 1)
        self.rates_of_q = ca.jacobian(eq.motion.qdot, eq.v)
        moved = set(self.rates_of_q.sparsity().row())
        self.driven = [k for k in range(self.nq) if k not in moved]
        """Coordinates that follow a given speed: no v moves them."""
        self.functions: dict[Hashable, Any] = {}

    def _records(self, k: int, name: str) -> bool:
        """Whether a first-order state only keeps account (of full turns, of energy), or follows from the others."""
        eq = self.eq
        if k in eq.algebraic.following or eq.states.unweighted[self.nq + self.nv + k] or k in eq.states.accounts:
            return True
        if name not in eq.observation.outputs or eq.observation.outputs[name][0] != "J":
            return False
        others = [j for j in range(eq.z.numel()) if j not in eq.states.accounts]
        motion, rows = eq.motion, eq.constraints
        felt = ca.veccat(motion.mass, motion.force, rows.jacobian, rows.gamma, motion.qdot, motion.zdot[others])
        return not ca.depends_on(felt, eq.z[k])

    def at(self, t: float, p: np.ndarray) -> At:
        return At(self.eq, p, t, functions=self.functions)

    def split(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q, v, z (all of z)."""
        q, v, z = np.split(y, [self.nq, self.nq + self.nv])
        return q, v, z

    def time_derivative(self, x: SX) -> SX:
        """d/dt of an expression of t, q, v and z; v̇ is the symbol `a`."""
        eq = self.eq
        rates = ca.vertcat(SX.ones(1, 1), eq.motion.qdot, eq.a, self.zdot)
        return ca.jtimes(x, ca.vertcat(eq.t, eq.q, eq.v, self.z), rates)

    def tangent(self, t: float, y: np.ndarray, p: np.ndarray) -> list[np.ndarray]:
        """∂q̇/∂v, ∂Φ/∂(q, z), ∂(A v − b)/∂(q, v, z)."""
        eq = self.eq

        def build() -> tuple[list[SX], list[SX]]:
            blocks = [self.rates_of_q, *(ca.jacobian(eq.constraints.position, x) for x in (eq.q, self.z))]
            blocks += [ca.jacobian(eq.constraints.velocity, x) for x in (eq.q, eq.v, self.z)]
            return [eq.q, eq.v, eq.z], [ca.densify(x) for x in blocks]

        return self.at(t, p).arrays("tangent", build, *self.split(y))

    def moved(self, y: np.ndarray, step: np.ndarray) -> np.ndarray:
        """y with its coordinates moved by a small displacement in the space of v."""
        y = y.copy()
        y[: self.nq] = self.at(0.0, np.zeros(self.eq.p.numel())).retract(y[: self.nq], step)
        return y

    def closed(self, t: float, y: np.ndarray, p: np.ndarray) -> np.ndarray:
        """The nearest state on the constraints, and on the equations of algebraic states."""
        q, v, z = self.split(self.at(t, p).closed(y, self.name))
        return np.concatenate([q, v, solve_algebraic(self.eq, t, (q, v, z), p)])

    def dynamics(self, t: float, y: np.ndarray, p: np.ndarray) -> Dynamics:
        return self.at(t, p).accelerations(*self.split(y), self.name)

    @property
    def balance(self) -> SX:
        """What must vanish for a and λ to be right: M a + Aᵀλ − f, A a − γ; or a − f where it is solved already."""
        eq = self.eq
        if eq.motion.explicit:
            return eq.a - eq.motion.force
        return ca.vertcat(
            eq.motion.mass @ eq.a + eq.constraints.jacobian.T @ eq.multipliers - eq.motion.force,
            eq.constraints.jacobian @ eq.a - eq.constraints.gamma,
        )
