"""Pose: where a frame is. Position p, axes x, y, z as columns of R, all in world (or parent) axes."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.geometry import rotations
from linkwork.geometry.vectors import SX, Number, as_vector, dot, is_scalar


@dataclass(frozen=True)
class Pose:
    """A rigid motion. `turn` is the rotation angle about z where that is all there is (the plane), else None."""

    p: SX
    R: SX
    turn: SX | None = None

    @property
    def x(self) -> SX:
        return self.R[:, 0]

    @property
    def y(self) -> SX:
        return self.R[:, 1]

    @property
    def z(self) -> SX:
        return self.R[:, 2]

    def __matmul__(self, other: Pose) -> Pose:
        turn = None if self.turn is None or other.turn is None else self.turn + other.turn
        return Pose(self.p + self.R @ other.p, self.R @ other.R, turn)

    def inverse(self) -> Pose:
        return Pose(-(self.R.T @ self.p), self.R.T, None if self.turn is None else -self.turn)


def _one(word: str, given: Number) -> Number:
    """One number or expression."""
    if type(given) is SX and given.numel() == 1:
        return given
    if not is_scalar(given) or isinstance(given, (str, bytes, bool)):
        raise TypeError(f"{word} is {type(given).__name__}: give one number or expression.")
    try:
        count = SX(given).numel()
    except (NotImplementedError, TypeError, OverflowError, SystemError):
        count = 0
    if count != 1:
        raise TypeError(f"{word} is {type(given).__name__}: give one number or expression.")
    return given


def translation(x: Number = 0, y: Number = 0, z: Number = 0) -> Pose:
    x, y, z = _one("x", x), _one("y", y), _one("z", z)
    return Pose(as_vector((x, y, z)), SX(ca.DM.eye(3)), SX(0))


def rotation_x(angle: Number) -> Pose:
    return Pose(as_vector((0, 0)), rotations.about_x(_one("angle", angle)))


def rotation_y(angle: Number) -> Pose:
    return Pose(as_vector((0, 0)), rotations.about_y(_one("angle", angle)))


def rotation_z(angle: Number) -> Pose:
    return Pose(as_vector((0, 0)), rotations.about_z(_one("angle", angle)), SX(angle))


shift, rotx, roty, rotz = translation, rotation_x, rotation_y, rotation_z
"""Short names for position matrices: rotz(q[0]) @ shift(0, -1)."""


def turn(M: Pose, N: Pose) -> SX:
    """Angle of N relative to M about their common z axis: continuous in the plane, within (−π, π] in space."""
    for word, pose in (("M", M), ("N", N)):
        if not isinstance(pose, Pose):
            raise TypeError(f"{word} is {type(pose).__name__}: give a pose, for instance rotz(0.1).")
    if M.turn is not None and N.turn is not None:
        return N.turn - M.turn
    return ca.atan2(dot(N.x, M.y), dot(N.x, M.x))
