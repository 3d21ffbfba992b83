"""Joints given by their vector constraint alone (AME): what their free coordinates are is found from it.

A pose has six coordinates: x, y, z of the second frame's origin in the axes of the first, and its rotation vector rx,
ry, rz. Where the constraint holds, its Jacobian A leaves len(free) of them free: those along which the null space of A
reaches furthest are the joint's. No `motion` follows, so such a joint is never in the tree of a formulation: it is cut,
and its rows hold it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from linkwork.algebra.rank import least_squares, null_space, rank_of
from linkwork.core.errors import ModelError
from linkwork.geometry import SX, Pose, as_vector, dot, embedding, rotation_z, rotations, translation

if TYPE_CHECKING:
    from linkwork.components.joint import Joint
    from linkwork.core.model import Model

SIX = ("x", "y", "z", "rx", "ry", "rz")
TRIES, STEPS = 40, 60
"""Poses from which one on the constraint is looked for, and Newton steps from each."""
CLOSURE_TOLERANCE = 1e-12
AS_GOOD = 0.7
"""Share of the furthest reach that is as good: of these the first in the order above."""


@dataclass(frozen=True)
class Chosen:
    """Which of the six each free coordinate is, by label; and a pose on the constraint, by its six coordinates."""

    number: dict[str, int]
    pose: np.ndarray

    @property
    def angle(self) -> int | None:
        """The only rotation among them, which can count turns."""
        turning = [k for k in self.number.values() if k >= 3]
        return turning[0] if len(turning) == 1 else None


def read(M: Pose, N: Pose, angle: int | None = None) -> list[SX]:
    """The six coordinates of N seen from M; angle: the only one that turns, told as an angle about its axis."""
    d = N.p - M.p
    place = [dot(d, axis) for axis in (M.x, M.y, M.z)]
    if M.turn is not None and N.turn is not None:
        return [*place, SX(0), SX(0), N.turn - M.turn]
    r = ca.vertsplit(rotations.rotation_vector(M.R.T @ N.R)) if angle is None else [SX(0)] * 3
    if angle is not None:
        E, (i, j) = M.R.T @ N.R, (((angle - 2) % 3), ((angle - 1) % 3))
        r[angle - 3] = ca.atan2(E[j, i], E[i, i])
    return [*place, *r]


def pose_of(six: Any) -> Pose:
    """The pose that has these coordinates."""
    x, y, z, *r = (SX(c) for c in six)
    if r[0].is_zero() and r[1].is_zero():
        return translation(x, y, z) @ rotation_z(r[2])
    e = rotations.quaternion_exponential(as_vector(r))
    return translation(x, y, z) @ Pose(as_vector((0, 0)), rotations.from_quaternion(e))


def choose(joint: Joint, model: Model) -> Chosen:
    """What is free, at a pose on the constraint that is as good as any; one that leaves less or more is refused."""
    space = embedding(model.is_planar)
    directions = space.rows
    w = SX.sym("w", space.size)
    six = ca.vertsplit(space.six(w))
    M = translation() if model.is_planar else Pose(SX(3, 1), SX(np.eye(3)))
    N = pose_of(six)
    rows = ca.vertcat(SX(0, 1), *(SX(x) for x in joint.closure(M, N)))
    values = [*model.parameters.values(), *model.input_values().values()]
    rows = ca.substitute(rows, ca.vertcat(model.all_symbols(), model.t), SX(ca.DM([*values, 0.0])))
    f = ca.Function("closure", [w], [rows, ca.densify(ca.jacobian(rows, w))])
    pose, A = _on_it(f, len(directions), joint)
    count, rank = len(joint.coordinates), rank_of(A) if A.size else 0
    if rank != len(directions) - count:
        raise ModelError(
            f"{type(joint).__name__} contradicts itself: `closure` blocks {rank} of {len(directions)} directions, but "
            f"{count} coordinates are free: {len(directions) - count} must be blocked.",
            component=joint.name,
            remedy="Name as many free coordinates as it leaves, or write what is missing in `closure`.",
        )
    Z = null_space(A) if A.size else np.eye(len(directions))
    number = _numbers([c.label for c in joint.coordinates], Z, directions, joint) if joint.measured else {}
    return Chosen(number, np.array([pose[directions.index(k)] if k in directions else 0.0 for k in range(6)]))


def _on_it(f: ca.Function, size: int, joint: Joint) -> tuple[np.ndarray, np.ndarray]:
    """A pose where the constraint holds, and its Jacobian there: Gauss and Newton from poses here and there."""
    random = np.random.default_rng(3)
    for k in range(TRIES):
        w = random.uniform(-1, 1, size) * (0.2 + 0.05 * k)
        for _ in range(STEPS):
            r, A = (np.array(x) for x in f(w))
            if not (np.all(np.isfinite(r)) and np.all(np.isfinite(A))):
                break
            if np.abs(r).max(initial=0.0) <= CLOSURE_TOLERANCE:
                return w, A
            step = least_squares(A, r.ravel())
            w = w - step * min(1.0, 0.5 / max(float(np.abs(step).max()), 1e-300))
    raise ModelError(
        "no pose was found at which its `closure` vanishes.",
        component=joint.name,
        remedy="Check its equations; they are tried at poses within a metre and a radian of each other.",
    )


def _numbers(labels: list[str], Z: np.ndarray, directions: list[int], joint: Joint) -> dict[str, int]:
    """Labels that are among the six are meant; the others take, in order, what is left and reaches furthest."""
    meant = {label: SIX.index(label) for label in labels if label in SIX}
    left, picked = Z.copy(), []
    for k in [*meant.values(), *([None] * (len(labels) - len(meant)))]:
        reach = np.linalg.norm(left, axis=1)
        if k is None:
            k = directions[next(i for i, size in enumerate(reach) if size >= AS_GOOD * reach.max())]
        i = directions.index(k) if k in directions else -1
        if i < 0 or reach[i] < 1e-6:
            raise ModelError(
                f"`{SIX[k]}` is not free, or follows from the others.",
                component=joint.name,
                remedy="Name another of x, y, z, rx, ry, rz; any other name takes what is free.",
            )
        picked.append(k)
        unit = left[i] / reach[i]
        left = left - np.outer(left @ unit, unit)
    others = sorted(picked[len(meant) :])
    return {label: meant[label] if label in meant else others.pop(0) for label in labels}
