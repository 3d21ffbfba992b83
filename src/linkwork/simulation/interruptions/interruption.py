"""The contract of whatever interrupts a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Protocol, Self

import numpy as np

from linkwork.core.equations import Equations
from linkwork.core.program import Event, Program
from linkwork.integrate import Trajectory
from linkwork.integrate.solver import Solver
from linkwork.signals.inputs import Signals
from linkwork.signals.sides import sides_at
from linkwork.simulation.choice.solver import SolverChoice

if TYPE_CHECKING:
    from linkwork.core.model import Model


class Runnable(Protocol):
    """Program, equations and parameters, and where they start."""

    @property
    def program(self) -> Program: ...

    @property
    def equations(self) -> Equations: ...

    @property
    def p(self) -> np.ndarray: ...

    @property
    def state(self) -> np.ndarray: ...


@dataclass(frozen=True)
class Setting:
    """What a run is made of, for those who may interrupt it."""

    model: Model
    ready: Runnable
    """Program, equations, start and parameters, as `prepare` returns them."""
    signals: Signals
    stops: np.ndarray
    """Pairs of times [s] around all that jumps by time alone."""
    duration: float
    solver: SolverChoice
    again: Callable[[float, np.ndarray], Runnable] | None
    """(t, y) → the same model prepared with independent speeds that suit this state; None: it has no such."""
    resumed: bool = False
    """Whether it goes on from another run: what follows something has done so already."""


@dataclass
class Moment:
    """Where a run is between two of its parts. Whoever interrupts it changes what changes."""

    t: float
    y: np.ndarray
    ready: Runnable
    """Program, equations and parameters of the next part."""
    solver: str | Solver
    step: float | None
    times: np.ndarray
    """Samples [s] that are still to come."""
    stops: np.ndarray
    notes: list[tuple[float, str]] = field(default_factory=list)
    """(s, what) of all that happened."""

    @property
    def after(self) -> float:
        """The time [s] just after what jumps now."""
        return float(sides_at(np.array([self.t]), self.stops, np.inf)[0])


class Sides(Enum):
    """What is recorded where a run was interrupted."""

    ONE = "the state goes on as it is: what was asked for, once"
    AFTER = "it changes: what holds afterwards"
    BOTH = "it jumps: what holds before and what holds afterwards"


class Interruption:
    """Stops a run at times, at events or after a number of steps, and says how it goes on.

    To add one: 1. a file here with a subclass, which answers those of the questions below that concern it, and `of`;
    2. its name among `KINDS` in `__init__`. Its own events carry in `about` what they belong to.
    """

    patience: int | None = None
    """Steps of one part after which it wants to look; None: it does not count them."""

    @classmethod
    def of(cls, setting: Setting) -> Self | None:
        """Of a run; None where it has no part in it."""
        raise NotImplementedError

    def begin(self, now: Moment) -> None:
        """At the start of the run."""

    def next_time(self, now: Moment) -> float:
        """When it has to be stopped at the latest [s]."""
        return np.inf

    def owns(self, event: Event) -> bool:
        """Whether to stop there, for `resume`."""
        return False

    def resume(self, now: Moment, part: Trajectory) -> Sides:
        """How it goes on after this part, which ended for its sake."""
        raise NotImplementedError

    def look_again(self, now: Moment) -> None:
        """Another one has changed the state, or went first at a time that was its own, too."""

    def finish(self, path: Trajectory) -> None:
        """After the run, all of it in one."""

    def watch(self, now: Moment) -> None:
        """After a step of a run whose end is not known; LinkworkError where what was reached is no result."""

    def expect(self, stops: np.ndarray) -> None:
        """Other stops than those of the setting: a run whose end is not known has looked further ahead."""

    def saved(self) -> object:
        """What changes in it during a run, to come back to: plain values that it does not change any more."""
        return None

    def restore(self, saved: object) -> None:
        """Be as it was when it `saved`."""
