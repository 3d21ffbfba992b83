"""MJCF: inertia of meshes as MuJoCo has it. Its default counts what a surface does not enclose, too."""

from __future__ import annotations

import numpy as np

from linkwork.components.inertia import Inertia
from linkwork.components.mesh_files import Scale, Triangles, scaled
from linkwork.core.errors import LinkworkError

WAYS = ("legacy", "exact", "convex")


def mesh_inertia(surface: Triangles, scale: Scale, way: str) -> Inertia:
    """For a density of 1; way: the attribute `inertia` of the mesh. MuJoCo keeps vertices in single precision."""
    vertices, faces = scaled((surface[0].astype(np.float32).astype(float), surface[1]), scale)
    if way == "exact":
        return Inertia.of_mesh(vertices, faces, density=1.0)
    if way == "convex":
        return Inertia.of_mesh(*_hull(vertices), density=1.0)
    if way == "legacy":
        return _legacy(vertices[faces])
    raise LinkworkError(f"the inertia {way[:30]!r} of its mesh is not understood.")


def _hull(vertices: np.ndarray) -> Triangles:
    """The convex hull, its triangles counter-clockwise seen from outside."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(vertices)
    except QhullError as error:
        raise LinkworkError("the mesh is flat: its hull holds no volume.") from error
    faces = hull.simplices.copy()
    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = np.einsum("ni,ni->n", normals, hull.equations[:, :3]) < 0
    faces[inward] = faces[inward][:, ::-1]
    return vertices, faces


def _legacy(corners: np.ndarray) -> Inertia:
    """All tetrahedra from a centre to the triangles count as positive: of closed convex surfaces it is exact.

    The centre of mass is that of tetrahedra from the centroid of the surface; mass and moments are those of tetrahedra
    from the centre of mass.
    """
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    if not areas.sum() > 0:
        raise LinkworkError("the mesh has no surface.")
    middle = areas @ corners.mean(axis=1) / areas.sum()
    volumes, sums = _tetrahedra(corners - middle)
    if not volumes.sum() > 0:
        raise LinkworkError("the surface holds no volume.")
    centre = middle + volumes @ sums / 4 / volumes.sum()
    relative = corners - centre
    volumes, sums = _tetrahedra(relative)
    second = np.einsum("n,nij,nik->jk", volumes, relative, relative) + np.einsum("n,nj,nk->jk", volumes, sums, sums)
    return Inertia(volumes.sum(), (np.trace(second) * np.eye(3) - second) / 20, centre)


def _tetrahedra(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Volumes of tetrahedra from the origin, and sums of their corners."""
    return np.abs(np.linalg.det(corners)) / 6, corners.sum(axis=1)
