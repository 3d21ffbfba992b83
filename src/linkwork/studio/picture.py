"""Pictures of a scene by Matplotlib: line art face on for planar ones, shaded faces sorted by depth for spatial ones.

This module imports Matplotlib; import it where something is drawn, not before.
"""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import numpy as np
from matplotlib import figure as matplotlib_figure
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg

from linkwork.core.plain_data import Record
from linkwork.studio import colours
from linkwork.studio.arrow_nodes import arrow_nodes
from linkwork.studio.camera import Camera
from linkwork.studio.flat_picture import draw_flat
from linkwork.studio.scene import Scene
from linkwork.studio.solid_picture import draw_solid

LONG_SIDE, SHORTEST = 6.4, 0.42
"""Width of a picture [inches]; the least share of it that the height has."""


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
    (draw_flat if scene.planar else draw_solid)(axes, scene, frame, camera, 72 * scale)
    if notes:
        _write_notes(axes, scene, frame)
    if labels:
        _write_labels(axes, scene, frame, camera, 72 * scale)
    return figure


def _write_notes(axes: Axes, scene: Scene, frame: int) -> None:
    look = {"fontsize": 9, "color": colours.INK, "zorder": 1e4, "family": "DejaVu Sans"}
    note: Record = {"transform": axes.transAxes, **look}
    axes.text(0.015, 0.975, scene.title, va="top", weight="bold", **note)
    axes.text(0.985, 0.975, f"t = {scene.t[frame]:.4g} s", va="top", ha="right", **note)


def _window(scene: Scene, camera: Camera) -> tuple[np.ndarray, np.ndarray]:
    """Corners of what is seen, with a margin."""
    flat, _ = camera.project(scene.seen + camera.centre - (scene.low + scene.high) / 2)
    low, high = flat.min(axis=0), flat.max(axis=0)
    least = 10 * scene.unit
    middle, span = (low + high) / 2, np.maximum(high - low, least)
    margin = 0.06 * span.max() + 3 * scene.unit
    return middle - span / 2 - margin, middle + span / 2 + margin


def _write_labels(axes: Axes, scene: Scene, frame: int, camera: Camera, points_per_metre: float) -> None:
    """Names beside their points; one that would cover another goes below or to the left, or is left out."""
    taken: list[tuple[float, float, float, float]] = []
    gap, tall, edges = 2.2 * scene.unit, 11 / points_per_metre, axes.get_xlim()
    for label in scene.labels:
        place = label.points[frame if len(label.points) > 1 else 0]
        flat, _ = camera.project(place[None])
        wide = 6 * len(label.text) / points_per_metre
        x, y = flat[0]
        for dx, dy in (
            (gap, gap),
            (-gap - wide, gap),
            (gap, -gap - tall),
            (-gap - wide, -gap - tall),
            (gap, 2 * gap + tall),
        ):
            left = min(max(x + dx, edges[0]), edges[1] - wide)
            box = (left, y + dy, left + wide, y + dy + tall)
            if not any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in taken):
                break
        else:
            continue
        taken.append(box)
        axes.text(box[0], box[1], label.text, fontsize=8, family="DejaVu Sans", color=colours.INK, zorder=1e4,
                  bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.5})  # fmt: skip
