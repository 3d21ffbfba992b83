"""Vectors, rotations, poses and wrenches: symbolic, stateless. Plane is space with z ≡ 0 and rotation about z."""

from linkwork.geometry import angle_sequences, rotations
from linkwork.geometry.angle_sequences import rotation
from linkwork.geometry.pose import (
    Pose,
    rotation_x,
    rotation_y,
    rotation_z,
    rotx,
    roty,
    rotz,
    shift,
    translation,
    turn,
)
from linkwork.geometry.vectors import SX, Number, Vector, as_vector, cross, dot, is_scalar, norm, unit_vector
from linkwork.geometry.wrench import Wrench, embedded

__all__ = [
    "SX",
    "Number",
    "Pose",
    "Vector",
    "Wrench",
    "angle_sequences",
    "as_vector",
    "cross",
    "dot",
    "embedded",
    "is_scalar",
    "norm",
    "rotation",
    "rotation_x",
    "rotation_y",
    "rotation_z",
    "rotations",
    "rotx",
    "roty",
    "rotz",
    "shift",
    "translation",
    "turn",
    "unit_vector",
]
