"""Polygons and convex polyhedra as numbers: corners, faces as rings of corners, directions of edges.

A polygon is a polyhedron without extent along z: its faces are its sides, rings of two corners, and it has no edges.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import casadi as ca
import numpy as np

from linkwork.components.contacts.outlines import Box, Convex, corners_of

NORMAL_DIFFERENCE = 1e-9
"""By how little the normals of simplices of one flat face may differ."""


@dataclass(frozen=True)
class Shape:
    """What does not change with its size: which corners make faces and edges."""

    rings: tuple[tuple[int, ...], ...]
    """Corners of each face, in order around it."""
    edges: np.ndarray
    """Pairs of corners, one per row; none in the plane."""


@dataclass(frozen=True)
class Polytope:
    """corners (n × 3) [m] and outward unit normals of the faces (m × 3), in one set of axes."""

    shape: Shape
    corners: np.ndarray
    normals: np.ndarray

    def moved(self, R: np.ndarray, p: np.ndarray) -> Polytope:
        """The same in other axes: x → R x + p."""
        return Polytope(self.shape, self.corners @ R.T + p, self.normals @ R.T)

    @cached_property
    def offsets(self) -> np.ndarray:
        """Distances of the faces' planes from the origin [m]."""
        first = [ring[0] for ring in self.shape.rings]
        return np.einsum("ij,ij->i", self.normals, self.corners[first])

    @cached_property
    def directions(self) -> np.ndarray:
        """Unit vectors along the edges, one per edge."""
        along = self.corners[self.shape.edges[:, 1]] - self.corners[self.shape.edges[:, 0]]
        return along / np.linalg.norm(along, axis=1)[:, None]

    @cached_property
    def shortest(self) -> float:
        """Length of its shortest edge or side [m]."""
        pairs = self.shape.edges if len(self.shape.edges) else np.array(self.shape.rings)
        return float(np.linalg.norm(self.corners[pairs[:, 1]] - self.corners[pairs[:, 0]], axis=1).min())

    @cached_property
    def radius(self) -> float:
        """Of the ball around the origin that holds it [m]."""
        return float(np.linalg.norm(self.corners, axis=1).max())


def shape_of(outline: Box | Convex) -> Shape:
    """How its corners, in the order of `corners_of`, are joined."""
    if isinstance(outline, Convex):
        return _hull(outline)
    n = len(outline.size)
    signs = np.array(list(product((-1, 1), repeat=n)), dtype=float)
    faces = [(i, s) for i in range(n) for s in (-1, 1)]
    rings = [np.flatnonzero(signs[:, i] == s) for i, s in faces]
    return _joined(_in_space(signs), rings, np.array([s * np.eye(3)[i] for i, s in faces]))


def polytope_of(shape: Shape, corners: np.ndarray) -> Polytope:
    """With numbers for its corners (n × 3)."""
    centre = corners.mean(axis=0)
    normals = []
    for ring in shape.rings:
        face = corners[list(ring)]
        if len(ring) == 2:
            along = face[1] - face[0]
            normal = np.array([along[1], -along[0], 0.0])
        else:
            normal = np.cross(face - face[0], np.roll(face, -1, axis=0) - face[0]).sum(axis=0)  # twice its area
        normal /= np.linalg.norm(normal)
        normals.append(normal if normal @ (face[0] - centre) > 0 else -normal)
    return Polytope(shape, corners, np.array(normals))


def numbers_of(outline: Box | Convex) -> Polytope:
    """An outline whose sizes are numbers."""
    corners = np.array([np.array(ca.DM(c)).ravel() for c in corners_of(outline)])
    return polytope_of(shape_of(outline), corners)


def _hull(outline: Convex) -> Shape:
    """Simplices of one plane are one face."""
    corners = _in_space(outline.corners)
    outward = _in_space(outline.outward)
    if outline.corners.shape[1] == 2:
        return Shape(tuple((int(i), int(j)) for i, j in outline.faces), np.zeros((0, 2), dtype=int))
    faces: list[tuple[np.ndarray, set[int]]] = []
    for simplex, normal in zip(outline.faces, outward, strict=True):
        same = [members for n, members in faces if n @ normal > 1 - NORMAL_DIFFERENCE]
        if same:
            same[0].update(int(k) for k in simplex)
        else:
            faces.append((normal, {int(k) for k in simplex}))
    rings = [np.array(sorted(members)) for _, members in faces]
    return _joined(corners, rings, np.array([n for n, _ in faces]))


def _joined(corners: np.ndarray, faces: list[np.ndarray], normals: np.ndarray) -> Shape:
    """Corners of each face put in order around it; edges are the neighbours."""
    rings = []
    for face, normal in zip(faces, normals, strict=True):
        if len(face) == 2:
            rings.append(tuple(int(k) for k in face))
            continue
        away = corners[face] - corners[face].mean(axis=0)
        across = np.cross(normal, away[0])
        angle = np.arctan2(away @ across / np.linalg.norm(across), away @ away[0] / np.linalg.norm(away[0]))
        rings.append(tuple(int(k) for k in face[np.argsort(angle)]))
    around = [zip(ring, (*ring[1:], ring[0]), strict=True) for ring in rings if len(ring) > 2]
    pairs = {(min(pair), max(pair)) for ring in around for pair in ring}
    return Shape(tuple(rings), np.array(sorted(pairs), dtype=int).reshape(-1, 2))


def _in_space(points: np.ndarray) -> np.ndarray:
    return np.column_stack([points, np.zeros((len(points), 3 - points.shape[1]))])
