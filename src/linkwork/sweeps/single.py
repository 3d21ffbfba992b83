"""The integrator of single cases as an engine: case after case in C, prepared and told together with its neighbours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from linkwork.integrate import evaluate, resolve_solver
from linkwork.integrate.native_run import run_many
from linkwork.integrate.solver import NativeSolver
from linkwork.sweeps.batch.cases import study_refusal
from linkwork.sweeps.batch.outcome import BatchOutcome
from linkwork.sweeps.batch.problem import BatchProblem, CaseTable
from linkwork.sweeps.lanes.run import mapped, needed
from linkwork.sweeps.outcome import SINGLE
from linkwork.sweeps.runs import Runs
from linkwork.sweeps.side_by_side import Engine, SideBySide
from linkwork.sweeps.study import Abandoned, Study

AGAIN = "again"
"""Of a case that did not simply come to its end: as a single run it tells why."""


class SingleEngine(Engine):
    """Bit by bit what single runs give; on the thread that calls it, which others need not wait for."""

    name = SINGLE
    most = 4096
    first = 1
    resumes = False

    def ready(self, problem: BatchProblem) -> None:
        for name in [*needed(problem), "outputs"]:
            problem.program.function(name)

    def run(self, problem: BatchProblem, channels: bool, stop: Callable[[], bool]) -> tuple[BatchOutcome, np.ndarray]:
        solver = resolve_solver(problem.solver)
        assert isinstance(solver, NativeSolver)
        signals = {k: s for k, s in problem.signals.items() if not isinstance(s, CaseTable)}
        assert len(signals) == len(problem.signals)  # those of a sweep are the same for all cases
        ran = run_many(solver, replace(problem.common, signals=signals), problem.starts, problem.p, stop)
        if ran is None:
            raise Abandoned
        status = [word if word == "done" else AGAIN for word in ran.status]
        outcome = BatchOutcome(
            problem.times, ran.samples, status, [""] * problem.cases, np.full(problem.cases, problem.common.t1), {},
            ran.steps[:, 0], ran.steps[:, 1], np.zeros(problem.cases, dtype=bool), [SINGLE],
        )  # fmt: skip
        return outcome, _outputs(problem, ran.samples) if channels else np.zeros(0)


def _outputs(problem: BatchProblem, y: np.ndarray) -> np.ndarray:
    """(cases, times, channels)"""
    function, inputs = problem.program.function("outputs"), len(problem.program.inputs)
    if not problem.signals:
        return mapped(problem, y, function, 1)
    signals = {k: s for k, s in problem.signals.items() if not isinstance(s, CaseTable)}
    rows = [evaluate(function, problem.times, each, p, signals, inputs=inputs)
            for each, p in zip(y, problem.p, strict=True)]  # fmt: skip
    return np.array(rows)


def together(study: Study) -> SideBySide | None:
    """Where cases can be prepared and told together; None: each must be by itself."""
    if not isinstance(study, Runs) or study.judge or study_refusal(study) is not None:
        return None
    side = SideBySide(study, SingleEngine())
    return side if side.together else None
