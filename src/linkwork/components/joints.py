"""The joint library, plane and space. M is the frame on the first body, N the one on the second."""

from __future__ import annotations

from typing import Annotated, Any

import casadi as ca
import numpy as np

from linkwork.components.given import Course
from linkwork.components.joint import Axis, First, Joint, JointCoordinate, Point, Second
from linkwork.components.laws import evaluate
from linkwork.components.point_joint import PointJoint
from linkwork.core import kinds
from linkwork.core.errors import ModelError
from linkwork.core.registry import component
from linkwork.geometry import (
    SX,
    Number,
    Pose,
    dot,
    norm,
    rotation_x,
    rotation_y,
    rotation_z,
    translation,
    turn,
)

POLE = 1e-12
"""Nearer to the axis of an azimuth than this share of the length, it reads 0."""
POLE_MARGIN = 1e-3
"""Nearer to it than this, its rate says nothing of full turns any more."""
NONZERO = kinds.nonzero.saying("Give a nonzero pitch, or use `revolute`.", "{word} {given} m/turn.")
LENGTH = kinds.positive.saying("Use `spherical` for 0.", "{word} {given} m is not positive.") | kinds.function


def _together(M: Pose, N: Pose) -> list[SX]:
    """The origins coincide: three rows in world axes, the cheapest there are."""
    d = N.p - M.p
    return [d[0], d[1], d[2]]


def _cardan(M: Pose, N: Pose) -> list[SX]:
    """Angles about x of M, then about y of N."""
    return [ca.atan2(dot(N.y, M.z), dot(N.y, M.y)), ca.atan2(dot(M.x, N.z), dot(M.x, N.x))]


@component
class Fixed(Joint):
    """No motion at all: welds the two frames together."""

    plane = ()

    def closure(self, M, N):
        return [*_together(M, N), dot(M.y, N.z), dot(M.x, N.z), dot(M.x, N.y)]

    def motion(self):
        return translation()

    def measure(self, M, N):
        return []


@component
class Revolute(Joint):
    """Rotates about the common z axis (in the plane: a pin)."""

    angle: JointCoordinate
    plane = ("angle",)

    def closure(self, M, N):
        return [*_together(M, N), dot(M.x, N.z), dot(M.y, N.z)]

    def motion(self, angle):
        return rotation_z(angle)

    def measure(self, M, N):
        return [turn(M, N)]


@component
class Prismatic(Joint):
    """Slides along the common x axis."""

    slide: JointCoordinate
    main = "x"
    plane = ("slide",)

    def closure(self, M, N):
        d = N.p - M.p
        return [dot(d, M.y), dot(d, M.z), dot(M.y, N.x), dot(M.z, N.x), dot(M.z, N.y)]

    def motion(self, slide):
        return translation(slide, 0, 0)

    def measure(self, M, N):
        return [dot(N.p - M.p, M.x)]


@component
class Cylindrical(Joint):
    """Slides along and rotates about the common z axis (space only)."""

    slide: JointCoordinate
    angle: JointCoordinate

    def closure(self, M, N):
        d = N.p - M.p
        return [dot(d, M.x), dot(d, M.y), dot(M.x, N.z), dot(M.y, N.z)]

    def motion(self, slide, angle):
        return translation(0, 0, slide) @ rotation_z(angle)

    def measure(self, M, N):
        return [dot(N.p - M.p, M.z), turn(M, N)]


@component
class Screw(Joint):
    """Rotates about z and advances `pitch` metres per turn along it (space only)."""

    angle: JointCoordinate

    def __init__(
        self,
        name: str,
        first: First,
        second: Second,
        *,
        pitch: Annotated[Number, NONZERO["m"], "advance along the axis per turn; negative: left-handed"],
        point: Point = None,
        axis: Axis = None,
    ):
        super().__init__(name, first, second, point=point, axis=axis)
        self.pitch = pitch

    def closure(self, M, N):
        d = N.p - M.p
        angle = self.measure(M, N)[0]
        follower = ca.cos(angle) * M.y - ca.sin(angle) * M.x  # ⟂ N.x when N has turned as far as it advanced
        advance = self.pitch / (2 * np.pi)  # in metres, as it holds positions
        return [dot(d, M.x), dot(d, M.y), dot(M.x, N.z), dot(M.y, N.z), advance * dot(follower, N.x)]

    def motion(self, angle):
        return translation(0, 0, self.pitch / (2 * np.pi) * angle) @ rotation_z(angle)

    def measure(self, M, N):
        return [2 * np.pi / self.pitch * dot(N.p - M.p, M.z)]

    turning = ()  # read from the advance, which counts the turns by itself


@component
class Universal(Joint):
    """Hooke's joint: turns about x of the first frame, then about y of the second (space only)."""

    angle1: JointCoordinate
    angle2: JointCoordinate
    main = "x"

    def __init__(
        self,
        name: str,
        first: First,
        second: Second,
        *,
        axis2: Annotated[Axis, "its axis on the second body, perpendicular to `axis` at the start"] = None,
        point: Point = None,
        axis: Annotated[Axis, "its axis on the first body"] = None,
    ):
        super().__init__(name, first, second, point=point, axis=axis)
        self._axis2 = axis2
        if (axis2 is None) != (self._axis is None):
            raise ModelError("needs axis and axis2, or neither.", component=name, remedy="Give both directions.")

    def alignment(self, which: int) -> np.ndarray:
        x, y = self._direction(self._axis), self._direction(self._axis2)
        if abs(x @ y) > 1e-9 * np.linalg.norm(x) * np.linalg.norm(y):
            raise ModelError(
                "axis and axis2 are not perpendicular.", component=self.name, remedy="Correct one of them."
            )
        x, y = x / np.linalg.norm(x), y / np.linalg.norm(y)
        return np.column_stack([x, y, np.cross(x, y)])

    def closure(self, M, N):
        return [*_together(M, N), dot(M.x, N.y)]

    def motion(self, angle1, angle2):
        return rotation_x(angle1) @ rotation_y(angle2)

    def measure(self, M, N):
        return _cardan(M, N)


@component
class Planar(Joint):
    """N slides in the x–y plane of M and turns about z."""

    x: JointCoordinate
    y: JointCoordinate
    angle: JointCoordinate
    plane = ("x", "y", "angle")

    def closure(self, M, N):
        return [dot(N.p - M.p, M.z), dot(M.x, N.z), dot(M.y, N.z)]

    def motion(self, x, y, angle):
        return translation(x, y, 0) @ rotation_z(angle)

    def measure(self, M, N):
        d = N.p - M.p
        return [dot(d, M.x), dot(d, M.y), turn(M, N)]


@component
class Spherical(PointJoint):
    """Ball joint: the origins coincide. In space rx, ry, rz are the rotation vector, which wraps at half a turn."""

    rx: JointCoordinate
    ry: JointCoordinate
    rz: JointCoordinate
    plane = ("rz",)

    def closure(self, M, N):
        return _together(M, N)


@component
class PointOnLine(PointJoint):
    """The origin of N stays on the x axis of M: a pin in a slot. Free: slide, and rz (rx, ry, rz in space)."""

    slide: JointCoordinate
    rx: JointCoordinate
    ry: JointCoordinate
    rz: JointCoordinate
    main = "x"
    plane = ("slide", "rz")

    def closure(self, M, N):
        d = N.p - M.p
        return [dot(d, M.y), dot(d, M.z)]

    def guided(self, M, N):
        return [dot(N.p - M.p, M.x)]

    def place(self, slide):
        return translation(slide, 0, 0)


@component
class PointOnPlane(PointJoint):
    """The origin of N stays in the x–y plane of M (space only)."""

    x: JointCoordinate
    y: JointCoordinate
    rx: JointCoordinate
    ry: JointCoordinate
    rz: JointCoordinate

    def closure(self, M, N):
        return [dot(N.p - M.p, M.z)]

    def guided(self, M, N):
        d = N.p - M.p
        return [dot(d, M.x), dot(d, M.y)]

    def place(self, x, y):
        return translation(x, y, 0)


@component
class Distance(PointJoint):
    """The origins keep a distance `length` [m]: a massless rod with ball ends.

    Free: azimuth and elevation of the rod seen from M, and the rotation of N. Along the z axis of M the azimuth has no
    meaning: there it reads 0, and nearer to it than a thousandth of the length full turns are not counted.
    """

    sphere = True

    azimuth: JointCoordinate
    elevation: JointCoordinate
    rx: JointCoordinate
    ry: JointCoordinate
    rz: JointCoordinate
    units = {"azimuth": "rad", "elevation": "rad"}
    turning = ("azimuth",)
    plane = ("azimuth", "rz")

    def __init__(
        self,
        name: str,
        first: First,
        second: Second,
        *,
        length: Annotated[Course, LENGTH["m"], "of the rod; it may change: an expression, or a function of t"],
        point: Point = None,
        axis: Axis = None,
    ):
        super().__init__(name, first, second, point=point, axis=axis)
        self.length: Any = length

    def attached(self, model):
        super().attached(model)
        if callable(self.length):
            self.length = evaluate(self.length, t=model.t)

    def closure(self, M, N):
        return [norm(N.p - M.p) - self.length]

    def guided(self, M, N):
        d = N.p - M.p
        a, b, c = dot(d, M.x), dot(d, M.y), dot(d, M.z)
        if c.is_zero():
            return [ca.atan2(b, a), SX(0)]
        # Whole expressions are safe at the pole, their derivatives too: a channel must not stop a run.
        square = a * a + b * b
        pole = square <= POLE**2 * (square + c * c)
        across = ca.sqrt(ca.if_else(pole, 1e-300, square))
        return [ca.atan2(ca.if_else(pole, 0, b), ca.if_else(pole, 1, a)), ca.atan2(c, across)]

    def clearance(self, label, M, N):
        if label != "azimuth":
            return SX(1)
        d = N.p - M.p
        across, along = dot(d, M.x) ** 2 + dot(d, M.y) ** 2, dot(d, M.z) ** 2
        return SX(1) if along.is_zero() else ca.fmin(1, across / (POLE_MARGIN**2 * (across + along)))

    def place(self, azimuth, elevation):
        reach = self.length * ca.cos(elevation)
        return translation(reach * ca.cos(azimuth), reach * ca.sin(azimuth), self.length * ca.sin(elevation))


@component
class ParallelAxes(Joint):
    """The z axes stay parallel, positions are free (space only)."""

    x: JointCoordinate
    y: JointCoordinate
    z: JointCoordinate
    angle: JointCoordinate

    def closure(self, M, N):
        return [dot(M.x, N.z), dot(M.y, N.z)]

    def motion(self, x, y, z, angle):
        return translation(x, y, z) @ rotation_z(angle)

    def measure(self, M, N):
        d = N.p - M.p
        return [dot(d, M.x), dot(d, M.y), dot(d, M.z), turn(M, N)]


@component
class PerpendicularAxes(Joint):
    """x of M stays perpendicular to y of N, positions are free (space only)."""

    x: JointCoordinate
    y: JointCoordinate
    z: JointCoordinate
    angle1: JointCoordinate
    angle2: JointCoordinate
    main = "x"

    def closure(self, M, N):
        return [dot(M.x, N.y)]

    def motion(self, x, y, z, angle1, angle2):
        return translation(x, y, z) @ rotation_x(angle1) @ rotation_y(angle2)

    def measure(self, M, N):
        d = N.p - M.p
        return [dot(d, M.x), dot(d, M.y), dot(d, M.z), *_cardan(M, N)]


@component
class Rotational(Joint):
    """BND's rotational joint with four constraints: a pin (z axis) whose second body may also tilt about y of N.

    One blocked rotation fewer than `revolute`, so a planar loop of spatial bodies can be built without redundancy.
    """

    angle1: JointCoordinate
    angle2: JointCoordinate

    def closure(self, M, N):
        return [*_together(M, N), dot(M.z, N.y)]

    def motion(self, angle1, angle2):
        return rotation_z(angle1) @ rotation_y(angle2)

    def measure(self, M, N):
        return [ca.atan2(-dot(N.y, M.x), dot(N.y, M.y)), ca.atan2(-dot(M.z, N.x), dot(M.z, N.z))]


for _joint in (Fixed, Revolute, Prismatic, Cylindrical, Screw, Universal, Planar, Spherical, PointOnLine, PointOnPlane,
               Distance, ParallelAxes, PerpendicularAxes, Rotational):  # fmt: skip
    _joint.regular = True
