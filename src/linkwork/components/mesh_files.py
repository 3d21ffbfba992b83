"""Mesh files (STL, OBJ, GLB, PLY, OFF …), read by trimesh."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.core.errors import LinkworkError

Triangles = tuple[np.ndarray, np.ndarray]
"""Vertices (n, 3) [m], and three of their numbers for each face, counter-clockwise seen from outside."""

SUFFIXES = (".stl", ".obj", ".glb", ".gltf", ".ply", ".off")


def read_mesh(file: str, scale: float = 1.0) -> Triangles:
    """Its triangles in metres; scale: metres per unit of the file."""
    path = Path(file)
    if not path.is_file():
        raise LinkworkError("the mesh file does not exist.", component=str(path), remedy="Correct its path.")
    if path.suffix.lower() not in SUFFIXES:
        raise LinkworkError(
            f"no mesh format has the suffix {path.suffix!r}.",
            component=str(path),
            remedy=f"Use one of: {', '.join(SUFFIXES)}.",
        )
    vertices, faces = _loaded(str(path), path.stat().st_mtime_ns)
    return vertices * scale, faces


@lru_cache(maxsize=32)
def _loaded(file: str, _changed: int) -> Triangles:
    try:
        import trimesh
    except ImportError:
        raise LinkworkError(
            "trimesh, which reads mesh files, is not installed.",
            component=file,
            remedy="pip install 'linkwork[meshes]'",
        ) from None
    try:
        mesh: Any = trimesh.load(file, force="mesh")
        vertices, faces = np.array(mesh.vertices, dtype=float), np.array(mesh.faces, dtype=int)
    except Exception as error:  # a damaged file makes its reader fail in many ways
        raise LinkworkError(
            f"cannot be read as a mesh: {type(error).__name__}: {error}.", component=file, remedy="Export it again."
        ) from error
    if not len(faces):
        raise LinkworkError("the mesh holds no triangle.", component=file, remedy="Export it again.")
    return vertices, faces
