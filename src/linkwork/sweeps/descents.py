"""Descents: the search that `optimise` makes, from several starts at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from linkwork.analyses.optimisation.descent import descended
from linkwork.analyses.optimisation.optimum import Attempt, Optimum
from linkwork.analyses.optimisation.visits import CANCELLED as CANCELLED_WORDS
from linkwork.analyses.optimisation.visits import Course, Limit, Visits
from linkwork.analyses.sensitivity.question import NO_LOCK, Question
from linkwork.sweeps.outcome import FAILED, FINISHED, PENDING, Outcome
from linkwork.sweeps.searches import CANCELLED, CONVERGED, EARLY, Conducted, Searches
from linkwork.sweeps.study import Lock, leave

Bounds = tuple[float | None, float | None]


@dataclass(frozen=True)
class Descent(Outcome):
    """How a search ended, with all that it has seen."""

    converged: bool = False
    course: Course | None = None


@dataclass
class Descents(Searches):
    """The best point of a question's first scalar from each start; the others are within their limits there."""

    question: Question = field(kw_only=True)
    bounds: Mapping[str, Bounds] = field(kw_only=True)
    limits: Sequence[Limit] = field(kw_only=True)
    minimise: bool = field(kw_only=True)
    gradient: str = field(kw_only=True)
    method: str = field(kw_only=True)
    tolerance: float = field(kw_only=True)
    iterations: int = field(kw_only=True)

    def look(self, point: np.ndarray) -> None:
        self.visits(point, self.question).first()

    def visits(self, begin: np.ndarray, question: Question, lock: Lock = NO_LOCK) -> Visits:
        """Of a search that begins there."""
        return Visits(
            question, self.parameters, self.bounds, self.limits, begin, self.minimise, self.gradient, None, lock
        )

    def answer(self, case: int, stop: Callable[[], bool], lock: Lock) -> Outcome:
        with lock:
            question = replace(self.question, progress=lambda _: leave(stop))
        visits = self.visits(self.design.table[case], question, lock)

        def note(*_: float) -> None:
            assert visits.best is not None
            self.board.note(case, *visits.best[:3])

        visits.progress = note
        visits.first()
        converged, words = descended(visits, self.method, self.tolerance, self.iterations)
        assert visits.best is not None
        violation, value, point = visits.best[:3]
        return Descent(
            FINISHED, words, 0.0, "", np.array([violation, value, *point]), converged=converged, course=visits.course
        )

    def attempts(self, conducted: Conducted) -> list[Attempt]:
        """Of all searches, whatever became of them."""
        names, told = self.design.names, []
        for case, begin in enumerate(self.design.table.tolist()):
            row, outcome = conducted.row(self, case), conducted.outcomes.get(case)
            if outcome is None:
                status, words = (PENDING, "Not begun.") if row is None else (CANCELLED, "Cancelled.")
            elif row is None:
                status, words = FAILED, outcome.reason
            else:
                fine = isinstance(outcome, Descent) and outcome.converged
                status, words = (CONVERGED, "Converged.") if fine else (EARLY, f"Ended early ({outcome.reason}).")
            point = [np.nan] * len(names) if row is None else row[2:].tolist()
            starts, ends = (dict(zip(names, x, strict=True)) for x in (begin, point))
            value = None if row is None else float(row[1]) * (1.0 if self.minimise else -1.0)
            told.append(Attempt(starts, ends, value, row is not None and row[0] <= 0.0, status, words))
        return told

    def optimum(self, name: str, conducted: Conducted, best: int) -> Optimum:
        """Of the search that found the best point, measured by where the first one began."""
        ended = {k: o for k, o in conducted.outcomes.items() if isinstance(o, Descent) and o.course is not None}
        row = conducted.row(self, best)
        assert row is not None
        if best in ended:
            visits = self.visits(self.design.table[best], self.question)
            converged, words = ended[best].converged, ended[best].reason
            visits.recall(_course(ended[best]))
        else:
            visits = self.visits(row[2:], self.question)
            visits.first()
            converged, words = False, CANCELLED_WORDS
        if 0 in ended:
            visits.begin, visits.before = self.design.table[0], _course(ended[0]).before
        told = visits.optimum(name, self.method, converged, words)
        told.history = [visit for k in sorted(ended) for visit in _course(ended[k]).history] or told.history
        told.attempts = self.attempts(conducted)
        told.cancelled = conducted.cancelled
        return told


def _course(ended: Descent) -> Course:
    assert ended.course is not None
    return ended.course
