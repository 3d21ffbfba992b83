"""The eye of a picture: from the world to the plane it is drawn in."""

from __future__ import annotations

import numpy as np

from linkwork.studio.scene import Scene


class Camera:
    """From the world to the picture: `project` gives (n, 2) in metres of the picture, and depths towards the eye."""

    def __init__(self, scene: Scene, frame: int):
        self.towards = scene.towards / np.linalg.norm(scene.towards)
        right = np.cross(scene.up, self.towards)
        self.right = right / np.linalg.norm(right)
        self.above = np.cross(self.towards, self.right)
        self.centre = (scene.low + scene.high) / 2
        if scene.follow is not None:
            followed = next(node for node in scene.nodes if node.name == scene.follow and node.group == "body")
            self.centre = followed.position[min(frame, len(followed.position) - 1)] + scene.beside
        self.distance = np.inf if scene.planar else 2.6 * max(scene.diagonal, 10 * scene.unit)

    def project(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        relative = np.asarray(points) - self.centre
        depth = relative @ self.towards
        flat = np.column_stack([relative @ self.right, relative @ self.above])
        return flat / np.maximum(1 - depth / self.distance, 0.05)[:, None], depth
