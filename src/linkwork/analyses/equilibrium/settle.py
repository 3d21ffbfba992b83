"""The ways of a search for balance: downhill, straight, or by least squares (see `balance`)."""

from __future__ import annotations

import numpy as np

from linkwork.algebra import lapack
from linkwork.analyses.equilibrium.balance import NUDGE, RUNAWAY_DISTANCE, STEPS, Balance, Search, Snapshot
from linkwork.core.errors import AssemblyError

REACH = 0.5
"""Longest step [m, rad], unless everything is nearly linear."""
ITERATIONS = 6
"""Newton iterations in an implicit step."""


def settle(balance: Balance, y: np.ndarray) -> Search:
    """A balance near y, a stable one if the way down leads to one; y itself if it is one already."""
    here = balance.at(y)
    if balance.arrived(here):
        return Search(balance.polished(here), True, 0)
    search = downhill(balance, here)
    for _ in range(3):
        if not search.arrived or search.snapshot.slope <= search.snapshot.floor:
            break
        nudged = _nudged(balance, search.snapshot)
        further = downhill(balance, nudged) if nudged is not None else None
        if further is None or not further.arrived:
            break
        further.iterations += search.iterations
        search = further
    if search.arrived:
        return search
    other = least_squares(balance, here)
    return other if other.arrived else search


def follow(balance: Balance, y: np.ndarray) -> Search:
    """The balance next to y, stable or not, by Newton's method; downhill only where that leads away."""
    here = balance.at(y)
    for k in range(25):
        if balance.arrived(here):
            return Search(balance.polished(here), True, k)
        step = here.newton()[0]
        if np.abs(here.Z @ step[: here.n]).max(initial=0.0) > REACH:
            break
        try:
            here = balance.moved(here, step)
        except AssemblyError:
            break
    return settle(balance, y)


def downhill(balance: Balance, here: Snapshot) -> Search:
    """Linearly implicit Euler steps along the force, longer and longer."""
    h, reach, travelled = np.inf, REACH, 0.0
    for k in range(STEPS):
        if balance.arrived(here):
            return Search(balance.polished(here), True, k)
        fastest = np.abs(here.acceleration).max(initial=0.0)
        if np.isinf(h):
            h = 0.1 / fastest if fastest > 0 else 1.0
        h = min(h, 0.5 / here.slope) if here.slope > here.floor else h
        try:
            there, error, length = _attempt(balance, here, h, reach)
        except np.linalg.LinAlgError:  # something falls away at just the rate 1/h: a shorter step sees it
            there, error, length = None, np.inf, 0.0
        if there is None or error > 0.5:
            h /= 4
            if h * fastest < 1e-14 and h < 1e-14:
                break
            continue
        travelled += length
        if travelled > RUNAWAY_DISTANCE:
            return Search(there, False, k)
        # Where everything is nearly linear (free fall, or bodies far out on a long chain), no distance is too far.
        if error > 0.1:
            reach = REACH
        elif error < 0.02 and length > 0.9 * reach:
            reach *= 2
        h *= 8 if error < 0.1 else 2 if error < 0.3 else 1
        here = there
    return Search(here, False, STEPS)


def _attempt(balance: Balance, here: Snapshot, h: float, reach: float) -> tuple[Snapshot | None, float, float]:
    """An implicit Euler step: where it leads, its error (relative), its length.

    One Newton iteration is enough in most places; stiff springs that turn around need a few.
    """
    step = _step(here, here.r, h)
    for _ in range(60):  # a shorter h, not a shorter step: the error below is then still that of the step
        if _length(here, step) <= reach:
            break
        h /= 2
        step = _step(here, here.r, h)
    n, size = here.n, np.abs(here.r) + np.abs(here.J[:, : here.n] @ step[: here.n])
    size = size + np.abs(here.J[:, n:] @ step[n:])
    sizes = np.abs(here.Z) @ size[:n], size[n:]
    there, moved, z = here, here.Z @ step[:n], step[n:]
    errors: list[float] = []
    while len(errors) < ITERATIONS:
        try:
            there = balance.moved(there, step)
        except AssemblyError:
            return None, np.inf, 0.0
        left = there.r - np.concatenate([there.dual @ moved, z]) / h
        error = max(_share(there.Z @ left[: there.n], sizes[0]), _share(left[there.n :], sizes[1]))
        if not np.isfinite(error) or (errors and error > 0.5 * errors[-1]):
            break
        errors.append(error)
        if error < 0.1:
            break
        step = _step(there, left, h)
        moved, z = moved + there.Z @ step[: there.n], z + step[there.n :]
    return there, error, float(np.abs(moved).max(initial=0.0))


def _step(here: Snapshot, force: np.ndarray, h: float) -> np.ndarray:
    return np.linalg.solve(np.eye(here.r.size) / h + here.J, force)


def _length(here: Snapshot, step: np.ndarray) -> float:
    return float(np.abs(here.Z @ step[: here.n]).max(initial=0.0))


def _share(wrong: np.ndarray, size: np.ndarray) -> float:
    largest = np.linalg.norm(size)
    return float(np.linalg.norm(wrong) / largest) if largest > 0 else 0.0


def _nudged(balance: Balance, here: Snapshot) -> Snapshot | None:
    """A little down the steepest way from an unstable balance."""
    values, vectors = lapack.eig(here.J)
    direction = vectors[:, int(np.argmin(values.real))].real
    size = np.abs(here.Z @ direction[: here.n]).max(initial=0.0)
    if size == 0:
        return None
    try:
        return balance.moved(here, NUDGE / size * direction)
    except AssemblyError:
        return None


def least_squares(balance: Balance, here: Snapshot) -> Search:
    """Levenberg's method on |(f_s, g)|²: finds balances of any kind."""
    weight = 1e-3
    for k in range(STEPS // 2):
        if balance.arrived(here):
            return Search(balance.polished(here), True, k)
        scale = np.linalg.norm(here.J, axis=0)
        scale[scale == 0] = 1.0
        tall = np.vstack([here.J, np.diag(np.sqrt(weight) * scale)])
        step = lapack.lstsq(tall, np.concatenate([here.r, np.zeros(here.r.size)]), rcond=None)[0]
        length = np.abs(here.Z @ step[: here.n]).max(initial=0.0)
        step *= min(1.0, REACH / max(length, 1e-300))
        try:
            there = balance.moved(here, step)
        except AssemblyError:
            there = None
        if there is not None and np.linalg.norm(there.r) < np.linalg.norm(here.r):
            here, weight = there, max(weight / 5, 1e-15)
        else:
            weight *= 10
            if weight > 1e12:
                break
    return Search(here, False, STEPS)
