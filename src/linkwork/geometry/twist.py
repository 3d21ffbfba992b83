"""Twists: how a rigid body moves at a point. The dual of a wrench, in the same order: (velocity, angular velocity)."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.geometry.embedding import Embedding, embedding_of_speeds
from linkwork.geometry.pose import Pose
from linkwork.geometry.vectors import SX, cross, dot
from linkwork.geometry.wrench import Wrench


@dataclass(frozen=True)
class Twist:
    """The velocity [m/s] of a reference point and the angular velocity [rad/s], world axes unless said otherwise.

    Accelerations of points of a body that does not turn yet, and small displacements, are twists as well.
    """

    velocity: SX
    spin: SX

    @classmethod
    def none(cls) -> Twist:
        return cls(SX(3, 1), SX(3, 1))

    @classmethod
    def of_column(cls, column: SX) -> Twist:
        """From six components, or columns of them."""
        return cls(column[:3, :], column[3:, :])

    @classmethod
    def of_speeds(cls, speeds: SX, R: SX) -> Twist:
        """At the mass centre, from the speeds of a body that is turned by R."""
        velocity, spin = embedding_of_speeds(speeds.numel()).split(speeds)
        return cls(velocity, R @ spin)

    @property
    def column(self) -> SX:
        """Six components."""
        return ca.vertcat(self.velocity, self.spin)

    def on_speeds(self, R: SX, space: Embedding) -> SX:
        """The speeds of a body that is turned by R and moves so at its mass centre."""
        return space.both(self.velocity, R.T @ self.spin)

    def moved(self, arm: SX) -> Twist:
        """The same at another point; arm [m]: from there to the point of this one."""
        return Twist(self.velocity + cross(self.spin, -arm), self.spin)

    def into(self, pose: Pose) -> Twist:
        """The same at the origin of a frame and in its axes; pose: of the frame, in the axes of this one."""
        return Twist(pose.R.T @ (self.velocity + cross(self.spin, pose.p)), pose.R.T @ self.spin)

    def power(self, wrench: Wrench) -> SX:
        """[W], of a wrench at the same point."""
        return dot(wrench.force, self.velocity) + dot(wrench.moment, self.spin)

    def __add__(self, other: Twist) -> Twist:
        return Twist(self.velocity + other.velocity, self.spin + other.spin)

    def __sub__(self, other: Twist) -> Twist:
        return Twist(self.velocity - other.velocity, self.spin - other.spin)

    def __neg__(self) -> Twist:
        return Twist(-self.velocity, -self.spin)

    def __mul__(self, rate: SX) -> Twist:
        return Twist(self.velocity * rate, self.spin * rate)
