"""SYM's equations (1)–(8), (30), (31), (36)–(38) written out: everything from homogeneous matrices T(q)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import casadi as ca
import numpy as np

q, u, a = ca.SX.sym("q", 5), ca.SX.sym("u", 5), ca.SX.sym("a", 5)
"""Configuration parameters, their rates and second rates; of a system with fewer the first ones."""


def shift(x: ca.SX | float = 0, y: ca.SX | float = 0, z: ca.SX | float = 0) -> ca.SX:
    T = ca.SX.eye(4)
    T[:3, 3] = ca.vertcat(x, y, z)
    return T


def turn(axis: int, angle: ca.SX) -> ca.SX:
    T, i, j = ca.SX.eye(4), (axis + 1) % 3, (axis + 2) % 3
    T[i, i] = T[j, j] = ca.cos(angle)
    T[i, j], T[j, i] = -ca.sin(angle), ca.sin(angle)
    return T


def product(*factors: ca.SX) -> ca.SX:
    return reduce(ca.mtimes, factors)


ROBOT = [product(turn(2, q[1]), shift(0, 0, q[0]))]
ROBOT.append(product(ROBOT[0], turn(1, q[3]), shift(0, q[2])))
ROBOT.append(
    product(turn(2, q[1]), shift(0, 0, q[0]), turn(1, q[3]), shift(0, q[2] + 0.5), turn(0, q[4]), shift(0, 0.05))
)
"""The last one as SYM VII.C prints it."""
ROBOT_DATA = [(250, (90, 10, 90)), (150, (13, 0.75, 13)), (100, (4, 1, 4.3))]
"""Mass [kg], inertias [kg·m²]: table III."""
PENDULUM = [
    product(turn(2, q[0]), shift(0, -0.6)),
    product(turn(2, q[0]), shift(0, -1.2), turn(2, q[1]), shift(0, -0.55)),
]
PENDULUM_DATA = [(1.1, (1, 1, 1.2**2 / 12 * 1.1)), (0.9, (1, 1, 1.1**2 / 12 * 0.9))]


def rate(x: ca.SX) -> ca.SX:
    return ca.jtimes(x, ca.vertcat(q, u), ca.vertcat(u, a))


@dataclass(frozen=True)
class Motion:
    """Of one body: velocity, rotation, accelerations; and the partial contributions d, θ, one column per parameter."""

    R: ca.SX
    v: ca.SX
    w: ca.SX
    dv: ca.SX
    dw: ca.SX
    d: ca.SX
    theta: ca.SX

    @classmethod
    def of(cls, T: ca.SX) -> Motion:
        R, v = T[:3, :3], rate(T[:3, 3])  # (36)
        S = ca.reshape(rate(ca.vec(R)), 3, 3) @ R.T  # (37)
        w = ca.vertcat(S[2, 1], S[0, 2], S[1, 0])
        units = np.eye(5)
        d, theta = (ca.horzcat(*(ca.substitute(x, u, e) for e in units)) for x in (v, w))  # (31)
        return cls(R, v, w, rate(v), rate(w), d, theta)  # (38)


def residual(matrices: list[ca.SX], data: list, forces: list[ca.SX], moments: list[ca.SX]) -> ca.SX:
    """(6): one equation per parameter; forces and moments at the mass centres, world axes."""
    total = ca.SX(5, 1)
    for T, (m, J), F, M in zip(matrices, data, forces, moments, strict=True):
        x = Motion.of(T)
        inertia = x.R @ ca.diag(ca.SX(list(J))) @ x.R.T
        total += x.d.T @ (F - m * x.dv) + x.theta.T @ (M - inertia @ x.dw - ca.cross(x.w, inertia @ x.w))
    return total


def mass_matrix(matrices: list[ca.SX], data: list) -> ca.SX:
    """(8)."""
    total = ca.SX(5, 5)
    for T, (m, J) in zip(matrices, data, strict=True):
        x = Motion.of(T)
        inertia = x.R @ ca.diag(ca.SX(list(J))) @ x.R.T
        total += m * x.d.T @ x.d + x.theta.T @ inertia @ x.theta
    return total


def at(expression: ca.SX, *values: np.ndarray) -> np.ndarray:
    """At q, q̇, q̈; zeros where fewer are given."""
    given = [np.concatenate([x, np.zeros(5 - len(x))]) for x in values]
    given += [np.zeros(5)] * (3 - len(given))
    return np.array(ca.Function("f", [q, u, a], [ca.densify(expression)])(*given)).squeeze()
