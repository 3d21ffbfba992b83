"""Loads of joints that stick: what they carry at the start depends on what sticks then."""

from __future__ import annotations

from typing import Self

import numpy as np

from linkwork.components.contacts.joint_friction import JointStiction
from linkwork.geometry import SX
from linkwork.simulation.interruptions.interruption import Moment, Setting


class JointLoads:
    """Those of one run."""

    def __init__(self, at: list[int], after: list[int], lags: np.ndarray):
        self._at, self._after, self._lags = at, after, lags

    @classmethod
    def of(cls, setting: Setting) -> Self | None:
        found, eq = setting.model.of_type(JointStiction), setting.ready.equations
        if not found:
            return None
        at, after = ([eq.states.names.index(c.state_names[k]) for c in found] for k in (0, 1))
        p = setting.ready.p
        return cls(at, after, np.array([eq.at(p).values(setting.ready.state, SX(c.lag))[0].item() for c in found]))

    def follow(self, now: Moment) -> float:
        """Put them on the reactions that the present state has; the largest change, as a share."""
        rate = np.array(now.ready.program.function("rhs")(now.after, now.y, now.ready.p)).ravel()
        change = self._lags * rate[self._at]
        if not np.all(np.isfinite(change)):
            return 0.0
        now.y = now.y.copy()
        now.y[self._at] += change
        now.y[self._after] = now.y[self._at]
        return float(np.max(np.abs(change) / np.maximum(np.abs(now.y[self._at]), 1e-300), initial=0.0))
