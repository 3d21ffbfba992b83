"""One step back to the constraints, as expressions: positions first, then speeds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import casadi as ca
import numpy as np

from linkwork.algebra.proximal import REACH
from linkwork.geometry import SX


class Metric(Protocol):
    """What "nearest" means: `KKT`, or `Nearest` for contacts."""

    def project(self, residual: SX, *, reach: np.ndarray | None = None) -> SX: ...


def projected(
    metric: Metric, q: SX, v: SX, position: SX, velocity: SX, retract: Callable[[SX, SX], SX], steps: np.ndarray
) -> tuple[SX, SX]:
    """(q, v) after one Newton step to Φ = 0, then to A v = b; factors at the unprojected position serve both.

    position, velocity: Φ, and A v − b of the same rows and of those at velocity level; steps: natural unit of each v.
    """
    missing = SX.zeros(velocity.numel() - position.numel(), 1)
    nearer = retract(q, metric.project(ca.vertcat(position, missing), reach=REACH * steps))
    return nearer, v + metric.project(ca.substitute(velocity, q, nearer))
