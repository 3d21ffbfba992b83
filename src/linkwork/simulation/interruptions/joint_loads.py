"""Loads of joints that stick: what they carry at the start depends on what sticks then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from linkwork.components.contacts.joint_friction import JointStiction
from linkwork.geometry import SX
from linkwork.simulation.interruptions.interruption import Moment, Runnable

if TYPE_CHECKING:
    from linkwork.core.model import Model


class JointLoads:
    """Those of one run: places of the loads and of what follows these among the states, and lags [s]."""

    def __init__(self, at: list[int], after: list[int], lags: np.ndarray):
        self.at, self.after, self.lags = at, after, lags

    @classmethod
    def of(cls, model: Model, ready: Runnable) -> Self | None:
        loads, eq = model.of_type(JointStiction), ready.equations
        if not loads:
            return None
        at, after = ([eq.states.names.index(c.state_names[k]) for c in loads] for k in (0, 1))
        return cls(at, after, np.array([eq.at(ready.p).values(ready.state, SX(c.lag))[0].item() for c in loads]))

    def follow(self, now: Moment) -> float:
        """Put them on the reactions that the present state has; the largest change, as a share."""
        rate = np.array(now.ready.program.function("rhs")(now.after, now.y, now.ready.p)).ravel()
        change = self.lags * rate[self.at]
        if not np.all(np.isfinite(change)):
            return 0.0
        now.y = now.y.copy()
        now.y[self.at] += change
        now.y[self.after] = now.y[self.at]
        return float(np.max(np.abs(change) / np.maximum(np.abs(now.y[self.at]), 1e-300), initial=0.0))
