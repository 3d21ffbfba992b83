"""Threads of this process. Integration leaves the interpreter lock alone; what comes before and after it waits."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence
from typing import ClassVar

from linkwork.sweeps.backends.backend import Backend, Deliver
from linkwork.sweeps.outcome import Outcome
from linkwork.sweeps.study import Abandoned, Study

AHEAD = 4
"""Outcomes per thread that may wait for being delivered: the memory stays bounded."""


class Threads(Backend):
    """Worth it where runs are long: assembling and judging take their turns."""

    name: ClassVar[str] = "threads"

    def run(self, study: Study, cases: Sequence[int], deliver: Deliver) -> None:
        shared, over, lock = _Shared(iter(cases)), threading.Event(), threading.Lock()
        outcomes: queue.Queue[tuple[int, Outcome | BaseException]] = queue.Queue(AHEAD * self.workers)
        threads = [
            threading.Thread(target=_work, args=(study, shared, lock, over, outcomes), daemon=True)
            for _ in range(min(self.workers, len(cases)))
        ]
        for thread in threads:
            thread.start()
        try:
            for _ in range(len(cases)):
                case, outcome = outcomes.get()
                if isinstance(outcome, BaseException):
                    raise outcome
                deliver(case, outcome)
        finally:
            over.set()
            while any(thread.is_alive() for thread in threads):
                _drain(outcomes)  # nobody shall wait for room in the queue
                for thread in threads:
                    thread.join(0.02)


class _Shared:
    """Cases that threads take in turns."""

    def __init__(self, cases: Iterator[int]):
        self._cases, self._lock = cases, threading.Lock()

    def take(self) -> int | None:
        with self._lock:
            return next(self._cases, None)


def _work(
    study: Study,
    cases: _Shared,
    lock: threading.Lock,
    over: threading.Event,
    outcomes: queue.Queue[tuple[int, Outcome | BaseException]],
) -> None:
    while not over.is_set() and (case := cases.take()) is not None:
        try:
            outcome: Outcome | BaseException = study.run(case, over.is_set, lock)
        except Abandoned:
            return
        except BaseException as error:
            outcome = error
        outcomes.put((case, outcome))


def _drain(outcomes: queue.Queue[tuple[int, Outcome | BaseException]]) -> None:
    try:
        while True:
            outcomes.get_nowait()
    except queue.Empty:
        return
