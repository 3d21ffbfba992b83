"""What joints with friction carry when a run begins: loads that follow reactions start on them."""

from __future__ import annotations

import casadi as ca
import numpy as np

from linkwork.assembly.numbers import Numbers
from linkwork.components.contacts.joint_friction import JointLoad
from linkwork.core.errors import ModelError
from linkwork.geometry import SX

ROUNDS = 60
"""Friction changes reactions, which change friction."""
SETTLED = 1e-12
"""Share of the load by which it may still change."""


def loaded(numbers: Numbers, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> np.ndarray:
    """z with every such load on the reaction that it follows, where its rates vanish."""
    loads = numbers.model.of_type(JointLoad)
    if not loads:
        return z
    eq, z = numbers.eq, z.copy()
    at, after = ([eq.z_names.index(c.state_names[k]) for c in loads] for k in (0, 1))
    lags = np.array([numbers.scalar(c.lag) for c in loads])

    def build() -> tuple[list[SX], list[SX]]:
        return [eq.q, eq.v, eq.z, eq.a, eq.multipliers], [ca.densify(eq.motion.zdot[at])]

    for _ in range(ROUNDS):
        try:
            a, multipliers = numbers.accelerations(q, v, z, numbers.model.name).accelerations()
        except ModelError:  # a run will say so, where it matters
            break
        rates = numbers.call("joint loads", build, q, v, z, a, multipliers)[0]
        change = lags * np.array(rates).ravel()
        if not np.all(np.isfinite(change)):
            break
        z[at] += change
        z[after] = z[at]
        if np.all(np.abs(change) <= SETTLED * np.abs(z[at])):
            break
    return z
