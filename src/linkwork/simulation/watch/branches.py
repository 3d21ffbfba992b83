"""Singular positions along a run: which loop it is, and whether the motion went on along its branch.

Where a loop lies flat two branches of its motion cross (a parallelogram can go on as an antiparallelogram). A motion
that arrives with some speed leaves in the same direction: if its speeds jump there without a cause, what follows is a
motion of the same mechanism, but not of this start.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from linkwork.core.finding import Finding
from linkwork.core.pieces import OverTime
from linkwork.core.program import Program
from linkwork.integrate import evaluate, integrate
from linkwork.simulation.watch.evidence import Evidence, finding

NEAR_SINGULAR_SHARE = 0.3
"""Share of a row's largest margin below which a position counts as near a singular one."""
SINGULAR = 0.02
"""The same for positions that are taken as singular themselves."""
REGULARISED = 1e-4
"""Margins (roots) of rows that depend on others exactly are not above what the regularisation adds, 3e-5 to 7e-5."""
REDUNDANT = 1e-3
"""Rows whose margins never exceed this (roots) depend on others everywhere."""
KINK = 0.05
"""Change of speeds that accelerations do not account for, relative to the largest speed, that is looked into."""
APART = 1e-3
"""Difference of coordinates, relative to 1 or their size, that two runs over one sample interval cannot have."""


@finding
def changed(run: Evidence) -> Iterable[Finding]:
    """Did the motion go on along its branch where loops lay flat?"""
    path = run.path
    jumps = [t for t, _ in path.notes] + [e.t for e in path.events if run.program.events[e.index].action != "record"]
    return branch_changes(run.program, path.t, path.y, run.p, run.signals, jumps=jumps)


def branch_changes(
    program: Program,
    t: np.ndarray,
    Y: np.ndarray,
    p: np.ndarray,
    signals: Mapping[int, OverTime] | None = None,
    *,
    jumps: Sequence[float] = (),
) -> list[Finding]:
    """Where a run left its branch at a singular position. t (samples,) [s] and Y (samples, states) as recorded.

    jumps: times [s] at which something else may have changed the speeds (impacts, controllers).
    Intervals in which speeds change for no reason are run again from the sample before.
    """
    signals = signals or {}
    if not program.margins or t.size < 2:
        return []
    share, rows = _shares(_roots(program, t, Y, p, signals))
    near = np.minimum(share[:-1], share[1:]) < NEAR_SINGULAR_SHARE
    near &= np.diff(t) > 0
    for jump in jumps:
        near &= ~((t[:-1] <= jump) & (jump <= t[1:]))
    findings: list[Finding] = []
    if not near.any():
        return findings
    at = np.flatnonzero(near)
    for k in at[~(_kinks(program, t, Y, p, signals, at) <= KINK)]:
        first = k - 1 if k and share[k] < SINGULAR and near[k - 1] else k
        if findings and findings[-1].time is not None and t[first] <= findings[-1].time:
            continue
        if _differs(program, t[first], t[k + 1], Y[first], Y[k + 1], p, signals):
            row = rows[k] if share[k] < share[k + 1] else rows[k + 1]
            owner = program.margins[row]
            message = f"{singular(owner)}, and it did not go on as it came. Lower rtol, or take smaller steps."
            findings.append(Finding("branch", owner, float(t[k]), message))
    return findings


def singular(owner: str) -> str:
    """What a singular position means, in words."""
    return f"singular position: the loop closed by {owner} can go on in two ways"


def singular_end(
    program: Program, t: np.ndarray, Y: np.ndarray, p: np.ndarray, signals: Mapping[int, OverTime] | None = None
) -> str | None:
    """The owner of the constraint that is about to vanish where a run ends, if one is."""
    if not program.margins or not t.size:
        return None
    roots = _roots(program, t, Y, p, signals or {})
    share, rows = _shares(roots)
    if share[-1] < SINGULAR:
        return program.margins[rows[-1]]
    least = np.where(roots[-1] > REGULARISED, roots[-1], 1.0)  # it may have been there all along
    return program.margins[int(least.argmin())] if least.min() < SINGULAR else None


def _roots(
    program: Program, t: np.ndarray, Y: np.ndarray, p: np.ndarray, signals: Mapping[int, OverTime]
) -> np.ndarray:
    """Roots of the margins, (samples, rows)."""
    margins = evaluate(program.function("margins"), t, Y, p, signals, inputs=len(program.inputs))
    roots = np.sqrt(np.maximum(margins, 0))
    return roots if np.isfinite(roots).all() else np.sqrt(np.nan_to_num(np.maximum(margins, 0), nan=1.0))


def _shares(roots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each sample: the least margin (its root) relative to the largest of its row in the run, and which row's."""
    largest = roots.max(axis=0)
    shares = np.where(largest > REDUNDANT, roots / np.maximum(largest, REDUNDANT), 1.0)
    return shares.min(axis=1), shares.argmin(axis=1)


def _kinks(
    program: Program, t: np.ndarray, Y: np.ndarray, p: np.ndarray, signals: Mapping[int, OverTime], at: np.ndarray
) -> np.ndarray:
    """Of these intervals: change of speeds beyond what the accelerations at its ends make, relative to the speeds."""
    v = slice(program.layout.q, program.layout.q + program.layout.v)
    first, end = int(at[0]), int(at[-1]) + 2
    t, Y, at = t[first:end], Y[first:end], at - first
    a, speeds = evaluate(program.function("rhs"), t, Y, p, signals, inputs=len(program.inputs))[:, v], Y[:, v]
    with np.errstate(invalid="ignore"):
        unexplained = np.diff(speeds, axis=0) - np.diff(t)[:, None] * (a[1:] + a[:-1]) / 2
    largest = np.abs(speeds).max(axis=1, initial=0.0)
    return (np.abs(unexplained).max(axis=1, initial=0.0) / (np.maximum(largest[1:], largest[:-1]) + 1e-300))[at]


def _differs(
    program: Program,
    t0: float,
    t1: float,
    y0: np.ndarray,
    y1: np.ndarray,
    p: np.ndarray,
    signals: Mapping[int, OverTime],
) -> bool:
    again = integrate(
        program, y0, (t0, t1), times=np.array([t1]), parameters=p, signals=signals, solver="dopri5", rtol=1e-9,
        atol=1e-11, max_steps=100_000,
    )  # fmt: skip
    if not again.ok:
        return False  # nothing to compare with
    q = slice(program.layout.q)
    return bool(np.any(np.abs(again.y[-1][q] - y1[q]) > APART * (1 + np.abs(y1[q]))))
