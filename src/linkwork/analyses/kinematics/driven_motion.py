"""The motion that drives and motion laws give a mechanism, from the start to the last sample or to a dead centre."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.kinematics import tracking
from linkwork.analyses.kinematics.approach import approach
from linkwork.analyses.kinematics.course import Course
from linkwork.analyses.kinematics.mechanism import Mechanism
from linkwork.analyses.kinematics.mobility import check_all_driven, check_not_twice, culprit
from linkwork.analyses.kinematics.speed_driven import integrated
from linkwork.assembly.assemble import Assembly
from linkwork.core.equations import Equations
from linkwork.core.errors import IntegrationError, ModelError
from linkwork.core.pieces import TIME
from linkwork.core.result import Result
from linkwork.core.signal import Inputs
from linkwork.signals.inputs import Signals, signals_of
from linkwork.simulation.arguments import parameters_of

if TYPE_CHECKING:
    from linkwork.core.model import Model

FINER = 10
"""Times within each step of the tracking at which power is looked at."""
UNMET = 1e-6
"""Largest share of what speed and acceleration rows ask for that may stay unmet."""


@dataclass
class DrivenMotion:
    """The course at the samples asked for, or at those before the time `stopped` [s], and who stopped it."""

    course: Course
    assembly: Assembly
    statistics: dict[str, int]
    stopped: float | None = None
    culprit: str = ""

    def error(self, model: Model, partial: Result) -> IntegrationError:
        """For a motion that ended early."""
        return IntegrationError(
            f"the mechanism cannot follow its drives beyond t = {self.stopped:.6g} s: a dead centre, or out of reach.",
            component=self.culprit or model.name,
            remedy="Keep the drive within reach, or drive another coordinate, which passes there. The "
            f"{partial.t.size} samples before are in error.partial.",
            partial=partial,
        )


def driven_motion(
    mechanism: Mechanism, t: np.ndarray, parameters: Mapping[str, float] | None, *, knots: bool
) -> DrivenMotion:
    """Follow the drives; with `knots`, the course has further samples wherever the motion was resolved in between."""
    model, eq = mechanism.model, mechanism.eq
    if not mechanism.speeds:
        raise ModelError("nothing in it can move.", component=model.name, remedy="Add a body.")
    assembly = model.assemble(parameters=parameters_of(model, parameters), inputs=mechanism.inputs)
    q, v, z = np.split(assembly.state, [eq.q.numel(), eq.q.numel() + mechanism.speeds])
    check_not_twice(mechanism, 0.0, q, z)
    q, z = approach(mechanism, 0.0, q, z)
    check_all_driven(mechanism, 0.0, q, z)
    track = tracking.begin(mechanism, 0.0, q, v, z)
    end = float(t[-1])
    near: Callable[[np.ndarray], Course]
    reach: Callable[[float], Course | None]
    if len(eq.constraints.rows) > eq.constraints.position.numel():
        near, steps = integrated(mechanism, track.knots, end)
        reach = _nowhere
    else:
        track = tracking.follow(mechanism, track, end) if end > 0 else track
        near, reach = partial(tracking.guess, mechanism, track), partial(tracking.reached, mechanism, track)
        steps = track.knots.t
    reached = float(steps[-1])
    early = reached < end
    statistics = {"accepted": steps.size - 1, "rejected": track.rejected}
    times = _between(t, steps) if knots else t
    last_good = reached - 1e-6 * end if early else reached  # next to a dead centre speeds lose their meaning
    course, off = tracking.samples(mechanism, times[times <= last_good], near, reach)
    bad = np.flatnonzero((off[:, 0] > tracking.POSITION_TOLERANCE) | (off[:, 1:] > UNMET).any(axis=1))
    if bad.size:
        k = int(bad[0])
        early, reached = True, float(course.t[k])
        last, course = course[k : k + 1], course[:k]
    else:
        last = near(np.array([reached]))
    motion = DrivenMotion(course, assembly, statistics)
    if early:
        motion.stopped = reached
        motion.culprit = culprit(mechanism, reached, last.q[0], last.z[0])
    return motion


def driven_signals(
    model: Model, eq: Equations, p: np.ndarray, inputs: Inputs | None, end: float
) -> tuple[np.ndarray, Signals]:
    """p with the inputs that are plain numbers, and what varies until end [s]."""
    signals = signals_of(model, inputs, eq, end)
    constant = {k: signal for k, signal in signals.items() if not callable(signal)}
    for index, value in constant.items():
        p[len(model.parameters) + index] = float(value)
        del signals[index]
    if all(signal is TIME for signal in signals.values()):
        signals.clear()  # nothing varies
    return p, signals


def just_before(end: float) -> float:
    """The time by two roundings before the end [s]."""
    return float(end - 2 * np.spacing(end))


def _between(t: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """The samples and times within the steps, so that work can be summed up; none too close to another."""
    steps = np.interp(np.arange(FINER * (steps.size - 1) + 1) / FINER, np.arange(steps.size), steps)
    bounds = np.concatenate([[-np.inf], t, [np.inf]])
    after = np.searchsorted(t, steps) + 1
    before, after = steps - bounds[after - 1], bounds[after] - steps
    apart = np.gradient(steps) if steps.size > 1 else np.zeros(1)
    close = min(0.1 * np.diff(t).min(initial=np.inf), 0.2 * apart.max())
    kept = [-np.inf]
    for step in steps[(np.minimum(before, after) > close) & (before + after > apart)]:
        if step - kept[-1] > close:
            kept.append(step)
    return np.union1d(t, kept[1:])


def _nowhere(t: float) -> None:
    """An integrated position has no better guess."""
