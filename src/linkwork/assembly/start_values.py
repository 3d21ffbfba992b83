"""Start values of joint coordinates, compared with what is measured: some coordinates have more than one value.

The rotation vector of a ball joint can be lengthened by full turns, and at exactly half a turn its sign is open; the
azimuth of an arm along its axis may be anything.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from linkwork.assembly.numbers import Numbers
from linkwork.components.coordinate import Coordinate
from linkwork.components.free_joint import Free
from linkwork.components.joint import Joint, JointCoordinate
from linkwork.core.errors import AssemblyError
from linkwork.core.kinds import is_number
from linkwork.formulations.maximal_view import MaximalView
from linkwork.geometry import SX

POLE = 1e-18
"""Clearance of a coordinate (see `Joint.clearance`) below which it says nothing."""


class StartValues:
    """Joint coordinates with a start value: indices among all coordinates, and values."""

    def __init__(self, numbers: Numbers):
        self.numbers = numbers
        self.picked = [k for k, c in enumerate(numbers.coordinates) if c.value is not None]
        self.wanted = np.array([numbers.scalar(c.value) for c in numbers.coordinates if c.value is not None])
        index = {c: k for k, c in enumerate(numbers.coordinates)}
        joints: list[Joint] = numbers.model.of_type(Joint)
        turning = [j for j in joints if j.ball and j.vector and not numbers.model.is_planar]
        self._balls = [[index[c] for c in j.coordinates[-3:]] for j in turning]
        self._balls = [ball for ball in self._balls if set(ball) & set(self.picked)]
        for ball in self._balls:
            self._below_half_a_turn(ball)
        for joint in joints:
            if isinstance(joint, Free):
                self._within_reading(joint)
        self._clear = self._clearances()

    def _within_reading(self, joint: Free) -> None:
        """Three angles describe every orientation twice; read are those whose second angle is within its range."""
        names = {c.label: c for c in joint.coordinates}
        given = [names[label].value for label in joint.angles]
        if given[1] is None:
            return
        angles = [0.0 if x is None else self.numbers.scalar(x) for x in given]
        read = joint.same_angles(*angles)
        if abs(read[1] - angles[1]) > 1e-9:
            which = joint.angles[1]
            said = ", ".join(f"{label} = {x:.6g}" for label, x in zip(joint.angles, read, strict=True))
            raise AssemblyError(
                f"starts at {angles[1]:.6g} rad, where it is never read: the same orientation has {said} rad.",
                component=f"{joint.name}.{which}",
                remedy=f"Give these{'' if read[0] == angles[0] else ' (its rate then has the other sign)'}, or another "
                "sequence of axes.",
            )

    def _below_half_a_turn(self, ball: list[int]) -> None:
        given = [(k, self.picked.index(k)) for k in ball if k in self.picked]
        size = float(np.linalg.norm([self.wanted[i] for _, i in given]))
        if size > np.pi:
            for _, i in given:
                self.wanted[i] *= 1 - 2 * np.pi * np.floor(size / (2 * np.pi) + 0.5) / size

    def _clearances(self) -> ca.Function | None:
        """Of the picked coordinates, at absolute coordinates q; None where nothing has a pole."""
        numbers = self.numbers
        coordinates = [numbers.coordinates[k] for k in self.picked]
        if numbers.model.is_planar or not any(isinstance(c, JointCoordinate) and c.turns for c in coordinates):
            return None
        if "clearance" not in numbers.eq.memory:
            numbers.eq.memory["clearance"] = self._clearance(coordinates)
        clearances: ca.Function | None = numbers.eq.memory["clearance"]
        return clearances

    def _clearance(self, coordinates: list[Coordinate]) -> ca.Function | None:
        numbers = self.numbers
        view = MaximalView(numbers.model)

        def clearance(c: Coordinate) -> SX:
            if not isinstance(c, JointCoordinate):
                return SX(1)
            return c.joint.clearance(c.label, view.frame(c.joint.first), view.frame(c.joint.second))

        clearances = view.in_states([ca.vertcat(*(clearance(c) for c in coordinates))])[0]
        return None if clearances.is_constant() else ca.Function("clearance", [view.q, numbers.eq.p], [clearances])

    @property
    def plain(self) -> bool:
        """Whether each coordinate has one value, and what is wanted of it is what was said."""
        free = (j for j in self.numbers.model.of_type(Free))
        read = all(c.value is None or is_number(c.value) for joint in free for c in joint.coordinates)
        return read and not self._balls

    def where_clear(self, missed: SX) -> SX:
        """What is missed, in symbols, where it says something."""
        if self._clear is None:
            return missed
        return ca.if_else(self._clear(self.numbers.eq.q, self.numbers.eq.p) < POLE, 0, missed)

    def missed(self, q: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, ca.DM]:
        """How far each start value is from being met, and its derivative by a displacement in the space of v."""
        values, _, B = self.numbers.measures(q, np.zeros(self.numbers.eq.v.numel()), z)
        for ball in self._balls:
            r, size = values[ball], float(np.linalg.norm(values[ball]))
            if size < 1.0:
                continue
            given = [(i, self.picked.index(k)) for i, k in enumerate(ball) if k in self.picked]
            other = r * (1 - 2 * np.pi / size)

            def off(x: np.ndarray, given: list[tuple[int, int]] = given) -> float:
                return float(np.linalg.norm([x[i] - self.wanted[j] for i, j in given]))

            if off(other) < off(r):
                values[ball] = other
                slope = (1 - 2 * np.pi / size) * np.eye(3) + 2 * np.pi / size**3 * np.outer(r, r)
                B[ball, :] = ca.DM(slope) @ B[ball, :]
        missed, rows = values[self.picked] - self.wanted, B[self.picked, :]
        if self._clear is not None:
            vague = np.array(self._clear(q, self.numbers.p)).ravel() < POLE
            missed = np.where(vague, 0.0, missed)
        return missed, rows
