"""A first guess of all body poses: what was said, and where the joints carry what was not."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from linkwork.assembly.numbers import Numbers
from linkwork.assembly.topology import neighbours
from linkwork.components.coordinate import Coordinate
from linkwork.components.joint import Joint
from linkwork.components.variables import Guide, Variable
from linkwork.core.errors import AssemblyError
from linkwork.geometry import SX, Pose

GIVEN, FOUND = 10.0, 1.0
"""Weights against being moved: poses the user gave, and those carried along by joints."""
POSE = 13
"""Numbers of a pose: place, rotation matrix by columns, angle."""


def guess(numbers: Numbers) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, z and a weight per speed coordinate."""
    known = guessed(numbers)
    values = np.array(numbers.call("guess", lambda: ([], [numbers.known(known.all)]))[0]).ravel()
    known.check(values)
    q: list[float] = []
    for pose, row in zip(known.poses, values[: known.variables_from].reshape(-1, POSE), strict=True):
        turn = None if pose.turn is None else float(row[12])
        q += numbers.of_body.written(row[:3], row[3:12].reshape(3, 3, order="F"), turn)
    q += values[known.variables_from : known.z_from].tolist()
    return np.array(q), values[known.z_from : known.contested_from], known.weights


@dataclass(frozen=True)
class Guess:
    """Where a search begins, in symbols of time, parameters and inputs: `Numbers.known` sees to it that there are no
    others."""

    poses: list[Pose]
    """Of the bodies."""
    variables: list[SX]
    z: list[SX]
    contested: list[tuple[Coordinate, SX, SX]]
    """Coordinates with a start value and a Motion: what it says, and where the motion begins."""
    weights: np.ndarray
    """By speed."""

    @cached_property
    def all(self) -> SX:
        """Poses, variables, z, then what is contested."""
        turns = [SX(0) if pose.turn is None else pose.turn for pose in self.poses]
        poses = [ca.vertcat(pose.p, ca.vec(pose.R), turn) for pose, turn in zip(self.poses, turns, strict=True)]
        pairs = [x for _, *both in self.contested for x in both]
        return ca.densify(ca.vertcat(SX(0, 1), *poses, *self.variables, *self.z, *pairs))

    @property
    def variables_from(self) -> int:
        return POSE * len(self.poses)

    @property
    def z_from(self) -> int:
        return self.variables_from + len(self.variables)

    @property
    def contested_from(self) -> int:
        return self.z_from + len(self.z)

    def check(self, values: np.ndarray) -> None:
        """Raise where a start value contradicts a motion; values: of `all`."""
        for (c, *_), (said, begins) in zip(
            self.contested, values[self.contested_from :].reshape(-1, 2).tolist(), strict=True
        ):
            if abs(said - begins) > 1e-9 * max(1.0, abs(begins)):
                raise AssemblyError(
                    f"starts at {said:.6g}, but its Motion begins at {begins:.6g} {c.unit}.",
                    component=c.name,
                    remedy="Leave the start value out, or add it to the Motion.",
                )


def guessed(numbers: Numbers) -> Guess:
    """The guess of a model; kept with its equations."""
    memory = numbers.eq.memory
    if "guess" not in memory:
        memory["guess"] = _made(numbers)
    start_guess: Guess = memory["guess"]
    return start_guess


def _made(numbers: Numbers) -> Guess:
    eq, names = numbers.eq, numbers.eq.z_names
    poses = _carry(numbers)
    z = [SX(0)] * len(names)
    for c in numbers.coordinates:
        if c.name in names:
            z[names.index(c.name)] = _value(c, numbers)
    for name, start in eq.start.values.items():
        z[names.index(name)] = SX(start)
    weights: list[float] = []
    for body in numbers.bodies:
        said = body.given.position is not None or body.given.rotation is not None
        weights += [GIVEN if said else FOUND] * numbers.space.size
    weights += [FOUND] * len(numbers.variables)
    contested = [
        (c, SX(c.value), _value(c, numbers))
        for c in numbers.coordinates
        if c.value is not None and c.motion is not None and c.motion.level == "displacement"
    ]
    variables = [_value(v, numbers) for v in numbers.variables]
    return Guess([poses[b.name] for b in numbers.bodies], variables, z, contested, np.array(weights))


def _carry(numbers: Numbers) -> dict[str, Pose]:
    """Known poses spread along the joints, at the joints' start coordinates."""
    model = numbers.model
    placed = [b for b in numbers.bodies if b.given.position is not None or b.given.rotation is not None]
    known = {model.ground.name: model.ground.start_pose()}
    known |= {b.name: b.start_pose() for b in placed}
    for guide in model.of_type(Guide):
        known[guide.body.name] = _placed(numbers, guide)
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
            known[body.name] = body.start_pose()
    return known


def _placed(numbers: Numbers, guide: Guide) -> Pose:
    """Where a position matrix puts its body at the variables' start."""
    symbols = [v.symbol for v in numbers.variables]
    values = [_value(v, numbers) for v in numbers.variables]

    def at_start(expression: SX) -> SX:
        return ca.substitute([expression], symbols, values)[0]

    pose = guide.pose
    turn = None if pose.turn is None else at_start(pose.turn)
    return Pose(at_start(pose.p), at_start(pose.R), turn)


def _across(numbers: Numbers, joint: Joint, here: str, pose: Pose) -> Pose:
    """The pose of the body behind a joint."""
    step = joint.guessed({c.label: _value(c, numbers) for c in joint.coordinates})
    first, second = joint.first.local, joint.second.local
    if joint.first.body.name != here:
        first, second, step = second, first, step.inverse()
    return pose @ first @ step @ second.inverse()


def _value(c: Coordinate, numbers: Numbers) -> SX:
    """Start value of a coordinate: where its motion begins, or given, or 0."""
    if c.motion is not None and c.motion.level == "displacement":
        return SX(c.motion.path(numbers.eq.t))
    if c.value is not None:
        return SX(c.value)
    return SX(c.guess) if isinstance(c, Variable) else SX(0)
