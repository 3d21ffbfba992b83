"""Mechanisms with rows at speed level only (motions given as speed or acceleration, rolling): positions by quadrature.

Such rows do not say where the mechanism is. q̇ = H v with J v = b is integrated instead, and every sample is moved
onto the rows that do have a position, by the shortest way.
"""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np

from linkwork.algebra.factors import Factors
from linkwork.analyses.kinematics.course import Course
from linkwork.analyses.kinematics.mechanism import Mechanism
from linkwork.core.errors import ModelError
from linkwork.geometry import SX

RTOL, ATOL = 1e-11, 1e-13


def carried(mechanism: Mechanism) -> list[int]:
    """Those of z that constraints depend on and that count no turns: the speeds of motions given as accelerations."""
    eq = mechanism.eq
    rows = ca.vertcat(eq.constraints.position, eq.constraints.velocity)
    return [k for k in range(eq.z.numel()) if k not in mechanism.turns and ca.depends_on(rows, eq.z[k])]


def integrated(mechanism: Mechanism, start: Course, end: float) -> tuple[Callable[[np.ndarray], Course], np.ndarray]:
    """A guess of the motion at any times within the steps returned; they end early if the drives cannot be followed."""
    from scipy.integrate import solve_ivp

    states = [*mechanism.turns, *carried(mechanism)]
    nq, first = start.q.shape[1], len(mechanism.eq.constraints.rows)
    build = _state_rates(mechanism, carried(mechanism))

    def unpacked(Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        z = np.repeat(start.z[:1], len(Y), axis=0)
        z[:, states] = Y[:, nq:]
        return mechanism.move(Y[:, :nq], np.zeros((len(Y), mechanism.speeds))), z

    def speeds(t: np.ndarray, q: np.ndarray, z: np.ndarray) -> np.ndarray:
        J, needed = mechanism.speed_rows(t, q, z)
        needed[:, first:] += mechanism.paths(t)[1] / mechanism.drive_units
        v = Factors(J).solve(needed)
        off = np.abs((J @ v[:, :, None])[:, :, 0] - needed).max(axis=1, initial=0.0)
        v[off > 1e-6 * (1 + np.abs(needed).max(axis=1, initial=0.0))] = np.nan
        return v * mechanism.steps

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        now = np.array([t])
        q, z = unpacked(y[None])
        v = speeds(now, q, z)
        flow, _ = mechanism.flow(q, v, np.zeros_like(v))
        _, turning = mechanism.counted(now, q, v, z)
        return np.concatenate([flow[0], turning[0], mechanism.call("carried", build, now, q, v, z)[0]])

    y = np.concatenate([start.q[0], start.z[0, states]])
    atol = ATOL * np.concatenate([mechanism.eq.states.scale[:nq], np.ones(len(states))])
    with np.errstate(invalid="ignore"):
        solution = solve_ivp(
            rate, (float(start.t[0]), end), y, method="DOP853", rtol=RTOL, atol=atol, dense_output=True
        )

    def near(t: np.ndarray) -> Course:
        q, z = unpacked(solution.sol(t).T.reshape(t.size, -1))
        rest = np.zeros((t.size, mechanism.speeds))
        return Course(t, q, rest, rest.copy(), z)

    return near, solution.t


def _state_rates(mechanism: Mechanism, which: list[int]) -> Callable[[], tuple[list[SX], SX]]:
    eq = mechanism.eq
    rates = ca.vertcat(SX(0, 1), *(eq.motion.zdot[k] for k in which))
    strangers = ca.vertcat(eq.a, eq.multipliers, *(eq.z[k] for k in range(eq.z.numel()) if k not in which))
    if which and ca.depends_on(rates, strangers):
        names = ", ".join(mechanism.z_names[k] for k in which)
        raise ModelError(
            "the motion depends on states that forces decide: it has no kinematics of its own.",
            component=names,
            remedy="Simulate the model, or drive the coordinate by a function of t.",
        )
    return lambda: ([eq.q, eq.v, eq.z], rates)
