"""Running a prepared program part by part: each ends where something interrupts the run, and says how it goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.core.interrupts import acknowledge
from linkwork.core.plain_data import Record
from linkwork.core.program import Program
from linkwork.integrate import Trajectory, integrate
from linkwork.integrate.trajectory import EventRecord
from linkwork.simulation.choice.solver import Automatic, SolverChoice, suspicion
from linkwork.simulation.cost import Pace, check_steps
from linkwork.simulation.interruptions import Interruption, Moment, Sides
from linkwork.simulation.interruptions.interruption import Runnable


def run(
    ready: Runnable,
    duration: float,
    times: np.ndarray,
    *,
    solver: SolverChoice,
    interruptions: Sequence[Interruption] = (),
    step: float | None = None,
    stops: np.ndarray | None = None,
    progress: Callable[[float], None] | None = None,
    name: str = "the run",
    **options: Any,
) -> Trajectory:
    """Integrate from 0 to `duration` [s]; ready: program, start and parameters; times [s]: of the samples.

    stops: as in `integrate`, as are all other options. Where Ctrl-C comes between two parts, those that are there are
    kept.
    """
    check_steps(name, duration, solver, step, options.get("max_step"))
    stops = np.zeros((0, 2)) if stops is None else stops
    options |= {"stops": stops, "progress": Pace(name, progress)}
    at_first = solver.solver if isinstance(solver, Automatic) else solver
    now = Moment(0.0, ready.state, ready, at_first, step, times, stops)
    parts: list[Trajectory] = []
    try:
        for each in interruptions:
            each.begin(now)
        while _advanced(now, parts, interruptions, duration, options):
            pass
    except KeyboardInterrupt:
        if not any(part.t.size for part in parts):
            raise
        acknowledge()
        parts[-1].status = "cancelled"
    path = _joined(parts)
    path.notes, path.failure = now.notes, parts[-1].failure
    for each in interruptions:
        each.finish(path)
    return path


def _advanced(
    now: Moment,
    parts: list[Trajectory],
    interruptions: Sequence[Interruption],
    duration: float,
    options: Record,
) -> bool:
    """Compute one more part; whether there will be another."""
    due = [each.next_time(now) for each in interruptions]
    end = min([duration, *due])
    patience = min((each.patience for each in interruptions if each.patience is not None), default=None)
    part = integrate(
        stopping(now.ready.program, interruptions),
        now.y,
        (now.t, end),
        times=_between(now.times, now.t, end, duration),
        parameters=now.ready.p,
        solver=now.solver,
        step=now.step,
        max_steps=patience,
        stiff_after=suspicion(patience),
        **options | {"progress": _share(now.t / duration, end / duration, options["progress"])},
    )
    parts.append(part)
    if part.status == "stopped":
        event = now.ready.program.events[part.events[-1].index]
        mine = [each for each in interruptions if each.owns(event)]
    elif part.status == "max_steps":
        mine = [each for each in interruptions if each.patience is not None]
    else:
        ended = part.status == "done" and end < duration
        mine = [each for each, time in zip(interruptions, due, strict=True) if ended and time <= end]
    if not mine:
        return False
    now.t, now.y = float(part.t[-1]), part.y[-1]
    try:
        sides = mine[0].resume(now, part)
        for each in interruptions if sides is not Sides.ONE else mine:
            if each is not mine[0]:
                each.look_again(now)
    except LinkworkError as error:
        part.status, part.failure = "failed", error
        return False
    now.times = _left(now.times, part, sides)
    return True


def stopping(program: Program, interruptions: Sequence[Interruption]) -> Program:
    """The same program, which stops where somebody has to say how it goes on."""
    mine = [e.action != "stop" and any(each.owns(e) for each in interruptions) for e in program.events]
    if not any(mine):
        return program
    events = (replace(e, action="stop") if own else e for e, own in zip(program.events, mine, strict=True))
    return replace(program, events=tuple(events))


def _between(times: np.ndarray, t: float, end: float, duration: float) -> np.ndarray:
    """Samples of a part; the end of one that is not the last is among them, as the next begins there."""
    wanted = times[(times >= t) & (times <= end)]
    return np.append(wanted, end) if end < duration and not np.any(wanted == end) else wanted


def _left(times: np.ndarray, part: Trajectory, sides: Sides) -> np.ndarray:
    """Samples that are left for the parts to come; where the run was taken up again is not one by itself."""
    t = part.t[-1]
    if sides is Sides.BOTH:
        return np.concatenate([[t], times[times > t]])
    if sides is Sides.AFTER:
        part.drop_last()
        return times[times >= t]
    if times.size and not np.any(times == t):
        part.drop_last()
    return times[times > t]


def _share(first: float, last: float, progress: Callable[[float], None]) -> Callable[[float], None]:
    """Progress of a part between two shares of the run."""
    return lambda share: progress(first + (last - first) * share)


def _joined(parts: list[Trajectory]) -> Trajectory:
    if len(parts) == 1:
        return parts[0]
    last = parts[-1]
    stats = {k: sum(p.stats.get(k, 0) for p in parts) for k in last.stats}
    return Trajectory(
        t=np.concatenate([p.t for p in parts]),
        y=np.concatenate([p.y for p in parts]),
        step=np.concatenate([p.step for p in parts]),
        events=_once([e for p in parts for e in p.events]),
        status=last.status,
        message=last.message,
        culprit=last.culprit,
        stats=stats,
    )


def _once(events: list[EventRecord]) -> list[EventRecord]:
    """Without those that one part ends with and the next begins with."""
    last: dict[int, float] = {}
    kept = []
    for e in events:
        if e.index not in last or abs(e.t - last[e.index]) > 1e-11 * max(1.0, abs(e.t)):
            kept.append(e)
        last[e.index] = e.t
    return kept
