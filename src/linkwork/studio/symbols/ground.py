"""What bodies roll on and touch: lines with hatching in the plane, a floor or a landscape in space."""

from __future__ import annotations

import numpy as np

from linkwork.core.plain_data import Data
from linkwork.studio import colours, figures, meshes
from linkwork.studio.looks import shape_items
from linkwork.studio.motion import Path, quaternion
from linkwork.studio.scene import FLOOR, LAND, Item
from linkwork.studio.stage import Stage, corners
from linkwork.studio.symbols.registry import symbol

_DRAWN = FLOOR
SOIL = ("#ddd6ca", "#d1c9bb")
"""Two tones of uneven ground."""


@symbol("Rolling", "Contact", "RigidContact", "KnifeEdge", planar=True)
def line(stage: Stage, name: str, part: Data) -> None:
    """The surface that is touched, as far as the motion goes."""
    side = part["frames"].get("on")
    if side is None or _already(stage, side, part):
        return
    path = stage.motion.frame(side)
    if part.get("heights"):
        look = {"kind": "terrain", **part["heights"]}
        items: list[Item] = shape_items(look, planar=True, colour=colours.GROUND, unit=stage.unit, layer=0, owner=name)
        return stage.add(_DRAWN, "ground", items, path)
    u, (low, high) = stage.unit, _extent(stage, side, (0,))[0]
    ends = np.array([[low, 0.0], [high, 0.0]])
    items = [stage.stroke(ends, colours.INK, 1, 0.4)]
    items += [stage.stroke(h, colours.INK, 0, 0.18) for h in figures.hatching(ends[0], ends[1], 1.8 * u, 2.2 * u)]
    stage.add(_DRAWN, "ground", items, path)
    stage.include(np.vstack([path.at([*end, 0.0]) for end in ends]))


@symbol("Rolling", "Contact", "RigidContact", "KnifeEdge", planar=False)
def floor(stage: Stage, name: str, part: Data) -> None:
    """A plane with a grid, or the landscape."""
    side = part["frames"].get("on")
    if side is None or _already(stage, side, part):
        return
    path = stage.motion.frame(side)
    if part.get("heights"):
        low = 0.25 * stage.unit if any(node.name == LAND for node in stage.nodes) else 0.0  # below what users drew
        return stage.add(_DRAWN, "ground", draped(stage, part["heights"], low), path)
    (x0, x1), (y0, y1) = _extent(stage, side, (0, 1))
    stage.add(_DRAWN, "ground", tiles(stage, (x0, x1), (y0, y1)), path)


def road(stage: Stage, name: str, part: Data) -> None:
    """What a wheel runs on."""
    (line if stage.planar else floor)(stage, name, part)


def default_floor(stage: Stage) -> None:
    """A floor below a spatial mechanism that has none: it shows what is up, and carries the shadow."""
    if stage.planar or _has_land(stage) or any(node.name == _DRAWN for node in stage.nodes):
        return
    up = stage.up
    side = np.cross(up, np.eye(3)[2 if abs(up[2]) < 0.9 else 0])
    side /= np.linalg.norm(side)
    R = np.column_stack([side, np.cross(up, side), up])
    local = corners(stage.low, stage.high) @ R
    low, high = local.min(axis=0), local.max(axis=0)
    margin = 0.9 * stage.size if stage.leader else 0.1 * float((high - low).max()) + 4 * stage.unit
    place = Path((R @ (0.0, 0.0, low[2] - 0.5 * stage.unit))[None], quaternion(R)[None])
    items = tiles(stage, (low[0] - margin, high[0] + margin), (low[1] - margin, high[1] + margin))
    stage.add(_DRAWN, "ground", items, place)


def _has_land(stage: Stage) -> bool:
    """Whether a terrain given as a shape lies below everything."""
    for shape in stage.bodies.get(stage.ground, {}).get("shapes", []):
        if shape["kind"] == "terrain" and shape["y"] is not None:
            (x, y, _), ranges = shape.get("at", (0.0, 0.0, 0.0)), (shape["x"], shape["y"])
            if all(
                r[0] + o <= stage.low[i] and stage.high[i] <= r[1] + o
                for i, (r, o) in enumerate(zip(ranges, (x, y), strict=True))
            ):
                return True
    return False


def tiles(stage: Stage, xs: tuple[float, float], ys: tuple[float, float]) -> list[Item]:
    """A chequered floor in the plane z = 0."""
    longest = max(xs[1] - xs[0], ys[1] - ys[0])
    size = max(min(longest / 12, 0.3 * stage.size), longest / 60)
    columns, rows = (max(int(np.ceil((b - a) / size)), 1) for a, b in (xs, ys))
    groups: dict[int, list[tuple[np.ndarray, np.ndarray]]] = {0: [], 1: []}
    for i in range(columns):
        for k in range(rows):
            corner = np.array([xs[0] + i * size, ys[0] + k * size, 0.0])
            tile = meshes.grid(np.array([0, size]), np.array([0, size]), np.zeros((2, 2)))
            groups[(i + k) % 2].append(meshes.moved(tile, corner))
    tints = ((groups[0], "#eef1f3"), (groups[1], "#e3e8ec"))
    return [stage.surface(_merged(group), tint) for group, tint in tints if group]


def draped(stage: Stage, told: Data, low: float = 0.0) -> list[Item]:
    """Chequered land of given heights [m], `low` below them."""
    heights = np.asarray(told["heights"]) - low
    if told["y"] is None:
        half = 0.3 * stage.size
        ys, heights = np.array([-half, half]), np.vstack([heights, heights])
    else:
        ys = np.linspace(told["y"][0], told["y"][1], heights.shape[0])
    xs = np.linspace(told["x"][0], told["x"][1], heights.shape[1])
    vertices, faces = meshes.grid(xs, ys, heights)
    size = max(0.3 * stage.size, xs[1] - xs[0])
    column, row = (np.arange(len(g) - 1) // max(round(size / (g[1] - g[0])), 1) for g in (xs, ys))
    odd = np.tile(((row[:, None] + column) % 2 == 1).ravel(), 2)  # both triangles of each cell
    return [stage.surface((vertices, faces[odd == k]), tint) for k, tint in enumerate(SOIL) if (odd == k).any()]


def _merged(parts: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    starts = np.cumsum([0, *(len(v) for v, _ in parts)])
    return np.vstack([v for v, _ in parts]), np.vstack([f + s for (_, f), s in zip(parts, starts, strict=False)])


def _already(stage: Stage, side: Data, part: Data) -> bool:
    """Whether this ground is there: drawn for another part, given as a terrain shape, or no ground but an outline."""
    if part.get("outlines", {}).get("on", {"kind": "Terrain"})["kind"] != "Terrain":
        return True
    shapes = stage.bodies.get(side["body"], {}).get("shapes", [])
    if any(shape["kind"] == "terrain" for shape in shapes) and (stage.planar or _has_land(stage)):
        return True
    place = stage.motion.frame(side).p[0]
    return any(n.name == _DRAWN and np.allclose(n.position[0], place) for n in stage.nodes)


def _extent(stage: Stage, side: Data, axes: tuple[int, ...]) -> list[tuple[float, float]]:
    """How far things get along axes of a frame on the ground, with a margin."""
    path = stage.motion.frame(side)
    R = np.array(side["rotation"])
    local = (corners(stage.low, stage.high) - path.p[0]) @ R
    margin = (0.9 if stage.leader else 0.12) * stage.size + 4 * stage.unit
    return [(float(local[:, k].min() - margin), float(local[:, k].max() + margin)) for k in axes]
