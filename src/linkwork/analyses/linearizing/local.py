"""Equations as numbers next to one state: constraints, accelerations and the derivatives that analyses need.

y = [q, v, z]. Of the first-order states z those are left out that only keep account: of full turns, of work and energy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from linkwork.algebra import lapack
from linkwork.algebra.rank import RANK, Motions
from linkwork.analyses.assembling.settled import settled
from linkwork.core.equations import Equations
from linkwork.core.errors import AssemblyError, ModelError
from linkwork.geometry import SX

CLOSED = 1e-10
"""Largest constraint residual [m, rad] of a position."""


class Local:
    """The equations of a formulation, ready to be evaluated and differentiated at any state."""

    def __init__(self, eq: Equations, name: str):
        self.eq, self.name = eq, name
        self.nq, self.nv = eq.q.numel(), eq.v.numel()
        if eq.algebraic.tied:
            names = [eq.states.names[self.nq + self.nv + k] for k in eq.algebraic.tied]
            raise ModelError(
                f"{', '.join(names)} are tied to each other: none of them is independent.",
                component=name,
                remedy="Write one of them in terms of the others, so that the states that are left are free.",
            )
        names = eq.states.names[self.nq + self.nv :]
        self.kept = [k for k in range(len(names)) if not self._records(k, names[k])]
        self.z_names = [names[k] for k in self.kept]
        self.z = eq.z[self.kept] if self.kept else SX(0, 1)
        self.zdot = eq.motion.zdot[self.kept] if self.kept else SX(0, 1)
        self.rates_of_q = ca.jacobian(eq.motion.qdot, eq.v)
        moved = set(self.rates_of_q.sparsity().row())
        self.driven = [k for k in range(self.nq) if k not in moved]
        """Coordinates that follow a given speed: no v moves them."""
        self.functions: dict[Any, ca.Function] = {}

    def _records(self, k: int, name: str) -> bool:
        """Whether a first-order state only keeps account (of full turns, of energy), or follows from the others."""
        eq = self.eq
        if k in eq.algebraic.following or eq.states.unweighted[self.nq + self.nv + k] or name.startswith("energy."):
            return True
        if name not in eq.observation.outputs or eq.observation.outputs[name][0] != "J":
            return False
        others = [j for j in range(eq.z.numel()) if not eq.states.names[self.nq + self.nv + j].startswith("energy.")]
        felt = ca.vertcat(
            ca.vec(eq.motion.mass),
            eq.motion.force,
            ca.vec(eq.constraints.jacobian),
            eq.constraints.gamma,
            eq.motion.qdot,
            eq.motion.zdot[others],
        )
        return not ca.depends_on(felt, eq.z[k])

    @property
    def arguments(self) -> list[SX]:
        return [self.eq.t, self.eq.q, self.eq.v, self.eq.z, self.eq.p]

    def split(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q, v, z (all of z)."""
        q, v, z = np.split(y, [self.nq, self.nq + self.nv])
        return q, v, z

    def time_derivative(self, x: SX) -> SX:
        """d/dt of an expression of t, q, v and z; v̇ is the symbol `a`."""
        eq = self.eq
        return ca.jtimes(
            x, ca.vertcat(eq.t, eq.q, eq.v, self.z), ca.vertcat(SX.ones(1, 1), eq.motion.qdot, eq.a, self.zdot)
        )

    # Constraints -----------------------------------------------------------------------------------------------------

    @cached_property
    def _surface(self) -> ca.Function:
        eq = self.eq
        found = [eq.constraints.position, eq.constraints.velocity, self.rates_of_q]
        found += [ca.jacobian(eq.constraints.position, x) for x in (eq.q, self.z)]
        found += [ca.jacobian(eq.constraints.velocity, x) for x in (eq.q, eq.v, self.z)]
        return ca.Function("surface", self.arguments, [ca.densify(x) for x in found], {"cse": True})

    def surface(self, t: float, y: np.ndarray, p: np.ndarray) -> list[np.ndarray]:
        """Φ, A v − b, ∂q̇/∂v, ∂Φ/∂(q, z), ∂(A v − b)/∂(q, v, z)."""
        return [np.array(x) for x in self._surface(t, *self.split(y), p)]

    @cached_property
    def _retract(self) -> ca.Function:
        step = SX.sym("step", self.nv)
        return ca.Function("retract", [self.eq.q, step], [self.eq.motion.retract(self.eq.q, step)])

    def moved(self, y: np.ndarray, step: np.ndarray) -> np.ndarray:
        """y with its coordinates moved by a small displacement in the space of v."""
        y = y.copy()
        y[: self.nq] = np.array(self._retract(y[: self.nq], step)).ravel()
        return y

    def closed(self, t: float, y: np.ndarray, p: np.ndarray) -> np.ndarray:
        """The nearest state on the constraints, positions first; raises where Newton's method finds none."""
        y = self._closed(t, self._gathered(t, y, p), p)
        q, v, z = self.split(y)
        return np.concatenate([q, v, settled(self.eq, t, (q, v, z), p)])

    @cached_property
    def _projected(self) -> ca.Function | None:
        if self.eq.constraints.projected is None:
            return None
        return ca.Function(
            "projected", self.arguments, [ca.densify(x) for x in self.eq.constraints.projected.make()], {"cse": True}
        )

    def _gathered(self, t: float, y: np.ndarray, p: np.ndarray) -> np.ndarray:
        """y on constraints that have no row here because the coordinates fulfil them only while they move."""
        if self._projected is None:
            return y
        size = np.inf
        for _ in range(20):
            q, v = (np.array(x).ravel() for x in self._projected(t, *self.split(y), p))
            moved = float(np.abs(q - y[: self.nq]).max(initial=0.0))
            if not moved < size:
                break
            y, size = np.concatenate([q, v, y[self.nq + self.nv :]]), moved
        return y

    def _closed(self, t: float, y: np.ndarray, p: np.ndarray) -> np.ndarray:
        y = self.moved(y, np.zeros(self.nv))  # Euler parameters of length 1
        position, velocity, H, by_q, _, _, A, _ = self.surface(t, y, p)
        size = float(np.abs(position).max(initial=0.0))
        for _ in range(40):
            if size <= 1e-6 * CLOSED or not np.isfinite(size):
                break
            better = self._nearer(t, y, p, position, by_q @ H)
            if better is None:
                break
            y = better
            position, velocity, H, by_q, _, _, A, _ = self.surface(t, y, p)
            size = float(np.abs(position).max(initial=0.0))
        if size <= CLOSED:
            if not np.any(velocity):
                return y
            y = y.copy()
            y[self.nq : self.nq + self.nv] -= Motions(A).least(velocity).ravel()
            return y
        raise AssemblyError(
            f"the constraints stay open by {size:.2g} m or rad at this state.",
            component=self._owner(int(np.nanargmax(np.abs(position))) if np.isfinite(size) else 0),
            remedy="Start nearer to an assembled position, or check the parameters that give the lengths.",
        )

    def _nearer(
        self, t: float, y: np.ndarray, p: np.ndarray, position: np.ndarray, by_v: np.ndarray
    ) -> np.ndarray | None:
        """A Newton step that at least halves the residual, if there is one.

        Off the constraints redundant rows look independent, by about the root of the residual. Such directions are
        left out first, and taken in only where nothing else helps.
        """
        size = float(np.abs(position).max())
        tolerance = min(0.1, 30 * np.sqrt(size))
        while True:
            step = Motions(by_v, max(tolerance, RANK)).least(-position).ravel()
            trial = self.moved(y, step * min(1.0, 0.3 / max(np.abs(step).max(initial=0.0), 1e-300)))
            if np.abs(self.surface(t, trial, p)[0]).max() <= 0.5 * size:
                return trial
            if tolerance <= RANK:
                return None
            tolerance /= 30

    def _owner(self, row: int) -> str:
        return self.eq.constraints.rows[row].owner if row < len(self.eq.constraints.rows) else self.name

    # Dynamics --------------------------------------------------------------------------------------------------------

    @cached_property
    def _dynamics(self) -> ca.Function:
        eq = self.eq
        none = [SX(0, self.nv), SX(0, 1)]
        found = [
            eq.motion.mass,
            eq.motion.force,
            *(none if eq.motion.explicit else [eq.constraints.jacobian, eq.constraints.gamma]),
        ]
        return ca.Function("dynamics", self.arguments, [ca.densify(x) for x in found], {"cse": True})

    def dynamics(self, t: float, y: np.ndarray, p: np.ndarray) -> Dynamics:
        M, f, A, gamma = (np.array(x) for x in self._dynamics(t, *self.split(y), p))
        return Dynamics(np.eye(self.nv) if self.eq.motion.explicit else M, f, A, gamma, self.name)

    def derivatives(self, key: Any, build: Callable[[], SX], wrt: Sequence[SX], *more: SX) -> ca.Function:
        """(t, q, v, z, p, a, λ, *more) → what `build` gives, and its derivative by each of `wrt`; once per key."""
        if key not in self.functions:
            eq, expressions = self.eq, build()
            found = [expressions, *(ca.jacobian(expressions, x) for x in wrt)]
            arguments = [*self.arguments, eq.a, eq.multipliers, *more]
            self.functions[key] = ca.Function("derivatives", arguments, [ca.densify(x) for x in found], {"cse": True})
        return self.functions[key]

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


class Dynamics:
    """M a + Aᵀλ = f, A a = γ as numbers, for any rank of A; M may be singular where A forbids to move."""

    def __init__(self, M: np.ndarray, f: np.ndarray, A: np.ndarray, gamma: np.ndarray, name: str):
        self.M, self.f, self.gamma = M, f, gamma
        self.motions = Motions(A)
        Z = self.motions.free
        self._reduced = Z.T @ M @ Z
        if Z.shape[1]:
            values = lapack.eigvalsh(self._reduced)
            if values[0] <= 1e-14 * values[-1]:
                raise ModelError(
                    "there is a free motion that moves no mass.",
                    component=name,
                    remedy="Give the bodies behind it mass and inertia, or remove the coordinate.",
                )

    def solve(self, r: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(a, λ) of M a + Aᵀλ = r, A a = c; one column per case. Of redundant rows the least multipliers."""
        Z = self.motions.free
        a = self.motions.least(c)
        if Z.shape[1]:
            a = a + Z @ np.linalg.solve(self._reduced, Z.T @ (r - self.M @ a))
        return a, self.motions.multipliers(r - self.M @ a)

    def accelerations(self) -> tuple[np.ndarray, np.ndarray]:
        """a and λ at the state itself, shapes (speeds,) and (rows,)."""
        a, multipliers = self.solve(self.f, self.gamma)
        return a.ravel(), multipliers.ravel()

    def magnitude(self, r: np.ndarray, c: np.ndarray) -> np.ndarray:
        """How large the terms are that the accelerations are summed from, for right sides of size r and c."""
        Z = np.abs(self.motions.free)
        pushed = np.abs(self.motions.least(np.eye(c.shape[0]))) @ c
        if not Z.shape[1]:
            return pushed
        return pushed + Z @ (np.abs(np.linalg.inv(self._reduced)) @ (Z.T @ (r + np.abs(self.M) @ pushed)))
