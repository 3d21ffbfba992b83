"""Which constraints cannot hold together: drives that contradict each other, or ask for what a loop cannot reach."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.algebra import lapack
from linkwork.algebra.closing import descend
from linkwork.assembly.numbers import Numbers
from linkwork.core.equations import DRIVES, Equations, Row
from linkwork.simulation.watch.evidence import Evidence
from linkwork.simulation.watch.states import State, absolute_states

SINGULAR = 1e-3
"""Singular value of the constraints, as a share of the largest, next to which speeds are no longer free to follow."""
MODEST = 10
"""Speeds in a direction that is hardly determined, relative to those that are asked for, which may well be meant."""
TAKES_PART = 0.02
"""Share of the largest from which an equation counts among those that contradict each other."""
UNMET = 1e-6
"""Share of what is asked for that is left, where it cannot be met."""
STEPS = 30
"""Of Gauss and Newton, towards the position where the least is left."""


@dataclass(frozen=True)
class Contradiction:
    """Equations that cannot hold together."""

    drives: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def component(self) -> str:
        return ", ".join(self.drives or self.others)

    @property
    def cause(self) -> str:
        others = ", ".join(self.others)
        if len(self.drives) > 1:
            how = f", which {others} couple{'s' if len(self.others) == 1 else ''}," if others else ""
            return f"these motions{how} contradict each other"
        if self.drives:
            return f"its motion asks for what {others or 'the mechanism'} cannot reach"
        return "their equations contradict each other"


def contradiction(run: Evidence, sample: int, near: float = SINGULAR) -> Contradiction | None:
    """What cannot hold together at a sample, where a run has failed or joints are open.

    near: how near to a singular position; soft joints give way before they get there.
    """
    known = absolute_states(run)
    if known is None or not known[0].constraints.rows:
        return None
    eq, states = known
    t = float(run.result.t[sample])
    for at in dict.fromkeys((sample, max(sample - 1, 0))):  # the last one may be far off already
        rows = _speeds(run, eq, t, states[at], near)
        if rows is None:
            rows = _positions(run, t, states[at])
        if rows is not None and len({row.owner for row in rows}) > 1:  # a component agrees with itself
            return _named(rows)
    return None


def _speeds(run: Evidence, eq: Equations, t: float, state: State, near: float) -> list[Row] | None:
    """Equations that ask for speeds which do not exist: what of b lies in the left null space of A."""
    q, v, z = state
    _, rest, jacobian = eq.at(run.values(eq, t), t).constraints(q, 0 * v, z, trial=True)
    A = np.array(jacobian)
    size = np.linalg.norm(A, axis=1)
    if not np.all(np.isfinite(A)) or not size.max(initial=0.0):
        return None
    A, b = A / np.where(size > 0, size, 1)[:, None], -rest / np.where(size > 0, size, 1)
    U, s, _ = lapack.svd(A)
    s = np.concatenate([s, np.zeros(A.shape[0] - s.size)])
    # Next to a singular position, speeds are small enough if what is asked for vanishes with the singular value.
    asked = np.abs(U.T @ b) > MODEST * s / s[0] * np.abs(b).max(initial=0.0)
    null = U[:, (s <= near * s[0]) & asked]
    unmet = null @ (null.T @ b)
    return (
        _largest(eq.constraints.rows, unmet)
        if np.abs(unmet).max(initial=0.0) > UNMET * np.abs(b).max(initial=0.0)
        else None
    )


def _positions(run: Evidence, t: float, state: State) -> list[Row] | None:
    """Equations of which something is left at the position where the least is."""
    numbers = Numbers(run.model, run.p, t, getattr(run.signals, "given", None))
    q, v, z = state
    n = numbers.eq.constraints.position.numel()
    if not n:
        return None

    def rows(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        position, _, A = numbers.constraints(q, v, z)
        return position, np.array(A)[:n]

    def least(A: np.ndarray, r: np.ndarray) -> np.ndarray:
        return lapack.lstsq(A, r, rcond=SINGULAR)[0]

    best = descend(rows, numbers.retract, q, least, STEPS, still=1e-12 * run.size)
    if best is None:
        return None
    left = numbers.constraints(best, v, z)[0]
    size = max(run.size, float(np.abs(best).max()))
    return _largest(numbers.eq.constraints.rows[:n], left) if np.abs(left).max() > UNMET * size else None


def _largest(rows: list[Row], share: np.ndarray) -> list[Row]:
    size = np.abs(share)
    return [row for row, x in zip(rows, size, strict=True) if x > TAKES_PART * size.max()]


def _named(rows: list[Row]) -> Contradiction:
    drives = [row.owner for row in rows if row.direction in DRIVES]
    others = [row.owner for row in rows if row.direction not in DRIVES]
    return Contradiction(tuple(dict.fromkeys(drives)), tuple(dict.fromkeys(others)))
