"""Processes of this machine: each has an interpreter of its own, so that nothing waits for anything."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, ClassVar

from linkwork.sweeps.backends.backend import Backend, Deliver
from linkwork.sweeps.outcome import Outcome
from linkwork.sweeps.single import together
from linkwork.sweeps.starts import VERIFIED
from linkwork.sweeps.study import Study

TRIES = 2
"""Workers that a case may cost before it is told to be deadly."""
BATCH_SHARE = 20
"""Batches that each worker gets, at least: the last ones to finish shall not be waited for."""
BATCH_LIMIT = 50
ALIKE_BATCH_LIMIT = 1000
"""Where cases are prepared and told together, which has its price per batch."""
COMPILING = "linkwork-compile"
"""Name of the threads that make better machine code."""


@dataclass
class _Worker:
    process: BaseProcess
    pipe: Connection
    cases: deque[int] = field(default_factory=deque)
    """Given to it and not back yet, in order."""
    given: int = 0
    """Cases that were given to it last."""


class Processes(Backend):
    """Forked where the system can: what was compiled is there at once. Elsewhere they are started anew, with the model
    sent to them. What a dead one had to do is done by others."""

    name: ClassVar[str] = "processes"

    def run(self, study: Study, cases: Sequence[int], deliver: Deliver) -> None:
        if not cases:
            return
        rest, alike = list(cases), together(study) is not None
        if not study.warm():  # whatever has to be compiled, or looked at, is so before there are many
            ahead, rest = rest[: VERIFIED if alike else 1], rest[VERIFIED if alike else 1 :]
            for case in ahead:
                deliver(case, study.run(case))
        _settle()
        most = ALIKE_BATCH_LIMIT if alike else BATCH_LIMIT
        size = max(1, min(most, len(rest) // (BATCH_SHARE * self.workers)))
        left = deque(rest[k : k + size] for k in range(0, len(rest), size))
        tries = dict[int, int]()
        workers = [_started(study) for _ in range(min(self.workers, len(rest)))]
        try:
            for worker in workers:
                _give(worker, left)
            while any(worker.cases for worker in workers):
                ready = {id(x) for x in wait([w.pipe for w in workers if w.cases])}
                for place, worker in enumerate(workers):
                    if id(worker.pipe) in ready and not _received(worker, deliver):
                        workers[place] = self._replaced(study, worker, left, tries, deliver)
                    if not workers[place].cases:
                        _give(workers[place], left)
        finally:
            for worker in workers:
                _end(worker)

    def _replaced(
        self, study: Study, dead: _Worker, left: deque[list[int]], tries: dict[int, int], deliver: Deliver
    ) -> _Worker:
        """Another one for one that died; the case that it was at may be to blame, which shows when each is alone."""
        _end(dead)
        left.extendleft([case] for case in reversed(dead.cases))
        if len(dead.cases) == dead.given > 1:  # nothing came back: which of them it was at cannot be told
            return _started(study)
        blamed = dead.cases[0]
        tries[blamed] = tries.get(blamed, 0) + 1
        if tries[blamed] == TRIES:
            left.popleft()
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


def _give(worker: _Worker, left: deque[list[int]]) -> None:
    if left:
        batch = left.popleft()
        worker.cases.extend(batch)
        worker.given = len(batch)
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
    side = together(study)
    try:
        while True:
            cases: list[int] = pipe.recv()
            if side is not None and len(cases) > 1:
                for told in side.outcomes(cases, lambda: False, nullcontext()):
                    pipe.send(told)
                continue
            for case in cases:
                outcome: Outcome = study.run(case)
                pipe.send((case, outcome))
    except (EOFError, OSError):
        os._exit(0)
