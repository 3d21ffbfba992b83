"""Bodies that are rigid together, and where everything is at the start: numbers, before a model is built from them."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from linkwork.algebra import lapack
from linkwork.components.bodies import Body, Solid
from linkwork.components.inertia import Inertia
from linkwork.core.component import Marker
from linkwork.core.model import Model

RENAMED = "has a name that is taken, or that no channel can have: it is another one in the model."
_REFUSED = re.compile(r"[\s.*?\[\]/,]+")


@dataclass(frozen=True)
class Placement:
    """A rigid motion in numbers: place p [m] and matrix R."""

    p: np.ndarray
    R: np.ndarray

    def __matmul__(self, other: Placement) -> Placement:
        return Placement(self.p + self.R @ other.p, self.R @ other.R)

    def inverse(self) -> Placement:
        return Placement(-self.R.T @ self.p, self.R.T)


STILL = Placement(np.zeros(3), np.eye(3))


@dataclass(frozen=True)
class Part:
    """A named frame of a file on a body of the model: where it is in the axes of that body, whose origin is its mass
    centre."""

    body: Solid
    place: Placement

    def at(self, place: Placement = STILL) -> Marker:
        """A frame of the model at a place seen from this one."""
        whole = self.place @ place
        return self.body.at(*whole.p, rotation=orthonormal(whole.R))


def orthonormal(R: np.ndarray) -> np.ndarray:
    """The rotation that is nearest to a product of rotations."""
    u, _, v = lapack.svd(R)
    return np.asarray(u @ v)


def from_rpy(roll: float, pitch: float, yaw: float) -> np.ndarray:
    """Rotation about the fixed axes x, then y, then z [rad]."""
    (cr, sr), (cp, sp), (cy, sy) = ((np.cos(a), np.sin(a)) for a in (roll, pitch, yaw))
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def usable(name: str, taken: set[str]) -> str:
    """A name as near as possible to one of a file that a model can have."""
    plain = _REFUSED.sub("_", name).replace("`", "_") or "unnamed"
    free, k = plain, 2
    while free in taken:
        free, k = f"{plain}_{k}", k + 1
    taken.add(free)
    return free


def rigid_body(model: Model, name: str, inertia: Inertia, place: Placement) -> tuple[Body, Placement]:
    """A body of the model for a frame of a file: axes as those of the frame, origin in the mass centre.

    place: of the frame in the world at the start; returns the body, and where the frame is in its axes.
    """
    body = model.body(name, mass=inertia.mass, inertia=inertia.matrix)
    centre = place @ Placement(np.asarray(inertia.centre, dtype=float), np.eye(3))
    body.start(position=centre.p, rotation=orthonormal(centre.R))
    return body, Placement(-np.asarray(inertia.centre, dtype=float), np.eye(3))
