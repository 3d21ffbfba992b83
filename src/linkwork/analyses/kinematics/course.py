"""The course of a motion as arrays: what the mechanism does at each sample, wherever it came from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass
class Course:
    """Times (samples,) [s] and, one row per sample, q, v, v̇ and z in the coordinates of the absolute equations."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    z: np.ndarray

    def __getitem__(self, which: slice | np.ndarray) -> Course:
        return Course(self.t[which], self.q[which], self.v[which], self.a[which], self.z[which])


def join_courses(parts: list[Course]) -> Course:
    """One after the other."""
    columns = ("t", "q", "v", "a", "z")
    return Course(*(np.concatenate([getattr(part, name) for part in parts]) for name in columns))


def hermite(
    t: np.ndarray, knots: np.ndarray, values: np.ndarray, rates: np.ndarray, accelerations: np.ndarray | None
) -> np.ndarray:
    """Columns of `values` between the knots: quintic with given accelerations, else cubic; shape (times, columns)."""
    if knots.size < 2:
        return np.repeat(values[:1], t.size, axis=0)
    k = np.clip(np.searchsorted(knots, t, side="right") - 1, 0, knots.size - 2)
    h = (knots[k + 1] - knots[k])[:, None]
    s = (t - knots[k])[:, None] / h
    x0, x1, v0, v1 = values[k], values[k + 1], h * rates[k], h * rates[k + 1]
    if accelerations is None:
        return x0 + s * (v0 + s * (3 * (x1 - x0) - 2 * v0 - v1 + s * (2 * (x0 - x1) + v0 + v1)))
    a0, a1 = h * h * accelerations[k], h * h * accelerations[k + 1]
    d = x1 - x0 - v0 - a0 / 2
    e, f = v1 - v0 - a0, a1 - a0
    c3, c4, c5 = 10 * d - 4 * e + f / 2, -15 * d + 7 * e - f, 6 * d - 3 * e + f / 2
    return x0 + s * (v0 + s * (a0 / 2 + s * (c3 + s * (c4 + s * c5))))
