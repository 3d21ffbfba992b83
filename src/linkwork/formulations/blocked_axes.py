"""Which axis of a joint's first frame each of its equations blocks."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwork.components.joint import Joint
from linkwork.formulations.relative_twist import rates_by_twist_at
from linkwork.geometry import SX, Pose
from linkwork.geometry.embedding import embedding_of_speeds

ALONG = 1e-9
"""Share of a direction that may point elsewhere."""
TRIALS = 3


@dataclass(frozen=True)
class BlockedAxis:
    """A displacement along, or a rotation about, one axis of the first frame."""

    turns: bool
    axis: int
    """0, 1, 2: x, y, z."""
    rate: float
    """Of the equation, per m/s or rad/s."""


def blocked_axes(joint: Joint, planar: bool) -> list[BlockedAxis | None]:
    """Of each equation of a joint that says where its second frame is.

    None where it blocks no single axis, or another one as the joint moves: tried at a few positions.
    """
    trials = [_directions(joint, planar, np.random.default_rng(k)) for k in range(TRIALS)]
    return [_axis([trial[k] for trial in trials]) for k in range(trials[0].shape[0])]


def _directions(joint: Joint, planar: bool, random: np.random.Generator) -> np.ndarray:
    """Rates of its equations per velocity, then per angular velocity, in the axes of the first frame."""
    moved = joint.moved({c.label: random.uniform(0.2, 1.0) for c in joint.coordinates})
    N = Pose(moved.p, moved.R, moved.turn if planar else None)
    rates = ca.horzcat(*(ca.densify(x) for x in rates_by_twist_at(N, joint.closure, planar)))
    symbols = ca.vertcat(SX(0, 1), *ca.symvar(rates))
    numbers = ca.Function("rates", [symbols], [rates])(random.uniform(0.5, 1.5, symbols.numel()))
    return np.array(numbers)


def _axis(trials: list[np.ndarray]) -> BlockedAxis | None:
    axes = [one for trial in trials if (one := _single(trial)) is not None]
    same = len(axes) == len(trials) and len({(one.turns, one.axis) for one in axes}) == 1
    return axes[0] if same and np.allclose([one.rate for one in axes], axes[0].rate) else None


def _single(rates: np.ndarray) -> BlockedAxis | None:
    """rates: per displacement, then per rotation, those that exist."""
    most = int(np.argmax(np.abs(rates)))
    others = np.delete(rates, most)
    if not rates[most] or np.any(np.abs(others) > ALONG * abs(rates[most])):
        return None
    component = embedding_of_speeds(rates.size).rows[most]
    return BlockedAxis(component >= 3, component % 3, float(abs(rates[most])))
