"""Lanes: several cases in the vector registers of each core, batches of them in threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np

from linkwork.sweeps.backends.backend import Backend, Deliver
from linkwork.sweeps.backends.threads import spread
from linkwork.sweeps.batch.outcome import BatchOutcome
from linkwork.sweeps.batch.problem import BatchProblem
from linkwork.sweeps.lanes.run import needed, outputs_of, run_batch, width
from linkwork.sweeps.side_by_side import FIRST, Engine, SideBySide, checked, in_turn
from linkwork.sweeps.study import Study


class LanesEngine(Engine):
    """On the thread that calls it."""

    name = "lanes"
    most = 4096

    def ready(self, problem: BatchProblem) -> None:
        for function in [*needed(problem), "outputs"]:
            problem.program.lanes(function, width(None))

    def run(self, problem: BatchProblem, channels: bool, stop: Callable[[], bool]) -> tuple[BatchOutcome, np.ndarray]:
        outcome = run_batch(problem)
        return outcome, outputs_of(problem, outcome.y) if channels else np.zeros(0)


class Lanes(Backend):
    """Worth it where integration is most of a case, and where runs are not judged."""

    name: ClassVar[str] = "lanes"

    def check(self, study: Study) -> None:
        checked(study, self.name)

    def run(self, study: Study, cases: Sequence[int], deliver: Deliver) -> None:
        side = SideBySide(checked(study, self.name), LanesEngine())
        in_turn(side, cases[:FIRST], deliver)  # which compiles
        left = cases[FIRST:]
        if self.workers == 1:
            in_turn(side, left, deliver)
        elif left:
            lock = threading.Lock()
            spread(
                side.portions(left, self.workers), lambda part, stop: side.outcomes(part, stop, lock), self.workers,
                deliver,
            )  # fmt: skip
