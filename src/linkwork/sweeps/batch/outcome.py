"""What became of the cases of a batch, and the rest of those that needed a closer look."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from linkwork.core.pieces import Driver
from linkwork.integrate import Trajectory, integrate
from linkwork.integrate.trajectory import MESSAGES, EventRecord
from linkwork.sweeps.batch.layout import LOG_HEAD
from linkwork.sweeps.batch.problem import BatchProblem, CaseTable

DONE, STOPPED, LEFT, AFRESH = 1, 2, 3, 4
"""As in batch.h."""


@dataclass
class BatchOutcome:
    """States over time of all cases."""

    t: np.ndarray
    """(times,) s"""
    y: np.ndarray
    """(cases, times, states); NaN after the end of a case that ended early"""
    status: list[str]
    """Of each case, as in `Trajectory`."""
    message: list[str]
    reached: np.ndarray
    """(cases,) s, where each ended"""
    events: dict[int, list[EventRecord]]
    """By case, those that have any."""
    accepted: np.ndarray
    rejected: np.ndarray
    """(cases,) steps"""
    one_by_one: np.ndarray
    """(cases,) whether some of it was left to the integrator of single cases"""
    parts: list[str] = field(default_factory=list)
    """What computed them."""

    @property
    def ok(self) -> np.ndarray:
        """(cases,) whether each came to its end, or to an event that ends it."""
        return np.array([status in ("done", "stopped") for status in self.status])


@dataclass
class Raw:
    """What an engine returns: codes and arrays, before anything is looked at more closely."""

    y: np.ndarray
    status: np.ndarray
    reached_time: np.ndarray
    reached: np.ndarray
    counters: np.ndarray
    log: np.ndarray


def completed(
    problem: BatchProblem, raw: Raw, project: Callable[[np.ndarray], np.ndarray], engine: str
) -> BatchOutcome:
    """Locate events, finish what was left over, one case at a time; project: moves samples onto the constraints."""
    cases = problem.cases
    y = project(raw.y) if problem.projects else raw.y
    outcome = BatchOutcome(
        problem.times, y, ["done"] * cases, [MESSAGES["done"]] * cases, raw.reached_time.copy(), {},
        raw.counters[:, 0].copy(), raw.counters[:, 1].copy(), np.zeros(cases, dtype=bool), [engine],
    )  # fmt: skip
    for row in raw.log[np.lexsort((raw.log[:, 1], raw.log[:, 0]))] if len(raw.log) else ():
        case = int(row[0])
        if raw.status[case] != AFRESH and outcome.status[case] != "stopped":
            _locate(problem, raw, outcome, case, row)
    for case in np.flatnonzero(raw.status != DONE).tolist():
        if outcome.status[case] == "done":
            _finish(problem, raw, outcome, case)
    outcome.events = {case: once(events) for case, events in outcome.events.items() if events}
    return outcome


def once(events: list[EventRecord]) -> list[EventRecord]:
    """Without those that one step ends with and the next begins with."""
    last: dict[int, float] = {}
    kept = []
    for event in events:
        if event.index not in last or abs(event.t - last[event.index]) > 1e-11 * max(1.0, abs(event.t)):
            kept.append(event)
        last[event.index] = event.t
    return kept


def _locate(problem: BatchProblem, raw: Raw, outcome: BatchOutcome, case: int, row: np.ndarray) -> None:
    """Take one step again, in which an event may lie; a row: case, t, t after the step, step, state."""
    begin, end, step = row[1:LOG_HEAD]
    path = _integrated(problem, case, row[LOG_HEAD:], (begin, end), np.array([end]), step=step)
    outcome.one_by_one[case] = True
    outcome.events.setdefault(case, []).extend(path.events)
    if path.status != "stopped":
        return
    t = path.events[-1].t
    outcome.status[case], outcome.message[case] = "stopped", path.message
    outcome.reached[case] = t
    outcome.y[case, problem.times > t] = np.nan
    within = (problem.times > begin) & (problem.times <= t)
    if np.any(within):
        again = _integrated(problem, case, row[LOG_HEAD:], (begin, t), problem.times[within], step=step)
        outcome.y[case, within] = again.y[: int(within.sum())]


def _finish(problem: BatchProblem, raw: Raw, outcome: BatchOutcome, case: int) -> None:
    """The rest of a case, or all of it, in the integrator of single cases.

    All of it, too, where an event was seen to end it and then not found."""
    afresh = raw.status[case] != LEFT
    t = problem.common.t0 if afresh else raw.reached_time[case]
    start = problem.starts[case] if afresh else raw.reached[case]
    wanted = problem.times >= t if afresh else problem.times > t
    common = problem.common
    made = 0 if afresh else int(outcome.accepted[case] + outcome.rejected[case])
    rest = replace(problem, common=replace(common, max_steps=max(common.max_steps - made, 1)))
    path = _integrated(rest, case, start, (t, common.t1), problem.times[wanted], step=common.step)
    rows = np.flatnonzero(wanted)
    kept = int(np.isin(problem.times[rows], path.t).sum())  # it may have ended before some of them
    outcome.y[case, rows] = np.nan
    outcome.y[case, rows[:kept]] = path.y[:kept]
    outcome.one_by_one[case] = True
    outcome.status[case], outcome.message[case] = path.status, path.message
    outcome.reached[case] = common.t1 if path.status == "done" else path.t[-1]
    if afresh:
        outcome.events.pop(case, None)
    if path.events:
        outcome.events.setdefault(case, []).extend(path.events)
    counted = (outcome.accepted, outcome.rejected)
    for place, name in zip(counted, ("accepted", "rejected"), strict=True):
        place[case] = path.stats.get(name, 0) + (0 if afresh else place[case])


def _integrated(
    problem: BatchProblem,
    case: int,
    start: np.ndarray,
    span: tuple[float, float],
    times: np.ndarray,
    *,
    step: float | None,
) -> Trajectory:
    common = problem.common
    signals: dict[int, Driver] = {k: s.of(case) if isinstance(s, CaseTable) else s for k, s in problem.signals.items()}
    scale = np.ones(start.size) if problem.program.scale is None else problem.program.scale
    return integrate(
        problem.program, start, span, times=times, parameters=problem.p[case], signals=signals, solver=problem.solver,
        rtol=common.rtol, atol=common.atol / scale, step=step, max_step=common.max_step, max_steps=common.max_steps,
        stops=common.stops, projection=common.projection,
    )  # fmt: skip
