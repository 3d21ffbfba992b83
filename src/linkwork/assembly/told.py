"""What is told of a start: joint coordinates, poses and speeds of the bodies, and whether joints are turned over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import casadi as ca
import numpy as np

from linkwork.assembly.numbers import Numbers
from linkwork.components.joint import Joint, says_nothing_more
from linkwork.core.equations import Placement, Stacked
from linkwork.core.errors import AssemblyError
from linkwork.geometry import SX, Pose
from linkwork.geometry.pattern import Pattern

TURNED_OVER = 1e-4
"""How far [lengths of the mechanism, 1] a frame may be from where the joint's coordinates put it."""


class Told(NamedTuple):
    """In the order of coordinates, joints and bodies."""

    values: np.ndarray
    rates: np.ndarray
    off: np.ndarray
    """By joint: turned [1], shifted [m] from where its coordinates put its second frame."""
    position: np.ndarray
    rotation: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray


def told_of(numbers: Numbers, values: np.ndarray) -> Told:
    """The numbers of `expression`, by their names."""
    c, b, joints = len(numbers.coordinates), len(numbers.bodies), len(numbers.explicit)
    place = 2 * c + 2 * joints
    vectors = values[place:].reshape(-1, 3)  # a matrix is three of them
    return Told(
        values[:c], values[c : 2 * c], values[2 * c : place].reshape(-1, 2), vectors[:b],
        vectors[b : 4 * b].reshape(-1, 3, 3).transpose(0, 2, 1), vectors[4 * b : 5 * b], vectors[5 * b :],
    )  # fmt: skip


def expression(numbers: Numbers) -> SX:
    """All of it in one column, by t, q, v, z and p."""
    values, rates, _ = numbers.read_back
    size, v = numbers.space.size, numbers.eq.v
    poses = [numbers.symbolic_pose(b) for b in numbers.bodies]
    twists = [numbers.space.split(v[size * i : size * i + size]) for i in range(len(poses))]
    parts = [values, rates, _off(numbers, numbers.explicit), *(pose.p for pose in poses)]
    parts += [ca.vec(pose.R) for pose in poses]
    parts += [velocity for velocity, _ in twists]
    parts += [pose.R @ spin for pose, (_, spin) in zip(poses, twists, strict=True)]
    return ca.densify(ca.vertcat(SX(0, 1), *parts))


def _off(numbers: Numbers, joints: Sequence[Joint]) -> SX:
    """How far each joint's second frame is from where its coordinates put it: turned [1], shifted [m]."""
    off = []
    for joint in joints:
        M, N = (numbers.symbolic_pose(marker.body) @ marker.local for marker in joint.markers())
        off += _off_by_pattern(joint, M, N) if says_nothing_more(joint) else _off_of(joint, M, N)
    return ca.vertcat(SX(0, 1), *off)


def _off_of(joint: Joint, M: Pose, N: Pose) -> list[SX]:
    target = M @ joint.moved(dict(zip(joint.free, joint.measure(M, N), strict=True)))
    return [ca.norm_inf(ca.vec(target.R - N.R)), ca.norm_inf(target.p - N.p)]


PATTERNS: dict[tuple[type[Joint], bool], Pattern] = {}
"""The same by class of joints, in space and in the plane."""


def _off_by_pattern(joint: Joint, M: Pose, N: Pose) -> list[SX]:
    plane = M.turn is not None and N.turn is not None
    key = type(joint), plane
    if key not in PATTERNS:
        first, second = (Pose(SX.sym("p", 3), SX.sym("R", 3, 3), SX.sym("turn") if plane else None) for _ in "MN")
        PATTERNS[key] = Pattern("off", _parts(first, second), _off_of(joint, first, second))
    return PATTERNS[key](*_parts(M, N) if plane else (M.p, M.R, N.p, N.R))


def _parts(*poses: Pose) -> list[SX]:
    """What each is made of."""
    return [part for pose in poses for part in (pose.p, pose.R, pose.turn) if part is not None]


def check_sides(numbers: Numbers, told: Told) -> None:
    """Closing equations can hold with a frame turned over; then the joint cannot have moved there."""
    length = numbers.eq.states.length
    if not told.off.max(initial=0.0) > TURNED_OVER * min(1.0, length):
        return
    apart = (told.off / (1.0, length)).max(axis=1)
    if not np.any(apart > TURNED_OVER):
        return
    joint = numbers.explicit[int(np.argmax(apart > TURNED_OVER))]
    raise AssemblyError(
        "closes only with its second frame turned over, a place it cannot move to.",
        component=joint.name,
        remedy="Give the bodies on its loop start poses nearer to the wanted ones.",
    )


def placement_of(numbers: Numbers, q: np.ndarray, z: np.ndarray, told: Told) -> Placement:
    """The start as every formulation can read it."""
    names, bodies, size = numbers.names, numbers.body_names, numbers.of_body.size
    angle = dict(zip(bodies, q[2 : size * len(bodies) : size].tolist(), strict=True)) if numbers.model.is_planar else {}
    first_order = dict(zip(numbers.eq.z_names, z.tolist(), strict=True))
    place = numbers.body_places
    return Placement(
        position=Stacked(place, told.position),
        rotation=Stacked(place, told.rotation),
        angle=angle,
        velocity=Stacked(place, told.velocity),
        spin=Stacked(place, told.spin),
        value=dict(zip(names, told.values.tolist(), strict=True)),
        rate=dict(zip(names, told.rates.tolist(), strict=True)),
        first_order=first_order | {f"{name}.turn": turn for name, turn in angle.items()},
        parameters=numbers.p,
    )
