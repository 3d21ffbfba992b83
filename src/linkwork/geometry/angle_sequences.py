"""Orientation as three angles about axes that turn along: "zyx" (yaw, pitch, roll), "xyz" (Cardan), "zxz" (Euler), …"""

from __future__ import annotations

from functools import reduce
from itertools import product

import casadi as ca

from linkwork.geometry.pose import Pose, rotation_x, rotation_y, rotation_z
from linkwork.geometry.vectors import SX, Number

SEQUENCES = tuple("".join(s) for s in product("xyz", repeat=3) if s[0] != s[1] != s[2])
POLE = 1e-12
"""Sine of an angle below which first and third cannot be told apart: then the first reads 0."""


def rotation(sequence: str, first: Number, second: Number, third: Number) -> Pose:
    """Turns [rad] about three axes, each as the last has left it: `lw.rotation("zyx", yaw, pitch, roll)`."""
    if sequence not in SEQUENCES:
        raise TypeError(f"sequence is {sequence!r}: give three axes, none twice in a row, such as 'zyx' or 'zxz'.")
    about = {"x": rotation_x, "y": rotation_y, "z": rotation_z}
    turns = (about[axis](angle) for axis, angle in zip(sequence, (first, second, third), strict=True))
    return reduce(Pose.__matmul__, turns)


def angles_of(R: SX, sequence: str) -> tuple[SX, SX, SX]:
    """The three angles [rad] of a rotation matrix: the second within a quarter turn (0 … half a turn, if the first axis
    comes twice), the others within half a turn. At the pole the first is 0, and nothing is divided by it."""
    i, j, k = ("xyz".index(axis) for axis in sequence)
    twice = i == k
    k = 3 - i - j
    s = 1 if (j - i) % 3 == 1 else -1
    first, third = (R[j, i], -s * R[k, i]), (R[i, j], s * R[i, k])
    if not twice:
        first, third = (-s * R[j, k], R[k, k]), (-s * R[i, j], R[i, i])
    square = third[0] ** 2 + third[1] ** 2
    pole = square <= POLE**2
    size = ca.sqrt(ca.if_else(pole, POLE**2, square))
    second = ca.atan2(size, R[i, i]) if twice else ca.atan2(s * R[i, k], size)
    # At the pole only the sum (or difference) of both turns is there: the third tells it.
    whole = (-s * R[j, k], R[j, j]) if twice else (s * R[j, i], R[j, j])
    return (
        ca.atan2(ca.if_else(pole, 0, first[0]), ca.if_else(pole, 1, first[1])),
        second,
        ca.atan2(ca.if_else(pole, whole[0], third[0]), ca.if_else(pole, whole[1], third[1])),
    )


def clearance(R: SX, sequence: str) -> SX:
    """How far the second angle is from its pole, 0 … 1: the square of a sine."""
    i, j, k = ("xyz".index(axis) for axis in sequence)
    return 1 - R[i, i if i == k else k] ** 2
