"""Independent speeds that have become ill-conditioned: others are chosen, and the run goes on with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.core.program import Event
from linkwork.formulations.partition import Partition
from linkwork.integrate import Trajectory
from linkwork.simulation.interruptions.interruption import Interruption, Moment, Runnable, Setting, Sides

CHANGE_LIMIT = 10_000
"""In one run, before it is taken as a failure."""


class Repartition(Interruption):
    """Counts the changes, for the record."""

    def __init__(self, again: Callable[[float, np.ndarray], Runnable]):
        self._again, self._changes = again, 0

    @classmethod
    def of(cls, setting: Setting) -> Self | None:
        return None if setting.again is None else cls(setting.again)

    def owns(self, event: Event) -> bool:
        return isinstance(event.about, Partition)

    def resume(self, now: Moment, part: Trajectory) -> Sides:
        part.events.pop()
        self._changes += 1
        if self._changes > CHANGE_LIMIT:
            raise LinkworkError(
                f"independent coordinates were changed {CHANGE_LIMIT} times.", remedy='Use loops="multipliers".'
            )
        now.ready = self._again(now.t, now.y)
        return Sides.ONE

    def saved(self) -> int:
        return self._changes

    def restore(self, saved: object) -> None:
        assert isinstance(saved, int)
        self._changes = saved

    def finish(self, path: Trajectory) -> None:
        path.stats["coordinate changes"] = self._changes
