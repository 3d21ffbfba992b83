"""A body of a plane in space, whose start is given in the plane."""

from __future__ import annotations

from typing import Any, Self

import casadi as ca

from linkwork.components.bodies import Body
from linkwork.core import kinds
from linkwork.core.component import Marker
from linkwork.core.errors import ModelError
from linkwork.geometry import SX, Number, Pose, Vector, as_vector, is_scalar, rotations


class PlaneBody(Body):
    """Its z axis is the normal of the plane."""

    def __init__(self, name: str, plane: Marker, *, mass: Number, inertia: Any):
        whole = (inertia / 2, inertia / 2, inertia) if is_scalar(inertia) else inertia
        super().__init__(name, mass=mass, inertia=whole)
        self.plane = plane

    def start(  # type: ignore[override]
        self,
        *,
        position: Vector | None = None,
        angle: Number | None = None,
        velocity: Vector | None = None,
        spin: Number | None = None,
    ) -> Self:
        """Where it starts in the plane: position (x, y) [m], angle [rad], velocity [m/s], spin [rad/s]."""
        R, given = self.plane.at_start.R, {}
        if position is not None or angle is not None:
            place = as_vector(flat("position", (0, 0) if position is None else position, 0, self.name))
            here = self.plane.at_start @ Pose(place, SX(ca.DM.eye(3)))
            if position is not None:
                given["position"] = here.p
            turned = kinds.angle.taken("angle", 0 if angle is None else angle, self.name)
            given["rotation"] = R @ rotations.about_z(turned)
        for word, vector in (("velocity", velocity), ("spin", None if spin is None else (0, 0, spin))):
            if vector is None:
                continue
            if self.model is None or self.plane.body is not self.model.ground:
                raise ModelError(
                    f"a {word} in a plane that moves with {self.plane.body.name}.",
                    component=self.name,
                    remedy="Give the rates of joints instead.",
                )
            given[word] = R @ as_vector(flat(word, vector, 0, self.name) if word == "velocity" else vector)
        super().start(**given)
        return self

    def start_pose(self) -> Pose:
        """That of the plane, unless it is said."""
        here, position, rotation = self.plane.at_start, self.given.position, self.given.rotation
        return Pose(here.p if position is None else position, here.R if rotation is None else rotation)


def flat(what: str, x: object, y: object, name: str) -> tuple[Number, Number]:
    """Two coordinates, given as such or as one pair; a third one must be 0."""
    pair = (x, y) if is_scalar(x) else x
    vector = kinds.vector.taken(what, pair, name)
    if len(vector) == 3 and not SX(vector[2]).is_zero():
        raise ModelError(f"{what} {kinds.shown(pair)} leaves the plane.", component=name, remedy="Give two numbers.")
    return vector[0], vector[1]
