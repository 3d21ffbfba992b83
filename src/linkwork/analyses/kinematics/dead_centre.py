"""Dead centres: positions where a driven mechanism could go on along either of two branches.

On a branch the determinant of the rows (Φ and drives) keeps its sign. Where it changes from one position to the next,
the mechanism has either gone straight through a dead centre, which its drive must reach exactly, or jumped.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwork.algebra import lapack
from linkwork.algebra.closing import descend
from linkwork.algebra.rank import independent_rows, unit_rows
from linkwork.analyses.kinematics.course import Course
from linkwork.analyses.kinematics.mechanism import Mechanism

TOUCHED = 1e-10
"""How near [m, rad, relative to 1 or the largest coordinate] a drive must come to a dead centre to pass it."""
REGULAR = 1e-3
"""Least singular value of rows of length 1 at which a position is no dead centre."""


class Orientation:
    """Signs of the determinant of a square part of the rows, chosen at a first position."""

    def __init__(self, mechanism: Mechanism, start: Course):
        self.mechanism = mechanism
        self._unit = mechanism.eq.states.scale[: start.q.shape[1]]
        self.kept = self._chosen(start)

    def _chosen(self, at: Course) -> list[int]:
        J = unit_rows(self._rows(at)[1])[0]
        kept = independent_rows(J)
        return kept if len(kept) == J.shape[1] else []

    def _rows(self, at: Course) -> tuple[np.ndarray, np.ndarray]:
        return self.mechanism.place(at.t, at.q, at.z, self.mechanism.paths(at.t)[0])

    def signs(self, at: Course) -> np.ndarray:
        """One per row of the course; 0: it does not tell."""
        if not self.kept or not at.t.size:
            return np.zeros(at.t.size)
        J = self._rows(at)[1][:, self.kept]
        J[~np.isfinite(J).all(axis=(1, 2))] = 0.0
        return np.linalg.slogdet(unit_rows(J))[0]

    def jumps(self, before: Course, after: Course, between: Callable[[float], Course]) -> bool:
        """Whether a step between two positions has changed branch other than through a dead centre.

        between: the motion at a share of the step, by interpolation.
        """
        first, last = self.signs(before)[0], self.signs(after)[0]
        if first * last >= 0:
            return False
        low, high = 0.0, 1.0
        for _ in range(40):
            middle = (low + high) / 2
            here = self._closed(between(middle))
            low, high = (middle, high) if self.signs(here)[0] == first else (low, middle)
        flat = self._closed(between((low + high) / 2))
        if lapack.svd(unit_rows(self._rows(flat)[1])[0], compute_uv=False)[-1] > REGULAR:
            self.kept = self._chosen(after)  # not the mechanism is singular, but the part of its rows that was chosen
            return False
        times = np.linspace(before.t[0], after.t[0], 33)
        for _ in range(6):
            gaps = np.array([self._gap(flat, t) for t in times])
            k = int(np.argmin(np.abs(gaps)))
            if np.any(gaps[:-1] * gaps[1:] <= 0):
                return False
            times = np.linspace(times[max(k - 1, 0)], times[min(k + 1, times.size - 1)], 17)
        return bool(np.abs(gaps).min() > TOUCHED * (1 + np.abs(flat.q / self._unit).max(initial=0.0)))

    def _closed(self, at: Course) -> Course:
        """Moved onto the rows in every direction but the one that they lose in a dead centre."""

        def rows(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            r, J = self._rows(Course(at.t, q, at.v, at.a, at.z))
            return r[0], J[0]

        def least(J: np.ndarray, r: np.ndarray) -> np.ndarray:
            scale = 1 / np.maximum(np.linalg.norm(J, axis=1), 1e-300)
            U, s, V = lapack.svd(J * scale[:, None], full_matrices=False)
            return V[:-1].T @ ((U[:, :-1].T @ (r * scale)) / np.maximum(s[:-1], 1e-9))

        q = descend(rows, lambda q, step: self.mechanism.move(q, step[None]), at.q, least, 4)
        return at if q is None else Course(at.t, q, at.v, at.a, at.z)

    def _gap(self, flat: Course, t: float) -> float:
        """What the rows ask for at time t [s] in that direction [m, rad]."""
        r, J = self._rows(Course(np.array([t]), flat.q, flat.v, flat.a, flat.z))
        scale = 1 / np.maximum(np.linalg.norm(J[0], axis=1), 1e-300)
        U = lapack.svd(J[0] * scale[:, None], full_matrices=False)[0]
        # Of the two signs of a singular vector the one in which the rows add up: the same at all times.
        u = U[:, -1] * np.sign(U[np.argmax(np.abs(U[:, -1])), -1])
        return float(u @ (r[0] * scale))
