"""Wrenches in one order, (force, moment), as twists are (velocity, spin); and what they are to the speeds of a body."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.geometry.vectors import SX, cross


@dataclass(frozen=True)
class Wrench:
    """A force [N] and the moment [N·m] about its reference point, world axes."""

    force: SX
    moment: SX

    @classmethod
    def none(cls) -> Wrench:
        return cls(SX(3, 1), SX(3, 1))

    @classmethod
    def of_speeds(cls, push: SX, R: SX) -> Wrench:
        """At the mass centre, from the generalised force on a body that is turned by R."""
        force, moment = embedded(push)
        return cls(force, moment if push.numel() == PLANE else R @ moment)

    def on_speeds(self, R: SX, *, planar: bool) -> SX:
        """The generalised force of a wrench at the mass centre of a body that is turned by R."""
        if planar:
            return ca.vertcat(self.force[0], self.force[1], self.moment[2])
        return ca.vertcat(self.force, R.T @ self.moment)

    def moved(self, arm: SX) -> Wrench:
        """The same about another point; arm [m]: from there to the point of this one."""
        return Wrench(self.force, self.moment + cross(arm, self.force))

    def __add__(self, other: Wrench) -> Wrench:
        return Wrench(self.force + other.force, self.moment + other.moment)

    def __sub__(self, other: Wrench) -> Wrench:
        return Wrench(self.force - other.force, self.moment - other.moment)

    def __neg__(self) -> Wrench:
        return Wrench(-self.force, -self.moment)


PLANE = 3
"""Speeds of a body in the plane: vx, vy, ωz; in space: v (world axes), ω (body axes)."""


def embedded(push: SX) -> tuple[SX, SX]:
    """Force (world axes) and moment (body axes) of a generalised force on the speeds of a body: the plane in space."""
    if push.numel() == PLANE:
        return ca.vertcat(push[0], push[1], 0), ca.vertcat(0, 0, push[2])
    return push[:3], push[3:6]
