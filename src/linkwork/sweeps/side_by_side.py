"""Cases side by side: an engine integrates many at a time; what becomes of each is told as of a single run."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.simulation.simulate import Begun
from linkwork.simulation.watch.samples import with_watch
from linkwork.sweeps.batch.cases import Alike, Batch, batches_of, study_refusal, trajectory_of
from linkwork.sweeps.batch.outcome import BatchOutcome
from linkwork.sweeps.batch.problem import BatchProblem
from linkwork.sweeps.outcome import FINISHED, SINGLE, Outcome
from linkwork.sweeps.runs import OPEN, Runs
from linkwork.sweeps.study import Abandoned, Lock, Study

FIRST = 16
"""Cases in the first batch of engines that treat many at once: it compiles, and tells what a case costs."""
SECONDS = 0.5
"""s that a batch shall take: nothing interrupts most engines, and what is in it is told at its end."""
BYTES = 64e6
"""Of states and channels of a batch."""


class Engine(ABC):
    """Integrates many cases at a time."""

    name: str
    most: int
    """Cases in a batch."""
    first = FIRST
    """Cases in the first one."""
    resumes = True
    """Whether what it leaves to single runs is little: a step, the rest of a case."""

    @abstractmethod
    def ready(self, problem: BatchProblem) -> None:
        """Compile whatever is not yet; by one thread at a time."""

    @abstractmethod
    def run(self, problem: BatchProblem, channels: bool, stop: Callable[[], bool]) -> tuple[BatchOutcome, np.ndarray]:
        """All cases, and, if wanted, all channels of the program: (cases, times, channels).

        `Abandoned` where `stop()` says so and it can be interrupted.
        """


class SideBySide:
    """Outcomes of cases of one study, from an engine; one by one, where it cannot."""

    def __init__(self, study: Runs, engine: Engine):
        self._study, self._engine, self._alike = study, engine, Alike(study)
        self._cost = 0.0
        """s per case, of the last batch."""
        self._futile = False
        """Whether most cases had to be run again from the start, as those that may change their solver."""

    @property
    def together(self) -> bool:
        """Whether cases are prepared and told together, not one by one."""
        return self._alike.possible

    def portions(self, cases: Sequence[int], workers: int) -> Iterator[list[int]]:
        """Cases in batches, as large as what they have cost so far allows."""
        program = self._study.first().ready.program
        each = 8 * with_watch(self._study.task.times).size * (program.layout.y + len(program.channels))
        most = int(np.clip(BYTES / each, 1, self._engine.most))
        done = 0
        while done < len(cases):
            known = self._cost and (self._study.starts_shared or self._study.starts_apart)
            size = int(np.clip(SECONDS / self._cost, 1, most)) if known else min(self._engine.first, most)
            size = max(1, min(size, -(-(len(cases) - done) // workers)))
            yield list(cases[done : done + size])
            done += size

    def outcomes(self, cases: Sequence[int], stop: Callable[[], bool], lock: Lock) -> list[tuple[int, Outcome]]:
        """Of all these; `Abandoned` where `stop()` says so."""
        clock = time.perf_counter()
        if self._futile:
            return [(case, self._study.run(case, stop, lock)) for case in cases]
        with lock:
            alike = self._alike.batch(cases)
            batches, rest = batches_of(self._study, cases) if alike is None else ([alike[0]], alike[1])
            for batch in batches:
                self._engine.ready(batch.problem)
        outcomes: list[tuple[int, Outcome]] = []
        for batch in batches:
            if stop():
                raise Abandoned
            ran, channels = self._engine.run(batch.problem, not batch.begun, stop)
            if batch.begun:
                with lock:
                    told, again = self._told(batch, ran)
            else:
                told, again = self._told_together(batch, ran, channels, lock)
            outcomes, rest = outcomes + told, rest + again
            self._futile = not self._engine.resumes and 2 * len(again) > len(batch.cases)
        outcomes += [(case, self._study.run(case, stop, lock)) for case in rest]
        self._cost = (time.perf_counter() - clock) / len(cases)
        return outcomes

    def _told(self, batch: Batch, ran: BatchOutcome) -> tuple[list[tuple[int, Outcome]], list[int]]:
        """As single runs are told; and the cases that failed, which say why when they are run again by themselves."""
        outcomes, again = [], []
        for k, (case, begun) in enumerate(zip(batch.cases, batch.begun, strict=True)):
            if ran.status[k] not in ("done", "stopped"):
                again.append(case)
                continue
            outcomes.append((case, self._as_single(ran, k, begun)))
        return outcomes, again

    def _as_single(self, ran: BatchOutcome, k: int, begun: Begun) -> Outcome:
        """Of one case of a batch."""
        begun.clock.started()  # it has no time of its own
        begun.clock.stopped()
        path = trajectory_of(ran, k, begun)
        return self._study.outcome_of(lambda: self._study.conclude(begun, path, self._name(ran, k)))

    def _told_together(
        self, batch: Batch, ran: BatchOutcome, channels: np.ndarray, lock: Lock
    ) -> tuple[list[tuple[int, Outcome]], list[int]]:
        """Of runs that nobody judges: numbers of those that look well; the others are told as single runs are."""
        study, program = self._study, batch.problem.program
        names = [channel.name for channel in program.channels]
        if "energy.supplied" in names:
            supplied = channels[:, :, names.index("energy.supplied")]
            supplied -= supplied[:, :1].copy()
        fine = np.array([status == "done" for status in ran.status]) & np.isfinite(channels).all(axis=(1, 2))
        if "residual.position" in names:
            limit = OPEN * batch.like.ready.equations.states.length
            fine &= channels[:, :, names.index("residual.position")].max(axis=1, initial=0.0) <= limit
        asked = np.isin(ran.t, study.task.times)
        data = {c: np.ascontiguousarray(channels[:, asked, names.index(c)]) for c in study.keeping.channels}
        values = study.keeping.many(data)
        outcomes = [
            (batch.cases[k], Outcome(FINISHED, "", study.task.duration, "", values[k], self._name(ran, k)))
            for k in np.flatnonzero(fine).tolist()
        ]
        again = []
        for k in np.flatnonzero(~fine).tolist():
            case = batch.cases[k]
            if ran.status[k] == "stopped":
                with lock:
                    outcomes.append((case, self._as_single(ran, k, study.begin(study.case(case)))))
            else:
                again.append(case)
        return outcomes, again

    def _name(self, ran: BatchOutcome, k: int) -> str:
        return f"{self._engine.name}, {SINGLE}" if ran.one_by_one[k] else self._engine.name


def checked(study: Study, backend: str) -> Runs:
    """The study, where its cases can be run side by side; else an error that says why they cannot."""
    reason = study_refusal(study)
    if reason is not None or not isinstance(study, Runs):
        raise LinkworkError(
            f"backend={backend!r}: these cases cannot be run side by side: {reason}", component=study.model.name,
            remedy='Leave backend out, or take "processes".',
        )  # fmt: skip
    return study


def in_turn(side: SideBySide, cases: Sequence[int], deliver: Callable[[int, Outcome], None]) -> None:
    """One batch after the other, in this thread."""
    lock = threading.Lock()
    for portion in side.portions(cases, 1):
        for case, outcome in side.outcomes(portion, lambda: False, lock):
            deliver(case, outcome)
