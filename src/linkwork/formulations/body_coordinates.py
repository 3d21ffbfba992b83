"""Coordinates of one free body: (x, y, θ) in the plane, position and Euler parameters in space.

Its speeds are those of its mass centre in world axes, then those about its own axes; see `geometry/embedding`. Nothing
else knows how many coordinates there are, or what they mean.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwork.core.component import Frame
from linkwork.geometry import SX, Pose, as_vector, rotations
from linkwork.geometry.embedding import PLANE, SPACE, Array, Embedding


@dataclass(frozen=True)
class Symbols:
    """One body in symbols: coordinates, speeds, and the configuration that equations are written in."""

    frame: Frame
    q: SX
    v: SX
    config: SX
    rate: SX
    """Of the configuration: linear in v."""
    value: SX
    """Of the configuration, by q."""


class BodyCoordinates(ABC):
    """How the pose of a body is written down."""

    space: Embedding
    names: tuple[str, ...]
    """Of the coordinates, as channels have them."""
    speed_names: tuple[str, ...]
    """Of what the speeds are rates of."""
    config_size: int
    """Numbers in a configuration."""
    origin: tuple[float, ...]
    """Coordinates of a body in the origin, unturned."""

    @property
    def size(self) -> int:
        """How many coordinates a body has."""
        return len(self.names)

    def lengths(self) -> tuple[list[bool], list[bool]]:
        """Which coordinates, and which speeds, are lengths (per second)."""
        along = self.space.along
        return [k < along for k in range(self.size)], [k < along for k in range(self.space.size)]

    def of(self, values: Array, number: int) -> Array:
        """The coordinates of one body among those of all."""
        return values[number * self.size : (number + 1) * self.size]

    @abstractmethod
    def symbols(self, name: str) -> Symbols: ...

    @abstractmethod
    def configuration(self, pose: Pose) -> SX:
        """The configuration of a body in a pose."""

    @abstractmethod
    def pose(self, q: SX) -> Pose: ...

    @abstractmethod
    def rates(self, q: SX, v: SX) -> SX:
        """q̇."""

    @abstractmethod
    def retract(self, q: SX, step: SX) -> SX:
        """q moved by a small step in the space of the speeds."""

    @abstractmethod
    def written(self, p: np.ndarray, R: np.ndarray, angle: float | None) -> list[float]:
        """The coordinates of a pose; angle: full turns included, in the plane."""

    @abstractmethod
    def all_written(self, p: np.ndarray, R: np.ndarray, angles: list[float | None]) -> np.ndarray:
        """The same of many poses, one per row."""

    @abstractmethod
    def in_symbols(self, pose: Pose) -> SX:
        """The same of a pose in symbols, whose matrix turns and does nothing else."""

    @abstractmethod
    def any_rotation(self, R: SX, random: np.random.Generator) -> dict[str, float]:
        """Numbers for the symbols in a body's rotation matrix, at a random rotation."""

    @abstractmethod
    def normalise(self, q: np.ndarray) -> None:
        """Make any numbers coordinates of a pose, in place."""

    @abstractmethod
    def numbers(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(R, p) at coordinates q."""


class _Plane(BodyCoordinates):
    space = PLANE
    names = speed_names = ("x", "y", "angle")
    config_size = 5
    origin = (0.0, 0.0, 0.0)

    def symbols(self, name: str) -> Symbols:
        q, v = SX.sym(f"{name}.q", 3), SX.sym(f"{name}.v", 3)
        x, y, c, s, turn = (SX.sym(f"{name}.{k}") for k in ("x", "y", "c", "s", "turn"))
        R = ca.vertcat(ca.horzcat(c, -s, 0), ca.horzcat(s, c, 0), ca.horzcat(0, 0, 1))
        return Symbols(
            Frame(as_vector((x, y)), R, turn, *PLANE.split(v)),
            q,
            v,
            config=ca.vertcat(x, y, c, s, turn),
            rate=ca.vertcat(v[0], v[1], -s * v[2], c * v[2], v[2]),
            value=self.configuration(self.pose(q)),
        )

    def configuration(self, pose: Pose) -> SX:
        assert pose.turn is not None
        return ca.vertcat(pose.p[0], pose.p[1], pose.R[0, 0], pose.R[1, 0], pose.turn)

    def pose(self, q: SX) -> Pose:
        return Pose(as_vector((q[0], q[1])), rotations.about_z(q[2]), q[2])

    def numbers(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        c, s = np.cos(q[2]), np.sin(q[2])
        return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]), np.array([q[0], q[1], 0.0])

    def rates(self, q: SX, v: SX) -> SX:
        return v

    def retract(self, q: SX, step: SX) -> SX:
        return q + step

    def written(self, p: np.ndarray, R: np.ndarray, angle: float | None) -> list[float]:
        return [p[0], p[1], np.arctan2(R[1, 0], R[0, 0]) if angle is None else angle]

    def all_written(self, p: np.ndarray, R: np.ndarray, angles: list[float | None]) -> np.ndarray:
        measured = np.arctan2(R[:, 1, 0], R[:, 0, 0]).tolist()
        turns = [own if angle is None else angle for own, angle in zip(measured, angles, strict=True)]
        return np.column_stack([p[:, :2], turns])

    def in_symbols(self, pose: Pose) -> SX:
        angle = ca.atan2(pose.R[1, 0], pose.R[0, 0]) if pose.turn is None else pose.turn
        return ca.vertcat(pose.p[0], pose.p[1], angle)

    def normalise(self, q: np.ndarray) -> None:
        pass

    def any_rotation(self, R: SX, random: np.random.Generator) -> dict[str, float]:
        angle = random.uniform(-2, 2)
        return {R[0, 0].name(): np.cos(angle), R[1, 0].name(): np.sin(angle)}


class _Space(BodyCoordinates):
    space = SPACE
    names = ("x", "y", "z", "q0", "q1", "q2", "q3")
    speed_names = ("x", "y", "z", "rx", "ry", "rz")
    config_size = 12
    origin = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)

    def symbols(self, name: str) -> Symbols:
        q, v = SX.sym(f"{name}.q", 7), SX.sym(f"{name}.v", 6)
        p, R = SX.sym(f"{name}.p", 3), SX.sym(f"{name}.R", 3, 3)
        w = v[3:6]
        spin = ca.horzcat(*(R[:, (i + 1) % 3] * w[(i + 2) % 3] - R[:, (i + 2) % 3] * w[(i + 1) % 3] for i in range(3)))
        return Symbols(
            Frame(p, R, None, v[:3], R @ w),
            q,
            v,
            config=ca.vertcat(p, ca.vec(R)),
            rate=ca.vertcat(v[:3], ca.vec(spin)),
            value=self.configuration(self.pose(q)),
        )

    def configuration(self, pose: Pose) -> SX:
        return ca.vertcat(pose.p, ca.vec(pose.R))

    def pose(self, q: SX) -> Pose:
        return Pose(q[:3], rotations.from_quaternion(q[3:7]))

    def numbers(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.array(ca.DM(rotations.from_quaternion(ca.DM(q[3:])))), q[:3]

    def rates(self, q: SX, v: SX) -> SX:
        return ca.vertcat(v[:3], rotations.quaternion_rate(q[3:7]) @ v[3:6])

    def retract(self, q: SX, step: SX) -> SX:
        e = rotations.quaternion_product(q[3:7], rotations.quaternion_exponential(step[3:6]))
        return ca.vertcat(q[:3] + step[:3], e / ca.sqrt(ca.sumsqr(e)))

    def written(self, p: np.ndarray, R: np.ndarray, angle: float | None) -> list[float]:
        return [*p, *rotations.quaternion_from_matrix(R)]

    def all_written(self, p: np.ndarray, R: np.ndarray, angles: list[float | None]) -> np.ndarray:
        return np.hstack([p, rotations.quaternions_from_matrices(R)])

    def in_symbols(self, pose: Pose) -> SX:
        e = rotations.quaternion_of(pose.R)
        return ca.vertcat(pose.p, ca.if_else(e[0] < 0, -e, e))

    def normalise(self, q: np.ndarray) -> None:
        q[3:] /= np.linalg.norm(q[3:])

    def any_rotation(self, R: SX, random: np.random.Generator) -> dict[str, float]:
        names = [x.name() for x in ca.vertsplit(ca.vec(R))]
        sample = np.linalg.qr(random.normal(size=(3, 3)))[0]
        return dict(zip(names, (sample * np.linalg.det(sample)).ravel("F"), strict=True))


def body_coordinates(planar: bool) -> BodyCoordinates:
    """Those of the bodies of a model."""
    return _Plane() if planar else _Space()
