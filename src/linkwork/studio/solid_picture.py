"""A spatial scene as pixels: what is nearest is seen, shaded by its slope to the light, with edges and a shadow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase

from linkwork.studio import raster
from linkwork.studio.camera import Camera
from linkwork.studio.colours import levels
from linkwork.studio.motion import matrix, rotate
from linkwork.studio.placing import placed, visible
from linkwork.studio.scene import Node, Scene, Stroke, Surface

AMBIENT = 0.55
SHADE = np.array([0.84, 0.865, 0.89], dtype=np.float32)
"""Of the floor's colours, in the shadow."""
EDGE = 0.62
"""Of a thing's brightness, where its outline is."""
FINER = 2
"""Samples per pixel, across and down."""
ARROWS, FRONT = ("force", "reaction"), 10.0
"""Groups of arrows, and the nearness that lets them be seen through everything."""
STEP = 0.016
"""In nearness, from one sample to the next, beyond which something ends in front of itself."""
COARSER = 2
"""Samples of the picture per sample of the shadow."""


@dataclass
class Faces:
    """Triangles in the world: corners (n, 3, 3), brightness at them (n, 3), colours (n, 3), of which node (n,)."""

    corners: np.ndarray
    bright: np.ndarray
    tint: np.ndarray
    owner: np.ndarray


class SolidPicture(Artist):
    """The scene at a frame; made of as many pixels as the figure has when it is drawn."""

    def __init__(self, scene: Scene, frame: int, camera: Camera):
        super().__init__()
        self.scene, self.frame, self.camera = scene, frame, camera
        self.set_zorder(1)

    def draw(self, renderer: RendererBase) -> None:
        figure, axes = self.get_figure(), self.axes
        if figure is None or axes is None or not self.get_visible():
            return
        larger = renderer.get_image_magnification()  # vector formats count in points
        width, height = (max(round(side * larger), 1) for side in figure.bbox.size)
        window = np.array([axes.get_xlim(), axes.get_ylim()])
        image = solid_image(self.scene, self.frame, self.camera, window, width, height)
        context = renderer.new_gc()
        renderer.draw_image(context, 0, 0, image[::-1])
        context.restore()


def draw_solid(axes: Axes, scene: Scene, frame: int, camera: Camera) -> None:
    axes.add_artist(SolidPicture(scene, frame, camera))


def solid_image(
    scene: Scene, frame: int, camera: Camera, window: np.ndarray, width: int, height: int, finer: int = FINER
) -> np.ndarray:
    """Pixels (height, width, 4), 8 bits each; window: what is seen of the camera's picture, ((x, x), (y, y)) [m]."""
    view = _View(camera, window, finer * width, finer * height)
    nodes = [node for node in scene.nodes if visible(scene, node, frame)]
    light = camera.towards + 0.9 * scene.up - 0.45 * camera.right
    light = light / np.linalg.norm(light)
    solid = _faces(scene, nodes, frame, camera, light)
    lines = _lines(scene, nodes, frame, view)
    flat, near = view.project(solid.corners)
    near[np.array([node.group in ARROWS for node in nodes], dtype=bool)[solid.owner]] += FRONT
    flat, near = np.concatenate([flat, lines.corners[..., :2]]), np.concatenate([near, lines.corners[..., 2]])
    faces = _joined([solid, lines])
    faces.corners = flat
    layer = raster.nearest(flat, near, view.width, view.height)
    image = _shaded(faces, layer)
    floor = np.array([scene.is_floor(node) for node in nodes] + [False] * len(scene.traces))
    owner = np.append(faces.owner, -1)[layer.face]
    lies = np.append(floor, False)[owner]
    owner[lies] = -1
    _outline(image, owner, np.maximum(layer.near, 0))
    below = [node for node in nodes if scene.is_floor(node)]
    if below:
        _cast(image, lies, solid.corners[~floor[solid.owner]], below, scene, frame, view)
    for k in _far_to_near(nodes, frame, camera):
        _glaze(image, layer, nodes[k], frame, view, camera, light)
    return _gathered(image, finer)


def solid_mask(scene: Scene, frame: int, camera: Camera, window: np.ndarray, width: int, height: int) -> np.ndarray:
    """Where parts of the mechanism are seen, (height, width)."""
    view = _View(camera, window, width, height)
    nodes = [n for n in scene.nodes if visible(scene, n, frame) and not scene.is_floor(n)]
    corners = [
        placed(node, item.vertices, frame)[item.faces]
        for node in nodes
        for item in node.items
        if isinstance(item, Surface)
    ]
    if not corners:
        return np.zeros((height, width), dtype=bool)
    return raster.covered(view.project(np.concatenate(corners))[0], width, height)


class _View:
    """From the world to the samples of an image."""

    def __init__(self, camera: Camera, window: np.ndarray, width: int, height: int):
        self.camera, self.width, self.height = camera, width, height
        (left, right), (low, high) = window
        self.scale = np.array([width / (right - left), -height / (high - low)])
        self.origin = np.array([left, high])

    def project(self, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Places [samples] (n, k, 2) and nearness (n, k): what is linear over the picture of a plane."""
        flat, depth = self.camera.project(corners.reshape(-1, 3))
        near = 1 / np.maximum(1 - depth / self.camera.distance, 0.05)
        return ((flat - self.origin) * self.scale).reshape(*corners.shape[:-1], 2), near.reshape(corners.shape[:-1])


def _faces(scene: Scene, nodes: list[Node], frame: int, camera: Camera, light: np.ndarray) -> Faces:
    """Those of all surfaces that hide what is behind them."""
    parts = [
        _surface(node, item, frame, camera, light, k)
        for k, node in enumerate(nodes)
        for item in node.items
        if isinstance(item, Surface) and item.opacity >= 1
    ]
    none = Faces(np.zeros((0, 3, 3)), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0, dtype=np.int32))
    return _joined([none, *parts])


def _joined(parts: list[Faces]) -> Faces:
    return Faces(
        *(np.concatenate([getattr(p, name) for p in parts]) for name in ("corners", "bright", "tint", "owner"))
    )


def _surface(node: Node, item: Surface, frame: int, camera: Camera, light: np.ndarray, owner: int) -> Faces:
    corners = placed(node, item.vertices, frame)[item.faces]
    normals = item.normals
    if node.scale is not None:
        stretch = node.scale[min(frame, len(node.scale) - 1)]
        normals = normals / np.where(np.abs(stretch) > 1e-9, stretch, 1)
        normals = normals / np.maximum(np.linalg.norm(normals, axis=2, keepdims=True), 1e-12)
    q = node.quaternion[min(frame, len(node.quaternion) - 1)]
    normals = rotate(np.broadcast_to(q, (*normals.shape[:2], 4)), normals)
    a, b, c = np.moveaxis(corners, 1, 0)
    eye = camera.centre + camera.distance * camera.towards
    away = np.einsum("ij,ij->i", np.cross(b - a, c - a), eye - a) < 0
    towards = np.where(away[:, None], -1.0, 1.0) * (normals @ light)  # all faces have two good sides
    bright = AMBIENT + (1 - AMBIENT) * np.clip(towards, 0, 1)
    tint = np.tile(np.array(levels(item.colour)) / 255, (len(corners), 1))
    return Faces(corners, bright, tint, np.full(len(corners), owner, dtype=np.int32))


def _lines(scene: Scene, nodes: list[Node], frame: int, view: _View) -> Faces:
    """Strokes and traces as ribbons that face the eye; corners are (x, y, nearness) of the picture."""
    parts = [Faces(np.zeros((0, 3, 3)), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0, dtype=np.int32))]
    told = [
        (placed(node, item.points, frame), item.width, item.colour, k)
        for k, node in enumerate(nodes)
        for item in node.items
        if isinstance(item, Stroke)
    ]
    told += [(t.points[: frame + 1], 0.3 * scene.unit, t.colour, len(nodes) + k) for k, t in enumerate(scene.traces)]
    for points, width, colour, owner in told:
        points = points[np.isfinite(points).all(axis=1)]
        if len(points) > 1:
            flat, near = view.project(points)
            parts.append(_ribbon(flat, near, max(width * view.scale[0], 2.2), np.array(levels(colour)) / 255, owner))
    return _joined(parts)


def _ribbon(flat: np.ndarray, near: np.ndarray, width: float, tint: np.ndarray, owner: int) -> Faces:
    along = np.diff(flat, axis=0)
    size = np.linalg.norm(along, axis=1, keepdims=True)
    along = along / np.where(size > 0, size, 1)
    side = np.column_stack([-along[:, 1], along[:, 0]]) * width / 2
    over = 0.5 * width * along  # so that pieces meet at corners
    a, b = np.column_stack([flat[:-1], near[:-1]]), np.column_stack([flat[1:], near[1:]])
    zero = np.zeros((len(side), 1))
    s, o = np.column_stack([side, zero]), np.column_stack([over / 2, zero])
    a, b = a - o, b + o
    corners = np.concatenate([np.stack([a - s, a + s, b + s], axis=1), np.stack([a - s, b + s, b - s], axis=1)])
    corners[..., 2] += 1e-3
    count = len(corners)
    return Faces(corners, np.ones((count, 3)), np.tile(tint, (count, 1)), np.full(count, owner, dtype=np.int32))


def _shaded(faces: Faces, layer: raster.Layer) -> np.ndarray:
    """Colours 0 … 1 of all samples, (height, width, 3); white where there is nothing."""
    height, width = layer.face.shape
    slope = raster.planes(faces.corners, 1.08 * faces.bright)
    face = layer.face
    bright = np.append(slope.across, np.float32(0))[face]
    bright *= np.arange(width, dtype=np.float32) + np.float32(0.5)
    low = np.append(slope.down, np.float32(0))[face]
    low *= (np.arange(height, dtype=np.float32) + np.float32(0.5))[:, None]
    bright += low
    bright += np.append(slope.at, np.float32(1))[face]
    np.clip(bright, 1.08 * AMBIENT, 1.08, out=bright)
    image = np.vstack([faces.tint, np.ones((1, 3))]).astype(np.float32)[face]
    image *= bright[..., None]
    return image


def _outline(image: np.ndarray, owner: np.ndarray, near: np.ndarray) -> None:
    """Darker where one thing ends in front of another one, or of itself; owner −1: nothing that has an outline."""
    for axis in (0, 1):
        one = tuple(slice(None, -1) if a == axis else slice(None) for a in (0, 1))
        two = tuple(slice(1, None) if a == axis else slice(None) for a in (0, 1))
        edge = np.flatnonzero((owner[one] != owner[two]) | (np.abs(near[one] - near[two]) > STEP))
        row, column = np.divmod(edge, owner[one].shape[1])
        other = (row + (axis == 0), column + (axis == 1))
        first = near[row, column] > near[other]
        for rows, columns in ((row[first], column[first]), (other[0][~first], other[1][~first])):
            rows, columns = (part[owner[rows, columns] >= 0] for part in (rows, columns))
            image[rows, columns] *= EDGE


def _cast(
    image: np.ndarray, on: np.ndarray, casting: np.ndarray, floors: list[Node], scene: Scene, frame: int, view: _View
) -> None:
    """The shadow straight below; on: where the floor is seen."""
    if not len(casting):
        return
    fallen = _fallen(casting, floors[-1], scene, frame)
    if fallen is None:
        return
    width, tall = -(-view.width // COARSER), -(-view.height // COARSER)
    shadow = raster.covered(view.project(fallen)[0] / COARSER, width, tall).astype(np.float32)
    for axis in (0, 1, 0, 1):
        shadow = _blurred(shadow, max(round(0.006 * width), 1), axis)
    shadow = np.repeat(np.repeat(shadow, COARSER, axis=0), COARSER, axis=1)[: view.height, : view.width]
    dark = on & (shadow > 0.01)
    image[dark] *= 1 - (1 - SHADE) * shadow[dark][:, None]


def _fallen(points: np.ndarray, floor: Node, scene: Scene, frame: int) -> np.ndarray | None:
    """Points (n, 3, 3) let down onto a floor whose heights stand over a grid; None where they do not."""
    vertices = np.vstack([item.vertices for item in floor.items if isinstance(item, Surface)])
    q = floor.quaternion[min(frame, len(floor.quaternion) - 1)]
    R, base = matrix(q), placed(floor, np.zeros((1, 3)), frame)[0]
    local = (points - base) @ R
    if np.ptp(vertices[:, 2]) == 0:
        height: np.ndarray | float = float(vertices[0, 2])
    else:
        (xs, column), (ys, row) = (np.unique(vertices[:, k].round(9), return_inverse=True) for k in (0, 1))
        heights = np.full((len(ys), len(xs)), np.nan)
        heights[row.ravel(), column.ravel()] = vertices[:, 2]
        if np.isnan(heights).any():
            return None
        height = _between(xs, ys, heights, local[..., 0], local[..., 1])
    local[..., 2] = height
    fallen: np.ndarray = local @ R.T + base
    return fallen


def _between(xs: np.ndarray, ys: np.ndarray, heights: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Heights at places between those of a grid."""
    i, k = (np.clip(np.searchsorted(g, v) - 1, 0, len(g) - 2) for g, v in ((xs, x), (ys, y)))
    u, v = (np.clip((p - g[j]) / (g[j + 1] - g[j]), 0, 1) for p, g, j in ((x, xs, i), (y, ys, k)))
    low, high = ((1 - u) * heights[row, i] + u * heights[row, i + 1] for row in (k, k + 1))
    return np.asarray((1 - v) * low + v * high)


def _blurred(values: np.ndarray, reach: int, axis: int) -> np.ndarray:
    """Means over 2 reach + 1 neighbours."""
    ends = [np.take(values, [end] * count, axis) for end, count in ((0, reach + 1), (-1, reach))]
    total = np.cumsum(np.concatenate([ends[0], values, ends[1]], axis), axis=axis)
    size, count = values.shape[axis], 2 * reach + 1
    return (np.take(total, range(count, count + size), axis) - np.take(total, range(size), axis)) / np.float32(count)


def _far_to_near(nodes: list[Node], frame: int, camera: Camera) -> list[int]:
    """Nodes that one can see through."""
    clear = [k for k, n in enumerate(nodes) if any(isinstance(i, Surface) and i.opacity < 1 for i in n.items)]
    return sorted(clear, key=lambda k: float(placed(nodes[k], np.zeros((1, 3)), frame)[0] @ camera.towards))


def _glaze(
    image: np.ndarray,
    layer: raster.Layer,
    node: Node,
    frame: int,
    view: _View,
    camera: Camera,
    light: np.ndarray,
) -> None:
    """Lay a thing that one can see through over what is behind it: its nearest faces only, so one layer."""
    for item in node.items:
        if not isinstance(item, Surface) or item.opacity >= 1:
            continue
        faces = _surface(node, item, frame, camera, light, 0)
        flat, near = view.project(faces.corners)
        corners = flat.reshape(-1, 2)
        left, top = (int(v) for v in np.clip(np.floor(corners.min(axis=0)), 0, (view.width, view.height)))
        right, bottom = (int(v) for v in np.clip(np.ceil(corners.max(axis=0)) + 1, 0, (view.width, view.height)))
        if right <= left or bottom <= top:
            continue
        faces.corners = flat - (left, top)  # only the part of the picture where it is
        own = raster.nearest(faces.corners, near, right - left, bottom - top)
        behind = image[top:bottom, left:right]
        front = (own.face >= 0) & (own.near > layer.near[top:bottom, left:right])
        colour = _shaded(faces, own)
        _outline(colour, np.where(own.face >= 0, 0, -1), np.maximum(own.near, 0))
        behind[front] += np.float32(item.opacity) * (colour[front] - behind[front])


def _gathered(image: np.ndarray, finer: int) -> np.ndarray:
    """Means over the samples of each pixel, 8 bits, with full opacity."""
    height, width = image.shape[0] // finer, image.shape[1] // finer
    total = np.full((height, width, 3), 0.5, dtype=np.float32)
    for i in range(finer):
        for k in range(finer):
            total += image[i::finer, k::finer] * np.float32(255 / finer**2)
    pixels = np.full((height, width, 4), 255, dtype=np.uint8)
    pixels[..., :3] = np.minimum(total, 255)
    return pixels
