"""Coordinates of one tree joint: how they place the child's frame in the parent's, and how fast.

A chart gives the relative pose, and the relative twist (v, ω) in the axes of the child's frame as S·(rates). S is found
by differentiating the joint's own `motion`; entries that turn out constant are made constant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import casadi as ca
import numpy as np

from linkwork.components.coordinate import Coordinate
from linkwork.components.joint import Joint, JointCoordinate
from linkwork.formulations.chart_starts import Ball, Floating, FloatingInPlane, Nowhere, OnSphere, Start, Stated
from linkwork.formulations.tree import Link
from linkwork.geometry import SX, Pose, as_vector, cross, rotations
from linkwork.geometry.embedding import PLANE, embedding_of_speeds


@dataclass(frozen=True)
class Driven:
    """A coordinate whose motion is given: stand-ins for value and rate, what they stand for, and the twist per rate."""

    symbol: SX
    rate_symbol: SX
    value: SX
    rate: SX
    second: SX
    S: SX


@dataclass
class Chart:
    """Coordinates q and speeds v of a joint (prescribed coordinates have no speed among v)."""

    link: Link
    q: SX
    v: SX
    qdot: SX
    pose: Pose
    """Child frame in the parent frame."""
    S: SX
    """6×n: twist (v, ω) of the child frame in its own axes per unit of v."""
    drift: SX
    """Twist from prescribed motions."""
    bias: SX
    """Rate of the twist's components at v̇ = 0."""
    direct: dict[Coordinate, tuple[SX, SX]]
    """Joint coordinates that are coordinates here: value and rate."""
    driven: dict[Coordinate, Driven] = field(default_factory=dict)
    """Prescribed coordinates."""
    first_order: list[tuple[str, SX, SX]] = field(default_factory=list)
    retract: Callable[[SX, SX], SX] = lambda q, step: q + step
    start: Start = field(default_factory=Nowhere)

    def speed_names(self) -> list[str]:
        """Names of the speeds v, as a user would choose them."""
        by_symbol = {rate.name(): c.name for c, (_, rate) in self.direct.items() if rate.is_symbolic()}
        owner = self.link.body.name if self.link.joint is None else self.link.joint.name
        return [by_symbol.get(self.v[k].name(), f"{owner}.v{k + 1}") for k in range(self.v.numel())]

    def lengths(self) -> tuple[list[bool], list[bool]]:
        """Which of q, and which of v, are lengths (per second)."""
        if self.link.joint is None:
            places = embedding_of_speeds(self.v.numel()).along
            return [k < places for k in range(self.q.numel())], [not self.S[3:, k].nnz() for k in range(self.v.numel())]
        units = {c.name: c.unit for c in self.link.joint.coordinates}
        units |= {symbol.name(): c.unit for c, pair in self.direct.items() for symbol in pair if symbol.is_symbolic()}
        q, v = ([units.get(x[k].name()) == "m" for k in range(x.numel())] for x in (self.q, self.v))
        return q, v


def chart_of(link: Link, t: SX, parameters: SX, planar: bool) -> Chart:
    if link.joint is None:
        return _plane_floating(link) if planar else _floating(link)
    if link.joint.ball and not planar:
        return _ball(link, link.joint, t, parameters)
    return _general(link, link.joint, t, parameters)


@dataclass
class _Coordinates:
    """A joint's own coordinates: their values, rates, and second derivatives as far as v̇ does not give them."""

    values: dict[JointCoordinate, SX] = field(default_factory=dict)
    rates: dict[JointCoordinate, SX] = field(default_factory=dict)
    seconds: dict[JointCoordinate, SX] = field(default_factory=dict)
    stated: list[JointCoordinate] = field(default_factory=list)
    """Those that are among q."""
    free: list[JointCoordinate] = field(default_factory=list)
    """Those whose rates are the speeds v."""
    first_order: list[tuple[str, SX, SX]] = field(default_factory=list)
    """Speeds whose rates are given."""


def _coordinates(joint: Joint, t: SX) -> _Coordinates:
    """Those with a motion law are functions of time, or of a speed that is."""
    coordinates = _Coordinates()
    for c in joint.coordinates:
        motion = c.motion
        if motion is None:
            coordinates.values[c], coordinates.rates[c], coordinates.seconds[c] = (
                SX.sym(c.name),
                SX.sym(f"{c.name}.rate"),
                SX(0),
            )
            coordinates.stated.append(c)
            coordinates.free.append(c)
            continue
        symbol, speed = SX.sym(c.name), SX.sym(f"{c.name}.speed")
        path = motion.path(t, symbol, speed)
        if motion.level == "displacement":
            coordinates.values[c], coordinates.rates[c] = path, ca.jacobian(path, t)
            coordinates.seconds[c] = ca.jacobian(coordinates.rates[c], t)
            continue
        if motion.level == "speed":
            coordinates.rates[c], coordinates.seconds[c] = path, ca.jacobian(path, t)
        else:
            coordinates.rates[c], coordinates.seconds[c] = speed, path
            coordinates.first_order.append((f"{c.name}.speed", speed, path))
        coordinates.values[c] = symbol
        coordinates.stated.append(c)
    return coordinates


def _twist(joint: Joint, forward: bool, of: _Coordinates, parameters: SX) -> tuple[Pose, SX, SX]:
    """Pose of the child's frame, its twist S per unit of each rate, and Ṡ times the rates."""
    labels = {c: SX.sym(c.label) for c in joint.coordinates}  # independent of each other
    every = ca.vertcat(*labels.values())
    pose = joint.moved({c.label: x for c, x in labels.items()})
    pose = pose if forward else pose.inverse()
    columns = [twist_per(pose, x) for x in labels.values()]
    S = constants(ca.horzcat(SX(6, 0), *columns), [every, parameters])
    known = ca.vertcat(*(of.values[c] for c in joint.coordinates))
    rates = ca.vertcat(*(of.rates[c] for c in joint.coordinates))
    dS = ca.jtimes(S @ rates, every, rates) if every.numel() else SX(6, 1)
    S, dS, p, R = ca.substitute([S, dS, pose.p, pose.R], [every], [known])
    turn = None if pose.turn is None else ca.substitute(pose.turn, every, known)
    return Pose(p, R, turn), S, dS


def _driven(c: JointCoordinate, of: _Coordinates, S: SX) -> Driven:
    return Driven(SX.sym(c.name), SX.sym(f"{c.name}.rate"), of.values[c], of.rates[c], of.seconds[c], S)


def _general(link: Link, joint: Joint, t: SX, parameters: SX) -> Chart:
    """Coordinates are the joint's own; those with a motion law are prescribed."""
    of = _coordinates(joint, t)
    pose, S, dS = _twist(joint, link.forward, of, parameters)
    index = {c: i for i, c in enumerate(joint.coordinates)}
    prescribed = [c for c in joint.coordinates if c not in of.free]
    drift = sum((S[:, index[c]] * of.rates[c] for c in prescribed), SX(6, 1))
    bias = dS + sum((S[:, index[c]] * of.seconds[c] for c in prescribed), SX(6, 1))
    moves = ca.DM(len(of.stated), len(of.free))
    for k, c in enumerate(of.free):
        moves[of.stated.index(c), k] = 1

    def retract(q: SX, step: SX) -> SX:
        return q + moves @ step  # coordinates that follow a given speed do not move in a correction

    return Chart(
        link,
        ca.vertcat(*(of.values[c] for c in of.stated)),
        ca.vertcat(*(of.rates[c] for c in of.free)),
        ca.vertcat(*(of.rates[c] for c in of.stated)),
        pose,
        ca.sparsify(S[:, [index[c] for c in of.free]]) if of.free else SX(6, 0),
        drift,
        bias,
        direct={c: (of.values[c], of.rates[c]) for c in of.free},
        driven={c: _driven(c, of, S[:, index[c]]) for c in prescribed},
        first_order=of.first_order,
        retract=retract,
        start=Stated([c.name for c in of.stated], [c.name for c in of.free]),
    )


def twist_per(pose: Pose, x: SX) -> SX:
    """(v, ω) in the moving frame's axes per unit of ẋ."""
    W = pose.R.T @ ca.reshape(ca.jacobian(ca.vec(pose.R), x), 3, 3)
    return ca.vertcat(pose.R.T @ ca.jacobian(pose.p, x), W[2, 1], W[0, 2], W[1, 0])


def constants(matrix: SX, symbols: list[SX]) -> SX:
    """The same matrix, entries that do not depend on the symbols' values (cos² + sin², say) made numbers."""
    f = ca.Function("probe", symbols, [ca.densify(matrix)])
    random = np.random.default_rng(7)
    samples = np.array([np.array(f(*(random.uniform(0.3, 1.7, s.numel()) for s in symbols))) for _ in range(5)])
    result = SX(*matrix.shape)
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            values = samples[:, i, j]
            if np.ptp(values) > 1e-12 * (1 + np.abs(values).max()):
                result[i, j] = matrix[i, j]
                continue
            value = float(np.mean(values))
            value = round(value) if abs(value - round(value)) < 1e-12 else value
            if value:
                result[i, j] = value
    return result


def _floating(link: Link) -> Chart:
    """A free body in space: position, Euler parameters; its states are ω, then v, in body axes."""
    q, v = SX.sym(f"{link.body.name}.q", 7), SX.sym(f"{link.body.name}.v", 6)
    R = rotations.from_quaternion(q[3:7])

    def retract(q: SX, step: SX) -> SX:
        position = q[:3] + rotations.from_quaternion(q[3:7]) @ step[3:6]
        return ca.vertcat(position, _turned(q[3:7], step[:3]))

    return Chart(
        link,
        q,
        v,
        ca.vertcat(R @ v[3:6], rotations.quaternion_rate(q[3:7]) @ v[:3]),
        Pose(q[:3], R),
        SX(ca.DM.eye(6)[[3, 4, 5, 0, 1, 2], :]),
        SX(6, 1),
        SX(6, 1),
        {},
        retract=retract,
        start=Floating(link.body.name),
    )


def _plane_floating(link: Link) -> Chart:
    q, v = SX.sym(f"{link.body.name}.q", 3), SX.sym(f"{link.body.name}.v", 3)
    S = SX(ca.DM.eye(6)[:, PLANE.rows])
    R = rotations.about_z(q[2])

    def retract(q: SX, step: SX) -> SX:
        moved = rotations.about_z(q[2]) @ ca.vertcat(step[0], step[1], 0)
        return q + ca.vertcat(moved[0], moved[1], step[2])

    world = R @ ca.vertcat(v[0], v[1], 0)
    pose = Pose(as_vector((q[0], q[1])), R, q[2])
    return Chart(
        link,
        q,
        v,
        ca.vertcat(world[0], world[1], v[2]),
        pose,
        S,
        SX(6, 1),
        SX(6, 1),
        {},
        retract=retract,
        start=FloatingInPlane(link.body.name),
    )


@dataclass
class _Point:
    """Where a ball-type joint may put the origin of N, seen from M: coordinates, speeds, place, and how to start."""

    q: SX
    v: SX
    qdot: SX
    p: SX
    slope: SX
    """3×n: velocity per unit of v."""
    direct: dict[Coordinate, tuple[SX, SX]]
    retract: Callable[[SX, SX], SX]
    start: Start


def _guided(joint: Joint, parameters: SX) -> _Point:
    """On a line, in a plane: the guide's own coordinates."""
    coordinates = [c for c in joint.coordinates if c.label in joint.free[:-3]]
    n = len(coordinates)
    q, v = SX.sym(f"{joint.name}.q", n), SX.sym(f"{joint.name}.v", n)
    p = joint.place(*(q[i] for i in range(n))).p if n else SX(3, 1)

    return _Point(
        q,
        v,
        v,
        p,
        constants(ca.jacobian(p, q), [q, parameters]) if n else SX(3, 0),
        {c: (q[i], v[i]) for i, c in enumerate(coordinates) if c.motion is None},
        lambda q, step: q + step,
        Stated([c.name for c in coordinates], [c.name for c in coordinates]),
    )


def _on_sphere(joint: Joint) -> _Point:
    """At the end of an arm: Euler parameters of a frame whose x axis is the arm, which never turns about it.

    Two angles would fail at a pole. The speeds are the arm's rates about its y and z axes.
    """
    r, w = SX.sym(f"{joint.name}.q", 4), SX.sym(f"{joint.name}.v", 2)
    R = rotations.from_quaternion(r)

    return _Point(
        r,
        w,
        rotations.quaternion_rate(r)[:, 1:] @ w,
        joint.length * R[:, 0],
        joint.length * ca.horzcat(-R[:, 2], R[:, 1]),
        {},
        lambda r, step: _turned(r, ca.vertcat(0, step)),
        OnSphere(),
    )


def _ball(link: Link, joint: Joint, t: SX, parameters: SX) -> Chart:
    """A guided point with free orientation: coordinates of the point, Euler parameters; speeds their rates and ω."""
    point = _on_sphere(joint) if joint.sphere else _guided(joint, parameters)
    m, n = point.q.numel(), point.v.numel()
    e, w = SX.sym(f"{joint.name}.e", 4), SX.sym(f"{joint.name}.w", 3)
    # In the axes of N: ω = w, velocity Rᵀ ṗ; its components change as Rᵀ p̈ − ω × Rᵀ ṗ.
    R, pushed = rotations.from_quaternion(e), ca.jacobian(point.p, t)  # an arm may change its length with time
    moving, rates = ca.vertcat(point.q, t), ca.vertcat(point.qdot, 1)
    speed = point.slope @ point.v + pushed
    S = ca.vertcat(ca.horzcat(R.T @ point.slope, SX(3, 3)), ca.horzcat(SX(3, n), SX(ca.DM.eye(3))))
    drift = ca.vertcat(R.T @ pushed, SX(3, 1))
    bias = ca.vertcat(R.T @ ca.jtimes(speed, moving, rates) - cross(w, R.T @ speed), SX(3, 1))
    pose = Pose(point.p, R)
    if not link.forward:
        S, drift, bias, pose = _walked_back(S, drift, bias, pose)

    def retract(q: SX, step: SX) -> SX:
        return ca.vertcat(point.retract(q[:m], step[:n]), _turned(q[m:], step[n:]))

    return Chart(
        link,
        ca.vertcat(point.q, e),
        ca.vertcat(point.v, w),
        ca.vertcat(point.qdot, rotations.quaternion_rate(e) @ w),
        pose,
        S,
        drift,
        bias,
        point.direct,
        retract=retract,
        start=Ball(point.start, link.forward),
    )


def _walked_back(S: SX, drift: SX, bias: SX, pose: Pose) -> tuple[SX, SX, SX, Pose]:
    """The same joint seen from its second frame: twist of M relative to N, and its rate, in the axes of M."""
    back = ca.blockcat([[-pose.R, -(ca.skew(pose.p) @ pose.R)], [SX(3, 3), -pose.R]])
    return back @ S, back @ drift, back @ bias, pose.inverse()


def _turned(e: SX, step: SX) -> SX:
    moved = rotations.quaternion_product(e, rotations.quaternion_exponential(step))
    return moved / ca.sqrt(ca.sumsqr(moved))
