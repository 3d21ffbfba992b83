"""Efforts along a known motion: M v̇ + Aᵀλ − f = Sᵀτ for the multipliers λ and the efforts τ of actuators.

S = ∂ẋ/∂v of the positions x that the actuators act on. Redundant constraints leave λ open but not τ; the smallest λ
is taken. More actuators than freedoms leave τ open; the smallest τ is taken.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwork.algebra.factors import Factors, batches
from linkwork.algebra.rank import independent_rows, least_squares, null_space
from linkwork.analyses.kinematics.course import Course
from linkwork.analyses.kinematics.drives import Driven
from linkwork.analyses.kinematics.mechanism import Mechanism
from linkwork.analyses.kinematics.mobility import movable
from linkwork.core.errors import ModelError
from linkwork.geometry import SX

MISSING = 1e-6
"""Largest share of the forces at work that may stay without an actuator."""


@dataclass
class Loads:
    """λ (samples, rows) and τ (samples, actuators); rates ẋ of the actuated positions; the balance that is missing."""

    multipliers: np.ndarray
    efforts: np.ndarray
    rates: np.ndarray
    missing: np.ndarray
    """Share of the forces at work, (samples,)."""


class Balance:
    """The equations of motion of a mechanism with actuators, solved for forces."""

    def __init__(self, mechanism: Mechanism, actuators: list[Driven]):
        self.mechanism, self.actuators = mechanism, actuators
        eq = mechanism.eq
        rates = ca.vertcat(SX(0, 1), *(x.rate for x in actuators))
        self._J = ca.vertcat(eq.constraints.jacobian, ca.jacobian(rates, eq.v))
        self._rates = rates
        self._key = " ".join(["balance", *(x.name for x in actuators)])
        self.surplus = 0
        """How many actuators more than they can move freedoms."""

    def look(self, course: Course) -> None:
        """Compare actuators and freedoms at the first sample."""
        if not course.t.size:
            return
        _, _, _, J = self._evaluated(course[:1])
        first = len(self.mechanism.eq.constraints.rows)
        moving = J[0, first:] @ null_space(J[0, :first])
        kept = independent_rows(moving, np.linalg.norm(J[0, first:], axis=1))
        self.surplus = len(self.actuators) - len(kept)

    def solve(self, course: Course) -> Loads:
        """Forces at every sample."""
        first, n = len(self.mechanism.eq.constraints.rows), len(self.actuators)
        parts = []
        for which in batches(course.t.size, first + n, self.mechanism.speeds):
            inertia, force, rates, J = self._evaluated(course[which])
            r = force - inertia
            tau = self._smallest(J, first, r) if self.surplus else np.zeros((len(r), 0))
            rows = J[:, :first] if self.surplus else J
            if self.surplus:
                r = r + (tau[:, None, :] @ J[:, first:])[:, 0]
            x = Factors(rows).solve_transposed(r)
            left = r - (x[:, None, :] @ rows)[:, 0]
            scale = np.maximum(np.abs(force), np.abs(inertia)).max(axis=1, initial=0.0)
            scale = np.maximum(scale, np.abs(x[:, :, None] * rows).max(axis=(1, 2), initial=0.0))
            missing = np.abs(left).max(axis=1, initial=0.0) / np.where(scale > 0, scale, 1.0)
            parts.append((x[:, :first], tau if self.surplus else -x[:, first:], rates, missing))
        return Loads(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def check(self, course: Course, loads: Loads) -> None:
        """Raise if a freedom that no actuator moves would need a force."""
        bad = np.flatnonzero(~(loads.missing <= MISSING))
        if not bad.size:
            return
        k = int(bad[0])
        t, q, z = float(course.t[k]), course.q[k], course.z[k]
        _, _, _, J = self._evaluated(course[k : k + 1])
        free = null_space(J[0])
        model = self.mechanism.model
        names, others = movable(self.mechanism, t, q, z, free) if free.size else ([], [])
        remedy = f"Add an actuator at {', '.join(names)}" if names else "Choose other actuators"
        if names and others:
            remedy += f" (or {', '.join(others[:8])})"
        have = ", ".join(x.name for x in self.actuators) or "none"
        raise ModelError(
            f"no actuator moves this freedom, but the motion needs a force along it at t = {t:.6g} s "
            f"({100 * loads.missing[k]:.2g} % of the forces at work; actuators: {have}).",
            component=names[0] if names else model.name,
            remedy=f"{remedy}, or give a motion that needs none.",
        )

    def _smallest(self, J: np.ndarray, first: int, r: np.ndarray) -> np.ndarray:
        """τ of least norm that leaves to the constraints only what they can carry."""
        efforts = np.zeros((len(r), J.shape[1] - first))
        for k, (matrix, right) in enumerate(zip(J, r, strict=True)):
            free = null_space(matrix[:first])
            efforts[k] = -least_squares((matrix[first:] @ free).T, free.T @ right)
        return efforts

    def _evaluated(self, course: Course) -> tuple[np.ndarray, ...]:
        """M v̇, f, ẋ of the actuators, and J = [A; S]."""
        eq = self.mechanism.eq

        def build() -> tuple[list[SX], list[SX]]:
            columns = [ca.densify(x) for x in (eq.motion.mass @ eq.a, eq.motion.force, self._rates)]
            return [eq.q, eq.v, eq.z, eq.a], [*columns, self._J]

        parts = (course.q, course.v, course.z, course.a)
        *columns, J = self.mechanism.at(course.t).call(self._key, build, *parts)
        return *(column[:, :, 0] for column in columns), J
