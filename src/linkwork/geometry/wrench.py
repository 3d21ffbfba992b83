"""Wrenches in one order, (force, moment), as twists are (velocity, spin); and what they are to the speeds of a body."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.geometry.embedding import Embedding, embedding_of_speeds
from linkwork.geometry.pose import Pose
from linkwork.geometry.vectors import SX, cross


@dataclass(frozen=True)
class Wrench:
    """A force [N] and the moment [N·m] about its reference point, world axes unless said otherwise."""

    force: SX
    moment: SX

    @classmethod
    def none(cls) -> Wrench:
        return cls(SX(3, 1), SX(3, 1))

    @classmethod
    def of_column(cls, column: SX) -> Wrench:
        """From six components."""
        return cls(column[:3], column[3:])

    @classmethod
    def of_speeds(cls, push: SX, R: SX) -> Wrench:
        """At the mass centre, from the generalised force on the speeds of a body that is turned by R."""
        force, moment = embedding_of_speeds(push.numel()).split(push)
        return cls(force, R @ moment)

    @property
    def column(self) -> SX:
        """Six components."""
        return ca.vertcat(self.force, self.moment)

    def on_speeds(self, R: SX, space: Embedding) -> SX:
        """The generalised force of a wrench at the mass centre of a body that is turned by R."""
        return space.both(self.force, R.T @ self.moment)

    def moved(self, arm: SX) -> Wrench:
        """The same about another point; arm [m]: from there to the point of this one."""
        return Wrench(self.force, self.moment + cross(arm, self.force))

    def into(self, pose: Pose) -> Wrench:
        """The same about the origin of a frame and in its axes; pose: of the frame, in the axes of this one."""
        force = pose.R.T @ self.force
        return Wrench(force, pose.R.T @ self.moment + cross(-(pose.R.T @ pose.p), force))

    def out_of(self, pose: Pose) -> Wrench:
        """The inverse of `into`: from the axes and the origin of a frame."""
        force = pose.R @ self.force
        return Wrench(force, pose.R @ self.moment + cross(pose.p, force))

    def __add__(self, other: Wrench) -> Wrench:
        return Wrench(self.force + other.force, self.moment + other.moment)

    def __sub__(self, other: Wrench) -> Wrench:
        return Wrench(self.force - other.force, self.moment - other.moment)

    def __neg__(self) -> Wrench:
        return Wrench(-self.force, -self.moment)
