"""Following a driven mechanism from its start: knots along the motion first, then all samples at once.

At each knot positions follow from Newton's method on Φ = 0 and the drives, started where speeds and accelerations
predict them; a step is taken only if that prediction was good, so that the mechanism stays on its branch. Samples lie
between knots, where an interpolation is so close that one or two Newton steps for all of them together suffice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linkwork.algebra.closing import close_all
from linkwork.algebra.factors import Factors, batches
from linkwork.analyses.kinematics.course import Course, hermite, join_courses
from linkwork.analyses.kinematics.dead_centre import Orientation
from linkwork.analyses.kinematics.mechanism import Mechanism

POSITION_TOLERANCE = 1e-11
"""Largest residual of a position that counts as reached [natural units; relative to 1 or the largest coordinate]."""
PREDICTION_ERROR = 0.02
"""How far [rad, lengths of the mechanism] a prediction may be off for a step to be trusted."""


@dataclass
class Track:
    """Knots along the motion; `stopped`: the mechanism cannot follow its drives beyond the last one."""

    knots: Course
    rates: np.ndarray
    """Of the coordinates whose turns are counted, at the knots."""
    stopped: bool = False
    rejected: int = 0


def positions(
    mechanism: Mechanism, t: np.ndarray, q: np.ndarray, z: np.ndarray, d: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Newton on Φ = 0 and x = d for every row: positions, what is left of the residual, and how far each one moved."""
    unit = mechanism.eq.states.scale[: q.shape[1]]
    return close_all(lambda k, q: mechanism.place(t[k], q, z[k], d[k]), mechanism.move, q, unit=unit)


def rates(mechanism: Mechanism, guess: Course) -> tuple[Course, np.ndarray, np.ndarray]:
    """Speeds and accelerations at known positions, and by how much the rows of each level stay unmet.

    What singular positions leave open is taken from the guess.
    """
    t, q, z = guess.t, guess.q, guess.z
    paths = mechanism.paths(t)
    J, needed = mechanism.speed_rows(t, q, z)
    first = len(mechanism.eq.constraints.rows)
    factors = Factors(J, consistent=True)

    def solved(needed: np.ndarray, own: np.ndarray, near: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        needed[:, first:] += own / mechanism.drive_units
        x = near / mechanism.steps
        for _ in range(2):  # the second time for the last digits
            x = x + factors.solve(needed - (J @ x[:, :, None])[:, :, 0])
        left = np.abs(needed - (J @ x[:, :, None])[:, :, 0]).max(axis=1, initial=0.0)
        return x * mechanism.steps, left / (1 + np.abs(needed).max(axis=1, initial=0.0))

    v, off_v = solved(needed, paths[1], guess.v)
    a, off_a = solved(mechanism.acceleration_rows(t, q, v, z), paths[2], guess.a)
    return Course(t, q, v, a, z), off_v, off_a


def begin(mechanism: Mechanism, t: float, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> Track:
    """The first knot: speeds and accelerations at a position that fits."""
    row = Course(np.array([t]), q[None], v[None], np.zeros_like(v)[None], z[None])
    knot, _, _ = rates(mechanism, row)
    knot.z, turning = mechanism.counted(knot.t, knot.q, knot.v, knot.z)
    return Track(knot, turning)


def follow(mechanism: Mechanism, track: Track, end: float) -> Track:
    """Knots up to the time `end`, or to where the mechanism cannot follow its drives."""
    parts, turning = [track.knots], [track.rates]
    last, rate, begun = track.knots[-1:], track.rates[-1:], float(track.knots.t[-1])
    longest = (end - begun) / 20
    orientation = Orientation(mechanism, last)
    h, shortest = longest / 5, 1e-13 * max(abs(begun), abs(end))
    rejected, stopped = 0, False
    while last.t[0] < end - shortest:
        to = end if last.t[0] + h > end - shortest else last.t[0] + h
        h = to - last.t[0]
        knot, new_rate, off = _step(mechanism, last, rate, to)
        if off <= PREDICTION_ERROR and _jumps(mechanism, orientation, last, rate, knot, new_rate):
            off = np.inf
        if off <= PREDICTION_ERROR:
            last, rate = knot, new_rate
            parts.append(last)
            turning.append(rate)
        elif h <= shortest:
            stopped = True
            break
        else:
            rejected += 1
        h = min(longest, h * float(np.clip(0.8 * (PREDICTION_ERROR / max(off, 1e-12)) ** (1 / 3), 0.2, 3)))
    return Track(join_courses(parts), np.concatenate(turning), stopped, track.rejected + rejected)


def _jumps(
    mechanism: Mechanism, orientation: Orientation, last: Course, rate: np.ndarray, knot: Course, new_rate: np.ndarray
) -> bool:
    step = Track(join_courses([last, knot]), np.concatenate([rate, new_rate]))
    t, h = last.t[0], knot.t[0] - last.t[0]
    return orientation.jumps(last, knot, lambda share: guess(mechanism, step, np.array([t + share * h])))


def _step(mechanism: Mechanism, knot: Course, rate: np.ndarray, to: float) -> tuple[Course, np.ndarray, float]:
    """The next knot, and how far the prediction was off; infinite if there is none."""
    h = to - knot.t[0]
    t = np.array([to])
    z = knot.z.copy()
    z[:, mechanism.turns] += h * rate
    d = mechanism.paths(t)[0]
    predicted = (h * knot.v + h * h / 2 * knot.a) / mechanism.steps
    q, left, moved = positions(mechanism, t, mechanism.move(knot.q, predicted), z, d)
    if not left[0] <= POSITION_TOLERANCE:
        return knot, rate, np.inf
    v = knot.v + h * knot.a
    course, off_v, _ = rates(mechanism, Course(t, q, v, knot.a, z))
    if not (np.all(np.isfinite(course.v)) and np.all(np.isfinite(course.a)) and off_v[0] <= 1e-6):
        return knot, rate, np.inf
    course.z, new_rate = mechanism.counted(t, q, course.v, z)
    swerved = np.abs(h * (course.v - v) / mechanism.steps).max(initial=0.0)
    off = max(moved[0], swerved, _bent(mechanism, knot.t[0], h))
    return course, new_rate, float(off)


def _bent(mechanism: Mechanism, t: float, h: float) -> float:
    """How far the drives stray within a step from where they seemed to go at its start: they may swing in between."""
    (x, middle), (v, _), (a, _) = mechanism.paths(np.array([t, t + h / 2]))
    return float(np.abs((middle - x - h / 2 * v - h * h / 8 * a) / mechanism.drive_units).max(initial=0.0))


def guess(mechanism: Mechanism, track: Track, t: np.ndarray) -> Course:
    """The motion between the knots by interpolation."""
    knots = track.knots
    dq, ddq = mechanism.flow(knots.q, knots.v, knots.a)
    z = np.repeat(knots.z[:1], t.size, axis=0)
    z[:, mechanism.turns] = hermite(t, knots.t, knots.z[:, mechanism.turns], track.rates, None)
    q = mechanism.move(hermite(t, knots.t, knots.q, dq, ddq), np.zeros((t.size, mechanism.speeds)))
    v = hermite(t, knots.t, knots.v, knots.a, None)
    a = hermite(t, knots.t, knots.a, np.zeros_like(knots.a), None)
    return Course(t, q, v, a, z)


def samples(
    mechanism: Mechanism,
    t: np.ndarray,
    near: Callable[[np.ndarray], Course],
    reach: Callable[[float], Course | None],
) -> tuple[Course, np.ndarray]:
    """The motion at many times, and by how much the rows of each of the three levels stay unmet there.

    near: a guess at given times; reach: a better one at one time, for those from which Newton leads elsewhere.
    """
    parts, off = [], []
    rows = len(mechanism.eq.constraints.rows) + len(mechanism.drives)
    for which in batches(t.size, rows, mechanism.speeds):
        guessed = near(t[which])
        d = mechanism.paths(guessed.t)[0]
        guessed.q, left, moved = positions(mechanism, guessed.t, guessed.q, guessed.z, d)
        for k in np.flatnonzero(~(left <= POSITION_TOLERANCE) | (moved > PREDICTION_ERROR)):
            better, left[k] = reach(float(guessed.t[k])), np.inf
            if better is not None:
                one = slice(k, k + 1)
                guessed.v[k], guessed.a[k], guessed.z[k] = better.v[-1], better.a[-1], better.z[-1]
                q, residual, _ = positions(mechanism, guessed.t[one], better.q[-1:], guessed.z[one], d[one])
                guessed.q[k], left[k] = q[0], residual[0]
        course, off_v, off_a = rates(mechanism, guessed)
        course.z, _ = mechanism.counted(course.t, course.q, course.v, course.z)
        parts.append(course)
        off.append(np.column_stack([left, off_v, off_a]))
    return join_courses(parts), np.concatenate(off)


def reached(mechanism: Mechanism, track: Track, t: float) -> Course | None:
    """The motion at one time, step by step from the knot before it."""
    before = max(int(np.searchsorted(track.knots.t, t, side="right")) - 1, 0)
    here = Track(track.knots[before : before + 1], track.rates[before : before + 1])
    if t > here.knots.t[0]:
        here = follow(mechanism, here, t)
    return None if here.stopped else here.knots
