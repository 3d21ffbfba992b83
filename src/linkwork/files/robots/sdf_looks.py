"""SDF: what links look like."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from linkwork.components import shapes
from linkwork.components.mesh_files import check_readable, scale_of
from linkwork.core.errors import LinkworkError
from linkwork.files.folder import beside
from linkwork.files.robots.report import Report
from linkwork.files.robots.sdf_frames import pose_of
from linkwork.files.robots.tree import Part
from linkwork.files.robots.xml_tree import Element

SCHEMES = ("model://", "package://", "file://")


def look(link: Element, part: Part, folder: Path, report: Report) -> None:
    """Shapes for its visuals."""
    if link.first("collision") is not None:
        report.left_out(link, "<collision> makes no contact: add m.contact(…) where it touches something.")
    for visual in link.all("visual"):
        geometry = visual.first("geometry")
        for element in [] if geometry is None else geometry.children:
            place = part.place @ pose_of(visual)
            looks: Any = {"at": tuple(place.p.tolist()), "rotation": place.R.tolist(), "colour": _colour(visual)}
            try:
                shape = _shape(element, looks, folder)
            except LinkworkError as error:
                report.left_out(element, f"is not drawn: {error.cause}")
                continue
            if shape is None:
                report.left_out(element, f"<{element.tag}> is no shape that is drawn.")
            else:
                part.body.shape(shape)


def _shape(element: Element, looks: Any, folder: Path) -> shapes.Shape | None:
    if element.tag == "box":
        return shapes.Box(tuple(element.inner_numbers("size", 3)), **looks).checked("box")
    if element.tag in ("cylinder", "capsule"):
        radius, length = (element.inner_numbers(word, 1)[0] for word in ("radius", "length"))
        return shapes.Cylinder(radius, length, "z", **looks).checked("cylinder")
    if element.tag == "sphere":
        return shapes.Sphere(element.inner_numbers("radius", 1)[0], **looks).checked("sphere")
    if element.tag == "mesh":
        return _mesh(element, looks, folder)
    return None


def _mesh(element: Element, looks: Any, folder: Path) -> shapes.Shape:
    scale = element.inner_numbers("scale", 3, [1.0, 1.0, 1.0])
    if element.first("submesh") is not None:
        raise LinkworkError("a part of a mesh.")
    name = element.inner("uri")
    for scheme in SCHEMES:
        name = name.removeprefix(scheme)
    file = beside(element.file.parent, folder, name)
    if not file.is_file():
        raise LinkworkError(f"there is no such mesh in {str(folder)!r}: give folder=….")
    check_readable(file)
    return shapes.Mesh(str(file), scale_of(scale), **looks).checked("mesh")


def _colour(visual: Element) -> str | None:
    material = visual.first("material")
    word = next((w for w in ("diffuse", "ambient") if material is not None and material.first(w) is not None), None)
    if material is None or word is None:
        return None
    rgba = [*material.inner_numbers(word), 0.5, 0.5, 0.5]
    return "#" + "".join(f"{round(255 * min(max(x, 0.0), 1.0)):02x}" for x in rgba[:3])
