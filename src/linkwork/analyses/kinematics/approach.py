"""From the assembled start to the position where the drives begin, without leaving the branch."""

from __future__ import annotations

import numpy as np

from linkwork.algebra.factors import Factors
from linkwork.analyses.kinematics.drives import Drive, find
from linkwork.analyses.kinematics.mechanism import Mechanism
from linkwork.analyses.kinematics.mobility import culprit
from linkwork.analyses.kinematics.tracking import POSITION_TOLERANCE, positions
from linkwork.core.errors import AssemblyError
from linkwork.geometry import SX

STRAY = 0.2
"""Furthest that Newton may carry a position [rad, m] beyond its prediction."""
STRIDE = 0.3
"""Longest step at once [rad, m]."""


def approach(mechanism: Mechanism, t: float, q: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """q and z where Φ = 0 and every drive is at its value of time t; the drives get there on a straight line."""
    mechanism = _held(mechanism, t, q, z)
    now, here, count = np.array([t]), q[None], z[None]
    target = mechanism.paths(now)[0]
    drives = target.shape[1]
    rest = np.zeros((1, mechanism.speeds))

    def at() -> np.ndarray:
        r, _ = mechanism.place(now, here, count, np.zeros_like(target))
        return r[:, r.shape[1] - drives :] * mechanism.drive_units

    begin, share, stride = at(), 0.0, 1.0
    while True:
        aim = min(share + stride, 1.0)
        d = begin + aim * (target - begin)
        r, J = mechanism.place(now, here, count, d)
        step = -Factors(J).solve(r)
        length = float(np.abs(step).max(initial=0.0))
        trial, left, moved = positions(mechanism, now, mechanism.move(here, step), count, d)
        fine = left[0] <= POSITION_TOLERANCE and moved[0] <= STRAY and (length <= STRIDE or not drives)
        if fine:
            here, share = trial, aim
            count, _ = mechanism.counted(now, here, rest, count)
        if fine and share >= 1.0:
            return here[0], count[0]
        stride = stride * 1.5 if fine else stride / 3
        if stride < 1e-9:
            raise AssemblyError(
                _gap(begin, share, target, t, mechanism),
                component=culprit(mechanism, t, here[0], count[0]),
                remedy="Start the joints nearer to where the drives begin, on the branch you want, or check the "
                "lengths.",
            )


def _held(mechanism: Mechanism, t: float, q: np.ndarray, z: np.ndarray) -> Mechanism:
    """The same, but coordinates of which the speed or acceleration is prescribed stay: only time moves them."""
    eq = mechanism.eq
    rows, outputs = eq.constraints.rows[eq.constraints.position.numel() :], eq.observation.outputs
    names = [row.owner for row in rows if row.owner in outputs]
    if not names:
        return mechanism
    held = [find(mechanism.model, eq, name) for name in names]
    y = np.concatenate([q, np.zeros(mechanism.speeds), z])
    values = eq.at(mechanism.p, t).values(y, *(one.value for one in held))
    drives = [Drive(one, SX(value.item())) for one, value in zip(held, values, strict=True)]
    return Mechanism(mechanism.model, eq, [*mechanism.drives, *drives], mechanism.p, mechanism.signals)


def _gap(begin: np.ndarray, share: float, target: np.ndarray, t: float, mechanism: Mechanism) -> str:
    reached = begin + share * (target - begin)
    parts = [
        f"{driven.name} = {wanted:.6g} (it gets to {actual:.6g})"
        for driven, wanted, actual in zip(mechanism.driven, target[0], reached[0], strict=True)
    ]
    return f"the mechanism cannot be placed where the drives begin at t = {t:g} s: {', '.join(parts) or 'no drive'}."
