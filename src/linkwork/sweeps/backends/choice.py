"""Which backend: named, or chosen by what the first cases cost."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from linkwork.compile.llvm import widest
from linkwork.core.errors import UnknownName
from linkwork.sweeps.backends.backend import Backend, Deliver, processors
from linkwork.sweeps.backends.cluster import Dask, is_cluster
from linkwork.sweeps.backends.cuda import Cuda
from linkwork.sweeps.backends.lanes import Lanes
from linkwork.sweeps.backends.processes import COMPILING, Processes, can_fork
from linkwork.sweeps.backends.serial import Serial
from linkwork.sweeps.backends.threads import Threads
from linkwork.sweeps.batch.cases import Alike, study_refusal
from linkwork.sweeps.lanes.run import WIDTHS
from linkwork.sweeps.runs import Runs
from linkwork.sweeps.study import Study

BACKENDS: dict[str, type[Backend]] = {cls.name: cls for cls in (Serial, Threads, Processes, Dask, Lanes, Cuda)}
AUTOMATIC = "auto"
PILOT_CASES, PILOT_SECONDS = 5, 0.5
"""Cases that are run first, and time that is spent on them, to know what one costs."""
SHORT = 1.0
"""s that a sweep may take on one processor without asking others."""
MOSTLY = 0.75
"""Share of a case that is integration, from which on threads are as good as processes."""

LANES_GAIN = 3.0
"""Factor by which integration is faster in lanes, at least (docs/lanes.md)."""
ALIKE_SHARE = 0.25
"""Share that is left of what is done around integration where cases are prepared and told together."""


@dataclass
class Pilot:
    """The first cases, run here; the first of all, which compiles, is not counted."""

    seconds: float = 0.0
    """Per case."""
    share: float = 0.0
    """Of it, integration."""

    def run(self, study: Study, cases: Sequence[int], deliver: Deliver) -> int:
        """Run some of the cases; how many."""
        began, counted, spent, inside = time.perf_counter(), 0, 0.0, 0.0
        for number, case in enumerate(cases[:PILOT_CASES]):
            clock, before = time.perf_counter(), study.integrating
            deliver(case, study.run(case))
            if number:
                spent += time.perf_counter() - clock
                inside += study.integrating - before
                counted += 1
            if time.perf_counter() - began > PILOT_SECONDS:
                break
        self.seconds = spent / counted if counted else time.perf_counter() - began
        self.share = inside / spent if spent else 0.0
        return counted + 1


def choose(pilot: Pilot, left: int, workers: int | None, study: Study | None = None) -> Backend:
    """For so many cases like those of the pilot; study: whose cases they are, for what it allows."""
    if left * pilot.seconds < SHORT:
        return Serial()
    if study is not None and _lanes_pay(pilot, study, workers or processors()):
        return Lanes(workers)
    if (workers or processors()) == 1:
        return Serial()
    if pilot.share >= MOSTLY or not can_fork() or _others():
        return Threads(workers)
    return Processes(workers)


def _lanes_pay(pilot: Pilot, study: Study, workers: int) -> bool:
    """Whether lanes take less time than workers with a case each; what is not integration takes turns in lanes."""
    if study_refusal(study) is not None or widest() not in WIDTHS:
        return False
    runs = cast(Runs, study)
    together = runs.starts_shared and Alike(runs).possible
    around = (1 - pilot.share) * (ALIKE_SHARE if together else 1.0)
    return around + pilot.share / (LANES_GAIN * workers) < 1 / workers


def _others() -> bool:
    """Whether threads run that a forked process would miss."""
    mine = (threading.current_thread().name, COMPILING)
    return any(thread.name not in mine for thread in threading.enumerate())


def named(given: object, workers: int | None) -> Backend | None:
    """What `backend=…` means; None: to be chosen."""
    if isinstance(given, Backend):
        return given
    if is_cluster(given):
        return Dask(workers, given)
    if isinstance(given, str) and given == AUTOMATIC:
        return None
    if not isinstance(given, str) or given not in BACKENDS:
        raise UnknownName("backend", str(given), [AUTOMATIC, *BACKENDS])
    return BACKENDS[given](workers)
