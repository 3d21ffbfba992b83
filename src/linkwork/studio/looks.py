"""Shapes as items: each kind has a surface for space and a figure for the plane."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linkwork.components.mesh_files import read_mesh
from linkwork.core.errors import LinkworkError
from linkwork.core.plain_data import Data
from linkwork.studio import colours, figures, meshes
from linkwork.studio.meshes import Triangles
from linkwork.studio.motion import matrix
from linkwork.studio.scene import Area, Item, Stroke, Surface


def shape_items(shape: Data, *, planar: bool, colour: str, unit: float, layer: int, owner: str) -> list[Item]:
    """What to draw for one shape of a description; owner: the body's name, for messages."""
    if shape["kind"] not in SURFACES:
        raise LinkworkError(f"a shape of the unknown kind {shape['kind']!r}.", component=owner)
    colour = colours.resolved(shape["colour"], owner) if "colour" in shape else colour
    at, R = np.array(shape.get("at", (0.0, 0.0, 0.0))), rotation(shape.get("rotation"))
    see = float(shape.get("opacity", 1.0))
    shape = {**shape, "unit": unit}
    if shape["kind"] == "line":
        points = placed(np.array([[*p, 0.0][:3] for p in shape["points"]]), at, R)
        return [Stroke(points, colour, 0.35 * unit, layer)]
    if not planar:
        return [
            Surface(placed(vertices, at, R), faces, tint or colour, see)
            for tint, (vertices, faces) in SURFACES[shape["kind"]](shape)
        ]
    items: list[Item] = []
    for k, (tint, *rings) in enumerate(FIGURES[shape["kind"]](shape)):
        fill = None if tint == NONE else colours.mixed(tint or colour, colours.PAPER, 0.45)
        edge = colours.mixed(tint if tint and tint != NONE else colour, "#000000", 0.5)
        flat = tuple(placed(np.column_stack([r, np.zeros(len(r))]), at, R)[:, :2] for r in rings)
        items.append(Area(flat, fill, edge, 0.22 * unit, layer + (k > 0), see))
    return items


def rotation(given: object) -> np.ndarray:
    """The matrix of an angle about z, a matrix, or a quaternion."""
    if given is None:
        return np.eye(3)
    array = np.asarray(given, dtype=float)
    if array.ndim == 0:
        c, s = np.cos(array), np.sin(array)
        return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    return matrix(array / np.linalg.norm(array)) if array.shape == (4,) else array


def placed(points: np.ndarray, at: np.ndarray, R: np.ndarray) -> np.ndarray:
    return points @ R.T + at


NONE = "none"
Coloured = list[tuple[str | None, Triangles]]
"""Parts of a surface, each with a colour of its own or None: the shape's."""


def _wheel(s: Data) -> Coloured:
    r, w = s["radius"], s["width"]
    spokes = [meshes.moved(meshes.box((1.4 * r, 0.12 * r, 0.25 * w)), (0, 0, 0), rotation(a)) for a in (0.0, np.pi / 2)]
    rim = meshes.ring(0.62 * r, 0.72 * r, 0.8 * w)
    hub = meshes.cylinder(0.16 * r, 0.5 * w)
    parts = [("#2b2f33", meshes.tyre(r, w)), *((None, part) for part in (rim, hub, *spokes))]
    return [(tint, meshes.along(s["axis"], part)) for tint, part in parts]


def _disc(s: Data) -> Coloured:
    r, h = s["radius"], s["thickness"]
    mark = meshes.moved(meshes.cylinder(0.12 * r, 1.2 * h), (0.65 * r, 0, 0))
    parts = [(None, meshes.cylinder(r, h)), (colours.INK, mark)]
    return [(tint, meshes.along(s["axis"], part)) for tint, part in parts]


def _terrain(s: Data) -> Coloured:
    heights = np.asarray(s["heights"])
    xs = np.linspace(s["x"][0], s["x"][1], heights.shape[1])
    if s["y"] is None:
        half = 0.1 * (xs[-1] - xs[0])
        return [(_soil(s), meshes.grid(xs, np.array([-half, half]), np.vstack([heights, heights])))]
    return [(_soil(s), meshes.grid(xs, np.linspace(s["y"][0], s["y"][1], heights.shape[0]), heights))]


def _soil(s: Data) -> str | None:
    return None if "colour" in s else colours.NAMES["ground"]


def _mesh(s: Data) -> Coloured:
    return [(None, _read(s))]


def _read(s: Data) -> Triangles:
    try:
        return read_mesh(s["file"], s.get("scale", 1.0))
    except LinkworkError as error:
        warnings.warn(f"{error} A box is drawn instead.", stacklevel=2)
        return meshes.box((8 * s["unit"],) * 3)


SURFACES: dict[str, Callable[[Data], Coloured]] = {
    "box": lambda s: [(None, meshes.box(s["size"]))],
    "cylinder": lambda s: [(None, meshes.along(s["axis"], meshes.cylinder(s["radius"], s["length"])))],
    "rod": lambda s: [(None, meshes.between(_three(s["start"]), _three(s["end"]), s["radius"]))],
    "sphere": lambda s: [(None, meshes.sphere(s["radius"]))],
    "disc": _disc,
    "wheel": _wheel,
    "gear": lambda s: [
        (None, meshes.along(s["axis"], meshes.prism(figures.gear(s["radius"], s["teeth"]), s["width"])))
    ],
    "frustum": lambda s: [
        (None, meshes.along(s["axis"], meshes.frustum(s["radius1"], s["radius2"], s["length"], pieces=4)))
    ],
    "line": lambda s: [],
    "hull": lambda s: [(None, meshes.convex(np.array(s["points"])))],
    "mesh": _mesh,
    "terrain": _terrain,
}
Figures = list[tuple[Any, ...]]
"""Parts of a figure: (colour or None, outer ring, holes …)."""


def _lying(axis: str, length: float, width: float) -> np.ndarray:
    """A round bar from the side; along z one looks at its end."""
    if axis == "z":
        return figures.circle(width / 2)
    return figures.rectangle(length, width) if axis == "x" else figures.rectangle(width, length)


def _flat_wheel(s: Data) -> Figures:
    r = s["radius"]
    if s["axis"] != "z":
        return [(None, _lying(s["axis"], s["width"], 2 * r))]
    spokes = [figures.rectangle(1.4 * r, 0.09 * r) @ rotation(a)[:2, :2].T for a in (0.0, np.pi / 3, -np.pi / 3)]
    return [
        ("#2b2f33", figures.circle(r), figures.circle(0.74 * r)[::-1]),
        *((None, spoke) for spoke in spokes),
        (None, figures.circle(0.16 * r)),
    ]


def _flat_disc(s: Data) -> Figures:
    r = s["radius"]
    if s["axis"] != "z":
        return [(None, _lying(s["axis"], s["thickness"], 2 * r))]
    return [(None, figures.circle(r)), (colours.INK, figures.circle(0.1 * r, (0.68 * r, 0)))]


def _flat_frustum(s: Data) -> Figures:
    r1, r2, h = s["radius1"], s["radius2"], s["length"] / 2
    if s["axis"] == "z":
        return [(None, figures.circle(max(r1, r2))), (None, figures.circle(max(min(r1, r2), 0.02 * max(r1, r2))))]
    side = np.array([(-h, -r1), (h, -r2), (h, r2), (-h, r1)])
    return [(None, side if s["axis"] == "x" else np.column_stack([-side[:, 1], side[:, 0]]))]


def _flat_terrain(s: Data) -> Figures:
    heights = np.asarray(s["heights"])[0]
    xs = np.linspace(s["x"][0], s["x"][1], len(heights))
    depth = heights.min() - 0.08 * (xs[-1] - xs[0])
    ring = np.vstack([np.column_stack([xs, heights]), [(xs[-1], depth), (xs[0], depth)]])
    return [(_soil(s), ring[::-1])]


def _three(point: Sequence[float] | np.ndarray) -> np.ndarray:
    return np.array([*point, 0.0][:3], dtype=float)


FIGURES: dict[str, Callable[[Data], Figures]] = {
    "box": lambda s: [(None, figures.rectangle(s["size"][0], s["size"][1]))],
    "cylinder": lambda s: [(None, _lying(s["axis"], s["length"], 2 * s["radius"]))],
    "rod": lambda s: [(None, figures.link(np.array([_three(s["start"]), _three(s["end"])]), s["radius"]))],
    "sphere": lambda s: [(None, figures.circle(s["radius"]))],
    "disc": _flat_disc,
    "wheel": _flat_wheel,
    "gear": lambda s: [(None, figures.gear(s["radius"], s["teeth"])), (None, figures.circle(0.2 * s["radius"]))],
    "frustum": _flat_frustum,
    "line": lambda s: [],
    "hull": lambda s: [(None, figures.hull(np.array(s["points"])))],
    "mesh": lambda s: [(None, figures.hull(_read(s)[0]))],
    "terrain": _flat_terrain,
}
