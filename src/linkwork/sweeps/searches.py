"""Searches from several starts: where they begin, who conducts them, and the best that each has come upon so far."""

from __future__ import annotations

import mmap
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.core.interrupts import acknowledge
from linkwork.core.plain_data import Record
from linkwork.sweeps.backends import Backend, named
from linkwork.sweeps.backends.processes import Processes, can_fork
from linkwork.sweeps.backends.serial import Serial
from linkwork.sweeps.outcome import FAILED, Outcome, Quantity
from linkwork.sweeps.study import Study

CONVERGED, EARLY, CANCELLED = "converged", "ended early", "cancelled"
"""How a search ended; `FAILED` and `PENDING` are those of cases."""
FEW = 2
"""Searches that are not worth processes of their own."""


class Board:
    """(violation, value, point) of the best that each search has come upon; forked processes write here, too."""

    def __init__(self, searches: int, unknowns: int):
        self._shape = searches, unknowns
        shared = mmap.mmap(-1, 8 * searches * (2 + unknowns))
        self.rows = np.frombuffer(shared, dtype=float).reshape(searches, 2 + unknowns)
        self.rows[:] = np.nan

    def __reduce__(self) -> tuple[object, ...]:
        """Elsewhere it is another one, of which nothing comes back."""
        return Board, self._shape

    def note(self, search: int, violation: float, value: float, point: np.ndarray) -> None:
        """Kept where it is the best of that search."""
        row = self.rows[search]
        if np.isnan(row[1]) or (violation, value) < (row[0], row[1]):
            row[:2], row[2:] = (violation, value), point

    def best(self, search: int) -> np.ndarray | None:
        """(violation, value, point…); None where it came upon nothing yet."""
        row = self.rows[search].copy()
        return None if np.isnan(row).any() else row


@dataclass
class Searches(Study):
    """A search from the point of each case; what comes of it is (violation of constraints, value, point…).

    To add one: a subclass with `look`, and `answer`, which tells the board of every point that it visits.
    """

    board: Board = field(init=False)
    together = "each of them is a search of its own."

    def __post_init__(self) -> None:
        self.board = Board(*self.design.table.shape)

    @abstractmethod
    def look(self, point: np.ndarray) -> None:
        """Whatever a search does at a point, once."""

    def settle(self) -> None:
        pass

    def warm(self) -> bool:
        """From the first start at which anything can be computed."""
        for point in self.design.table:
            try:
                self.look(point)
                break
            except LinkworkError:
                continue  # its search will say so
        return True

    @property
    def layout(self) -> tuple[Quantity, ...]:
        return tuple(Quantity(name, "") for name in ("violation", "value", *self.design.names))

    @property
    def dimensions(self) -> dict[str, tuple[np.ndarray, str]]:
        return {}

    def settings(self) -> Record:
        return {}


@dataclass(frozen=True)
class Conducted:
    """What came of searches: outcomes of those that ended, by number; and whether Ctrl-C ended the others."""

    outcomes: Mapping[int, Outcome]
    cancelled: bool

    def row(self, study: Searches, search: int) -> np.ndarray | None:
        """(violation, value, point…) of the best that a search found, whether it ended or not; None: nothing."""
        if search in self.outcomes:
            outcome = self.outcomes[search]
            return None if outcome.status == FAILED else outcome.values
        return study.board.best(search)

    def winner(self, study: Searches) -> int | None:
        """The search that found the best point; the first of several."""
        rows = {k: row for k in range(study.design.cases) if (row := self.row(study, k)) is not None}
        return min(rows, key=lambda k: (rows[k][0], rows[k][1]), default=None)

    @property
    def reason(self) -> str:
        """Why the first of those that failed did."""
        return next((x.reason for x in self.outcomes.values() if x.status == FAILED), "it was cancelled.")


def conducted(study: Searches, runner: Backend, told: Callable[[Mapping[int, Outcome]], None]) -> Conducted:
    """All searches; told: of what there is, whenever another one has ended. Ctrl-C leaves what there is."""
    outcomes: dict[int, Outcome] = {}

    def deliver(search: int, outcome: Outcome) -> None:
        outcomes[search] = outcome
        told(outcomes)

    try:
        runner.run(study, range(study.design.cases), deliver)
    except KeyboardInterrupt:
        acknowledge()
        return Conducted(outcomes, True)
    return Conducted(outcomes, False)


def conductor(backend: object, workers: int | None, searches: int) -> Backend:
    """What `backend=…` means; by itself: processes, where they pay."""
    return named(backend, workers) or (Processes(workers) if searches > FEW and can_fork() else Serial())


def evenly(count: int, unknowns: int, seed: int) -> np.ndarray:
    """Points of the unit cube, (count, unknowns), by Halton's sequence: those of fewer are the first of more."""
    from scipy.stats import qmc

    return np.asarray(qmc.Halton(unknowns, seed=seed).random(count)) if count else np.zeros((0, unknowns))
