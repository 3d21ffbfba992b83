"""What a constraint equation holds, in words: read from its own reaction, so that it works for any joint."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.assembly.numbers import Numbers
from linkwork.components.joint import Joint


def directions_of(numbers: Numbers, rows: Sequence[int], q: np.ndarray) -> list[str]:
    """For instance "translation along z" or "rotation about x", in the axes of the joint's first frame."""
    if not rows:
        return []
    eq = numbers.eq
    A = numbers.constraints(q, np.zeros(eq.v.numel()), np.zeros(eq.z.numel()))[2]
    return [_direction(numbers, k, np.array(A[k, :]).ravel(), q) for k in rows]


def _direction(numbers: Numbers, k: int, values: np.ndarray, q: np.ndarray) -> str:
    """values: row k of A."""
    row = numbers.eq.constraints.rows[k]
    joint = next((j for j in numbers.model.of_type(Joint) if j.name == row.owner), None)
    if joint is None:
        return row.direction
    wrench, axes = _wrench(numbers, joint, values, q)
    force, moment = axes.T @ wrench[:3], axes.T @ wrench[3:]
    if np.linalg.norm(force) > 1e-9 * np.linalg.norm(moment):
        return f"translation along {_axis(force)}"
    return f"rotation about {_axis(moment)}"


def _axis(vector: np.ndarray) -> str:
    unit = vector / np.linalg.norm(vector)
    i = int(np.argmax(np.abs(unit)))
    if abs(unit[i]) > 0.999:
        return "xyz"[i]
    return "(" + ", ".join(f"{c:.3g}" for c in unit) + ")"


def _wrench(numbers: Numbers, joint: Joint, values: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Force and moment (world, at the joint) of a unit multiplier of a row of A, and the axes of the first frame."""
    bodies = numbers.bodies
    end = joint.second if joint.second.body in bodies else joint.first
    i = bodies.index(end.body)
    R, _ = numbers.pose(end.body, q)
    size = numbers.space.size
    force, moment = numbers.space.split(values[size * i : size * (i + 1)])
    moment = R @ moment
    arm = R @ numbers.value(end.local.p).ravel()
    moment = moment - np.cross(arm, force)
    first = joint.first
    axes = numbers.pose(first.body, q)[0] @ numbers.value(first.local.R).reshape(3, 3)
    return np.concatenate([force, moment]), axes
