"""Vectors, rotations, poses, twists and wrenches: symbolic, stateless. The plane is z ≡ 0, turning about z."""

from linkwork.geometry import angle_sequences, rotations
from linkwork.geometry.angle_sequences import rotation
from linkwork.geometry.embedding import Embedding, embedding
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
from linkwork.geometry.twist import Twist
from linkwork.geometry.vectors import SX, Number, Vector, as_vector, cross, dot, is_scalar, norm, unit_vector
from linkwork.geometry.wrench import Wrench

__all__ = [
    "SX",
    "Embedding",
    "Number",
    "Pose",
    "Twist",
    "Vector",
    "Wrench",
    "angle_sequences",
    "as_vector",
    "cross",
    "dot",
    "embedding",
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
