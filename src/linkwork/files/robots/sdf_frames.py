"""SDF: where everything is when the file shows it. Poses may be given relative to models, links, joints and frames."""

from __future__ import annotations

from math import pi

import numpy as np

from linkwork.core.errors import UnknownName
from linkwork.files.robots.tree import STILL, Placement, from_rpy
from linkwork.files.robots.xml_tree import Element

MODEL = "__model__"
NESTED_LIMIT = 200
"""Frames that are given by others, one after the other."""


class Frames:
    """Places of all that has a name in a model, in its own frame."""

    def __init__(self, model: Element):
        named = [e for tag in ("link", "joint", "frame") for e in model.all(tag)]
        self._elements = {e.text("name"): e for e in named}
        self._known: dict[str, Placement] = {MODEL: STILL}

    def of(self, name: str, asking: Element, depth: int = 0) -> Placement:
        """Of something that has a name."""
        if name not in self._known:
            element = self._elements.get(name)
            if element is None:
                error = UnknownName("link, joint or frame", name, [*self._elements, MODEL])
                asking.fail(error.cause, error.remedy)
            if depth > NESTED_LIMIT:
                asking.fail(f"the pose of {element.said} is given by itself.", "Give it relative to something else.")
            self._known[name] = self._relative(element, depth + 1)
        return self._known[name]

    def _relative(self, element: Element, depth: int) -> Placement:
        usual = MODEL if element.tag == "link" else element.attributes.get("attached_to", MODEL)
        if element.tag == "joint":
            usual = element.inner("child")
        pose = element.first("pose")
        base = "" if pose is None else pose.attributes.get("relative_to") or pose.attributes.get("frame") or ""
        return self.of(base or usual, element, depth) @ pose_of(element)

    def turned(self, axis: list[float], frame: str, joint: Element) -> list[float]:
        """A direction given in a frame, in the axes of a joint."""
        direction = self.of(frame, joint).R @ np.array(axis)
        return [float(x) for x in self.of(joint.text("name"), joint).R.T @ direction]


def pose_of(element: Element) -> Placement:
    """Its own <pose>: place, then angles about the fixed axes x, y, z, or a quaternion."""
    pose = element.first("pose")
    if pose is None or not pose.content:
        return STILL
    if pose.attributes.get("rotation_format", "euler_rpy") == "quat_xyzw":
        *place, x, y, z, w = element.inner_numbers("pose", 7)
        return Placement(np.array(place), _of_quaternion(pose, w, x, y, z))
    *place, roll, pitch, yaw = element.inner_numbers("pose", 6)
    unit = pi / 180 if pose.attributes.get("degrees") in ("true", "1") else 1.0
    return Placement(np.array(place), from_rpy(roll * unit, pitch * unit, yaw * unit))


def _of_quaternion(pose: Element, w: float, x: float, y: float, z: float) -> np.ndarray:
    size = (w * w + x * x + y * y + z * z) ** 0.5
    if not size > 1e-9:
        pose.fail("the quaternion is zero.")
    w, x, y, z = w / size, x / size, y / size, z / size
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
