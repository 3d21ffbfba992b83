"""A planar scene face on: areas with edges, strokes, traces; by layers."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from linkwork.studio.camera import Camera
from linkwork.studio.placing import placed, visible
from linkwork.studio.scene import Area, Node, Scene, Stroke

TRACE_LAYER = 6


def draw_flat(axes: Axes, scene: Scene, frame: int, camera: Camera, points_per_metre: float) -> None:
    for trace in scene.traces:
        path, _ = camera.project(trace.points[: frame + 1])
        axes.add_artist(Line2D(*path.T, color=trace.colour, lw=1.2, alpha=0.7, zorder=TRACE_LAYER))
    for node in scene.nodes:
        if visible(scene, node, frame):
            for item in node.items:
                _draw(axes, node, item, frame, camera, points_per_metre)


def _draw(axes: Axes, node: Node, item: Any, frame: int, camera: Camera, points_per_metre: float) -> None:
    if isinstance(item, Stroke):
        path, _ = camera.project(placed(node, item.points, frame))
        width = max(item.width * points_per_metre, 0.6)
        line = Line2D(*path.T, color=item.colour, lw=width, zorder=item.layer, solid_capstyle="round")
        line.set_solid_joinstyle("round")
        axes.add_artist(line)
    elif isinstance(item, Area):
        rings = [camera.project(placed(node, ring, frame))[0] for ring in item.rings]
        vertices = np.vstack([np.vstack([ring, ring[:1]]) for ring in rings])
        codes = np.concatenate([[Path.MOVETO, *[Path.LINETO] * (len(r) - 1), Path.CLOSEPOLY] for r in rings])
        patch = PathPatch(
            Path(vertices, codes),
            facecolor=item.fill or "none",
            edgecolor=item.edge or "none",
            lw=max(item.width * points_per_metre, 0.7) if item.edge else 0,
            alpha=item.opacity,
            zorder=item.layer,
            joinstyle="round",
        )
        axes.add_artist(patch)
