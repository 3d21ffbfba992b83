"""Cubic splines as polynomials by interval.

SciPy's `CubicSpline` gives the same; importing it takes 0.2 s, a fifth of a first run of a model with a table.
"""

from __future__ import annotations

import numpy as np

DENSE = 400
"""Points up to which a full matrix takes less time than the import of SciPy's linear algebra, 0.15 s."""


def cubic_spline(x: np.ndarray, y: np.ndarray, *, periodic: bool = False) -> np.ndarray:
    """Coefficients of (t − x[k])⁰, ¹, ², ³ in each interval, (n − 1, 4), through n ≥ 2 points with x ascending.

    Twice continuously differentiable; at the ends either periodic (y[0] = y[-1]), or "not a knot": one cubic over the
    first two intervals, and one over the last two. Two points give a line, three a parabola.
    """
    h, slope = np.diff(x), np.diff(y) / np.diff(x)
    s = _periodic_slopes(h, slope) if periodic else _slopes(h, slope)
    bend = (s[:-1] + s[1:] - 2 * slope) / h
    return np.column_stack([y[:-1], s[:-1], (slope - s[:-1]) / h - bend, bend / h])


def _slopes(h: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """At all points; h [s], slope: length and mean slope of each interval."""
    n = h.size + 1
    if n == 2:
        return np.repeat(slope, 2)
    if n == 3:  # both end conditions say the same: a parabola
        bend = (slope[1] - slope[0]) / (h[0] + h[1])
        return np.array([slope[0] - bend * h[0], slope[0] + bend * h[0], slope[1] + bend * h[1]])
    upper, diagonal, lower, right = _smooth(h, slope)
    ends = []
    for a, b, c, d in ((h[0], h[1], slope[0], slope[1]), (h[-1], h[-2], slope[-1], slope[-2])):
        ends.append((b, a + b, ((3 * a + 2 * b) * b * c + a * a * d) / (a + b)))
    (first, beside, begin), (last, before, end) = ends
    return _tridiagonal(
        np.concatenate([lower, [before]]), np.concatenate([[first], diagonal, [last]]),
        np.concatenate([[beside], upper]), np.concatenate([[begin], right, [end]]),
    )  # fmt: skip


def _periodic_slopes(h: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """The same, where the last point is the first: a cycle, cut open where it closes (Sherman and Morrison)."""
    n = h.size
    if n == 1:
        return np.zeros(2)
    upper, diagonal, lower, right = _smooth(np.concatenate([h[-1:], h]), np.concatenate([slope[-1:], slope]))
    if n == 2:  # both neighbours of a point are the other one
        s = np.linalg.solve([[diagonal[0], lower[0] + upper[0]], [lower[1] + upper[1], diagonal[1]]], right)
        return np.array([*s, s[0]])
    corner = -diagonal[0]
    diagonal = diagonal.copy()
    diagonal[0] -= corner
    diagonal[-1] -= upper[-1] * lower[0] / corner
    column = np.zeros(n)
    column[0], column[-1] = corner, upper[-1]
    x, z = (_tridiagonal(lower[1:], diagonal, upper[:-1], r) for r in (right, column))
    share = lower[0] / corner
    s = x - z * (x[0] + share * x[-1]) / (1 + z[0] + share * z[-1])
    return np.array([*s, s[0]])


def _smooth(h: np.ndarray, slope: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """At each inner point: lower s₋ + diagonal s + upper s₊ = right, so that second derivatives meet there.

    → (upper, diagonal, lower, right)."""
    before, after = h[:-1], h[1:]
    return before, 2 * (before + after), after, 3 * (after * slope[:-1] + before * slope[1:])


def _tridiagonal(lower: np.ndarray, diagonal: np.ndarray, upper: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Solution by LAPACK, with row exchanges."""
    if right.size <= DENSE:
        return np.linalg.solve(np.diag(lower, -1) + np.diag(diagonal) + np.diag(upper, 1), right)
    from scipy.linalg.lapack import dgtsv

    return dgtsv(lower, diagonal, upper, right)[3]
