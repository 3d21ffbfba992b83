"""What is taken on step by step: a program, and all that is asked of what it was made from."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from linkwork.core.errors import IntegrationError
from linkwork.core.plain_data import Record
from linkwork.core.result import Result
from linkwork.integrate import Trajectory
from linkwork.signals.inputs import Signals
from linkwork.simulation.interruptions import Interruption, Moment, Setting
from linkwork.simulation.stepper.values import Values


class Subject(ABC):
    """A model as equations in one piece, or as kernels."""

    setting: Setting
    options: Record
    """For all that integrates it."""
    values: Values
    """p, read where it is by everything that runs."""
    switching: bool
    """Whether parameters and inputs decide when something switches by time alone."""
    followed: bool
    """Whether it follows anything over time."""

    @abstractmethod
    def interruptions(self) -> list[Interruption]: ...

    @abstractmethod
    def stops(self, now: Moment, y: np.ndarray, end: float) -> np.ndarray:
        """Pairs of times [s] around all that jumps by time alone, up to the end; what must not jump is refused."""

    @abstractmethod
    def state_names(self, now: Moment) -> tuple[str, ...]:
        """Whom each state belongs to."""

    @abstractmethod
    def failure(self, now: Moment, part: Trajectory, result: Result) -> IntegrationError:
        """What to raise where a step has failed; it carries the result."""


def settle(signals: Signals, p: np.ndarray, first: int) -> None:
    """What is driven by a number from here on has it in p, whose inputs begin at `first`."""
    for k, signal in list(signals.items()):
        if not callable(signal):
            p[first + k] = signal
            del signals[k]
