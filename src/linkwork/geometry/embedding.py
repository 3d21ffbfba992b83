"""The plane in space: which components of vectors a model has, and where they are among those of space.

Everything is computed in space. What a model keeps of it, and what its numbers stand for, is said here alone: in the
plane x and y of a true vector (force, velocity), z of an axial one (moment, angular velocity), in space all of both.
Six components are in one order: the true vector, then the axial one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import casadi as ca
import numpy as np

from linkwork.geometry.vectors import SX

Array = TypeVar("Array", SX, ca.DM, np.ndarray)


@dataclass(frozen=True)
class Embedding:
    """Components that exist, by axis: of true vectors, and of axial ones."""

    true_axes: tuple[int, ...]
    axial_axes: tuple[int, ...]

    @property
    def along(self) -> int:
        """How many displacements a body has."""
        return len(self.true_axes)

    @property
    def about(self) -> int:
        """How many rotations a body has."""
        return len(self.axial_axes)

    @property
    def size(self) -> int:
        """How many speeds a body has: those along, then those about."""
        return self.along + self.about

    @property
    def rows(self) -> list[int]:
        """Which of six components exist."""
        return [*self.true_axes, *(3 + k for k in self.axial_axes)]

    def true(self, x: Array) -> Array:
        """What exists of a true vector, or of each column of a matrix of them."""
        return _rows(x, self.true_axes)

    def axial(self, x: Array) -> Array:
        """What exists of an axial vector, or of each column of a matrix of them."""
        return _rows(x, self.axial_axes)

    def both(self, true: SX, axial: SX) -> SX:
        """What exists of a true and an axial vector, in one column."""
        return ca.vertcat(self.true(true), self.axial(axial))

    def true_vector(self, part: Array) -> Array:
        """The true vector of space of which these are the components."""
        return _placed(part, self.true_axes, 3)

    def axial_vector(self, part: Array) -> Array:
        """The axial vector of space of which these are the components."""
        return _placed(part, self.axial_axes, 3)

    def six(self, part: Array) -> Array:
        """Six components, of which these are those that exist."""
        return _placed(part, self.rows, 6)

    def split(self, part: Array) -> tuple[Array, Array]:
        """(true vector, axial vector) of space of which these are the components."""
        return self.true_vector(part[: self.along]), self.axial_vector(part[self.along :])

    def turn(self, angle: SX) -> SX | None:
        """What poses have as their angle about z: one where nothing else turns."""
        return angle if self.about == 1 else None

    def on_axial(self, matrix: SX) -> SX:
        """A matrix of space as it acts on axial vectors."""
        return matrix[list(self.axial_axes), list(self.axial_axes)]

    def on_true(self, matrix: SX) -> SX:
        """A matrix of space as it acts on true vectors."""
        return matrix[list(self.true_axes), list(self.true_axes)]

    def inertia(self, given: SX) -> SX:
        """The inertia of a body in space; in the plane only that about z is known, and needed."""
        tensor = SX(3, 3)
        tensor[list(self.axial_axes), list(self.axial_axes)] = given
        return tensor


PLANE = Embedding((0, 1), (2,))
SPACE = Embedding((0, 1, 2), (0, 1, 2))


def embedding(planar: bool) -> Embedding:
    """How the vectors of a model lie in space."""
    return PLANE if planar else SPACE


def embedding_of_speeds(count: int) -> Embedding:
    """That of a body with so many speeds."""
    return embedding(count == PLANE.size)


def _rows(x: Array, axes: tuple[int, ...]) -> Array:
    """Rows of a column or a matrix; those of all axes are what it is."""
    if len(axes) == x.shape[0]:
        return x
    return x[list(axes)] if isinstance(x, np.ndarray) else x[list(axes), :]


def _placed(part: Array, axes: tuple[int, ...] | list[int], size: int) -> Array:
    """The inverse of `_rows`: zeros in the others."""
    if len(axes) == size:
        return part
    if isinstance(part, np.ndarray):
        whole = np.zeros(size)
        whole[list(axes)] = part
        return whole
    if not part.is_dense():
        return ca.vertcat(*(part[axes.index(k)] if k in axes else 0 for k in range(size)))
    whole = (SX if isinstance(part, SX) else ca.DM).zeros(size, 1)
    for k, axis in enumerate(axes):
        whole[axis] = part[k]
    return whole
