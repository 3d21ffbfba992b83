"""Joints of a plane: one that closes a loop holds nothing twice.

Bodies that joints carry from one to the next are held in their plane by these joints. Where another joint closes a
loop, all that leaves the plane is held already: of its equations only those are kept that a planar model has.
"""

from __future__ import annotations

import casadi as ca

from linkwork.components.joint import Joint
from linkwork.geometry import SX, Pose, rotations

LEAVING = 3
"""Ways to leave a plane: along its normal, and about two axes in it."""


def holds_in_plane(joint: Joint) -> bool:
    """Whether it leaves no way out of the plane: as many of its equations say nothing in a planar model."""
    return sum(not kept for kept in _in_plane(joint)) == LEAVING


def close_in_plane(joint: Joint) -> None:
    """Keep only those equations that a planar model has."""
    joint._kept = _in_plane(joint)
    joint.__class__ = _closing(type(joint))


def _in_plane(joint: Joint) -> list[bool]:
    """Which of its equations depend on a motion in the plane."""
    moving = SX.sym("moving", 3)
    N = Pose(ca.vertcat(moving[0], moving[1], 0), rotations.about_z(moving[2]))
    rows = joint.closure(Pose(SX(3, 1), SX.eye(3)), N)
    return [bool(ca.depends_on(ca.simplify(SX(row)), moving)) for row in rows]


def _empty(cls: type[Joint]) -> Joint:
    """What a copy, here or in another process, is filled into."""
    made = _closing(cls)
    return made.__new__(made)


_MADE: dict[type[Joint], type[Joint]] = {}
"""By class of joints: the same that closes in a plane."""


def _closing(cls: type[Joint]) -> type[Joint]:
    if cls in _MADE:
        return _MADE[cls]

    class InPlane(cls):  # type: ignore[misc, valid-type]
        """The same joint in a plane that others hold it in; its equations are in the axes of its first frame."""

        def closure(self, M: Pose, N: Pose) -> list[SX]:
            rows = super().closure(Pose(SX(3, 1), SX.eye(3)), Pose(M.R.T @ (N.p - M.p), M.R.T @ N.R))
            return [row for row, kept in zip(rows, self._kept, strict=True) if kept]

        def __reduce__(self) -> tuple[object, ...]:
            return _empty, (cls,), self.__dict__

    InPlane.__name__, InPlane.__qualname__ = cls.__name__, cls.__qualname__
    _MADE[cls] = InPlane
    return InPlane
