"""Mesh files (STL, OBJ, GLB, PLY, OFF …), read by trimesh."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.core.errors import LinkworkError

Triangles = tuple[np.ndarray, np.ndarray]
"""Vertices (n, 3) [m], and three of their numbers for each face, counter-clockwise seen from outside."""

SUFFIXES = (".stl", ".obj", ".glb", ".gltf", ".ply", ".off", ".msh", ".dae")
Scale = float | tuple[float, float, float]
"""Metres per unit of a file: the same in all directions, or along x, y and z; negative: mirrored."""


def scale_of(sizes: Sequence[float]) -> Scale:
    """Three scales along x, y and z as one where they are equal."""
    x, y, z = sizes
    return x if x == y == z else (x, y, z)


def check_readable(path: Path) -> None:
    """LinkworkError where a file of this name cannot be read, whatever is in it."""
    if path.suffix.lower() not in SUFFIXES:
        raise LinkworkError(
            f"no mesh format has the suffix {path.suffix!r}.",
            component=str(path),
            remedy=f"Use one of: {', '.join(SUFFIXES)}.",
        )
    if path.suffix.lower() == ".dae" and find_spec("collada") is None:
        raise LinkworkError(
            "pycollada, which reads .dae files, is not installed.",
            component=str(path),
            remedy="pip install 'linkwork[meshes]'",
        )


def read_mesh(file: str, scale: Scale = 1.0) -> Triangles:
    """Its triangles in metres; scale: metres per unit of the file."""
    path = Path(file)
    if not path.is_file():
        raise LinkworkError("the mesh file does not exist.", component=str(path), remedy="Correct its path.")
    check_readable(path)
    return scaled(_loaded(str(path), path.stat().st_mtime_ns), scale)


def scaled(surface: Triangles, scale: Scale) -> Triangles:
    """The same in other units; what is mirrored is turned inside out, so that its triangles stay counter-clockwise."""
    sizes = np.asarray(scale, dtype=float)
    return surface[0] * sizes, surface[1][:, ::-1] if sizes.ndim and np.prod(sizes) < 0 else surface[1]


@lru_cache(maxsize=32)
def _loaded(file: str, _changed: int) -> Triangles:
    if file.lower().endswith(".msh"):
        return _mujoco_mesh(Path(file))
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


def _mujoco_mesh(path: Path) -> Triangles:
    """MuJoCo's own binary form: numbers of vertices, normals, texture coordinates and faces, then these one after the
    other (normals and texture coordinates are not needed)."""
    data = path.read_bytes()
    counts = np.frombuffer(data[:16] if len(data) >= 16 else b"", dtype="<i4").astype(int)
    size = 16 + 4 * int(counts @ [3, 3, 2, 3]) if counts.size else -1
    if size != len(data) or (counts < 0).any() or counts[0] < 3 or counts[3] < 1:
        raise LinkworkError("is no mesh in MuJoCo's binary form.", component=str(path), remedy="Export it again.")
    vertices = np.frombuffer(data, dtype="<f4", count=3 * counts[0], offset=16).reshape(-1, 3).astype(float)
    faces = np.frombuffer(data, dtype="<i4", count=3 * counts[3], offset=size - 12 * counts[3]).reshape(-1, 3)
    if not np.isfinite(vertices).all() or faces.min() < 0 or faces.max() >= counts[0]:
        raise LinkworkError("names vertices that it does not hold.", component=str(path), remedy="Export it again.")
    return vertices, faces.astype(int)
