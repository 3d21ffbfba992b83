"""What runs cases."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

from linkwork.sweeps.outcome import Outcome
from linkwork.sweeps.study import Study

Deliver = Callable[[int, Outcome], None]
"""Takes the outcome of a case, in the thread that called `run`."""


class Backend(ABC):
    """Runs cases somewhere.

    To add one: 1. a file here with a subclass: `name`, and `run`; 2. its line in `BACKENDS` of choice.py. The tests
    then run it like every other: the same outcomes as serially, each delivered once, none after an interrupt.
    A backend that integrates many cases at once is an `Engine` of `side_by_side`, which prepares and tells them.
    """

    name: ClassVar[str]

    def __init__(self, workers: int | None = None):
        self.workers = workers or processors()

    @abstractmethod
    def run(self, study: Study, cases: Sequence[int], deliver: Deliver) -> None:
        """Run these cases and deliver each outcome as soon as it is there.

        What `deliver` raises, and KeyboardInterrupt, end it: no work goes on after it was left.
        """

    def check(self, study: Study) -> None:
        """An error that says why, where it cannot ask this question; before anything is kept."""
        return None

    def __str__(self) -> str:
        """For the record."""
        return f"{self.name}, {self.workers} at a time" if self.workers > 1 else self.name


def processors() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
