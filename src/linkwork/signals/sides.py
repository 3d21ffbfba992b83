"""Samples at a stop: on which side of it they are looked at."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from linkwork.core.pieces import OverTime
from linkwork.core.program import NativeFunction
from linkwork.integrate import evaluate


def channels_at(
    function: NativeFunction,
    t: np.ndarray,
    sides: np.ndarray,
    Y: np.ndarray,
    p: np.ndarray,
    signals: Mapping[int, OverTime] | None = None,
    *,
    inputs: int = 0,
    more: int = 0,
) -> np.ndarray:
    """Channels at times t [s], but on the side that `sides` says where they differ from side to side.

    more: columns behind them that are left to the caller.
    """
    whole = evaluate(function, t, Y, p, signals, inputs=inputs, more=more)
    data = whole[:, : whole.shape[1] - more]
    moved = np.flatnonzero(sides != t) if sides is not t else np.zeros(0, dtype=int)
    if moved.size:
        there = evaluate(function, sides[moved], Y[moved], p, signals, inputs=inputs)
        here = data[moved]
        with np.errstate(invalid="ignore"):
            same = np.abs(there - here) <= 1e-9 * (np.abs(there) + np.abs(here))
        data[moved] = np.where(same, here, there)
    return whole


def sides_at(t: np.ndarray, stops: np.ndarray, end: float) -> np.ndarray:
    """Times [s] at which samples at t are looked at: just after a stop; just before it at the end of the run, and for
    the first of two samples at one time."""
    if not len(stops):
        return t
    sides = t.copy()
    k = np.minimum(np.searchsorted(stops[:, 1], t), len(stops) - 1)
    on = (stops[k, 0] <= t) & (t <= stops[k, 1])
    early = on & ((t >= end) | np.append(t[:-1] == t[1:], False))
    sides[on] = stops[k[on], 1]
    sides[early] = stops[k[early], 0]
    return sides
