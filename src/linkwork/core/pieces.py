"""Piecewise polynomials of time, as data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

CUBIC_SHARE = 1e-8
"""Share of the largest value by which pieces may differ from one cubic, and still be taken as one."""
SOUGHT_PIECES = 2_000
"""Pieces from which on those that are alike are sought: a step may span many of them then."""
RADIX = 4
"""How many that are alike are joined at once."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """A piecewise polynomial of time: `coefficients[i]` hold from `times[i - 1]` to `times[i]`, in powers of the time
    since then (the first row before all times, the last after them). period [s]: repeats, 0: does not."""

    times: np.ndarray
    coefficients: np.ndarray
    period: float = 0.0

    def derivative(self, order: int = 1, scale: float = 1.0) -> Pieces:
        """Its derivative of that order; scale: of time, by the chain rule."""
        c = self.coefficients
        for _ in range(order):
            c = c[:, 1:] * np.arange(1, c.shape[1]) * scale if c.shape[1] > 1 else np.zeros((len(c), 1))
        return Pieces(self.times, np.ascontiguousarray(c), self.period)

    def __call__(self, t: Any) -> np.ndarray:
        """At times t [s]; where it jumps, the value afterwards."""
        t = np.asarray(t, dtype=float)
        if self.period:
            t = self.times[0] + np.mod(t - self.times[0], self.period)
        i = np.searchsorted(self.times, t, side="right")
        return self._in_piece(i, t - self.times[np.maximum(i - 1, 0)])

    def _in_piece(self, i: np.ndarray, local: np.ndarray) -> np.ndarray:
        value = np.zeros(np.broadcast(i, local).shape)
        for k in reversed(range(self.coefficients.shape[1])):
            value = value * local + self.coefficients[i, k]
        return value

    def steps(self, order: int = 0) -> np.ndarray:
        """By how much its derivative of that order jumps at each time; over the seam too, where it repeats."""
        c = self.derivative(order)
        gaps = np.diff(self.times, prepend=self.times[0])
        i = np.arange(self.times.size)
        before = c._in_piece(i, np.where(i > 0, gaps, 0.0))
        if self.period:
            before[0] = before[-1]
        after = c.coefficients[1:, 0]
        return after - before if not self.period else np.append(after[:-1] - before[:-1], after[0] - before[-1])

    @property
    def size(self) -> float:
        """The largest of its values [its unit]."""
        return float(np.abs(self.coefficients[:, 0]).max(initial=0.0))

    def corners(self) -> np.ndarray:
        """The times [s] between which it is one smooth polynomial; of very many, those that matter by a share ALIKE."""
        if self.times.size <= SOUGHT_PIECES:
            return self.times
        return self._distinct()

    def _distinct(self) -> np.ndarray:
        """Pieces are joined by fours, sixteens, … as long as one cubic goes through all of them."""
        begin, end = self.times[:-1], self.times[1:]
        size = max(self.size, 1e-300)
        shares = (0.0, 0.5, 1.0) if np.any(np.abs(self.steps()) > 1e-12 * size) else (0.0, 0.5)
        t = np.column_stack([begin + share * (end - begin) for share in shares])
        y = self._in_piece(np.arange(1, self.times.size)[:, None], t - begin[:, None])
        border = np.ones(self.times.size, dtype=bool)
        fine: np.ndarray = np.ones(begin.size, dtype=bool)
        m = 1
        while begin.size >= RADIX * m:
            blocks = begin.size // (RADIX * m)
            fine = fine[: RADIX * blocks].reshape(blocks, RADIX).min(axis=1)
            m *= RADIX
            rows = np.flatnonzero(fine)
            if not rows.size:
                break
            ts, ys = (x[: blocks * m].reshape(blocks, -1)[rows] for x in (t, y))
            at = [0, ts.shape[1] // 3, (2 * ts.shape[1]) // 3, ts.shape[1] - 1]
            off = np.abs(_cubic(ts[:, at], ys[:, at], ts) - ys).max(axis=1)
            fine[rows] = off <= CUBIC_SHARE * size
            inner = np.flatnonzero(fine)[:, None] * m + np.arange(1, m)[None, :]
            border[inner.ravel()] = False
        return self.times[border]


def _cubic(t: np.ndarray, y: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The cubic through four points in each row, at the times of that row (Newton's divided differences)."""
    c = y.copy()
    with np.errstate(divide="ignore", invalid="ignore"):
        for k in range(1, 4):
            c[:, k:] = (c[:, k:] - c[:, k - 1 : -1]) / (t[:, k:] - t[:, : 4 - k])
    value = np.repeat(c[:, 3:], at.shape[1], axis=1)
    for k in (2, 1, 0):
        value *= at - t[:, k : k + 1]
        value += c[:, k : k + 1]
    return np.nan_to_num(value, nan=np.inf)


OverTime: TypeAlias = float | Callable[[float], float]
"""A constant, or a function of time [s]."""
Driver: TypeAlias = OverTime | tuple[Sequence[float] | np.ndarray, Sequence[float] | np.ndarray]
"""What drives an input: a constant, (times, values) joined by straight lines, a lookup, or a function of time."""


@dataclass(frozen=True, eq=False)
class Lookup:
    """A piecewise polynomial of scale·t + shift, as a function of t [s]."""

    pieces: Pieces
    scale: float = 1.0
    shift: float = 0.0

    def __call__(self, t: object) -> Any:
        values = self.pieces(self.scale * np.asarray(t, dtype=float) + self.shift)
        return float(values) if values.ndim == 0 else values


TIME = Lookup(Pieces(np.zeros(1), np.array([[0.0, 1.0], [0.0, 1.0]])))
"""t itself."""


def lines(times: np.ndarray, values: np.ndarray) -> Pieces:
    """Straight lines between points, the end values held; a time that is repeated is a jump."""
    step, rise = np.diff(times), np.diff(values)
    slope = np.divide(rise, step, out=np.zeros_like(rise), where=step > 0)
    inner = np.column_stack([values[:-1], slope])
    return Pieces(times, np.ascontiguousarray(np.vstack([[values[0], 0.0], inner, [values[-1], 0.0]])))
