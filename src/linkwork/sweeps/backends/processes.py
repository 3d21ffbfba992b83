"""Processes of this machine: each has an interpreter of its own, so that nothing waits for anything."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, ClassVar

from linkwork.sweeps.backends.backend import Backend, Deliver
from linkwork.sweeps.outcome import Outcome
from linkwork.sweeps.study import Study

TRIES = 2
"""Workers that a case may cost before it is told to be deadly."""
BATCH_SHARE = 20
"""Batches that each worker gets, at least: the last ones to finish shall not be waited for."""
MOST_IN_BATCH = 50
COMPILING = "linkwork-compile"
"""Name of the threads that make better machine code."""


@dataclass
class _Worker:
    process: BaseProcess
    pipe: Connection
    cases: deque[int] = field(default_factory=deque)
    """Given to it and not back yet, in order."""


class Processes(Backend):
    """Forked where the system can: what was compiled is there at once. Elsewhere they are started anew, with the model
    sent to them. What a dead one had to do is done by others."""

    name: ClassVar[str] = "processes"

    def run(self, study: Study, cases: Sequence[int], deliver: Deliver) -> None:
        if not cases:
            return
        first, *rest = cases
        deliver(first, study.run(first))  # whatever has to be compiled is compiled before there are many
        _settle()
        left, tries = deque(rest), dict[int, int]()
        size = max(1, min(MOST_IN_BATCH, len(rest) // (BATCH_SHARE * self.workers)))
        workers = [_started(study) for _ in range(min(self.workers, len(rest)))]
        try:
            for worker in workers:
                _give(worker, left, size)
            while any(worker.cases for worker in workers):
                ready = {id(x) for x in wait([w.pipe for w in workers if w.cases])}
                for place, worker in enumerate(workers):
                    if id(worker.pipe) in ready and not _received(worker, deliver):
                        workers[place] = self._replaced(study, worker, left, tries, deliver)
                    if not workers[place].cases:
                        _give(workers[place], left, size)
        finally:
            for worker in workers:
                _end(worker)

    def _replaced(
        self, study: Study, dead: _Worker, left: deque[int], tries: dict[int, int], deliver: Deliver
    ) -> _Worker:
        """Another one for one that died; the case that it was at may be to blame."""
        _end(dead)
        blamed = dead.cases.popleft()
        left.extendleft(reversed(dead.cases))
        tries[blamed] = tries.get(blamed, 0) + 1
        if tries[blamed] < TRIES:
            left.appendleft(blamed)
        else:
            deliver(blamed, study.failed(f"{TRIES} processes died while they ran it."))
        return _started(study)


def can_fork() -> bool:
    """Whether processes can be forked safely."""
    return os.name == "posix" and "fork" in multiprocessing.get_all_start_methods() and os.uname().sysname == "Linux"


def _settle() -> None:
    """Wait for better machine code that is being made: a process forked meanwhile might never get its locks."""
    for thread in threading.enumerate():
        if thread.name == COMPILING:
            thread.join()


def _started(study: Study) -> _Worker:
    context: Any = multiprocessing.get_context("fork" if can_fork() else "spawn")
    mine, other = context.Pipe()
    process: BaseProcess = context.Process(target=_work, args=(other, mine, study), daemon=True)
    process.start()
    other.close()
    return _Worker(process, mine)


def _give(worker: _Worker, left: deque[int], size: int) -> None:
    batch = [left.popleft() for _ in range(min(size, len(left)))]
    if batch:
        worker.cases.extend(batch)
        try:
            worker.pipe.send(batch)
        except OSError:
            pass  # it is dead, which is noticed when it is read from


def _received(worker: _Worker, deliver: Deliver) -> bool:
    """Take one outcome; False: it is dead."""
    try:
        case, outcome = worker.pipe.recv()
    except (EOFError, OSError):
        return False
    worker.cases.remove(case)
    deliver(case, outcome)
    return True


def _end(worker: _Worker) -> None:
    worker.pipe.close()
    if worker.process.is_alive():
        worker.process.terminate()
    worker.process.join()


def _work(pipe: Connection, others: Connection, study: Study) -> None:
    """In a worker: cases in, outcomes out, until there is nobody at the other end."""
    others.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who started it
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        while True:
            for case in pipe.recv():
                outcome: Outcome = study.run(case)
                pipe.send((case, outcome))
    except (EOFError, OSError):
        os._exit(0)
