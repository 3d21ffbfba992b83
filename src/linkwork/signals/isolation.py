"""Where functions of time change their sign or pass an integer: found on grids, narrowed down to next numbers."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np

from linkwork.core.switching import switches_in
from linkwork.geometry import SX

CHANGE_LIMIT = 5_000_000
"""Changes in one run."""
COARSE, FINE = 1025, 2**18
"""Samples at which switching functions are looked at, at first and at most."""
ULPS = 2
"""How far on either side of a breakpoint equations are evaluated, in roundings of the time."""


def isolated(
    values: Callable[[np.ndarray], np.ndarray], rounded: np.ndarray, end: float, corners: np.ndarray
) -> np.ndarray:
    """Brackets around all sign changes (or crossings of integers) from 0 to end: on grids that become finer until no
    more of them are found, and between those that have been."""
    count, known, n, calm = -1, np.zeros((0, 2)), COARSE, 0
    while n <= FINE and calm < 2:
        grid = np.linspace(0.0, end, n)
        borders = np.unique(np.concatenate([known.ravel(), corners, [0.0, end]]))
        borders = borders[(borders >= 0) & (borders <= end)]
        between = [borders] + [borders[:-1] + share * np.diff(borders) for share in (0.137, 0.5, 0.863)]
        t = np.unique(np.concatenate([grid, *between]))
        known = _changes(values, rounded, t)
        calm = calm + 1 if len(known) == count else 0
        count, n = len(known), 2 * n - 1
        if count > CHANGE_LIMIT:
            break
    size = np.maximum(np.abs(known).max(axis=1, initial=0.0), 1e-6 * end)
    away = ULPS * np.finfo(float).eps * size
    return np.column_stack([known[:, 0] - away, known[:, 1] + away])


def _changes(values: Callable[[np.ndarray], np.ndarray], rounded: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Brackets as narrow as numbers are, around every change between samples."""
    g = values(t)
    level = np.where(rounded[:, None], np.floor(g), np.sign(g))
    which: list[int] = []
    at: list[int] = []
    target: list[float] = []
    for k in range(len(g)):
        with np.errstate(invalid="ignore"):
            jumps = np.diff(level[k])
        places = np.flatnonzero((jumps != 0) & np.isfinite(jumps))
        for n in places if rounded[k] else ():
            crossed = np.arange(level[k, n : n + 2].min() + 1, level[k, n : n + 2].max() + 1)
            which += [k] * crossed.size
            at += [int(n)] * crossed.size
            target += crossed.tolist()
        if not rounded[k]:
            which += [k] * places.size
            at += places.tolist()
            target += [0.0] * places.size
    if not which:
        return np.zeros((0, 2))
    rows, place, goal = np.array(which), np.array(at), np.array(target)
    low, high = t[place].copy(), t[place + 1].copy()
    begin = g[rows, place] - goal
    before = np.where(rounded[rows], begin >= 0, np.sign(begin))
    for _ in range(80):
        middle = 0.5 * (low + high)
        if np.all((middle <= low) | (middle >= high)):
            break
        here = values(middle)[rows, np.arange(rows.size)] - goal
        same = np.where(rounded[rows], here >= 0, np.sign(here)) == before
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return np.unique(np.column_stack([low, high]), axis=0)


def isolated_in(expression: SX, t: SX, end: float) -> np.ndarray:
    """Brackets around all times [s] from 0 to end at which an expression of t switches."""
    switches = switches_in([expression], [t])
    if not switches:
        return np.zeros((0, 2))
    f = ca.Function("switches", [t], [ca.densify(ca.vertcat(*(x.value for x in switches)))], {"cse": True})
    rounded = np.array([x.rounded for x in switches])

    def values(x: np.ndarray) -> np.ndarray:
        return np.array(f(ca.DM(x[None, :]))).reshape(len(switches), x.size)

    return isolated(values, rounded, end, np.zeros(0))
