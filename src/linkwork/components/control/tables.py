"""Tables over time: numbers that were measured or drawn, as functions that models can use and differentiate."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import casadi as ca
import numpy as np

from linkwork.core.errors import ModelError
from linkwork.geometry import SX

KINDS = ("linear", "cubic", "hold")

_noted: ContextVar[set[float] | None] = ContextVar("knots", default=None)


@contextmanager
def noting_knots() -> Iterator[set[float]]:
    """Collects the knots [s] of all tables that are called with a symbol inside."""
    knots: set[float] = set()
    token = _noted.set(knots)
    try:
        yield knots
    finally:
        _noted.reset(token)


class Table:
    """Values over time, for wherever a function of t is taken: `m.voltage_source("S", lw.Table(t, u))`.

    times [s] in rising order; kind: "linear" (straight lines), "cubic" (a smooth spline through the points), "hold"
    (each value until the next time). Before the first and after the last time the end values stay. Integrators stop
    at the times, so that no corner is stepped over. Each point costs operations at every evaluation: a recording of
    thousands of points is better an input, `m.input(…)` and `simulate(inputs={name: (times, values)})`.
    """

    def __init__(self, times: Any, values: Any, kind: str = "linear"):
        self.times, self.values = (np.array(x, dtype=float).ravel() for x in (times, values))
        self.kind = kind
        if kind not in KINDS:
            raise ModelError(f"kind {kind!r}.", component="Table", remedy=f"It is one of {', '.join(KINDS)}.")
        if self.times.size != self.values.size or self.times.size < 2:
            raise ModelError(
                f"{self.times.size} times and {self.values.size} values.",
                component="Table",
                remedy="Give as many values as times, and at least two.",
            )
        if not np.all(np.isfinite(self.times)) or not np.all(np.isfinite(self.values)):
            raise ModelError("holds a number that is not finite.", component="Table", remedy="Leave gaps out.")
        if np.any(np.diff(self.times) <= 0):
            where = int(np.argmax(np.diff(self.times) <= 0))
            raise ModelError(
                f"its times do not rise after {self.times[where]:g} s.",
                component="Table",
                remedy='Sort them; for a jump use kind="hold".',
            )
        self._pieces = self._polynomials()

    def _polynomials(self) -> np.ndarray:
        """Coefficients by interval, of (t − start)⁰, ¹, …"""
        step, rise = np.diff(self.times), np.diff(self.values)
        if self.kind == "hold":
            return self.values[:-1, None]
        if self.kind == "linear":
            return np.column_stack([self.values[:-1], rise / step])
        from scipy.interpolate import CubicSpline

        return np.asarray(CubicSpline(self.times, self.values).c)[::-1].T

    def __call__(self, t: Any) -> Any:
        """The value at time t [s], a number, an array or a symbol."""
        if not isinstance(t, (SX, ca.MX)):
            return self._numbers(np.asarray(t, dtype=float))
        knots = _noted.get()
        if knots is not None:
            knots.update(self.times.tolist())
        result = SX(self.values[-1])
        for k in reversed(range(len(self._pieces))):
            piece, local = SX(0), t - self.times[k]
            for c in self._pieces[k][::-1]:
                piece = piece * local + c
            result = ca.if_else(t < self.times[k + 1], piece, result)
        return ca.if_else(t < self.times[0], self.values[0], result)

    def _numbers(self, t: np.ndarray) -> Any:
        k = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self._pieces) - 1)
        local = t - self.times[k]
        found = sum(self._pieces[k, j] * local**j for j in range(self._pieces.shape[1]))
        found = np.where(t < self.times[0], self.values[0], np.where(t >= self.times[-1], self.values[-1], found))
        return float(found) if found.ndim == 0 else found

    def __repr__(self) -> str:
        return f"<Table of {self.times.size} points, {self.kind}, {self.times[0]:g} … {self.times[-1]:g} s>"
