"""MJCF: geoms as inertias and as shapes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from linkwork.components import shapes
from linkwork.components.inertia import Inertia
from linkwork.components.mesh_files import check_readable, read_mesh, scale_of
from linkwork.core.errors import LinkworkError
from linkwork.files.folder import beside
from linkwork.files.robots.mjcf_frames import Compiler, placed_geom
from linkwork.files.robots.mjcf_meshes import mesh_inertia
from linkwork.files.robots.report import Report
from linkwork.files.robots.tree import Placement
from linkwork.files.robots.xml_tree import Element

DENSITY = 1000.0
"""Of a geom that says nothing else [kg/m³]."""
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}
MASSLESS = ("plane", "hfield", "sdf")


class Geoms:
    """Reads geoms of one file; meshes by name: their elements; base: the folder of the file itself."""

    def __init__(self, compiler: Compiler, meshes: dict[str, Element], base: Path, folder: Path, report: Report):
        self.compiler, self.meshes, self.base, self.folder, self.report = compiler, meshes, base, folder, report

    def inertia(self, geom: Element) -> Inertia | None:
        """Mass and moments in the axes of the body; None: it has none."""
        low, high = self.compiler.groups
        kind = self.kind(geom)
        if kind in MASSLESS or not low <= geom.number("group", 0.0) <= high:
            return None
        mass = geom.number("mass") if "mass" in geom.attributes else None
        density = geom.number("density", DENSITY)
        if mass == 0 or (mass is None and density == 0):
            return None
        if geom.attributes.get("shellinertia", "false") == "true":
            self.report.left_out(geom, "is taken as a solid, not as a shell.")
        place, unit = self._unit(geom, kind)
        share = density if mass is None else mass / unit.mass
        return (share * unit).rotated(place.R).moved(place.p)

    def kind(self, geom: Element) -> str:
        return geom.attributes.get("type", "mesh" if "mesh" in geom.attributes else "sphere")

    def _unit(self, geom: Element, kind: str) -> tuple[Placement, Inertia]:
        """Where it is, and its inertia for a density of 1."""
        place, size = placed_geom(self.compiler, geom)
        if kind == "mesh":
            mesh = self._mesh(geom)
            way = self.meshes[geom.text("mesh")].attributes.get("inertia", "legacy")
            return place, mesh_inertia(read_mesh(str(mesh.file)), mesh.scale, way)
        if kind not in SIZES:
            geom.fail(
                f"{geom.said} is of the type {kind[:30]!r}, which has no inertia here.", "Give its body <inertial>."
            )
        if len(size) < SIZES[kind] or not all(x > 0 for x in size[: SIZES[kind]]):
            geom.fail(f"{geom.said} needs {SIZES[kind]} sizes above 0.")
        return place, _solid(kind, size)

    def _mesh(self, geom: Element) -> shapes.Mesh:
        name = geom.attributes.get("mesh", "")
        asset = self.meshes.get(name)
        if asset is None:
            geom.fail(f"there is no mesh {name[:60]!r}.")
        scale = asset.numbers("scale", 3, [1.0, 1.0, 1.0])
        if "file" not in asset.attributes or {"refpos", "refquat"} & set(asset.attributes):
            raise LinkworkError("a mesh without a file, or with refpos or refquat.")
        file = beside(self.base, self.folder, str(Path(self.compiler.meshes) / asset.text("file")))
        if not file.is_file():
            raise LinkworkError(
                f"there is no file {asset.text('file')!r} in {str(self.folder)!r}.", remedy="Give folder=…."
            )
        check_readable(file)
        return shapes.Mesh(str(file), scale_of(scale))

    def shape(self, geom: Element, frame: Placement) -> shapes.Shape | None:
        """What it looks like; frame: of its body's element in the axes of the model's body."""
        kind = self.kind(geom)
        place, size = placed_geom(self.compiler, geom)
        there = frame @ place
        looks: Any = {"at": tuple(there.p.tolist()), "rotation": there.R.tolist(), "colour": _colour(geom)}
        try:
            if kind == "mesh":
                mesh = self._mesh(geom)
                return shapes.Mesh(mesh.file, mesh.scale, **looks).checked("mesh")
            made = _look(kind, size, looks)
            return None if made is None else made.checked(kind)
        except LinkworkError as error:
            self.report.left_out(geom, f"is not drawn: {error.cause}")
            return None


def _solid(kind: str, size: list[float]) -> Inertia:
    """Inertia of a solid of density 1 about its own axes; sizes are half lengths, as in MJCF."""
    if kind == "sphere":
        return Inertia.of(shapes.Sphere(size[0]), density=1.0)
    if kind == "cylinder":
        return Inertia.of(shapes.Cylinder(size[0], 2 * size[1], "z"), density=1.0)
    if kind == "box":
        return Inertia.of(shapes.Box((2 * size[0], 2 * size[1], 2 * size[2])), density=1.0)
    if kind == "ellipsoid":
        a, b, c = size[:3]
        mass = 4 / 3 * np.pi * a * b * c
        return Inertia(mass, mass / 5 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b]))
    r, h = size[:2]
    ball, bar = 4 / 3 * np.pi * r**3, 2 * np.pi * r * r * h
    about = 2 / 5 * ball * r * r + bar * r * r / 2
    across = ball * (2 / 5 * r * r + h * h + 3 / 4 * r * h) + bar * (r * r / 4 + h * h / 3)
    return Inertia(ball + bar, np.diag([across, across, about]))


def _look(kind: str, size: list[float], looks: Any) -> shapes.Shape | None:
    if len(size) < SIZES.get(kind, 0):
        raise LinkworkError(f"a {kind} needs {SIZES[kind]} sizes.")
    if kind == "sphere":
        return shapes.Sphere(size[0], **looks)
    if kind in ("cylinder", "capsule"):
        return shapes.Cylinder(size[0], 2 * size[1], "z", **looks)
    if kind == "box":
        return shapes.Box((2 * size[0], 2 * size[1], 2 * size[2]), **looks)
    return None


def _colour(geom: Element) -> str | None:
    if "rgba" not in geom.attributes:
        return None
    rgba = geom.numbers("rgba", 4)
    return "#" + "".join(f"{round(255 * min(max(x, 0.0), 1.0)):02x}" for x in rgba[:3])
