"""Newton's method back to constraints Φ(q) = 0. q moves by displacements in the space of v, and rows may be redundant.

rows(q): Φ and ∂Φ/∂v; move(q, δ): q displaced by δ.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwork.algebra.factors import Factors
from linkwork.algebra.rank import RANK, Motions

Rows = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
Move = Callable[[np.ndarray, np.ndarray], np.ndarray]

POSITION_TOLERANCE = 1e-10
"""Largest residual [lengths of the mechanism, rad] of a position that counts as closed."""
STEP_LIMIT = 0.3
"""Step at most [the same]."""
RESIDUAL_FLOOR = 1e-14
"""No iteration goes on below this residual, relative to the size of the coordinates."""
ASTRAY = 10.0
"""Length of a step [the same] from which it leads nowhere."""


def close(
    rows: Rows, move: Move, q: np.ndarray, *, enough: float = 1e-6 * POSITION_TOLERANCE
) -> tuple[np.ndarray, np.ndarray]:
    """The nearest position on the constraints, and what is left of Φ there; from far away, and for any rank.

    enough: residual at which no further step is taken.
    """
    position, J = rows(q)
    for _ in range(40):
        size = float(np.abs(position).max(initial=0.0))
        if size <= enough or not np.isfinite(size):
            break
        nearer = _halved(rows, move, q, position, J)
        if nearer is None:
            break
        q, position, J = nearer
    return q, position


def _halved(
    rows: Rows, move: Move, q: np.ndarray, position: np.ndarray, J: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """A Newton step that at least halves the residual, if there is one: where it leads, and the rows there.

    Off the constraints redundant rows look independent, by about the root of the residual. Such directions are left
    out first, and taken in only where nothing else helps.
    """
    size = float(np.abs(position).max())
    tolerance = min(0.1, 30 * np.sqrt(size))
    while True:
        step = Motions(J, max(tolerance, RANK)).least(-position[:, None]).ravel()
        trial = move(q, step * min(1.0, STEP_LIMIT / max(np.abs(step).max(initial=0.0), 1e-300)))
        there = rows(trial)
        if np.abs(there[0]).max() <= 0.5 * size:
            return trial, *there
        if tolerance <= RANK or size <= RESIDUAL_FLOOR:
            return None
        tolerance /= 30


def close_all(
    rows: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]],
    move: Move,
    q: np.ndarray,
    *,
    iterations: int = 16,
    unit: np.ndarray | float = 1.0,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Many positions at once, each near the constraints: positions, what is left of Φ relative to the size of the
    coordinates, and how far each one moved. rows(samples, q): Φ and ∂Φ/∂v of these samples, one per row; unit: of each
    coordinate."""
    best, q, moved, left = q.copy(), q.copy(), np.zeros(len(q)), np.full(len(q), np.inf)
    active = np.arange(len(q))
    for _ in range(iterations):
        r, J = rows(active, q[active])
        size = np.nan_to_num(np.abs(r).max(axis=1, initial=0.0), nan=np.inf)
        better = size < left[active]
        active, r, J, size = active[better], r[better], J[better], size[better]
        best[active], left[active] = q[active], size
        go_on = size > RESIDUAL_FLOOR * (1 + np.abs(q[active] / unit).max(axis=1, initial=0.0))
        active, r, J = active[go_on], r[go_on], J[go_on]
        if not active.size:
            break
        step = -Factors(J, consistent=True).solve(r)
        length = np.abs(step).max(axis=1, initial=0.0)
        moved[active] += length
        near = length < ASTRAY
        active = active[near]
        q[active] = move(q[active], step[near])
    return best, left / (1 + np.abs(best / unit).max(axis=1, initial=0.0)), moved


def descend(
    rows: Rows, move: Move, q: np.ndarray, least: Callable[[np.ndarray, np.ndarray], np.ndarray], steps: int, *,
    still: float = 0.0,
) -> np.ndarray | None:  # fmt: skip
    """Plain steps δ = least(∂Φ/∂v, −Φ), for constraints of which something may be left; None where it is not finite.

    still: length of a step that counts as none.
    """
    for _ in range(steps):
        position, J = rows(q)
        step = least(J, -position)
        if not np.all(np.isfinite(step)):
            return None
        q = move(q, step)
        if np.abs(step).max(initial=0.0) < still:
            break
    return q
