"""Where the items of a node are at one frame."""

from __future__ import annotations

import numpy as np

from linkwork.studio.motion import rotate
from linkwork.studio.scene import Node, Scene


def placed(node: Node, points: np.ndarray, frame: int) -> np.ndarray:
    """Points (n, 2 or 3) of a node in the world (n, 3): stretched, turned, moved."""
    full = points if points.shape[1] == 3 else np.column_stack([points, np.zeros(len(points))])
    if node.scale is not None:
        full = full * node.scale[_clip(frame, node.scale)]
    q = node.quaternion[_clip(frame, node.quaternion)]
    return rotate(np.broadcast_to(q, (len(full), 4)), full) + node.position[_clip(frame, node.position)]


def visible(scene: Scene, node: Node, frame: int) -> bool:
    """Whether it is switched on, and somewhere at all."""
    there = np.isfinite(node.position[_clip(frame, node.position)]).all()
    return scene.show.get(node.group, True) and bool(there)


def _clip(frame: int, values: np.ndarray) -> int:
    return min(frame, len(values) - 1)
