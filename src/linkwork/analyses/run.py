"""Running a prepared program, over changes of the independent coordinates and of the solver if need be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwork.analyses.stiffness import Automatic
from linkwork.formulations.partition import SWITCH
from linkwork.integrate import Trajectory, integrate

MOST = 10_000
"""Changes of coordinates in one run, before it is taken as a failure."""


def run(
    ready: Any,
    duration: float,
    times: np.ndarray,
    *,
    again: Callable[[float, np.ndarray], Any],
    solver: Any,
    step: float | None = None,
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> tuple[Trajectory, int]:
    """Integrate; where the independent coordinates become ill-conditioned, choose others and go on.

    again(t, y): the same model prepared with independent coordinates that suit this state.
    solver: as in `integrate`, or an `Automatic` that has looked at the start; it looks again after many steps.
    Returns the trajectory and how often coordinates were changed.
    """
    parts: list[Trajectory] = []
    t, y, changes = 0.0, ready.state, 0
    automatic = solver if isinstance(solver, Automatic) else None
    while True:
        part = integrate(
            ready.program,
            y,
            (t, duration),
            times=times[times >= t],
            parameters=ready.p,
            solver=automatic.solver if automatic else solver,
            step=step,
            max_steps=automatic.patience if automatic else None,
            progress=_from(t / duration, progress),
            **options,
        )
        parts.append(part)
        stopped = part.status == "stopped" and ready.program.events[part.events[-1].index].name == SWITCH
        slow = part.status == "max_steps" and automatic is not None and automatic.patience is not None
        if not slow and not (stopped and changes < MOST):
            return _joined(parts), changes
        t, y = float(part.t[-1]), part.y[-1]
        if automatic and slow:
            automatic.look(ready.program, t, y, ready.p)
            step = float(part.step[-1])
        else:
            part.events.pop()
            changes += 1
            ready = again(t, y)
        # The state where the run was taken up again is no requested sample.
        if times.size and not np.any(times == t):
            part.t, part.y, part.step = part.t[:-1], part.y[:-1], part.step[:-1]
        else:
            times = times[times > t]


def _from(done: float, progress: Callable[[float], None] | None) -> Callable[[float], None] | None:
    """Progress of a part that begins when the share `done` of the run lies behind."""
    if progress is None or done == 0:
        return progress
    return lambda share: progress(done + (1 - done) * share)


def _joined(parts: list[Trajectory]) -> Trajectory:
    if len(parts) == 1:
        return parts[0]
    last = parts[-1]
    stats = {k: sum(p.stats.get(k, 0) for p in parts) for k in last.stats}
    return Trajectory(
        t=np.concatenate([p.t for p in parts]),
        y=np.concatenate([p.y for p in parts]),
        step=np.concatenate([p.step for p in parts]),
        events=[e for p in parts for e in p.events],
        status=last.status,
        message=last.message,
        culprit=last.culprit,
        stats=stats,
    )
