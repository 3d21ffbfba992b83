"""An arrow as two nodes, a bar that stretches and a head, for renderers that know only nodes."""

from __future__ import annotations

import numpy as np

from linkwork.studio import figures, meshes
from linkwork.studio.motion import pointing
from linkwork.studio.scene import Area, Arrow, Item, Node, Scene, Surface

HEAD, HALF, BAR = 3.2, 1.25, 0.4
"""Length and half width of the head, half width of the bar, in pin radii."""
LAYER = 200


def arrow_nodes(scene: Scene, arrow: Arrow) -> list[Node]:
    """A short arrow shrinks as a whole."""
    size, u = np.linalg.norm(arrow.vectors, axis=1), scene.unit
    tip = np.maximum(np.minimum(1.0, size / (1.6 * HEAD * u)), 1e-6)
    shaft = np.maximum(size - HEAD * u * tip, 1e-9)
    turn = pointing(arrow.vectors)
    direction = np.divide(arrow.vectors, size[:, None], out=np.zeros_like(arrow.vectors), where=size[:, None] > 0)
    head, bar = _looks(scene.planar, u, arrow.colour)
    ends = arrow.points + shaft[:, None] * direction
    return [
        Node(arrow.name, arrow.group, [bar], arrow.points, turn, np.column_stack([shaft, tip, tip])),
        Node(arrow.name, arrow.group, [head], ends, turn, np.column_stack([tip, tip, tip])),
    ]


def _looks(planar: bool, u: float, colour: str) -> tuple[Item, Item]:
    """Head and bar along x; the bar is 1 m long."""
    if planar:
        point = np.array([[HEAD * u, 0], [0, HALF * u], [0, -HALF * u]])
        bar = figures.rectangle(1, 2 * BAR * u, (0.5, 0))
        return Area((point,), colour, None, 0.0, LAYER), Area((bar,), colour, None, 0.0, LAYER)
    cone = meshes.moved(meshes.along("x", meshes.frustum(HALF * u, 0.0, HEAD * u)), (HEAD * u / 2, 0, 0))
    rod = meshes.moved(meshes.along("x", meshes.cylinder(BAR * u, 1.0)), (0.5, 0, 0))
    return Surface(*cone, colour), Surface(*rod, colour)
