"""What an integration returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from linkwork.core.errors import LinkworkError


class EventRecord(NamedTuple):
    """One zero of an event function: when, which (index into `Program.events`), and the state there."""

    t: float
    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody needs here
    y: np.ndarray


@dataclass
class Trajectory:
    """States over time, complete or up to where the run ended.

    status: "done"; "stopped" (by an event); "cancelled"; or a failure: "nonfinite", "underflow", "newton",
    "max_steps", "memory", "open", "coarse", "failed". Unless "done", the last row is the last state reached.
    """

    t: np.ndarray
    """(nt,) s"""
    y: np.ndarray
    """(nt, n) states"""
    step: np.ndarray
    """(nt,) s, the solver's step at each row"""
    events: list[EventRecord] = field(default_factory=list)
    status: str = "done"
    message: str = ""
    culprit: int | None = None
    """Index of the state to blame for a failure: largest scaled error, or first that is not finite."""
    notes: list[tuple[float, str]] = field(default_factory=list)
    """(s, what) of what happened between the parts of a run that was interrupted."""
    failure: LinkworkError | None = None
    """What went wrong between its parts."""
    stats: dict[str, int] = field(default_factory=dict)
    """accepted, rejected, rhs, jacobians, factorisations, newton, projections"""

    def drop_last(self) -> None:
        """Forget the last row: where a run is taken up again, the next part begins with it."""
        self.t, self.y, self.step = self.t[:-1], self.y[:-1], self.step[:-1]

    @property
    def ok(self) -> bool:
        return self.status in ("done", "stopped")


MESSAGES = {
    "done": "The end time was reached.",
    "stopped": "An event stopped the run at t = {t:.9g} s.",
    "cancelled": "The run was cancelled at t = {t:.9g} s.",
    "nonfinite": "The equations gave a value that is not finite near t = {t:.9g} s, however short the step.",
    "underflow": "The step became too short to move time at t = {t:.9g} s; the error stayed above the tolerance.",
    "newton": "Newton's iteration did not converge at t = {t:.9g} s, however short the step.",
    "max_steps": "The largest number of steps was used up at t = {t:.9g} s.",
    "memory": "The memory for the records ran out at t = {t:.9g} s.",
    "open": "The constraints cannot be met together at t = {t:.9g} s, however short the step.",
    "coarse": "The fixed step is too long to follow what is touched at t = {t:.9g} s.",
    "failed": "The solver gave up at t = {t:.9g} s.",
}
