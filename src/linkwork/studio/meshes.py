"""Triangle meshes of simple solids: (vertices (n, 3), faces (m, 3)). Round ones lie along z unless said."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Triangles = tuple[np.ndarray, np.ndarray]
ROUND = 28
"""Corners of a circle: enough to look round, few enough to be small."""


def box(size: object) -> Triangles:
    """Edges along x, y, z [m], centred."""
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * np.asarray(size)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


def turned(profile: Sequence[tuple[float, float]], corners: int = ROUND) -> Triangles:
    """A surface of revolution about z: the profile is (radius, z) from one end to the other."""
    angle = np.arange(corners) * 2 * np.pi / corners
    rings = [np.column_stack([r * np.cos(angle), r * np.sin(angle), np.full(corners, z)]) for r, z in profile]
    faces = []
    nxt = np.roll(np.arange(corners), -1)
    for k, (below, above) in enumerate(zip(profile, profile[1:], strict=False)):
        a, b = k * corners + np.arange(corners), k * corners + nxt
        c, d = a + corners, b + corners
        if below[0] > 0:
            faces.append(np.column_stack([a, b, d]))
        if above[0] > 0:
            faces.append(np.column_stack([a, d, c]))
    return np.vstack(rings), np.vstack(faces)


def frustum(radius1: float, radius2: float, length: float, pieces: int = 1) -> Triangles:
    """A cone without its tip; pieces: rings along its length, for painters who sort faces by depth."""
    share = np.linspace(0, 1, pieces + 1)
    side = [(radius1 + (radius2 - radius1) * s, (s - 0.5) * length) for s in share]
    return turned([(0.0, -length / 2), *side, (0.0, length / 2)])


def cylinder(radius: float, length: float) -> Triangles:
    pieces = int(np.clip(length / (6 * radius), 1, 8))
    return frustum(radius, radius, length, pieces)


def sphere(radius: float) -> Triangles:
    angle = np.linspace(-np.pi / 2, np.pi / 2, ROUND // 2 + 1)
    profile = [(max(float(radius * np.cos(a)), 0.0) if 0 < k < ROUND // 2 else 0.0, float(radius * np.sin(a)))
               for k, a in enumerate(angle)]  # fmt: skip
    return turned(profile)


def ring(inner: float, outer: float, width: float) -> Triangles:
    """A tube about z with thick walls."""
    h = width / 2
    return turned([(inner, -h), (outer, -h), (outer, h), (inner, h), (inner, -h)])


def tyre(radius: float, width: float) -> Triangles:
    """A ring with rounded shoulders, open in the middle."""
    h, inner = width / 2, 0.72 * radius
    return turned([(inner, -h), (0.94 * radius, -h), (radius, -0.6 * h), (radius, 0.6 * h), (0.94 * radius, h),
                   (inner, h), (inner, -h)])  # fmt: skip


def prism(outline: np.ndarray, width: float) -> Triangles:
    """An outline (n, 2) that every ray from the origin leaves once, extruded along z."""
    n = len(outline)
    lower = np.column_stack([outline, np.full(n, -width / 2)])
    upper = np.column_stack([outline, np.full(n, width / 2)])
    centres = np.array([(0, 0, -width / 2), (0, 0, width / 2)])
    i, j = np.arange(n), np.roll(np.arange(n), -1)
    faces = [(i, j, j + n), (i, j + n, i + n), (np.full(n, 2 * n), j, i), (np.full(n, 2 * n + 1), i + n, j + n)]
    return np.vstack([lower, upper, centres]), np.vstack([np.column_stack(f) for f in faces])


def tube(points: np.ndarray, radius: float, corners: int = 8) -> Triangles:
    """A round wire through points (n, 3), n > 1."""
    along = np.gradient(points, axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-12)
    reference = np.eye(3)[np.abs(along).max(axis=0).argmin()]
    u = np.cross(along, reference)
    u /= np.maximum(np.linalg.norm(u, axis=1, keepdims=True), 1e-12)
    v = np.cross(along, u)
    angle = np.arange(corners) * 2 * np.pi / corners
    offsets = np.cos(angle)[:, None] * u[:, None] + np.sin(angle)[:, None] * v[:, None]
    vertices = (points[:, None] + radius * offsets).reshape(-1, 3)
    a = (np.arange(len(points) - 1)[:, None] * corners + np.arange(corners)).ravel()
    b = (np.arange(len(points) - 1)[:, None] * corners + np.roll(np.arange(corners), -1)).ravel()
    return vertices, np.vstack([np.column_stack([a, b + corners, b]), np.column_stack([a, a + corners, b + corners])])


def grid(xs: np.ndarray, ys: np.ndarray, heights: np.ndarray) -> Triangles:
    """A surface z over a rectangle; heights (len(ys), len(xs))."""
    X, Y = np.meshgrid(xs, ys)
    n = len(xs)
    a = (np.arange(len(ys) - 1)[:, None] * n + np.arange(n - 1)).ravel()
    faces = np.vstack([np.column_stack([a, a + 1, a + n + 1]), np.column_stack([a, a + n + 1, a + n])])
    return np.column_stack([X.ravel(), Y.ravel(), np.asarray(heights).ravel()]), faces


def convex(points: np.ndarray) -> Triangles:
    """The convex hull of points (n, 3)."""
    from scipy.spatial import ConvexHull

    return np.array(points), np.array(ConvexHull(points).simplices)


AXES = {
    "x": np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]]),
    "y": np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]),
    "z": np.eye(3),
}
"""Rotations that turn z along an axis."""


def along(axis: str | np.ndarray, triangles: Triangles) -> Triangles:
    """The same with its z axis along another one: a letter or a direction."""
    vertices, faces = triangles
    if isinstance(axis, str):
        return vertices @ AXES[axis].T, faces
    z = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    x = np.cross(np.eye(3)[np.abs(z).argmin()], z)
    x /= np.linalg.norm(x)
    return vertices @ np.column_stack([x, np.cross(z, x), z]).T, faces


def moved(triangles: Triangles, p: object, R: np.ndarray | None = None) -> Triangles:
    vertices, faces = triangles
    return (vertices if R is None else vertices @ np.asarray(R).T) + np.asarray(p, dtype=float), faces


def between(a: object, b: object, radius: float) -> Triangles:
    """A round bar from one point to another."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    length = float(np.linalg.norm(b - a))
    if length == 0:
        return moved(sphere(radius), a)
    return moved(along(b - a, cylinder(radius, length)), (a + b) / 2)


CREASE = 0.77
"""Cosine of the angle between faces above which an edge between them is sharp: about 40°."""


def smooth_normals(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Unit normals at the corners of faces (m, 3, 3): round things look round, edges stay sharp."""
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    areas = np.cross(b - a, c - a)
    size = np.linalg.norm(areas, axis=1)
    own = areas / np.where(size > 0, size, 1)[:, None]
    places = np.unique(vertices.round(9), axis=0, return_inverse=True)[1].ravel()[faces].ravel()
    order = np.argsort(places, kind="stable")  # corners, those at one place together
    owner = order // 3
    counts = np.bincount(places)
    counts = counts[counts > 0]
    first = np.repeat(np.cumsum(counts) - counts, counts)  # for each corner, where its place begins
    many = np.repeat(counts, counts)
    left = np.repeat(np.arange(len(order)), many)
    right = np.repeat(first, many) + np.arange(len(left)) - np.repeat(np.cumsum(many) - many, many)
    alike = np.einsum("ij,ij->i", own[owner[left]], own[owner[right]]) > CREASE
    part = areas[owner[right]] * alike[:, None]
    total = np.empty((len(order), 3))
    total[order] = np.add.reduceat(part, np.cumsum(many) - many, axis=0) if len(part) else 0.0
    length = np.linalg.norm(total, axis=1, keepdims=True)
    return (total / np.where(length > 0, length, 1)).reshape(-1, 3, 3)
