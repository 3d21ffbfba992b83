"""Do the joints hold? An open one is an error; residuals far above the tolerance are told."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from linkwork.core.component import Constraint
from linkwork.core.equations import Row
from linkwork.core.finding import Finding
from linkwork.simulation.watch.evidence import Evidence, finding
from linkwork.simulation.watch.states import absolute_states

NAME = "residual"
OPEN_JOINT_GAP = 1e-3
"""Gap of a joint that is open, as a share of the mechanism's size; of a direction, in rad."""
TOLERANCE_FACTOR = 100.0
"""Tolerances by which an equation may be off."""
ROUNDING = 1e-14
"""In natural units: nothing below is looked at."""
FINE = 1e-6
"""Share of the mechanism's size, or of its largest speed, that nobody sees, however small the tolerances."""


@dataclass(frozen=True)
class Gap:
    """By how much an equation of a component is off, and when it began to be."""

    component: str
    time: float
    sample: int
    value: float
    unit: str


def open_joint(run: Evidence) -> Gap | None:
    """The joint that opens first, if any does; one that is soft may give way a thousand times what it is meant to."""
    if not _any(run, "position", max(ROUNDING * run.unit, OPEN_JOINT_GAP * min(run.arm, 1.0))):
        return None
    give = TOLERANCE_FACTOR * 10 * _meant(run)
    lengths, angles = max(OPEN_JOINT_GAP * run.size, give), max(OPEN_JOINT_GAP, give)
    return _worst(run, "position", lengths, angles, min(lengths, angles), {*_as_given(run)})


def lost_speed(run: Evidence) -> Gap | None:
    """The component whose speed equations fail first by more than a thousandth of the largest speed, if any do."""
    if not _any(run, "velocity", TOLERANCE_FACTOR * run.atol * run.unit):
        return None
    limit = OPEN_JOINT_GAP * _fastest(run) + TOLERANCE_FACTOR * run.atol * run.unit
    return _worst(run, "velocity", limit, limit, limit, {*run.equations.constraints.softness})


@finding
def residuals(run: Evidence) -> Iterable[Finding]:
    least = min(_allowed(run, run.arm, run.unit), _allowed(run, 1.0, 1.0))  # the mechanism is no smaller
    if not _any(run, "position", max(ROUNDING * run.unit, least)) and not _any(
        run, "velocity", TOLERANCE_FACTOR * run.atol * run.unit
    ):
        return
    lengths, angles = _allowed(run, run.size, run.unit), _allowed(run, 1.0, 1.0)
    soft = {*run.equations.constraints.softness}
    worst = _worst(run, "position", lengths, angles, min(lengths, angles), soft)
    if worst is not None:
        yield _told(worst, min(lengths, angles) if worst.unit == "rad" else lengths, "position")
        return
    limit = _allowed(run, _fastest(run), run.unit)
    worst = _worst(run, "velocity", limit, limit, limit, soft)
    if worst is not None:
        yield _told(worst, limit, "speed")


def _any(run: Evidence, level: str, least: float) -> bool:
    """Whether any residual of this level is above `least`."""
    return not run.largest_residual(level) <= least


def _allowed(run: Evidence, size: float, unit: float) -> float:
    return max(TOLERANCE_FACTOR * (run.rtol * size + run.atol * unit), FINE * size)


def _fastest(run: Evidence) -> float:
    """Largest speed of a body [m/s or rad/s]."""
    ends = ("vx", "vy", "vz", "wx", "wy", "wz")
    columns = [k for end in ends for k in run.columns.get(end, {}).values()]
    return float(np.abs(run.result.data[:, columns]).max(initial=0.0))


def _told(gap: Gap, limit: float, what: str) -> Finding:
    return Finding(
        NAME, gap.component, gap.time,
        f"its {what} equations are off by {gap.value:.2g} {gap.unit}, and the tolerances allow {limit:.2g}. "
        "Take a smaller step or rtol, stabilisation='projection', or look whether the position is singular.",
    )  # fmt: skip


def _meant(run: Evidence) -> float:
    """Deflection [m or rad] that soft joints are meant to have."""
    held = run.model.of_type(Constraint) if run.equations.constraints.softness else ()
    soft = [c.compliance for c in held if c.compliance]
    return max((c.error for c in [*soft, *([run.compliance] if run.compliance else [])]), default=0.0)


def _as_given(run: Evidence) -> Iterable[Row]:
    """Soft equations that were given their stiffness, or began open: how far they give way is the user's affair."""
    own = {c.name: c.compliance for c in (run.model.of_type(Constraint) if run.equations.constraints.softness else ())}
    for row in run.equations.constraints.softness:
        how = own.get(row.owner) or run.compliance
        if not run.assembled or (how is not None and how.given):
            yield row


def _worst(
    run: Evidence, level: str, lengths: float, angles: float, suspicious: float, left_out: set[Row]
) -> Gap | None:
    """The equation that is off most for its limit; the channel of the largest one says whether to look at all."""
    name = f"residual.{level}"
    if not _any(run, level, suspicious):
        return None
    states = absolute_states(run)
    if states is None:
        return None
    eq, rows = states
    values, A = eq.constraints.position if level == "position" else eq.constraints.velocity, eq.constraints.jacobian
    names = eq.constraints.rows[: values.numel()]
    chosen = [k for k in range(values.numel()) if names[k] not in left_out]
    if not chosen:
        return None
    turning = _turning(run, eq.v.numel())
    in_metres = [any(j not in turning for j in A[k, :].sparsity().get_col()) for k in chosen]
    limit = np.where(in_metres, lengths, angles)
    of_level = 0 if level == "position" else 1
    bad = np.flatnonzero(~(run.result[name] <= suspicious))
    for k in bad:
        t = float(run.result.t[k])
        off = np.abs(eq.at(run.values(eq, t), t).constraints(*rows[k], trial=True)[of_level][chosen])
        if np.any(~(off <= limit)):
            row = int(np.nanargmax(np.where(np.isfinite(off), off / limit, np.inf)))
            unit = ("m" if in_metres[row] else "rad") + ("" if level == "position" else "/s")
            return Gap(names[chosen[row]].owner, t, int(k), float(off[row]), unit)
    return None


def _turning(run: Evidence, n: int) -> set[int]:
    """Which of the speeds of all bodies are rotations."""
    each = 3 if run.model.is_planar else 6
    return {k for k in range(n) if k % each >= each - (1 if each == 3 else 3)}
