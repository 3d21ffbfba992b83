"""A spatial scene: faces shaded by their slope to the light, painted from far to near; a shadow on the floor."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from linkwork.studio.camera import Camera
from linkwork.studio.colours import levels
from linkwork.studio.placing import placed, visible
from linkwork.studio.scene import Node, Scene, Stroke, Surface

AMBIENT = 0.55
SHADOW = (0.78, 0.81, 0.84)
FLOOR = "floor"


def draw_solid(axes: Axes, scene: Scene, frame: int, camera: Camera, points_per_metre: float) -> None:
    seen = [node for node in scene.nodes if visible(scene, node, frame)]
    floors = [node for node in seen if node.name == FLOOR]
    others = [node for node in seen if node.name != FLOOR]
    light = camera.towards + 0.9 * scene.up - 0.45 * camera.right
    light = light / np.linalg.norm(light)
    _paint(axes, *_faces(floors, frame), camera, light, order=0)
    triangles, tints, opacity = _split(*_faces(others, frame), longest=0.06 * max(scene.diagonal, 10 * scene.unit))
    if floors and len(triangles):
        _cast(axes, triangles, floors[0], scene, frame, camera)
    for trace in scene.traces:
        path, _ = camera.project(trace.points[: frame + 1])
        axes.add_artist(Line2D(*path.T, color=trace.colour, lw=1.3, alpha=0.8, zorder=2))
    _paint(axes, triangles, tints, opacity, camera, light, order=3)
    for node in others:
        for item in node.items:
            if isinstance(item, Stroke):
                path, _ = camera.project(placed(node, item.points, frame))
                width = max(item.width * points_per_metre, 0.8)
                line = LineCollection([path], colors=item.colour, linewidths=width, zorder=4)
                axes.add_collection(line, autolim=False)


def _faces(nodes: list[Node], frame: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Triangles (n, 3, 3) in the world, colours (n, 3) and opacities (n,)."""
    triangles, tints, opacity = [np.zeros((0, 3, 3))], [np.zeros((0, 3))], [np.zeros(0)]
    for node in nodes:
        for item in node.items:
            if isinstance(item, Surface):
                corners = placed(node, item.vertices, frame)[item.faces]
                triangles.append(corners)
                tints.append(np.tile(np.array(levels(item.colour)) / 255, (len(corners), 1)))
                opacity.append(np.full(len(corners), item.opacity))
    return np.vstack(triangles), np.vstack(tints), np.concatenate(opacity)


def _split(
    triangles: np.ndarray, tints: np.ndarray, opacity: np.ndarray, *, longest: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cut long triangles across their longest side: sorting by depth is right only for small ones."""
    for _ in range(6):
        sides = np.linalg.norm(triangles - np.roll(triangles, -1, axis=1), axis=2)
        large = sides.max(axis=1) > longest
        if not large.any():
            break
        first = sides[large].argmax(axis=1)
        turn = (first[:, None] + np.arange(3)) % 3
        a, b, c = np.moveaxis(np.take_along_axis(triangles[large], turn[:, :, None], axis=1), 1, 0)
        middle = (a + b) / 2
        halves = np.concatenate([np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)])
        triangles = np.concatenate([triangles[~large], halves])
        tints = np.concatenate([tints[~large], tints[large], tints[large]])
        opacity = np.concatenate([opacity[~large], opacity[large], opacity[large]])
    return triangles, tints, opacity


def _paint(
    axes: Axes,
    triangles: np.ndarray,
    tints: np.ndarray,
    opacity: np.ndarray,
    camera: Camera,
    light: np.ndarray,
    order: int,
) -> None:
    if not len(triangles):
        return
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    size = np.linalg.norm(normal, axis=1, keepdims=True)
    keep = size[:, 0] > 0
    normal = normal / np.where(size > 0, size, 1)
    normal = np.where((normal @ camera.towards)[:, None] < 0, -normal, normal)  # all faces have two good sides
    bright = AMBIENT + (1 - AMBIENT) * np.clip(normal @ light, 0, 1)
    flat, depth = camera.project(triangles.reshape(-1, 3))
    far = depth.reshape(-1, 3).mean(axis=1)
    rank = np.argsort(far)
    rank = rank[keep[rank]]
    shaded = np.clip(tints * bright[:, None] * 1.08, 0, 1)
    rgba = np.column_stack([shaded, opacity])[rank]
    faces = flat.reshape(-1, 3, 2)[rank]
    drawn = PolyCollection(faces, facecolors=rgba, edgecolors=rgba, linewidths=0.35, zorder=order)
    axes.add_collection(drawn, autolim=False)


def _cast(axes: Axes, triangles: np.ndarray, floor: Node, scene: Scene, frame: int, camera: Camera) -> None:
    """The shadow straight below, on a level floor."""
    base = placed(floor, np.zeros((1, 3)), frame)[0]
    tops = [item.vertices[:, 2] for item in floor.items if isinstance(item, Surface)]
    if not tops or max(float(np.ptp(t)) for t in tops) > 0:  # uneven ground
        return
    height = (triangles - base) @ scene.up
    low = triangles - height[..., None] * scene.up
    flat, _ = camera.project(low.reshape(-1, 3))
    corners = flat.reshape(-1, 3, 2)
    edges = corners[:, 1:] - corners[:, :1]
    turned = edges[:, 0, 0] * edges[:, 1, 1] < edges[:, 0, 1] * edges[:, 1, 0]
    corners[turned] = corners[turned, ::-1]  # all the same way round: where two overlap, neither makes a hole
    ring = np.concatenate([corners, corners[:, :1]], axis=1).reshape(-1, 2)
    codes = np.tile([Path.MOVETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY], len(corners))
    axes.add_artist(PathPatch(Path(ring, codes), facecolor=SHADOW, edgecolor=SHADOW, linewidth=0.3, zorder=1))
