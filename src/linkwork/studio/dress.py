"""What bodies look like: their shapes, or something sensible where none is given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.algebra import lapack
from linkwork.core.plain_data import Data
from linkwork.studio import colours, figures, meshes
from linkwork.studio.gears import gear_items
from linkwork.studio.looks import shape_items
from linkwork.studio.scene import LAND, Area, Item, Surface
from linkwork.studio.stage import SYMBOL, Stage, corners

_WHEELS = {"Rolling", "Tyre"}
"""Components whose `radius` is that of a wheel about z of the frame `at`; others have balls."""


def dress(stage: Stage) -> None:
    """Put every body on the stage; the ground only where it has shapes."""
    for name, path in stage.motion.paths.items():
        shapes = stage.bodies.get(name, {}).get("shapes", [])
        ground = name == stage.ground
        land = [shape for shape in shapes if ground and not stage.planar and shape["kind"] == "terrain"]
        if land:
            stage.add(LAND, "ground", _shapes(stage, name, land), path)
            stage.dressed.add(name)
        look = _shapes(stage, name, [shape for shape in shapes if shape not in land])
        if look:
            stage.dressed.add(name)
        elif not ground:
            with stage.sized(SYMBOL * (stage.length(name) or np.inf)):
                look = _rolling(stage, name) or _geared(stage, name) or _plain(stage, name)
        stage.add(name, "ground" if ground else "body", look, path)
        for corner in (corner for item in look for corner in _corners(item)):
            swept = path.at(corner)
            stage.include(swept)
            if not ground:
                stage.surround(swept)


def _shapes(stage: Stage, name: str, shapes: Sequence[Data]) -> list[Item]:
    layer = 0 if name == stage.ground else stage.layers[name]
    colour, unit = stage.colours[name], stage.unit
    return [
        item
        for shape in shapes
        for item in shape_items(shape, planar=stage.planar, colour=colour, unit=unit, layer=layer, owner=name)
    ]


def _corners(item: Item) -> np.ndarray:
    """The corners of the box around an item, in body axes."""
    if isinstance(item, Area):
        points = np.column_stack([item.rings[0], np.zeros(len(item.rings[0]))])
    else:
        points = item.vertices if isinstance(item, Surface) else item.points
    return corners(points.min(axis=0), points.max(axis=0))


def _rolling(stage: Stage, name: str) -> list[Item]:
    """Wheels and balls of bodies that roll or touch with a radius."""
    items: list[Item] = []
    for part in stage.parts.values():
        on = next((key for key in ("at", "on") if part["frames"].get(key, {}).get("body") == name), None)
        if on is None:
            continue
        side, radius = part["frames"][on], part["numbers"].get("radius", 0.0) if on == "at" else 0.0
        outline = _outlined(part.get("outlines", {}).get(on), stage.planar)
        if not (radius > 0 or outline):
            continue
        ball = not _WHEELS & set(part["kinds"]) or part["numbers"].get("crown", 0.0) >= 0.5 * radius
        data = {"kind": "wheel", "radius": radius, "width": 0.2 * radius, "axis": "z"}
        shape: Data = {"kind": "sphere", "radius": radius} if ball and not stage.planar else data
        shape = outline or shape
        items += shape_items(
            {**shape, "at": side["point"], "rotation": side["rotation"]},
            planar=stage.planar,
            colour=stage.colours[name],
            unit=stage.unit,
            layer=stage.layers[name],
            owner=name,
        )
    if items:
        stage.dressed.add(name)
        items += _plain(stage, name) if len(stage.points[name]) > 1 else []
    return items


def _geared(stage: Stage, name: str) -> list[Item]:
    """Wheels of gears, and the link that carries them where there is more to the body."""
    wheels = gear_items(stage, name)
    if wheels:
        stage.dressed.add(name)
    return [*wheels, *_plain(stage, name)] if wheels and len(stage.points[name]) > 1 else wheels


def _outlined(outline: Data | None, planar: bool) -> Data | None:
    """The shape of an outline that may touch; None where it has no size, or none that ends."""
    if outline is None:
        return None
    radius = outline.get("radius", 0.0)
    match outline["kind"]:
        case "Ball" if radius > 0:
            return {"kind": "disc" if planar else "sphere", "radius": radius, "thickness": radius, "axis": "z"}
        case "Wheel":
            width = max(2 * outline.get("crown", 0.0), 0.15 * radius)
            return {"kind": "wheel", "radius": radius, "width": width, "axis": "z"}
        case "Cylinder":
            return {"kind": "disc", "radius": radius, "thickness": radius, "axis": "z"}
        case "Box":
            return {"kind": "box", "size": [*outline["size"], 0.0][:3]}
        case "Ellipsoid":
            return {"kind": "hull", "points": _ellipsoid(outline["radii"])}
        case "Convex":
            return {"kind": "hull", "points": outline["vertices"]}
    return None


def _ellipsoid(radii: Sequence[float]) -> list[list[float]]:
    """Points all over its surface, or around an ellipse."""
    around = np.linspace(0, 2 * np.pi, 33)[:-1]
    ring = np.column_stack([np.cos(around), np.sin(around)])
    if len(radii) == 2:
        return (ring * np.asarray(radii)).tolist()
    up = np.sin(np.linspace(-np.pi / 2, np.pi / 2, 17))
    shell = [np.column_stack([np.sqrt(1 - z * z) * ring, np.full(len(ring), z)]) for z in up]
    return (np.vstack(shell) * np.asarray(radii)).tolist()


def _plain(stage: Stage, name: str) -> list[Item]:
    """A link between the frames it is used by; a block, a bob, or a box of its inertia where there is one or none."""
    points, u = stage.points[name], stage.unit
    if len(points) == 0 or (len(points) == 1 and np.linalg.norm(points[0]) < 1e-9 and not _slides(stage, name)):
        return _by_inertia(stage, name)
    if len(points) == 1:
        if np.linalg.norm(points[0]) < 2 * u:
            return _block(stage, name, points[0])
        points = np.vstack([points, np.zeros(3)])
        return [*_link(stage, name, points), *_bob(stage, name)]
    return _link(stage, name, points)


def _link(stage: Stage, name: str, points: np.ndarray) -> list[Item]:
    u, colour = stage.unit, stage.colours[name]
    if stage.planar:
        return [_area(stage, name, figures.link(points, 1.9 * u))]
    centre = points.mean(axis=0)
    ends = [(points[0], points[1])] if len(points) == 2 else [(centre, p) for p in points]
    return [Surface(*meshes.between(a, b, 1.1 * u), colour) for a, b in ends if np.linalg.norm(b - a) > 1e-9]


def _bob(stage: Stage, name: str) -> list[Item]:
    if stage.planar:
        return [_area(stage, name, figures.circle(3.2 * stage.unit))]
    return [Surface(*meshes.sphere(3.2 * stage.unit), stage.colours[name])]


def _block(stage: Stage, name: str, at: np.ndarray) -> list[Item]:
    """A slider, along the direction it slides."""
    u, R = stage.unit, _slides(stage, name)
    turn = np.eye(3) if R is None else np.asarray(R)
    if stage.planar:
        return [_area(stage, name, figures.rectangle(9 * u, 6 * u) @ turn[:2, :2].T + at[:2])]
    return [Surface(*meshes.moved(meshes.box((9 * u, 6 * u, 6 * u)), at, turn), stage.colours[name])]


def _slides(stage: Stage, name: str) -> Sequence[Sequence[float]] | None:
    """Axes of the sliding joint on a body, or None."""
    for joint in stage.joints.values():
        if "Prismatic" in joint["kinds"]:
            for side in (joint["first"], joint["second"]):
                if side["body"] == name:
                    return side["rotation"]
    return None


def _by_inertia(stage: Stage, name: str) -> list[Item]:
    """The uniform box with the same moments of inertia, kept to a size that can be seen and hides nothing."""
    body, u = stage.bodies[name], stage.unit
    mass, inertia = body.get("mass", 1.0), np.asarray(body.get("inertia", 1.0), dtype=float)
    low, high = 5 * u, max(0.12 * stage.size, 6 * u) if stage.size > 0 else np.inf
    if inertia.ndim < 2:
        side = float(np.clip(np.sqrt(6 * inertia / mass), low, high))
        return [_area(stage, name, figures.rectangle(side, side))]
    moments, axes = lapack.eigh(inertia)
    squares = 6 * (moments.sum() / 2 - moments) * 2 / mass
    size = np.clip(np.sqrt(np.maximum(squares, 0.0)), low, high)
    axes = axes * (np.sign(np.linalg.det(axes)) or 1.0)
    return [Surface(*meshes.moved(meshes.box(size), (0, 0, 0), axes), stage.colours[name])]


def _area(stage: Stage, name: str, ring: np.ndarray) -> Area:
    colour = stage.colours[name]
    fill, edge = colours.mixed(colour, colours.PAPER, 0.45), colours.mixed(colour, "#000000", 0.5)
    return stage.area(ring, fill=fill, edge=edge, layer=stage.layers[name])
