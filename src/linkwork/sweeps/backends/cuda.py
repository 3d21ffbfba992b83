"""CUDA: a graphics card, each of its threads integrates a case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np

from linkwork.sweeps.backends.backend import Backend, Deliver
from linkwork.sweeps.batch.outcome import BatchOutcome
from linkwork.sweeps.batch.problem import BatchProblem
from linkwork.sweeps.cuda import device
from linkwork.sweeps.cuda import run as cuda
from linkwork.sweeps.side_by_side import Engine, SideBySide, checked, in_turn
from linkwork.sweeps.study import Study


class CudaEngine(Engine):
    """On the card that CuPy takes."""

    name = "cuda"
    most = 1 << 17

    def ready(self, problem: BatchProblem) -> None:
        """The text is compiled when it is run."""

    def run(self, problem: BatchProblem, channels: bool, stop: Callable[[], bool]) -> tuple[BatchOutcome, np.ndarray]:
        names = [channel.name for channel in problem.program.channels] if channels else []
        return cuda.run_batch(problem, channels=names)


class Cuda(Backend):
    """One batch after the other."""

    name: ClassVar[str] = "cuda"

    def __init__(self, workers: int | None = None):
        super().__init__(1)

    def check(self, study: Study) -> None:
        device.library()  # which says what is missing
        checked(study, self.name)

    def run(self, study: Study, cases: Sequence[int], deliver: Deliver) -> None:
        in_turn(SideBySide(checked(study, self.name), CudaEngine()), cases, deliver)
