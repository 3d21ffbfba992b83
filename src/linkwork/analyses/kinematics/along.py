"""First-order states along a motion that is known: pressures and the like by integration, work by quadrature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwork.analyses.kinematics.course import Course, hermite
from linkwork.analyses.kinematics.mechanism import Mechanism
from linkwork.core.errors import IntegrationError

Rate = Callable[[Course], np.ndarray]
"""ż of every state, one row per sample."""


@dataclass(frozen=True)
class States:
    """Which states follow from the motion: `inner` act back on forces or each other, `recording` do not."""

    inner: list[int]
    recording: list[int]

    @property
    def all(self) -> list[int]:
        return [*self.inner, *self.recording]


def states_of(mechanism: Mechanism, known: list[int], *, forces: bool) -> States:
    """All states but the known ones; without `forces`, only those whose rates need no multipliers."""
    eq = mechanism.eq
    open_ = [k for k in range(eq.z.numel()) if k not in known]
    if not forces:
        while True:
            hidden = ca.vertcat(eq.multipliers, *(eq.z[k] for k in range(eq.z.numel()) if k not in [*known, *open_]))
            kept = [k for k in open_ if not ca.depends_on(eq.motion.zdot[k], hidden)]
            if kept == open_:
                break
            open_ = kept
    acting = ca.vertcat(eq.motion.force, ca.vec(eq.motion.mass), eq.motion.zdot)
    inner = [k for k in open_ if ca.depends_on(acting, eq.z[k])]
    return States(inner, [k for k in open_ if k not in inner])


def fill_inner(mechanism: Mechanism, motion: Course, which: States, rate: Rate) -> None:
    """Integrates the inner states over the samples, stiff or not; the motion between samples is interpolated."""
    if not which.inner or motion.t.size < 2:
        return
    from scipy.integrate import solve_ivp
    from scipy.interpolate import CubicSpline

    t, first = np.unique(motion.t, return_index=True)
    known = motion[first]
    dq, ddq = mechanism.flow(known.q, known.v, known.a)
    a, z = CubicSpline(t, known.a), CubicSpline(t, known.z)

    def at(time: float, inner: np.ndarray) -> Course:
        now = np.array([time])
        q = mechanism.move(hermite(now, t, known.q, dq, ddq), np.zeros((1, mechanism.speeds)))
        states = z(now)
        states[:, which.inner] = inner
        return Course(now, q, hermite(now, t, known.v, known.a, None), a(now), states)

    def derivative(time: float, inner: np.ndarray) -> np.ndarray:
        return rate(at(time, inner))[0, which.inner]

    begin = motion.z[0, which.inner]
    solution = solve_ivp(
        derivative, (t[0], t[-1]), begin, method="LSODA", t_eval=t, rtol=1e-8, atol=1e-10 * (1 + np.abs(begin))
    )
    if not solution.success:
        names = ", ".join(mechanism.z_names[k] for k in which.inner)
        last = solution.t[-1] if solution.t.size else t[0]
        raise IntegrationError(
            f"the states cannot be followed beyond t = {last:.6g} s along this motion.",
            component=names,
            remedy=f"The solver says: {solution.message}",
        )
    motion.z[:, which.inner] = solution.y.T[np.searchsorted(t, motion.t)]


def fill_recording(motion: Course, which: States, rates: np.ndarray) -> None:
    """Integrals over the samples, from the start values on."""
    for k in which.recording if motion.t.size else ():
        motion.z[:, k] = motion.z[0, k] + integral(motion.t, rates[:, k])


def integral(t: np.ndarray, power: np.ndarray) -> np.ndarray:
    """∫ power dt from the first sample to each, by the cubic through the four samples around each interval."""
    times, first, where = np.unique(t, return_index=True, return_inverse=True)
    n, count = times.size, min(4, times.size)
    if n < 2:
        return np.zeros(t.size)
    begin = np.clip(np.arange(n - 1) - 1, 0, n - count)
    around = begin[:, None] + np.arange(count)
    length = np.diff(times)
    x = (times[around] - times[:-1, None]) / length[:, None]
    powers = x[:, None, :] ** np.arange(count)[:, None]
    moments = np.broadcast_to(1 / np.arange(1.0, count + 1), (n - 1, count))  # ∫ xᵏ over the interval
    weights = np.linalg.solve(powers, moments[:, :, None])[:, :, 0]
    parts = length * (weights * power[first][around]).sum(axis=1)
    return np.concatenate([[0.0], np.cumsum(parts)])[where]
