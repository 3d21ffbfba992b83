"""Search for a state where nothing moves: Aᵀλ = f(t, q, 0, z), ż = 0, Φ = 0.

Mechanisms are led downhill as if they moved through honey: with s the freedoms (unit mass each), ṡ = f_s, ż = g, by
linearly implicit Euler steps (1/h + J) δ = (f_s, g), J the negative derivative. Small h follows the force and so keeps
away from unstable balances, large h is Newton's method. h grows as long as a step does what it promised. Where this
goes in circles, Levenberg's method looks for any balance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from linkwork.algebra import lapack
from linkwork.algebra.rank import Motions
from linkwork.analyses.linearization.local import Local
from linkwork.analyses.linearization.modes import balance
from linkwork.core.errors import ModelError
from linkwork.geometry import SX

STEPS = 300
RUNAWAY_DISTANCE = 1e4
"""Who has gone this far [lengths of the mechanism, rad] is not coming to rest."""
STEP = 1e-10
"""Newton steps [the same; relative for z] that count as arrived."""
NUDGE = 1e-3
"""Displacement [the same] that leaves an unstable balance which the search has run into."""


@dataclass
class Snapshot:
    """Forces and stiffness at a state y at rest."""

    y: np.ndarray
    Z: np.ndarray
    """Freedoms with unit mass each, as columns in the space of v, in natural units."""
    dual: np.ndarray
    """Zᵀ M: the freedoms in a displacement, in natural units."""
    r: np.ndarray
    """(f_s, g)."""
    J: np.ndarray
    """−∂(f_s, g)/∂(s, z)."""
    floor: float
    """Stiffness [1/s²] below which it is rounding."""
    vague: float
    """Acceleration [lengths per s², rad/s²] below which it is rounding."""
    steps: np.ndarray
    """Natural units of displacements in the space of v."""

    @property
    def n(self) -> int:
        return self.Z.shape[1]

    @property
    def acceleration(self) -> np.ndarray:
        """In natural units."""
        return self.Z @ self.r[: self.n]

    def newton(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The step where there is stiffness, the force where there is none, and the directions without (columns)."""
        if not self.r.size:
            return self.r, self.r, np.zeros((0, 0))
        J, scale = balance(self.J)
        U, s, Vt = lapack.svd(J)
        firm = s > self.floor
        step = scale * (Vt[firm].T @ ((U[:, firm].T @ (self.r / scale)) / s[firm]))
        return step, self.r - self.J @ step, scale[:, None] * Vt[~firm].T

    @cached_property
    def slope(self) -> float:
        """How fast it runs away from here [1/s²]; 0 where it does not."""
        return max(0.0, -float(lapack.eigvals(self.J).real.min())) if self.r.size else 0.0


@dataclass
class Search:
    """Where the search ended. arrived: whether it is a balance."""

    snapshot: Snapshot
    arrived: bool
    iterations: int


class Balance:
    """The static equations of a formulation at one time and for one set of parameters and inputs."""

    def __init__(self, local: Local, t: float, p: np.ndarray):
        self.local, self.t, self.p = local, t, p

    def at(self, y: np.ndarray) -> Snapshot:
        """Forces and stiffness at a state on the constraints; its speeds are ignored."""
        local, eq = self.local, self.local.eq
        y = y.copy()
        y[local.nq : local.nq + local.nv] = 0.0
        H, _, _, _, A, _ = local.tangent(self.t, y, self.p)
        here = local.dynamics(self.t, y, self.p)
        free = Motions(A).free if eq.motion.explicit else here.motions.free
        Z = free
        if free.shape[1]:
            # Columns of unit mass, so that stiffness has the unit of a squared frequency.
            Z = np.linalg.solve(np.linalg.cholesky(free.T @ here.M @ free), free.T).T
        multipliers = here.motions.multipliers(here.f)

        def expressions() -> SX:
            pull = SX.zeros(local.nv, 1) if eq.motion.explicit else eq.constraints.jacobian.T @ eq.multipliers
            return ca.vertcat(eq.motion.force - pull, local.zdot)

        at, rest = local.at(self.t, self.p), np.zeros(local.nv)
        values, by_q, by_z = at.derivatives("balance", expressions, [eq.q, local.z], y, rest, multipliers)
        if not np.all(np.isfinite(values)):
            raise ModelError(
                "forces are not finite at rest in this position.",
                component=local.name,
                remedy="Start elsewhere, or check force laws that divide by speeds or distances.",
            )
        nv, nz = local.nv, len(local.linearised)
        onto = np.vstack([np.hstack([Z.T, np.zeros((Z.shape[1], nz))]), np.hstack([np.zeros((nz, nv)), np.eye(nz)])])
        by = np.hstack([by_q @ H @ Z, by_z])
        size = np.abs(Z).T @ (np.abs(by_q) @ np.abs(H) @ np.abs(Z))[:nv]
        loads = np.abs(Z) @ (np.abs(Z).T @ np.abs(here.f).ravel())
        steps, stiffest = at.steps, float(size.max(initial=0.0))
        return Snapshot(
            y=y,
            Z=Z / steps[:, None],
            dual=Z.T @ here.M * steps,
            r=(onto @ values).ravel(),
            J=-(onto @ by),
            floor=max(1e-13 * stiffest, 1e-11 * min(1.0, stiffest)),
            vague=1e-10 * (min(1.0, stiffest) + float((loads / steps).max(initial=0.0))),
            steps=steps,
        )

    def moved(self, here: Snapshot, step: np.ndarray) -> Snapshot:
        """After a step (s, z), back on the constraints."""
        local = self.local
        y = local.moved(here.y, here.steps * (here.Z @ step[: here.n]))
        y[[local.nq + local.nv + k for k in local.linearised]] += step[here.n :]
        return self.at(local.closed(self.t, y, self.p))

    def arrived(self, here: Snapshot) -> bool:
        """Whether it is a balance: stiff directions are where they should be, the others feel no force."""
        step, left, _ = here.newton()
        z = here.y[[self.local.nq + self.local.nv + k for k in self.local.linearised]]
        scale = np.maximum(np.abs(z), 1.0)
        return bool(
            np.abs(here.Z @ step[: here.n]).max(initial=0.0) <= STEP
            and np.all(np.abs(step[here.n :]) <= STEP * scale)
            and np.abs(here.Z @ left[: here.n]).max(initial=0.0) <= here.vague
            and np.all(np.abs(left[here.n :]) <= 1e-9 * scale)
        )

    def polished(self, here: Snapshot) -> Snapshot:
        """One Newton step more, if it helps."""
        better = self.moved(here, here.newton()[0])
        return better if np.linalg.norm(better.r) <= np.linalg.norm(here.r) else here
