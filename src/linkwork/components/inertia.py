"""Inertia algebra: mass, mass centre and moments of what is shifted, turned, put together and cut out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from linkwork.components import shapes
from linkwork.components.bodies import read_inertia, read_rotation
from linkwork.components.mesh_files import read_mesh
from linkwork.core.errors import ModelError
from linkwork.core.kinds import number, vector
from linkwork.geometry import SX

OWNER = "inertia"
OPEN_AREA_SHARE = 1e-6
"""Share of its area by which a surface may be open."""


@dataclass(frozen=True)
class Inertia:
    """mass [kg], matrix [kg·m²] about the mass centre (3×3, or (Ixx, Iyy, Izz[, Ixy, Ixz, Iyz])), centre [m].

    Centre and matrix are in the same axes. `a + b` are both parts in one, `a - b` is a with b cut out,
    `2 * a` is twice as dense.
    """

    mass: float
    matrix: Any = field(default_factory=lambda: np.zeros((3, 3)))
    centre: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", number.taken("mass", self.mass, OWNER))
        matrix = np.array(read_inertia(self.matrix, False, OWNER), dtype=float)
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "centre", _point("centre", self.centre))

    @classmethod
    def of(cls, shape: shapes.Shape, *, density: float | None = None, mass: float | None = None) -> Inertia:
        """Of a uniform solid of this shape, where its `at` and `rotation` put it; density [kg/m³] or mass [kg]."""
        if not isinstance(shape, shapes.Shape) or type(shape) not in _SOLIDS:
            known = ", ".join(kind.__name__ for kind in _SOLIDS)
            raise ModelError(f"{shape!r} has no volume.", component=OWNER, remedy=f"Give one of {known}.")
        if (density is None) == (mass is None):
            raise ModelError("needs either density or mass.", component=OWNER, remedy="Steel has density 7850 kg/m³.")
        shape.checked(OWNER)
        unit = _SOLIDS[type(shape)](shape)
        R = np.array(ca.DM(read_rotation(shape.rotation, OWNER)[0]))
        share = number.taken("density", density, OWNER) if mass is None else mass / unit.mass
        return (share * unit).rotated(R).moved(shape.at)

    @classmethod
    def of_mesh(cls, vertices: ArrayLike, triangles: ArrayLike, *, density: float) -> Inertia:
        """Of what a closed surface holds: vertices (n, 3) [m], three of their numbers for each triangle."""
        corners = np.asarray(vertices, dtype=float)[np.asarray(triangles, dtype=int)]
        return float(density) * _of_tetrahedra(corners)

    def moved(self, by: ArrayLike) -> Inertia:
        """The same part elsewhere: by (x, y[, z]) [m]."""
        return Inertia(self.mass, self.matrix, self.centre + _point("by", by))

    def rotated(self, rotation: object) -> Inertia:
        """The same part turned about the origin: angle about z [rad], 3×3 matrix, quaternion, or lw.rotation(…)."""
        R = np.array(ca.DM(read_rotation(rotation, OWNER)[0]))
        return Inertia(self.mass, R @ self.matrix @ R.T, R @ self.centre)

    def about(self, point: ArrayLike = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Matrix [kg·m²] about a point [m]: the theorem of parallel axes (Steiner, Huygens)."""
        d = self.centre - _point("point", point)
        return self.matrix + self.mass * (d @ d * np.eye(3) - np.outer(d, d))

    @property
    def principal(self) -> tuple[np.ndarray, np.ndarray]:
        """Principal moments [kg·m²] in rising order, and their axes as columns."""
        moments, axes = np.linalg.eigh(self.matrix)
        return moments, axes * np.sign(np.linalg.det(axes))

    def __add__(self, other: Inertia) -> Inertia:
        mass = self.mass + other.mass
        if mass == 0:
            return Inertia(0.0, self.about() + other.about())
        centre = (self.mass * self.centre + other.mass * other.centre) / mass
        return Inertia(mass, self.about(centre) + other.about(centre), centre)

    def __sub__(self, other: Inertia) -> Inertia:
        return self + -1.0 * other

    def __rmul__(self, factor: float) -> Inertia:
        return Inertia(factor * self.mass, factor * self.matrix, self.centre)


def _point(word: str, given: object) -> np.ndarray:
    read = vector.taken(word, given, OWNER)
    if any(isinstance(c, SX) for c in read):
        raise ModelError(f"{word} must be numbers.", component=OWNER, remedy="Give 2 or 3 numbers in metres.")
    return np.array([*read, 0.0][:3], dtype=float)


def _box(s: shapes.Box) -> Inertia:
    a, b, c = (float(x) for x in s.size)
    volume = a * b * c
    return Inertia(volume, volume / 12 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b]))


def _round(radius1: float, radius2: float, length: float, axis: str) -> Inertia:
    """A frustum about an axis, its middle in the origin: sums over discs, exact."""
    a, b, h = radius1, radius2, length
    square = (a * a + a * b + b * b) / 3  # mean of r²
    fourth = (a**4 + a**3 * b + a * a * b * b + a * b**3 + b**4) / 5
    first = h * (b * b - a * a) / 12  # mean of s r², s from the middle
    second = h * h * ((a * a + b * b) / 30 + a * b / 60)  # mean of s² r²
    volume = np.pi * h * square
    centre = first / square
    across = np.pi * h * (fourth / 4 + second) - volume * centre**2
    along = np.pi * h * fourth / 2
    i = "xyz".index(axis)
    moments, place = np.full(3, across), np.zeros(3)
    moments[i], place[i] = along, centre
    return Inertia(volume, np.diag(moments), place)


def _rod(s: shapes.Rod) -> Inertia:
    start, end = (np.array([*p, 0.0][:3], dtype=float) for p in (s.start, s.end))
    length = float(np.linalg.norm(end - start))
    u = (end - start) / length
    own = _round(float(s.radius), float(s.radius), length, "x").matrix
    matrix = own[1, 1] * np.eye(3) + (own[0, 0] - own[1, 1]) * np.outer(u, u)
    return Inertia(np.pi * float(s.radius) ** 2 * length, matrix, (start + end) / 2)


def _of_tetrahedra(corners: np.ndarray) -> Inertia:
    """A volume by the tetrahedra from the origin to its triangles (n, 3, 3): each has V = det/6 and second moments
    V/20 (Σ rᵢrᵢᵀ + (Σ rᵢ)(Σ rᵢ)ᵀ)."""
    volumes = np.linalg.det(corners) / 6
    volume = volumes.sum()
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    gap = np.linalg.norm(areas.sum(axis=0)) / np.linalg.norm(areas, axis=1).sum()
    if not (volume > 0 and gap < OPEN_AREA_SHARE):
        raise ModelError(
            "the surface holds no volume.",
            component=OWNER,
            remedy="It must be closed, its triangles counter-clockwise seen from outside.",
        )
    sums = corners.sum(axis=1)
    centre = (volumes[:, None] * sums).sum(axis=0) / 4 / volume
    second = np.einsum("n,nij,nik->jk", volumes, corners, corners) + np.einsum("n,nj,nk->jk", volumes, sums, sums)
    second = second / 20 - volume * np.outer(centre, centre)
    return Inertia(volume, np.trace(second) * np.eye(3) - second, centre)


def _mesh(s: shapes.Mesh) -> Inertia:
    vertices, faces = read_mesh(str(s.file), s.scale)
    return _of_tetrahedra(vertices[faces])


def _sphere(s: shapes.Sphere) -> Inertia:
    volume, r = 4 / 3 * np.pi * float(s.radius) ** 3, float(s.radius)
    return Inertia(volume, 0.4 * volume * r * r * np.eye(3))


_SOLIDS: dict[type[shapes.Shape], Callable[[Any], Inertia]] = {
    shapes.Box: _box,
    shapes.Cylinder: lambda s: _round(float(s.radius), float(s.radius), float(s.length), s.axis),
    shapes.Rod: _rod,
    shapes.Sphere: _sphere,
    shapes.Disc: lambda s: _round(float(s.radius), float(s.radius), float(s.thickness), s.axis),
    shapes.Wheel: lambda s: _round(float(s.radius), float(s.radius), float(s.width), s.axis),
    shapes.GearWheel: lambda s: _round(float(s.radius), float(s.radius), float(s.width), s.axis),
    shapes.Frustum: lambda s: _round(float(s.radius1), float(s.radius2), float(s.length), s.axis),
    shapes.Mesh: _mesh,
}
"""Each of density 1 kg/m³, before it is placed; wheels and gears as the discs that they nearly are."""
