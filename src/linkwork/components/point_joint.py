"""Joints that guide a point of the second body and leave its orientation free."""

from __future__ import annotations

from typing import Any

from linkwork.components.joint import Joint
from linkwork.geometry import SX, Pose, as_vector, rotation_z, rotations, translation


class PointJoint(Joint):
    """The origin of N is guided; its orientation is free: (rx, ry, rz) below half a turn, rz in the plane."""

    turning: tuple[str, ...] = ()
    ball = True

    def guided(self, M: Pose, N: Pose) -> list[SX]:
        """The coordinates of the origin."""
        return []

    def place(self, *guided: Any) -> Pose:
        """Where the origin is for these coordinates."""
        return translation()

    def measure(self, M, N):
        if M.turn is not None and N.turn is not None:
            return [*self.guided(M, N), SX(0), SX(0), N.turn - M.turn]
        r = rotations.rotation_vector(M.R.T @ N.R)
        return [*self.guided(M, N), r[0], r[1], r[2]]

    def motion(self, *free):
        *guided, rx, ry, rz = (SX(c) for c in free)
        if rx.is_zero() and ry.is_zero():
            return self.place(*guided) @ rotation_z(rz)
        e = rotations.quaternion_exponential(as_vector((rx, ry, rz)))
        return self.place(*guided) @ Pose(as_vector((0, 0)), rotations.from_quaternion(e))
