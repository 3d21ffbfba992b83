"""Points that stay on curves: tracks and cams, rigid and never lifting off. `m.cam` may lift off."""

from __future__ import annotations

from typing import Annotated

import casadi as ca

from linkwork.components.joint import Axis, First, JointCoordinate, Point, Second
from linkwork.components.point_joint import PointJoint
from linkwork.components.profiles import FUNCTION, Profile, Radius, Roller, pitch
from linkwork.core.registry import component
from linkwork.geometry import SX, dot, translation


@component
class PointOnCurve(PointJoint):
    """The origin of N stays on y = height(x), z = 0 of M: a bead on a track. Free: x along it, and its rotation."""

    along: JointCoordinate
    rx: JointCoordinate
    ry: JointCoordinate
    rz: JointCoordinate
    main = "x"
    plane = ("along", "rz")

    def __init__(
        self,
        name: str,
        first: First,
        second: Second,
        *,
        height: Annotated[
            Profile, FUNCTION["m"], 'of x [m], in the axes of M; lw.Table(x, y, "cubic") of measured points'
        ],
        point: Point = None,
        axis: Axis = None,
    ):
        super().__init__(name, first, second, point=point, axis=axis)
        self.height = height

    def closure(self, M, N):
        d = N.p - M.p
        return [dot(d, M.y) - self.height(dot(d, M.x)), dot(d, M.z)]

    def guided(self, M, N):
        return [dot(N.p - M.p, M.x)]

    def place(self, along):
        return translation(along, self.height(SX(along)), 0)


@component
class PointOnCam(PointJoint):
    """The origin of N, a point or the centre of a roller, stays on a cam around z of M. Free: its angle, rotation."""

    angle: JointCoordinate
    rx: JointCoordinate
    ry: JointCoordinate
    rz: JointCoordinate
    turning = ("angle",)
    plane = ("angle", "rz")

    def __init__(
        self,
        name: str,
        first: First,
        second: Second,
        *,
        radius: Radius,
        roller: Roller = 0.0,
        point: Point = None,
        axis: Axis = None,
    ):
        super().__init__(name, first, second, point=point, axis=axis)
        self.radius, self.roller = radius, roller
        self._pitch = pitch(name, radius, roller)

    def closure(self, M, N):
        d = N.p - M.p
        x, y = dot(d, M.x), dot(d, M.y)
        return [ca.sqrt(x * x + y * y) - self._pitch(ca.atan2(y, x)), dot(d, M.z)]

    def guided(self, M, N):
        d = N.p - M.p
        return [ca.atan2(dot(d, M.y), dot(d, M.x))]

    def place(self, angle):
        r = self._pitch(SX(angle))
        return translation(r * ca.cos(angle), r * ca.sin(angle), 0)
