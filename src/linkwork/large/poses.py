"""Poses as numbers, for the start of a large model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass
class Pose:
    """Numbers: position [m], rotation matrix, turn [rad] in the plane."""

    p: np.ndarray
    R: np.ndarray
    turn: float

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(self.p + self.R @ other.p, self.R @ other.R, self.turn + other.turn)

    def inverse(self) -> Pose:
        return Pose(-self.R.T @ self.p, self.R.T, -self.turn)


def pose_of(flat: np.ndarray) -> Pose:
    """From p, R column by column, and turn."""
    return Pose(flat[:3], flat[3:12].reshape(3, 3).T, float(flat[12]))
