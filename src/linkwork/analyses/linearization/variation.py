"""A motion and small deviations from it, integrated together: ẏ = F(t, y), Δ̇ = ∂F/∂y Δ.

Derivatives are exact, also those of the multipliers: see `state_space`. The tolerance holds for y and Δ alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.analyses.linearization.local import Local
from linkwork.core.errors import LinkworkError, ModelError
from linkwork.geometry import SX

if TYPE_CHECKING:
    import scipy.integrate


EVALUATIONS = 200_000
"""After so many the equations are too stiff for this."""


class Variation:
    """The equations of a formulation with those of deviations (Δq, Δv, Δz); z as far as it is `linearised`."""

    def __init__(self, local: Local, p: np.ndarray, rtol: float):
        self.local, self.p, self.rtol = local, p, rtol
        switching = [event.name for event, _ in local.eq.observation.events if event.action == "restart"]
        if switching or local.eq.algebraic.improved is not None:
            raise ModelError(
                "its equations change at events, or hold nonlinear equations that are solved on the way.",
                component=switching[0] if switching else local.eq.algebraic.owners[0],
                remedy="Replace end stops, switches and dry friction by smooth laws for this analysis.",
            )

    @property
    def driven(self) -> bool:
        """Whether time itself acts."""
        eq = self.local.eq
        motion, held = eq.motion, eq.constraints
        parts = (motion.mass, motion.force, held.jacobian, held.gamma, motion.qdot, self.local.zdot, held.position)
        return bool(ca.depends_on(ca.veccat(*parts), eq.t))

    def rates(self, t: float, y: np.ndarray, delta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """ẏ and Δ̇; Δ has one column per deviation."""
        local, eq = self.local, self.local.eq
        dynamics = local.dynamics(t, y, self.p)
        a, multipliers = dynamics.accelerations()

        def expressions() -> SX:
            return ca.vertcat(local.balance, eq.motion.qdot, local.zdot, eq.motion.zdot)

        wrt = [eq.q, eq.v, local.z, ca.vertcat(eq.a, eq.multipliers)]
        parts = local.at(t, self.p).derivatives("variation", expressions, wrt, y, a, multipliers)
        values, by_q, by_v, by_z, by_x = parts
        nq, nv, nz = local.nq, local.nv, len(local.linearised)
        n = nv + (0 if local.eq.motion.explicit else multipliers.size)
        values = values.ravel()
        rate = np.concatenate([values[n : n + nq], a, values[n + nq + nz :]])
        if not delta.shape[1]:
            return rate, delta
        by = np.hstack([by_q, by_v, by_z]) @ delta
        answer = np.vstack(dynamics.solve(-by[:nv], -by[nv:n]))
        moved = by[n : n + nq + nz] + by_x[n : n + nq + nz, : answer.shape[0]] @ answer
        return rate, np.vstack([moved[:nq], answer[:nv], moved[nq:]])

    def run(self, t: float, y: np.ndarray, delta: np.ndarray, duration: float) -> tuple[np.ndarray, np.ndarray]:
        """(y, Δ) after `duration` [s]."""
        step = self._solver(t, y, delta, t + duration)
        while step.status == "running":
            self._advance(step)
        return self._parts(step.y, y.size, delta.shape)

    def first_return(self, t: float, y: np.ndarray, distance: Callable[[np.ndarray], float]) -> float:
        """About when a motion comes back to where it began [s]; distance(y): from there, along both ways."""
        none = np.zeros((y.size - self.local.eq.z.numel() + len(self.local.linearised), 0))
        step = self._solver(t, y, none, np.inf)
        largest, last = 0.0, [(t, 0.0)]
        for _ in range(20_000):
            self._advance(step)
            grid = np.linspace(step.t_old, step.t, 5)[1:]
            dense = step.dense_output()
            for now in grid:
                size = distance(dense(now))
                largest = max(largest, size)
                last = [*last[-2:], (now, size)]
                if len(last) == 3 and last[0][1] >= last[1][1] <= last[2][1] and last[1][1] < 0.25 * largest:
                    return _lowest(last) - t
        raise LinkworkError(
            "it does not come back to where it began.",
            component=self.local.name,
            remedy="Give its period=…, and a start on the periodic motion (at=(result, time) after it has settled).",
        )

    def _solver(self, t: float, y: np.ndarray, delta: np.ndarray, end: float) -> scipy.integrate.DOP853:
        from scipy.integrate import DOP853

        def rates(now: float, whole: np.ndarray) -> np.ndarray:
            here, moved = self._parts(whole, y.size, delta.shape)
            rate, change = self.rates(now, here, moved)
            return np.concatenate([rate, change.ravel()])

        return DOP853(rates, t, np.concatenate([y, delta.ravel()]), end, rtol=self.rtol, atol=0.01 * self.rtol)

    def _advance(self, step: scipy.integrate.DOP853) -> None:
        message = step.step()
        if step.status == "failed" or step.nfev > EVALUATIONS or not np.all(np.isfinite(step.y)):
            raise LinkworkError(
                f"the motion cannot be followed beyond t = {step.t:g} s: {message or 'too many steps'}.",
                component=self.local.name,
                remedy="Start on the periodic motion, or choose another formulation; stiff models take very long.",
            )

    @staticmethod
    def _parts(whole: np.ndarray, n: int, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        return whole[:n], whole[n:].reshape(shape)


@dataclass(frozen=True)
class Turned:
    """How far two sets of coordinates are apart; angles modulo full turns."""

    angles: np.ndarray

    def __call__(self, there: np.ndarray, here: np.ndarray) -> np.ndarray:
        off = there - here
        return np.where(self.angles, (off + np.pi) % (2 * np.pi) - np.pi, off)


def _lowest(points: list[tuple[float, float]]) -> float:
    """Where the parabola through three points is lowest."""
    (t0, d0), (t1, d1), (t2, d2) = points
    a, b, _ = np.polyfit([t0 - t1, 0.0, t2 - t1], [d0, d1, d2], 2)
    return float(t1 - b / (2 * a)) if a > 0 else t1
