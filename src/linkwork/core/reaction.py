"""A joint's reaction in the axes of another frame."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.core.plain_data import Data

_COMPONENTS = {2: ("fx", "fy", "mz"), 3: ("fx", "fy", "fz", "mx", "my", "mz")}
_ROWS = ("fx", "fy", "fz", "mx", "my", "mz")
# On the second body, and on the first one (AME eq. 17): each at the joint point of its own body, in world axes.
_CHANNELS = {"second": "reaction", "first": "port1"}


def wrench(
    channels: Mapping[str, np.ndarray], description: Data, joint: str, *, frame: str, on: str
) -> dict[str, np.ndarray]:
    """Force [N] and moment [N·m] of `joint` on one of its bodies, in the axes of `frame`, each of shape (samples,)."""
    joints = description.get("joints", {})
    if joint not in joints:
        raise UnknownName("joint", joint, joints)
    if on not in _CHANNELS:
        raise LinkworkError(f"there is no body {on!r} of a joint.", component=joint, remedy="Use 'first' or 'second'.")
    components = _COMPONENTS[joints[joint]["dimension"]]
    recorded = {name: channels[f"{joint}.{_CHANNELS[on]}.{name}"] for name in components}
    if frame == "world":
        return recorded
    zero = np.zeros_like(recorded["fx"])
    world = np.stack([recorded.get(name, zero) for name in _ROWS], axis=-1)
    axes = _axes(channels, description, joint, frame)  # frame → world, (samples, 3, 3) or (3, 3)
    turned = np.concatenate([_into(axes, world[:, :3]), _into(axes, world[:, 3:])], axis=-1)
    return {name: turned[:, _ROWS.index(name)] for name in components}


def _into(axes: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """World vectors (samples, 3) in the given axes: Rᵀ v."""
    return np.einsum("...ji,...j->...i", axes, vectors)


def _axes(channels: Mapping[str, np.ndarray], description: Data, joint: str, frame: str) -> np.ndarray:
    if frame in ("first", "second"):
        side = description["joints"][joint][frame]
        return _orientation(channels, description, side["body"]) @ np.asarray(side["rotation"], dtype=float)
    return _orientation(channels, description, frame)


def _orientation(channels: Mapping[str, np.ndarray], description: Data, body: str) -> np.ndarray:
    """Body axes → world axes, shape (samples, 3, 3); the ground never turns."""
    if body == description.get("ground"):
        return np.eye(3)
    if f"{body}.angle" in channels:
        angle = channels[f"{body}.angle"]
        return about_z(angle)
    if f"{body}.q0" in channels:
        return from_quaternion(*(channels[f"{body}.q{i}"] for i in range(4)))
    known = {name.rsplit(".", 1)[0] for name in channels if name.endswith((".angle", ".q0"))}
    known |= {"world", "first", "second", str(description.get("ground", "world"))}
    raise UnknownName("frame", body, known)


def about_z(angle: np.ndarray) -> np.ndarray:
    """Rotation matrices (samples, 3, 3) for angles about z [rad]."""
    c, s, zero, one = np.cos(angle), np.sin(angle), np.zeros_like(angle), np.ones_like(angle)
    rows = [[c, -s, zero], [s, c, zero], [zero, zero, one]]
    return np.moveaxis(np.array(rows), -1, 0)


def from_quaternion(w: np.ndarray, x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Rotation matrices (samples, 3, 3) for quaternions, scalar first; their length is divided out."""
    n = w * w + x * x + y * y + z * z
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return np.moveaxis(np.array(rows) / n, -1, 0)
