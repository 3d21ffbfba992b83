"""`solver="auto"` over a run: equations that take an explicit method many steps are looked at again."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

from linkwork.integrate import Trajectory
from linkwork.simulation.choice.solver import Automatic
from linkwork.simulation.interruptions.interruption import Interruption, Moment, Setting, Sides


class SolverChange(Interruption):
    """Follows what an `Automatic` finds."""

    def __init__(self, automatic: Automatic):
        self._automatic = automatic

    @classmethod
    def of(cls, setting: Setting) -> Self | None:
        return cls(setting.solver) if isinstance(setting.solver, Automatic) else None

    @property
    def patience(self) -> int | None:  # type: ignore[override]
        return self._automatic.patience

    def begin(self, now: Moment) -> None:
        now.solver = self._automatic.solver

    def saved(self) -> Automatic:
        return replace(self._automatic)

    def restore(self, saved: object) -> None:
        vars(self._automatic).update(vars(saved))

    def resume(self, now: Moment, part: Trajectory) -> Sides:
        self._automatic.look(now.ready.program, now.t, now.y, now.ready.p)
        now.solver, now.step = self._automatic.solver, float(part.step[-1])
        return Sides.ONE
