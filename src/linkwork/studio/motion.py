"""Where everything is, over time: poses of bodies and frames, read from a Result's channels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.core.plain_data import Data
from linkwork.core.result import Result

FRAME_LIMIT, POSE_LIMIT = 1500, 15000
"""A result with more samples is thinned out: a minute of smooth film, and longer where few bodies leave room for it."""
IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


@dataclass(frozen=True)
class Anchor:
    """A place on a body: point (3,) and quaternion (4,) in its axes. What hangs there need not be told over time."""

    body: str
    point: np.ndarray
    quaternion: np.ndarray


@dataclass(frozen=True)
class Path:
    """Poses over the frames: p (frames, 3) [m], q (frames, 4) quaternions (w, x, y, z)."""

    p: np.ndarray
    q: np.ndarray
    on: Anchor | None = None

    def at(self, point: object) -> np.ndarray:
        """Where a point given in its axes is, (frames, 3)."""
        return self.p + rotate(self.q, np.asarray(point, dtype=float))

    def child(self, side: Data) -> Path:
        """The path of a frame fixed on it, as a description gives it: point and rotation."""
        turn = quaternion(np.asarray(side["rotation"], dtype=float))
        anchor = Anchor(side["body"], np.asarray(side["point"], dtype=float), turn)
        return Path(self.at(side["point"]), product(self.q, turn), anchor)

    def fixed(self, point: object) -> Path:
        """The path of a point given in the axes of a frame on a body."""
        place = np.asarray(point, dtype=float)
        on = self.on and Anchor(self.on.body, self.on.point + rotate(self.on.quaternion, place), self.on.quaternion)
        return Path(self.at(place), self.q, on)


class Motion:
    """The bodies' paths at the frames of a film; frames are samples of the result, all or some of them."""

    def __init__(self, result: Result, *, all_samples: bool = False):
        if not result.t.size:
            raise LinkworkError("the result is empty: there is nothing to show.", component=result.record.get("model"))
        self.result = result
        self.description = result.description
        self.planar = self.description.get("dimension") == 2
        self.ground = self.description.get("ground", "ground")
        count = result.t.size
        most = max(FRAME_LIMIT, POSE_LIMIT // max(len(self.description.get("bodies", {})) - 1, 1))
        thin = count > most and not all_samples
        self.rows = np.linspace(0, count - 1, most).round().astype(int) if thin else np.arange(count)
        self.t = np.array(result.t[self.rows])
        self.paths: dict[str, Path] = {self.ground: Path(np.zeros((1, 3)), IDENTITY[None])}
        for name in self.description.get("bodies", {}):
            if name != self.ground and f"{name}.x" in result:
                self.paths[name] = self._path(name)
        if len(self.paths) == 1:
            raise LinkworkError(
                "the result tells of no body that moves, so there is nothing to show.",
                component=result.record.get("model"),
                remedy="Animate the result of a mechanism (a Model), not of a bond graph by itself.",
            )

    def channel(self, name: str) -> np.ndarray:
        """The values of a channel at the frames; zero where there is no such channel."""
        return self.result[name][self.rows] if name in self.result else np.zeros(len(self.rows))

    def vector(self, name: str) -> np.ndarray:
        """(frames, 3) of name + "x", "y", "z"."""
        return np.column_stack([self.channel(name + axis) for axis in "xyz"])

    def frame(self, side: Data) -> Path:
        """The path of a frame; of one on a body that the result does not tell of, where it would be at rest."""
        return self.paths.get(side["body"], self.paths[self.ground]).child(side)

    def knows(self, *sides: Data) -> bool:
        return all(side["body"] in self.paths for side in sides)

    def _path(self, name: str) -> Path:
        p = self.vector(f"{name}.")
        if self.planar:
            half = self.channel(f"{name}.angle") / 2
            zero = np.zeros_like(half)
            return Path(p, np.column_stack([np.cos(half), zero, zero, np.sin(half)]))
        q = np.column_stack([self.channel(f"{name}.q{i}") for i in range(4)])
        size = np.linalg.norm(q, axis=1, keepdims=True)
        return Path(p, np.where(size > 0, q / np.where(size > 0, size, 1), IDENTITY))


def spread(values: np.ndarray, frames: int) -> np.ndarray:
    """(frames, k) of what may have been given for one frame only."""
    return np.broadcast_to(values, (frames, *values.shape[1:])) if len(values) != frames else values


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a ⊗ b: first the rotation b, then a."""
    a, b = np.broadcast_arrays(a, b)
    w1, x1, y1, z1 = np.moveaxis(a, -1, 0)
    w2, x2, y2, z2 = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2,
            w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2,
            w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2,
            w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2,
        ],
        axis=-1,
    )


def rotate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vectors v turned by quaternions q."""
    u = q[..., 1:]
    first = cross(u, v)
    return v + 2 * (q[..., :1] * first + cross(u, first))


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a × b; twice as fast as NumPy's own for paths of a few hundred points."""
    x1, y1, z1 = a[..., 0], a[..., 1], a[..., 2]
    x2, y2, z2 = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([y1 * z2 - z1 * y2, z1 * x2 - x1 * z2, x1 * y2 - y1 * x2], axis=-1)


def matrix(q: np.ndarray) -> np.ndarray:
    """The 3×3 matrix of one quaternion."""
    return rotate(q[None], np.eye(3)).T


def quaternion(R: np.ndarray) -> np.ndarray:
    """Of one rotation matrix: the column of the largest diagonal of 4 q qᵀ, which is never ill-conditioned."""
    d = np.diag(R)
    squares = np.array([1 + d.sum(), 1 + 2 * d[0] - d.sum(), 1 + 2 * d[1] - d.sum(), 1 + 2 * d[2] - d.sum()])
    off = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    sums = np.array([[0, R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]], [0, 0, R[1, 2] + R[2, 1]], [0, 0, 0]])
    sums = sums + sums.T
    k = int(squares.argmax())
    row = np.empty(4)
    if k == 0:
        row[0], row[1:] = squares[0], off
    else:
        row[0], row[1:] = off[k - 1], sums[k - 1]
        row[k] = squares[k]
    return row / np.linalg.norm(row)


def pointing(direction: np.ndarray) -> np.ndarray:
    """Quaternions (frames, 4) that turn x along directions (frames, 3); no turn where there is no direction."""
    size = np.linalg.norm(direction, axis=1, keepdims=True)
    d = np.where(size > 0, direction / np.where(size > 0, size, 1), (1.0, 0.0, 0.0))
    # half way between x and d; straight back is half a turn about z, which keeps the plane
    q = np.column_stack([1 + d[:, 0], np.zeros(len(d)), -d[:, 2], d[:, 1]])
    back = d[:, 0] < -1 + 1e-12
    q[back] = (0.0, 0.0, 0.0, 1.0)
    return q / np.linalg.norm(q, axis=1, keepdims=True)
