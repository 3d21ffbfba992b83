"""What a tree joint leaves free, as twists in the world, found from the frames alone."""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca
import numpy as np

from linkwork.components.coordinate import Coordinate
from linkwork.components.joint import Joint
from linkwork.core.component import Marker
from linkwork.formulations.charts import constants, twist_per
from linkwork.formulations.maximal_view import MaximalView
from linkwork.formulations.tree import Link
from linkwork.geometry import SX, Pose, Twist, embedding, rotations


@dataclass
class Freedom:
    """What the free rates give the child's joint frame, relative to the parent; world axes."""

    parent: Marker
    child: Marker
    twists: Twist
    """Per unit of each rate: columns."""
    drift: Twist
    """Rate of the relative twist where no free rate accelerates."""
    shared: int
    """How many of the child's particles are points of the parent."""
    axis: int | None
    """Which axis of the joint frames they share, if any."""
    fixed: SX
    """Rotation child's joint frame → parent's, valid for what is shared."""
    driven: dict[Coordinate, Twist] = field(default_factory=dict)
    position_rows: list[SX] = field(default_factory=list)
    """What projection must keep because particles do not."""
    speed_rows: list[SX] = field(default_factory=list)
    first_order: list[tuple[str, SX, SX]] = field(default_factory=list)

    @property
    def columns(self) -> int:
        return self.twists.spin.shape[1]


def freedom_of(view: MaximalView, link: Link, shared: int = 3) -> Freedom:
    """shared: at most so many of the child's particles are where the parent could share them."""
    joint = link.joint
    if joint is None:
        child = link.body.at()
        return Freedom(link.parent.at(), child, _any(view), Twist.none(), 0, None, SX(ca.DM.eye(3)))
    if joint.ball and not view.planar:
        return _ball(view, link, joint, shared)
    return _general(view, link, joint, shared)


def _any(view: MaximalView) -> Twist:
    """All that a free body can do; in space it turns first."""
    every = SX(ca.DM.eye(6)[:, view.space.rows])
    return Twist.of_column(every if view.planar else every[:, [3, 4, 5, 0, 1, 2]])


def _general(view: MaximalView, link: Link, joint: Joint, most: int) -> Freedom:
    """Twists per coordinate from the joint's own `motion`, at the coordinates that the frames measure."""
    parent, child = (joint.first, joint.second) if link.forward else (joint.second, joint.first)
    labels = {c: SX.sym(c.label) for c in joint.coordinates}
    every = ca.vertcat(*labels.values())
    pose = joint.moved({c.label: x for c, x in labels.items()})
    pose = pose if link.forward else pose.inverse()
    parameters = ca.vertcat(*view.model.symbols(view.model.parameters))
    S = constants(ca.horzcat(SX(6, 0), *(twist_per(pose, x) for x in labels.values())), [every, parameters])
    measured = ca.vertcat(*(view.coordinate(c) for c in joint.coordinates))
    S = ca.substitute(S, every, measured) if every.numel() else S
    N = view.frame(child)
    local = Twist.of_column(S)
    twists = Twist(N.R @ local.velocity, N.R @ local.spin)
    free = [i for i, c in enumerate(joint.coordinates) if c.motion is None]
    rates = ca.vertcat(*(view.rate(c) for c in joint.coordinates))
    drift = _rates(view, twists, rates)
    shared, axis, fixed = _shared(pose, every, parameters, view.planar)
    if most < shared:
        shared, axis = most, None
    freedom = Freedom(parent, child, _columns(twists, free), drift, shared, axis, fixed)
    _drive(freedom, view, joint, twists)
    allowed = _allowed(pose, every, parameters, shared, axis, view.planar) if shared else []
    _remaining(freedom, view, joint, allowed if link.forward else [R.T for R in allowed])
    return freedom


def _columns(twists: Twist, chosen: list[int]) -> Twist:
    return Twist(twists.velocity[:, chosen], twists.spin[:, chosen])


def _rates(view: MaximalView, twists: Twist, rates: SX) -> Twist:
    """How the twist changes where the frames move and the rates do not change."""
    if not rates.numel():
        return Twist.none()
    held = SX.sym("held", rates.numel())
    moving = view.time_derivative(ca.vertcat(twists.velocity @ held, twists.spin @ held))
    return Twist.of_column(ca.substitute(moving, held, rates))


def _drive(freedom: Freedom, view: MaximalView, joint: Joint, twists: Twist) -> None:
    """Prescribed coordinates: their acceleration is known; projection keeps them on their path."""
    for i, c in enumerate(joint.coordinates):
        motion = c.motion
        if motion is None:
            continue
        speed = SX.sym(f"{c.name}.speed")
        path = motion.path(view.t, view.coordinate(c), speed)
        if motion.level == "displacement":
            second = ca.jacobian(ca.jacobian(path, view.t), view.t)
            freedom.position_rows.append(view.coordinate(c) - path)
        elif motion.level == "speed":
            second = ca.jacobian(path, view.t)
            freedom.speed_rows.append(view.rate(c) - path)
        else:
            second = path
            freedom.first_order.append((f"{c.name}.speed", speed, path))
            freedom.speed_rows.append(view.rate(c) - speed)
        freedom.driven[c] = _columns(twists, [i])
        freedom.drift += freedom.driven[c] * second


def _remaining(freedom: Freedom, view: MaximalView, joint: Joint, relative: list[np.ndarray]) -> None:
    """Closing equations that shared particles do not fulfil by themselves, found by probing."""
    every = joint.rows(view)
    vanish = _absorbed(joint, relative, view) if freedom.shared else [False] * len(every)
    for row, absorbed in zip(every, vanish, strict=True):
        if not absorbed and not SX(row).is_constant():
            freedom.position_rows.append(row)


def _absorbed(joint: Joint, relative: list[np.ndarray], view: MaximalView) -> list[bool]:
    """Which closing equations hold for every relative rotation that the shared particles still allow."""
    parameters = ca.vertcat(*view.model.symbols(view.model.parameters))
    random = np.random.default_rng(3)
    largest = np.zeros(len(joint.closure(_pose(np.eye(3)), _pose(np.eye(3)))))
    for R in relative:
        M = _turned(view.space.axial_vector(random.normal(size=view.space.about)))
        rows = ca.vertcat(*(SX(x) for x in joint.closure(_pose(M), _pose(M @ R))))
        values = ca.Function("rows", [parameters], [rows])(random.uniform(0.3, 1.7, parameters.numel()))
        largest = np.maximum(largest, np.abs(np.array(values)).ravel())
    return [bool(x < 1e-9) for x in largest]


def _turned(vector: np.ndarray) -> np.ndarray:
    """The matrix of a rotation vector."""
    return np.array(ca.DM(rotations.from_quaternion(ca.DM(rotations.quaternion_exponential(SX(ca.DM(vector)))))))


def _pose(R: np.ndarray) -> Pose:
    return Pose(SX(ca.DM([0.4, 0.3, 0.0])), SX(ca.DM(R)))


def _allowed(pose: Pose, every: SX, parameters: SX, shared: int, axis: int | None, planar: bool) -> list[np.ndarray]:
    """Rotations of the child's joint frame in the parent's that shared particles leave possible."""
    random = np.random.default_rng(5)
    if shared == 1:
        space = embedding(planar)
        return [_turned(space.axial_vector(random.normal(size=space.about))) for _ in range(4)]
    f = ca.Function("R", [every, parameters], [pose.R])
    allowed = []
    for _ in range(4):
        R = np.array(f(*(random.uniform(0.3, 1.7, s.numel()) for s in (every, parameters))))
        about = R[:, axis] if axis is not None else np.zeros(3)
        allowed.append(_turned(about * random.normal()) @ R)
    return allowed


def _shared(pose: Pose, every: SX, parameters: SX, planar: bool) -> tuple[int, int | None, SX]:
    """(shared particles, shared axis, rotation valid for them) of a joint, by probing its motion."""
    p, R = constants(ca.horzcat(pose.p), [every, parameters]), constants(pose.R, [every, parameters])
    if not p.is_zero() and p.nnz():
        return 0, None, SX(ca.DM.eye(3))
    if R.is_constant():
        return embedding(planar).along, None, R
    if planar:
        return 1, None, SX(ca.DM.eye(3))
    for axis in range(3):
        if R[:, axis].is_constant():
            fixed = SX(3, 3)
            fixed[:, axis] = R[:, axis]
            return 2, axis, fixed
    return 1, None, SX(ca.DM.eye(3))


def _ball(view: MaximalView, link: Link, joint: Joint, most: int) -> Freedom:
    """A guided point with free orientation: rotations about world axes, and the guide's own directions."""
    parent, child = (joint.first, joint.second) if link.forward else (joint.second, joint.first)
    M, N = view.frame(joint.first), view.frame(joint.second)
    coordinates = [c for c in joint.coordinates if c.label in joint.free[:-3]]
    guided = ca.vertcat(*(SX.sym(c.label) for c in coordinates))
    n = len(coordinates)
    slope, speeds = SX(3, 0), [view.rate(c) for c in coordinates]
    if joint.sphere:
        arm = M.R.T @ (N.p - M.p)
        slope = _across(arm)
        speeds = [slope.T @ view.time_derivative(arm)]
    elif n:
        place = joint.place(*(guided[i] for i in range(n)))
        measured = ca.vertcat(*(view.coordinate(c) for c in coordinates))
        slope = ca.substitute(ca.jacobian(place.p, guided), guided, measured)
    eye = SX(ca.DM.eye(3))
    if link.forward:
        twists = Twist(ca.horzcat(M.R @ slope, SX(3, 3)), ca.horzcat(SX(3, n), eye))
        spin = N.w - M.w
    else:
        arm = M.p - N.p  # the child turns about the guided point, which is the parent's
        twists = Twist(ca.horzcat(-(M.R @ slope), -ca.skew(arm)), ca.horzcat(SX(3, n), eye))
        spin = M.w - N.w
    rates = ca.vertcat(*speeds, spin)
    drift = _rates(view, twists, rates)
    freedom = Freedom(parent, child, twists, drift, min(most, 1) if not n else 0, None, eye)
    if not freedom.shared:
        freedom.position_rows += [x for x in joint.rows(view) if not SX(x).is_constant()]
    return freedom


def _across(arm: SX) -> SX:
    """Two directions perpendicular to an arm and to each other: columns. Another axis helps near the z axis."""
    length = ca.sqrt(ca.sumsqr(arm))
    steep = arm[2] ** 2 > 0.5 * length**2
    first = ca.cross(ca.vertcat(ca.if_else(steep, 1, 0), 0, ca.if_else(steep, 0, 1)), arm)
    first = first / ca.sqrt(ca.sumsqr(first))
    return ca.horzcat(first, ca.cross(arm, first) / length)
