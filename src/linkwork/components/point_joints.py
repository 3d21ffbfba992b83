"""Joints that guide a point of the second body and leave its orientation free."""

from __future__ import annotations

from typing import Annotated, Any

import casadi as ca

from linkwork.components.given import Course
from linkwork.components.joint import Axis, First, Joint, JointCoordinate, Point, Second
from linkwork.components.joints import together
from linkwork.components.laws import evaluate
from linkwork.core import kinds
from linkwork.core.registry import component
from linkwork.geometry import SX, Pose, as_vector, dot, norm, rotation_z, rotations, translation

POLE = 1e-12
"""Nearer to the axis of an azimuth than this share of the length, it reads 0."""
NEAR = 1e-3
"""Nearer to it than this, its rate says nothing of full turns any more."""
LENGTH = kinds.positive.saying("Use `spherical` for 0.", "{word} {given} m is not positive.") | kinds.function


class PointJoint(Joint):
    """The origin of N is guided; its orientation is free: (rx, ry, rz) below half a turn, rz in the plane."""

    turning: tuple[str, ...] = ()
    ball = True

    def guided(self, M: Pose, N: Pose) -> list[SX]:
        """The coordinates of the origin."""
        return []

    def place(self, *guided: Any) -> Pose:
        """Where the origin is for these coordinates."""
        return translation()

    def measure(self, M, N):
        if M.turn is not None and N.turn is not None:
            return [*self.guided(M, N), SX(0), SX(0), N.turn - M.turn]
        r = rotations.rotation_vector(M.R.T @ N.R)
        return [*self.guided(M, N), r[0], r[1], r[2]]

    def motion(self, *free):
        *guided, rx, ry, rz = (SX(c) for c in free)
        if rx.is_zero() and ry.is_zero():
            return self.place(*guided) @ rotation_z(rz)
        e = rotations.quaternion_exponential(as_vector((rx, ry, rz)))
        return self.place(*guided) @ Pose(as_vector((0, 0)), rotations.from_quaternion(e))


@component
class Spherical(PointJoint):
    """Ball joint: the origins coincide. In space rx, ry, rz are the rotation vector, which wraps at half a turn."""

    rx: JointCoordinate
    ry: JointCoordinate
    rz: JointCoordinate
    plane = ("rz",)

    def closure(self, M, N):
        return together(M, N)


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
        return SX(1) if along.is_zero() else ca.fmin(1, across / (NEAR**2 * (across + along)))

    def place(self, azimuth, elevation):
        reach = self.length * ca.cos(elevation)
        return translation(reach * ca.cos(azimuth), reach * ca.sin(azimuth), self.length * ca.sin(elevation))
