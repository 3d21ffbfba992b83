"""Six freedoms with names: what laws, drives, start values and sensors of a body's orientation act on."""

from __future__ import annotations

from typing import Annotated

import casadi as ca
import numpy as np

from linkwork.components.joint import Axis, First, JointCoordinate, Point, Second
from linkwork.components.point_joint import PointJoint
from linkwork.core.kinds import one_of
from linkwork.core.registry import component
from linkwork.geometry import SX, angle_sequences, dot, translation

NAMES = {"x": "roll", "y": "pitch", "z": "yaw"}
POLE_MARGIN = 1e-3
"""Nearer to the pole of its second angle than this, rates say nothing of full turns any more [rad]."""


@component
class Free(PointJoint):
    """Blocks nothing: position x, y, z of N in the axes of M, and its orientation as three angles (space only).

    The angles follow each other as `sequence` says, each about an axis that the last has turned: roll about x, pitch
    about y, yaw about z; `angle1`, `angle2`, `angle3` where an axis comes twice ("zxz": Euler's). All but the second
    count full turns. Where that is a quarter turn (0 or a half, in Euler's), the first reads 0; states have no poles,
    but what laws and drives of the others ask for grows without bound there.
    """

    x: JointCoordinate
    y: JointCoordinate
    z: JointCoordinate
    roll: JointCoordinate
    pitch: JointCoordinate
    yaw: JointCoordinate
    units = dict.fromkeys(NAMES.values(), "rad")
    vector = False
    regular = True

    def __init__(
        self,
        name: str,
        first: First,
        second: Second,
        *,
        sequence: Annotated[
            str, one_of(*angle_sequences.SEQUENCES), 'axes of the angles; "zyx": yaw, then pitch, then roll'
        ] = "zyx",
        point: Point = None,
        axis: Axis = None,
    ):
        labels = sorted(NAMES[s] for s in sequence)
        self.sequence, self.angles = sequence, tuple(NAMES[s] for s in sequence)
        if len(set(labels)) < 3:
            self.angles = ("angle1", "angle2", "angle3")
            self.free = ("x", "y", "z", *self.angles)  # type: ignore[misc]
        self.turning = (self.angles[0], self.angles[2])
        super().__init__(name, first, second, point=point, axis=axis)

    def closure(self, M, N):
        return []

    def place(self, x, y, z):
        return translation(x, y, z)

    def guided(self, M, N):
        d = N.p - M.p
        return [dot(d, M.x), dot(d, M.y), dot(d, M.z)]

    def motion(self, *free):
        known = dict(zip(self.free, free, strict=True))
        turned = angle_sequences.rotation(self.sequence, *(known[label] for label in self.angles))
        return self.place(*free[:3]) @ turned

    def measure(self, M, N):
        known = dict(zip(self.angles, angle_sequences.angles_of(M.R.T @ N.R, self.sequence), strict=True))
        return [*self.guided(M, N), *(known[label] for label in self.free[3:])]

    def same_angles(self, first: float, second: float, third: float) -> tuple[float, float, float]:
        """The angles as they are read for an orientation that these describe [rad]: the second within its range."""
        twice = self.sequence[0] == self.sequence[2]
        second = float(np.remainder(second + np.pi, 2 * np.pi) - np.pi)
        if second < 0 if twice else abs(second) > np.pi / 2:
            turned = -second if twice else np.copysign(np.pi, second) - second
            return first + np.pi, turned, third + np.pi
        return first, second, third

    def clearance(self, label, M, N):
        if label not in self.turning:
            return SX(1)
        return ca.fmin(1, angle_sequences.clearance(M.R.T @ N.R, self.sequence) / POLE_MARGIN**2)
