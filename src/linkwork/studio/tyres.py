"""What a road does to a tyre, as vectors, read from a Result's channels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.plain_data import Data
from linkwork.studio.motion import Path, rotate, spread

if TYPE_CHECKING:
    from linkwork.studio.motion import Motion
    from linkwork.studio.stage import Stage


def tyre_forces(stage: Stage, name: str, part: Data) -> tuple[np.ndarray, np.ndarray, Path]:
    """Load along the road's normal and grip along the road [N], both (frames, 3) on the wheel, and where it touches."""
    motion, frames = stage.motion, len(stage.motion.t)
    wheel, ground = motion.frame(part["frames"]["at"]), motion.frame(part["frames"]["on"])
    centre, axle = spread(wheel.p, frames), _axis(wheel, 2, frames)
    normal = _normal(motion, part, centre, ground, frames)
    left = -axle if stage.planar else axle  # the plane's z axis points to the right of its x axis
    ahead = _unit(np.cross(left, normal))
    load = motion.channel(f"{name}.load")[:, None] * normal
    grip = motion.channel(f"{name}.ahead")[:, None] * ahead
    if not stage.planar:
        grip = grip + motion.channel(f"{name}.aside")[:, None] * np.cross(normal, ahead)
    upright = _unit(normal - np.sum(normal * axle, axis=1, keepdims=True) * axle)
    gap = part["numbers"]["radius"] - motion.channel(f"{name}.deflection")
    return load, grip, Path(centre - gap[:, None] * upright, wheel.q)


def _normal(motion: Motion, part: Data, centre: np.ndarray, ground: Path, frames: int) -> np.ndarray:
    """Of the road below the wheel's centre, world axes; of an uneven one from its table of heights."""
    told = part.get("heights") or _shared_heights(motion, part)
    up = 1 if motion.planar else 2
    normal = _axis(ground, up, frames)
    if not told:
        return normal
    turn = np.broadcast_to(ground.q * (1, -1, -1, -1), (frames, 4))
    local, heights = rotate(turn, centre - ground.p), np.asarray(told["heights"])
    slopes = np.zeros((frames, 3))
    slopes[:, up] = 1
    xs = np.linspace(told["x"][0], told["x"][1], heights.shape[1])
    if motion.planar:
        slopes[:, 0] = -np.interp(local[:, 0], xs, np.gradient(heights[0], xs))
    else:
        ys = np.linspace(told["y"][0], told["y"][1], heights.shape[0])
        row, column = (np.abs(g[:, None] - local[:, k]).argmin(axis=0) for g, k in ((ys, 1), (xs, 0)))
        by_y, by_x = np.gradient(heights, ys, xs)
        slopes[:, 0], slopes[:, 1] = -by_x[row, column], -by_y[row, column]
    return rotate(np.broadcast_to(ground.q, (frames, 4)), _unit(slopes))


def _shared_heights(motion: Motion, part: Data) -> Data | None:
    """A road that several wheels run on is described once."""
    on = part["frames"]["on"]
    others = (other for other in motion.description.get("parts", {}).values() if other.get("heights"))
    return next((other["heights"] for other in others if other["frames"].get("on") == on), None)


def _axis(path: Path, k: int, frames: int) -> np.ndarray:
    return spread(rotate(path.q, np.eye(3)[k]), frames)


def _unit(vectors: np.ndarray) -> np.ndarray:
    size = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(size > 0, size, 1))
