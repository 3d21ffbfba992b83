"""Rotation matrices and Euler parameters (unit quaternions, scalar first)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

import casadi as ca
import numpy as np

from linkwork.geometry.vectors import SX, Number, cross

ZERO, ONE = SX(0), SX(1)
"""Expressions among expressions: CasADi asks of every number what it might be."""


def about_x(angle: Number) -> SX:
    c, s = _cosine_and_sine(angle)
    return _matrix(ONE, ZERO, ZERO, ZERO, c, s, ZERO, -s, c)


def about_y(angle: Number) -> SX:
    c, s = _cosine_and_sine(angle)
    return _matrix(c, ZERO, -s, ZERO, ONE, ZERO, s, ZERO, c)


def about_z(angle: Number) -> SX:
    c, s = _cosine_and_sine(angle)
    return _matrix(c, s, ZERO, -s, c, ZERO, ZERO, ZERO, ONE)


def _cosine_and_sine(angle: Number) -> tuple[SX, SX]:
    x = angle if isinstance(angle, SX) else SX(angle)
    return ca.cos(x), ca.sin(x)


def _matrix(*elements: Number | ca.DM) -> SX:
    """3×3, column by column: one concatenation, not four."""
    return ca.reshape(ca.vertcat(*elements), 3, 3)


Column: TypeAlias = SX | ca.DM | np.ndarray


def from_quaternion(e: Column) -> SX:
    """Body → world matrix of the Euler parameters e = (e0, e1, e2, e3), |e| = 1."""
    w, x, y, z = (e[i] for i in range(4))
    xx, yy, zz, xy, xz, yz, wx, wy, wz = x * x, y * y, z * z, x * y, x * z, y * z, w * x, w * y, w * z
    return _matrix(
        *(1 - 2 * (yy + zz), 2 * (xy + wz), 2 * (xz - wy)),
        *(2 * (xy - wz), 1 - 2 * (xx + zz), 2 * (yz + wx)),
        *(2 * (xz + wy), 2 * (yz - wx), 1 - 2 * (xx + yy)),
    )


def quaternion_product(a: Column, b: Column) -> SX:
    a0, b0 = a[0], b[0]
    av, bv = ca.vertcat(a[1], a[2], a[3]), ca.vertcat(b[1], b[2], b[3])
    return ca.vertcat(a0 * b0 - (av.T @ bv), a0 * bv + b0 * av + cross(av, bv))


def quaternion_rate(e: SX) -> SX:
    """The 4×3 matrix G with ė = G ω, ω in body axes."""
    w, x, y, z = (e[i] / 2 for i in range(4))
    return ca.vertcat(ca.horzcat(-x, -y, -z), ca.horzcat(w, -z, y), ca.horzcat(z, w, -x), ca.horzcat(-y, x, w))


def quaternion_exponential(rotation_vector: SX) -> SX:
    """Unit quaternion of the rotation by |r| about r; smooth at r = 0."""
    half = rotation_vector / 2
    square = half.T @ half
    small = square < 1e-8
    size = ca.sqrt(ca.if_else(small, 1, square))
    sinc = ca.if_else(small, 1 - square / 6, ca.sin(size) / size)
    return ca.vertcat(ca.if_else(small, 1 - square / 2, ca.cos(size)), sinc * half)


def rotation_vector(E: SX) -> SX:
    """Rotation vector of the matrix E (angle up to π); smooth at E = 1, one of both axes at half a turn."""
    e = quaternion_of(E)
    e = ca.if_else(e[0] < 0, -e, e)
    square = ca.dot(e[1:], e[1:])
    small = square < 1e-12
    size = ca.sqrt(ca.if_else(small, 1, square))
    return 2 * e[1:] * ca.if_else(small, 1 + square / 6, ca.atan2(size, e[0]) / size)


def rotation_vector_rate(r: SX) -> SX:
    """The 3×3 matrix T with ω = T ṙ, ω in the axes the rotation starts from."""
    s = SX.sym("s", 3)
    E = from_quaternion(quaternion_exponential(s))
    columns = []
    for i in range(3):
        W = ca.reshape(ca.jacobian(ca.vec(E), s[i]), 3, 3) @ E.T  # skew matrix of ∂ω/∂ṡᵢ
        columns.append(ca.vertcat(W[2, 1], W[0, 2], W[1, 0]))
    return ca.substitute(ca.horzcat(*columns), s, r)


def quaternion_from_matrix(R: np.ndarray) -> np.ndarray:
    """Euler parameters of a numeric rotation matrix, e0 ≥ 0."""
    return quaternions_from_matrices(R[None])[0]


def quaternions_from_matrices(R: np.ndarray) -> np.ndarray:
    """Those of many, (matrices, 3, 3) → (matrices, 4)."""
    x, y, z = R[:, 0, 0], R[:, 1, 1], R[:, 2, 2]
    a, b, c = R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]
    d, e, f = R[:, 0, 1] + R[:, 1, 0], R[:, 0, 2] + R[:, 2, 0], R[:, 1, 2] + R[:, 2, 1]
    K = np.array([[x + y + z, a, b, c], [a, x - y - z, d, e], [b, d, y - x - z, f], [c, e, f, z - x - y]])
    # K = 4 e eᵀ − 1: each row has e, the one with the largest of the four squares best.
    K[range(4), range(4)] += 1.0
    rows = K[K[range(4), range(4)].argmax(axis=0), :, range(len(R))]
    quaternions = rows / np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    return np.where(quaternions[:, :1] >= 0, quaternions, -quaternions)


def quaternion_of(R: SX) -> SX:
    """Euler parameters of a symbolic rotation matrix, e0 ≥ 0 where it is the largest; divides by the largest always."""
    t = [
        1 + R[0, 0] + R[1, 1] + R[2, 2],
        1 + R[0, 0] - R[1, 1] - R[2, 2],
        1 - R[0, 0] + R[1, 1] - R[2, 2],
        1 - R[0, 0] - R[1, 1] + R[2, 2],
    ]
    a, b, c = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    d, e, f = R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1]
    candidates = [
        ca.vertcat(t[0], a, b, c),
        ca.vertcat(a, t[1], d, e),
        ca.vertcat(b, d, t[2], f),
        ca.vertcat(c, e, f, t[3]),
    ]
    best, chosen = t[0], candidates[0]
    for k in (1, 2, 3):
        better = t[k] > best
        chosen, best = ca.if_else(better, candidates[k], chosen), ca.if_else(better, t[k], best)
    return chosen / (2 * ca.sqrt(best))


def is_rotation(R: np.ndarray, tolerance: float = 1e-6) -> bool:
    return bool(np.allclose(R.T @ R, np.eye(3), atol=tolerance) and np.linalg.det(R) > 0)


def align(direction: Sequence[float] | np.ndarray, main: str) -> np.ndarray:
    """A rotation whose `main` axis ("x" or "z") points along `direction`; the identity if it already does."""
    return _aligned(tuple(float(x) for x in [*direction, 0.0][:3]), main).copy()


@lru_cache(maxsize=1024)
def _aligned(direction: tuple[float, ...], main: str) -> np.ndarray:
    """Many joints share their axis."""
    d = np.asarray(direction)
    d = d / np.linalg.norm(d)
    i = "xyz".index(main)
    if np.allclose(d, np.eye(3)[i]):
        return np.eye(3)
    if main == "x" and d[2] == 0:
        second = np.array([-d[1], d[0], 0.0])  # z stays: in the plane it must
    else:
        helper = next(e for e in np.eye(3) if abs(e @ d) < 0.9)
        second = helper - (helper @ d) * d
        second /= np.linalg.norm(second)
    columns = [np.zeros(3)] * 3
    columns[i], columns[(i + 1) % 3] = d, second
    columns[(i + 2) % 3] = np.cross(d, second)
    return np.column_stack(columns)
