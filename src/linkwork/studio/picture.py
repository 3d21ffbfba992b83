"""Pictures of a scene by Matplotlib: line art face on for planar ones, pixels with a depth buffer for spatial ones.

This module imports Matplotlib; import it where something is drawn, not before.
"""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import numpy as np
from matplotlib import figure as matplotlib_figure
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.lines import Line2D

from linkwork.core.plain_data import Record
from linkwork.studio import colours
from linkwork.studio.arrow_nodes import arrow_nodes
from linkwork.studio.camera import Camera
from linkwork.studio.flat_picture import draw_flat
from linkwork.studio.naming import Room, named
from linkwork.studio.scene import Scene
from linkwork.studio.solid_picture import draw_solid, solid_mask

LONG_SIDE, SHORTEST = 6.4, 0.42
"""Width of a picture [inches]; the least share of it that the height has."""

CELLS = 40
"""Per inch, in which room for names is looked for."""


class Figure(matplotlib_figure.Figure):
    """A figure that notebooks show without being told how."""

    def _repr_png_(self) -> bytes:
        image = BytesIO()
        FigureCanvasAgg(self).print_png(image)
        return image.getvalue()


def picture(
    scene: Scene,
    frame: int,
    *,
    labels: bool = False,
    notes: bool = True,
    size: float = LONG_SIDE,
    shape: float | None = None,
) -> Figure:
    """One frame as a figure; size: its width [inches]; shape: height over width (None: what suits the scene).

    labels: write the names of bodies and joints; notes: write title and time.
    """
    camera = Camera(scene, frame)
    low, high = _window(scene, camera)
    span = high - low
    height = size * (float(np.clip(span[1] / span[0], SHORTEST, 1.0)) if shape is None else shape)
    figure = Figure(figsize=(size, height), facecolor="white")
    axes: Axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    scale = min(size / span[0], height / span[1])  # inches per metre
    middle = (low + high) / 2
    half = np.array([size, height]) / scale / 2
    axes.set_xlim(middle[0] - half[0], middle[0] + half[0])
    axes.set_ylim(middle[1] - half[1], middle[1] + half[1])
    arrows = [node for arrow in scene.arrows for node in arrow_nodes(scene, arrow)]
    scene = replace(scene, nodes=[*scene.nodes, *arrows])
    if scene.planar:
        draw_flat(axes, scene, frame, camera, 72 * scale)
    else:
        draw_solid(axes, scene, frame, camera)
    if notes:
        _write_notes(axes, scene, frame)
        _write_scales(axes, scene)
    if labels:
        _write_labels(axes, scene, frame, camera)
    return figure


def _write_notes(axes: Axes, scene: Scene, frame: int) -> None:
    look = {"fontsize": 9, "color": colours.INK, "zorder": 1e4, "family": "DejaVu Sans"}
    note: Record = {"transform": axes.transAxes, **look}
    axes.text(0.015, 0.975, scene.title, va="top", weight="bold", **note)
    axes.text(0.985, 0.975, f"t = {scene.t[frame]:.4g} s", va="top", ha="right", **note)


def _write_scales(axes: Axes, scene: Scene) -> None:
    """How long the arrow of a round force is, at the lower left."""
    (left, right), (low, _) = axes.get_xlim(), axes.get_ylim()
    line, shown = 0.035 * (right - left), 0
    for group, (_, text, length, colour) in scene.arrow_scales().items():
        if not scene.show.get(group, True) or length > 0.5 * (right - left):
            continue
        x, y = left + 0.5 * line, low + (1 + shown) * line
        look: Record = {"arrowstyle": "-|>", "color": colour, "lw": 1.6, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", (x + length, y), (x, y), zorder=1e4, arrowprops=look)
        axes.text(x + length + 0.3 * line, y, text, va="center", fontsize=8, color=colours.INK, zorder=1e4)
        shown += 1


def _window(scene: Scene, camera: Camera) -> tuple[np.ndarray, np.ndarray]:
    """Corners of what is seen, with a margin."""
    flat, _ = camera.project(scene.hull + camera.centre - (scene.low + scene.high) / 2)
    low, high = flat.min(axis=0), flat.max(axis=0)
    least = 10 * scene.unit
    middle, span = (low + high) / 2, np.maximum(high - low, least)
    margin = 0.06 * span.max() + 3 * scene.unit
    return middle - span / 2 - margin, middle + span / 2 + margin


def _write_labels(axes: Axes, scene: Scene, frame: int, camera: Camera) -> None:
    """Names beside what they name; a thin line leads to those that had to go farther away."""
    figure = axes.get_figure()
    assert isinstance(figure, Figure)
    window = np.array([axes.get_xlim(), axes.get_ylim()])
    cells = np.maximum(np.round(figure.get_size_inches() * CELLS), 1).astype(int)
    room = Room(_taken(figure, scene, frame, camera, window, *cells))
    scale = cells / (window[:, 1] - window[:, 0])
    for corner in axes.texts[:2]:  # title and time
        first = corner.get_horizontalalignment() == "left"
        wide = (len(corner.get_text()) + 2) * 6 * CELLS / 72
        room.take((0 if first else cells[0] - wide, cells[1] - 0.3 * CELLS, wide, 0.3 * CELLS))
    points = [(label.text, *_at(label.points, frame, camera, window, scale)) for label in scene.labels]
    look: Record = {"fontsize": 8, "family": "DejaVu Sans", "color": colours.INK, "zorder": 1e4}
    for name in named(room, points, letter=5.6 * CELLS / 72, line=11 * CELLS / 72):
        left, low, wide, tall = name.box
        place = np.array([left, low + 0.2 * tall]) / scale + window[:, 0]
        axes.text(float(place[0]), float(place[1]), name.text, **look)
        if name.far:
            x, y = name.point
            near = (min(max(x, left), left + wide), min(max(y, low), low + tall))
            line = np.array([near, name.point]) / scale + window[:, 0]
            axes.add_artist(Line2D(*line.T, color=colours.INK, lw=0.5, zorder=9e3))


def _at(points: np.ndarray, frame: int, camera: Camera, window: np.ndarray, scale: np.ndarray) -> tuple[float, float]:
    flat, _ = camera.project(points[frame if len(points) > 1 else 0][None])
    x, y = (flat[0] - window[:, 0]) * scale
    return float(x), float(y)


def _taken(
    figure: Figure, scene: Scene, frame: int, camera: Camera, window: np.ndarray, width: int, height: int
) -> np.ndarray:
    """Which cells of a picture without names show a part of the mechanism."""
    if not scene.planar:
        return solid_mask(scene, frame, camera, window, width, height)
    before = figure.get_dpi()
    figure.set_dpi(CELLS)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    image = np.asarray(canvas.buffer_rgba())[:height, :width, :3]
    figure.set_dpi(before)
    return np.asarray((image < 245).any(axis=2))
