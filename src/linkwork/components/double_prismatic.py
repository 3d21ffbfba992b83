"""Two sliding freedoms and no turning: a cross slide, AME's double translational joint."""

from __future__ import annotations

from linkwork.components.joint import Joint, JointCoordinate
from linkwork.core.registry import component
from linkwork.geometry import dot, translation


@component
class DoublePrismatic(Joint):
    """Slides along x of the first frame and along y of the second, which stays parallel to it: a cross slide."""

    slide1: JointCoordinate
    slide2: JointCoordinate
    main = "x"
    plane = ("slide1", "slide2")

    def closure(self, M, N):
        return [dot(N.p - M.p, M.z), dot(M.x, N.y), dot(M.x, N.z), dot(M.y, N.z)]

    def motion(self, slide1, slide2):
        return translation(slide1, slide2, 0)

    def measure(self, M, N):
        d = N.p - M.p
        return [dot(d, M.x), dot(d, N.y)]
