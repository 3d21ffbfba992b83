"""Running a prepared program, over changes of contacts, of the independent coordinates and of the solver if need be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwork.contact.manifolds import Chooser
from linkwork.contact.referee import Referee
from linkwork.core.errors import LinkworkError
from linkwork.core.interrupts import acknowledge
from linkwork.formulations.partition import SWITCH
from linkwork.integrate import Trajectory, integrate
from linkwork.signals.sides import seen_at
from linkwork.simulation.choice.solver import Automatic
from linkwork.simulation.cost import Pace, check_steps
from linkwork.simulation.interruptions.pauses import Pauses
from linkwork.simulation.interruptions.sampling import Sampler
from linkwork.simulation.interruptions.settling import Settler

MOST = 10_000
"""Changes of coordinates in one run, before it is taken as a failure."""


def run(ready: Any, duration: float, times: np.ndarray, **options: Any) -> tuple[Trajectory, int]:
    """As `_run`; where Ctrl-C comes between two parts of a run, those that are there are kept."""
    parts: list[Trajectory] = []
    notes: list[tuple[float, str]] = []
    name = options.pop("name", "the run")
    check_steps(name, duration, options["solver"], options.get("step"), options.get("max_step"))
    options["progress"] = Pace(name, options.get("progress"))
    try:
        return _run(parts, notes, ready, duration, times, **options)
    except KeyboardInterrupt:
        if not any(part.t.size for part in parts):
            raise
        acknowledge()
        parts[-1].status = "cancelled"
        return _finished(parts, notes), 0


def _run(
    parts: list[Trajectory],
    notes: list[tuple[float, str]],
    ready: Any,
    duration: float,
    times: np.ndarray,
    *,
    again: Callable[[float, np.ndarray], Any],
    solver: Any,
    step: float | None = None,
    progress: Callable[[float], None] | None = None,
    sampler: Sampler | None = None,
    referee: Referee | None = None,
    settler: Settler | None = None,
    chooser: Chooser | None = None,
    **options: Any,
) -> tuple[Trajectory, int]:
    """Integrate; where the independent coordinates become ill-conditioned, choose others and go on.

    sampler: controllers that act at single times; what is recorded then is the state after they have.
    referee: says how it goes on where rigid contacts change; the trajectory has both sides of such a time.
    chooser: says which corners, edges and faces of convex outlines may touch from here on.
    settler: finds states anew that nonlinear equations determine, where these jump.
    again(t, y): the same model prepared with independent coordinates that suit this state.
    solver: as in `integrate`, or an `Automatic` that has looked at the start; it looks again after many steps.
    parts, notes: get what is computed, part by part.
    Returns the trajectory and how often coordinates were changed.
    """
    stops = options.get("stops", np.zeros((0, 2)))

    def after(t: float) -> float:
        """The time just after what jumps at t."""
        return float(seen_at(np.array([t]), stops, np.inf)[0])

    t, y, changes = 0.0, ready.state, 0
    automatic = solver if isinstance(solver, Automatic) else None
    pauses, until = Pauses(duration), duration
    if sampler:
        y = sampler.take(ready, after(t), y)
    if chooser:
        y = chooser.choose(after(t), y)
    if referee:
        y, happened, until = referee.begin(after(t), y)
        notes += happened
    while True:
        end = min(until, sampler.stop(times) if sampler else duration, duration)
        if settler:
            end = min(end, settler.stop(t))
            try:
                y = settler.settle(t, y)
            except LinkworkError as error:
                if not parts:
                    raise
                parts[-1].status, parts[-1].failure = "failed", error
                return _finished(parts, notes), changes
        part = integrate(
            settler.program(ready.program) if settler else ready.program,
            y,
            (t, end),
            times=_between(times, t, end, duration),
            parameters=ready.p,
            solver=automatic.solver if automatic else solver,
            step=step,
            max_steps=automatic.patience if automatic else None,
            progress=_share(t / duration, end / duration, progress),
            **options,
        )
        parts.append(part)
        if referee and part.status == "stopped" and part.events[-1].index >= referee.first_event:
            t = part.events.pop().t
            try:
                pauses.note(t)
                y, happened, until = referee.after(after(t), part.y[-1])
            except LinkworkError as error:
                part.status, part.failure = "failed", error
                return _finished(parts, notes), changes
            notes += happened
            times = np.concatenate([[t], times[times > t]])  # both sides of the jump
            continue
        if chooser and part.status == "stopped" and part.events[-1].index in chooser.events:
            event, happened = part.events.pop(), []
            t = event.t
            try:
                pauses.note(t)
                y = chooser.choose(after(t), part.y[-1], event.index)
                if referee:
                    y, happened, until = referee.after(after(t), y)
            except LinkworkError as error:
                part.status, part.failure = "failed", error
                return _finished(parts, notes), changes
            notes += happened
            if happened:
                times = np.concatenate([[t], times[times > t]])
            else:
                part.drop_last()
                times = times[times >= t]
            continue
        stopped = part.status == "stopped" and ready.program.events[part.events[-1].index].name == SWITCH
        slow = part.status == "max_steps" and automatic is not None and automatic.patience is not None
        early = part.status == "done" and end < duration
        jumped = settler is not None and part.status == "stopped" and part.events[-1].index in settler.jumps
        if settler and (jumped or (early and end < until and not (sampler and sampler.is_due(end)))):
            t, y = float(part.t[-1]), part.y[-1]
            if jumped and settler.has_sides:
                if times.size and not np.any(times == t):
                    part.drop_last()
                try:
                    t, y = settler.past(ready.program, t, y)
                except LinkworkError as error:
                    part.status, part.failure = "failed", error
                    return _finished(parts, notes), changes
                times = times[times >= t]
                continue
            # What is recorded at this time is what holds afterwards; which it is just before, rounding decides.
            part.drop_last()
            times = times[times >= t]
            for k in np.flatnonzero(t - part.t <= 1e-10 * duration):
                part.y[k] = settler.settle(t, part.y[k])
            continue
        if not slow and not early and not (stopped and changes < MOST):
            return _finished(parts, notes), changes
        t, y = float(part.t[-1]), part.y[-1]
        if early and sampler and sampler.is_due(end):
            y, until = sampler.take(ready, after(t), y), duration if end >= until else until
            if referee:  # what holds may hold no more
                y, happened, clear = referee.after(after(t), y)
                notes += happened
                until = min(until, clear)
            # What is recorded at this time is what holds afterwards.
            part.drop_last()
            times = times[times >= t]
            continue
        if early:
            until = duration
            if referee:
                y, happened, until = referee.aloft(after(t), y)
                notes += happened
        elif automatic and slow:
            automatic.look(ready.program, t, y, ready.p)
            step = float(part.step[-1])
        else:
            part.events.pop()
            changes += 1
            ready = again(t, y)
        # The state where the run was taken up again is no requested sample.
        if times.size and not np.any(times == t):
            part.drop_last()
        else:
            times = times[times > t]


def _between(times: np.ndarray, t: float, end: float, duration: float) -> np.ndarray:
    """Samples of a part; the end of one that is not the last is among them, as the next begins there."""
    wanted = times[(times >= t) & (times <= end)]
    return np.append(wanted, end) if end < duration and not np.any(wanted == end) else wanted


def _share(first: float, last: float, progress: Callable[[float], None] | None) -> Callable[[float], None] | None:
    """Progress of a part between two shares of the run."""
    if progress is None or (first == 0 and last == 1):
        return progress
    return lambda share: progress(first + (last - first) * share)


def _finished(parts: list[Trajectory], notes: list[tuple[float, str]]) -> Trajectory:
    path = _joined(parts)
    path.notes, path.failure = notes, parts[-1].failure
    return path


def _once(events: list[Any]) -> list[Any]:
    """Without those that one part ends with and the next begins with."""
    last: dict[int, float] = {}
    kept = []
    for e in events:
        if e.index not in last or abs(e.t - last[e.index]) > 1e-11 * max(1.0, abs(e.t)):
            kept.append(e)
        last[e.index] = e.t
    return kept


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
