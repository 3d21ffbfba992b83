"""Threads of this process. Integration leaves the interpreter lock alone; what comes before and after it waits."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import ClassVar, Generic, TypeVar

from linkwork.sweeps.backends.backend import Backend, Deliver
from linkwork.sweeps.outcome import Outcome
from linkwork.sweeps.side_by_side import in_turn
from linkwork.sweeps.single import together
from linkwork.sweeps.study import Abandoned, Study

T = TypeVar("T")
Stop = Callable[[], bool]
Told = list[tuple[int, Outcome]]
WORKER = "linkwork-sweep"
"""What these threads are called."""
AHEAD = 4
"""Portions per thread that may wait for being delivered: the memory stays bounded."""


class Threads(Backend):
    """Worth it where runs are long: assembling and judging take their turns."""

    name: ClassVar[str] = "threads"

    def run(self, study: Study, cases: Sequence[int], deliver: Deliver) -> None:
        lock, side = threading.Lock(), together(study)
        if side is not None:
            in_turn(side, cases[:1], deliver)  # which compiles
            spread(
                side.portions(cases[1:], self.workers), lambda part, stop: side.outcomes(part, stop, lock),
                min(self.workers, len(cases)), deliver,
            )  # fmt: skip
            return
        spread(cases, lambda case, stop: [(case, study.run(case, stop, lock))], min(self.workers, len(cases)), deliver)


def spread(portions: Iterable[T], work: Callable[[T, Stop], Told], workers: int, deliver: Deliver) -> None:
    """Work on portions in threads, and deliver what is told of each case in this one; `stop`: to be left."""
    shared, over = _Shared(iter(portions)), threading.Event()
    outcomes: queue.Queue[Told | BaseException | None] = queue.Queue(AHEAD * max(workers, 1))
    given = (work, shared, over, outcomes)
    threads = [threading.Thread(target=_work, args=given, name=WORKER, daemon=True) for _ in range(workers)]
    for thread in threads:
        thread.start()
    try:
        working = len(threads)
        while working:
            told = outcomes.get()
            if isinstance(told, BaseException):
                raise told
            working -= told is None
            for case, outcome in told or ():
                deliver(case, outcome)
    finally:
        over.set()
        while any(thread.is_alive() for thread in threads):
            _drain(outcomes)  # nobody shall wait for room in the queue
            for thread in threads:
                thread.join(0.02)


class _Shared(Generic[T]):
    """Portions that threads take in turns."""

    def __init__(self, portions: Iterator[T]):
        self._portions, self._lock = portions, threading.Lock()

    def take(self) -> T | None:
        with self._lock:
            return next(self._portions, None)


def _work(
    work: Callable[[T, Stop], Told],
    portions: _Shared[T],
    over: threading.Event,
    outcomes: queue.Queue[Told | BaseException | None],
) -> None:
    """Until nothing is left, which None tells."""
    while not over.is_set():
        try:
            if (portion := portions.take()) is None:
                break
            outcomes.put(work(portion, over.is_set))
        except Abandoned:
            return
        except BaseException as error:
            outcomes.put(error)
            return
    outcomes.put(None)


def _drain(outcomes: queue.Queue[Told | BaseException | None]) -> None:
    try:
        while True:
            outcomes.get_nowait()
    except queue.Empty:
        return
