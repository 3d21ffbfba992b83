"""A first guess of all body poses: what was said, and where the joints carry what was not."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import casadi as ca
import numpy as np

from linkwork.assembly.numbers import Numbers
from linkwork.assembly.topology import neighbours
from linkwork.components.coordinate import Coordinate
from linkwork.components.joint import Joint
from linkwork.components.variables import Guide, Variable
from linkwork.core.errors import AssemblyError
from linkwork.geometry import SX, Number, Pose
from linkwork.geometry.rotations import quaternion_from_matrix

GIVEN, FOUND = 10.0, 1.0
"""Weights against being moved: poses the user gave, and those carried along by joints."""


def guess(numbers: Numbers) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, z and a weight per speed coordinate."""
    poses = _carry(numbers)
    q, weights = [], []
    for body in numbers.bodies:
        p, R, turn = poses[body.name]
        if numbers.model.is_planar:
            q += [p[0], p[1], np.arctan2(R[1, 0], R[0, 0]) if turn is None else turn]
        else:
            q += [*p, *quaternion_from_matrix(R)]
        said = body.given.position is not None or body.given.rotation is not None
        weights += [GIVEN if said else FOUND] * (3 if numbers.model.is_planar else 6)
    q += [numbers.scalar(SX(_value(v, numbers))) for v in numbers.variables]
    weights += [FOUND] * len(numbers.variables)
    z = np.zeros(numbers.eq.z.numel())
    names = numbers.eq.z_names
    for c in numbers.coordinates:
        if c.name in names:
            z[names.index(c.name)] = numbers.scalar(_value(c, numbers))
    for name, start in numbers.eq.start.values.items():
        z[names.index(name)] = numbers.scalar(start)
    return np.array(q), z, np.array(weights)


class _Place(NamedTuple):
    """A pose in numbers."""

    p: np.ndarray
    R: np.ndarray
    turn: float | None


def _in_numbers(numbers: Numbers, pose: Pose) -> _Place:
    turn = None if pose.turn is None else numbers.scalar(pose.turn)
    return _Place(numbers.value(pose.p).ravel(), numbers.value(pose.R).reshape(3, 3), turn)


def _put(numbers: Numbers) -> dict[str, _Place]:
    """Where bodies are whose poses the user gave, all in one call."""
    bodies = [b for b in numbers.bodies if b.given.position is not None or b.given.rotation is not None]

    def build() -> tuple[list[SX], list[SX]]:
        poses = [b.start_pose() for b in bodies]
        parts = [x for pose in poses for x in (pose.p, pose.R, SX(0) if pose.turn is None else pose.turn)]
        return [], [ca.vertcat(SX(0, 1), *(ca.vec(ca.densify(numbers.known(SX(x)))) for x in parts))]

    rows = np.array(numbers.call("poses that were given", build)[0]).reshape(len(bodies), 13)
    turns = [b.given.rotation is None or b.given.turn is not None for b in bodies]
    return {
        b.name: _Place(row[:3], row[3:12].reshape(3, 3, order="F"), float(row[12]) if turn else None)
        for b, row, turn in zip(bodies, rows, turns, strict=True)
    }


def _carry(numbers: Numbers) -> dict[str, _Place]:
    """Known poses spread along the joints, at the joints' start coordinates."""
    model = numbers.model
    known = {model.ground.name: _Place(np.zeros(3), np.eye(3), 0.0)} | _put(numbers)
    for guide in model.of_type(Guide):
        known[guide.body.name] = _in_numbers(numbers, _placed(numbers, guide))
    graph = neighbours(model)
    queue = deque(known)
    while queue:
        here = queue.popleft()
        for joint, there in graph.get(here, []):
            if there not in known:
                known[there] = _across(numbers, joint, here, known[here])
                queue.append(there)
    for body in numbers.bodies:
        if body.name not in known:
            known[body.name] = _in_numbers(numbers, body.start_pose())
    return known


def _placed(numbers: Numbers, guide: Guide) -> Pose:
    """Where a position matrix puts its body at the variables' start."""
    symbols = [numbers.model.t, *(v.symbol for v in numbers.variables)]
    values = [SX(numbers.t), *(SX(_value(v, numbers)) for v in numbers.variables)]

    def number(expression: SX) -> SX:
        return SX(ca.DM(numbers.value(ca.substitute([expression], symbols, values)[0])))

    pose = guide.pose
    return Pose(number(pose.p), number(pose.R), None if pose.turn is None else number(pose.turn))


def _across(numbers: Numbers, joint: Joint, here: str, pose: _Place) -> _Place:
    """The pose of the body behind a joint. Numbers along the chain: expressions would grow."""
    values = np.array([numbers.scalar(_value(c, numbers)) for c in joint.coordinates])
    known = pose.p, pose.R.ravel(order="F"), np.array([pose.turn or 0.0])
    flat = pose.turn is not None

    def build() -> tuple[list[SX], list[SX]]:
        p, R, turn, c = SX.sym("p", 3), SX.sym("R", 3, 3), SX.sym("turn"), SX.sym("c", len(joint.coordinates))
        step = joint.guessed({k.label: c[i] for i, k in enumerate(joint.coordinates)})
        first, second = joint.first.local, joint.second.local
        if joint.first.body.name != here:
            first, second, step = second, first, step.inverse()
        moved = Pose(p, R, turn if flat else None) @ first @ step @ second.inverse()
        turned = [] if moved.turn is None else [moved.turn]
        arguments = [p, ca.vec(R), turn, c]
        return arguments, [numbers.known(ca.densify(x), *arguments) for x in (moved.p, moved.R, *turned)]

    p, R, *turn = numbers.call(("across", joint.name, here, flat), build, *known, values)
    return _Place(np.array(p).ravel(), np.array(R), float(turn[0]) if turn else None)


def _value(c: Coordinate, numbers: Numbers) -> Number:
    """Start value of a coordinate: where its motion begins, or given, or 0."""
    if c.motion is not None and c.motion.level == "displacement":
        begins = numbers.scalar(SX(c.motion.path(SX(numbers.t))))
        if c.value is not None and abs(numbers.scalar(SX(c.value)) - begins) > 1e-9 * max(1.0, abs(begins)):
            raise AssemblyError(
                f"starts at {numbers.scalar(SX(c.value)):.6g}, but its Motion begins at {begins:.6g} {c.unit}.",
                component=c.name,
                remedy="Leave the start value out, or add it to the Motion.",
            )
        return begins
    if c.value is not None:
        return c.value
    return c.guess if isinstance(c, Variable) else 0.0
