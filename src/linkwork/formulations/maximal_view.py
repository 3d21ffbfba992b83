"""Bodies as independent movers: the view that every formulation's own view starts from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.components.bodies import Body, Ground, Solid
from linkwork.components.coordinate import Coordinate
from linkwork.components.joint import Joint, JointCoordinate
from linkwork.components.variables import Variable
from linkwork.core.component import Constraint, Frame, Marker
from linkwork.formulations.body_coordinates import body_coordinates
from linkwork.formulations.starting import OfBodies, State
from linkwork.geometry import SX, Pose, Twist
from linkwork.geometry.pattern import Pattern

if TYPE_CHECKING:
    from linkwork.core.model import Model


class MaximalView:
    """Bodies as independent movers.

    Expressions are written in `config`, position and rotation matrix (x, y, cos θ, sin θ, θ in the plane), whose rate
    is linear in v: joints stay bilinear in the axes, angles and Euler parameters enter only once, by `in_states`.
    """

    def __init__(self, model: Model):
        self.model, self.planar = model, model.is_planar
        self.of_body = body_coordinates(self.planar)
        """What the coordinates and speeds of each body are."""
        self.space = self.of_body.space
        self.t = model.t
        self.bodies: list[Body] = model.of_type(Body)
        self.variables: list[Variable] = model.of_type(Variable)
        self._frames: dict[str, Frame] = {}
        self._markers: dict[Marker, Frame] = {}
        self._slices: dict[str, slice] = {}
        parts: dict[str, list[SX]] = {k: [] for k in ("q", "v", "config", "rate", "value")}
        for i, body in enumerate(self.bodies):
            of = self.of_body.symbols(body.name)
            self._frames[body.name], n = of.frame, self.space.size
            self._slices[body.name] = slice(i * n, (i + 1) * n)
            for k in parts:
                parts[k].append(getattr(of, k))
        # Variables stand for themselves: whatever a user writes with their symbols is in states already.
        self.symbols, self.rates_of_symbols = (
            _column(v.symbol for v in self.variables),
            _column(v.rate for v in self.variables),
        )
        for k, own in zip(parts, (self.symbols, self.rates_of_symbols) * 2 + (self.symbols,), strict=True):
            parts[k].append(own)
        self.q, self.v, self.config, self.config_rate, self.config_value = (ca.vertcat(*p) for p in parts.values())
        self.speeds = self.v
        self._measures: dict[Coordinate, SX] = {v: v.symbol for v in self.variables}
        self._rates: dict[Coordinate, SX] = {v: v.rate for v in self.variables}
        self._course: tuple[SX, SX, SX, SX] | None = None
        """What moves and its rates, and both with time in them."""
        self.reactions: dict[Joint, SX] = {}
        """Symbols for reactions that somebody has asked for: force, then moment; put in at the end."""
        turning = [c for j in model.of_type(Joint) for c in j.coordinates if c.turns]
        counting = self._count_turns(turning)
        self.turns = {c: SX.sym(f"{c.name}.turns") for c in turning if not counting and not self._count_turns([c])}

    def frame(self, marker: Marker) -> Frame:
        if marker not in self._markers:
            self._markers[marker] = self._place(marker)
        return self._markers[marker]

    def _place(self, marker: Marker) -> Frame:
        local = marker.local
        slide, turn = self._own_motion(local)
        if isinstance(marker.body, Ground):
            return Frame(local.p, local.R, local.turn, slide, turn)
        body = self._frames[marker.body.name]
        if local.p.is_constant() and local.R.is_constant():
            return _carried(body, local)
        pose = Pose.__matmul__(body, local)
        carried = self.carried_twist(marker.body, pose.p)
        return Frame(pose.p, pose.R, pose.turn, carried.velocity + body.R @ slide, carried.spin + body.R @ turn)

    def _own_motion(self, local: Pose) -> tuple[SX, SX]:
        """How fast a frame moves and turns on its body, in body axes, where time says where it is."""
        if not ca.depends_on(ca.vertcat(local.p, ca.vec(local.R)), self.t):
            return SX(3, 1), SX(3, 1)
        dR = ca.reshape(ca.jacobian(ca.vec(local.R), self.t), 3, 3)
        W = dR @ local.R.T
        return ca.jacobian(local.p, self.t), ca.vertcat(W[2, 1], W[0, 2], W[1, 0])

    def carried_twist(self, body: Solid, p: SX) -> Twist:
        """How a body carries the point of it that is at p."""
        if isinstance(body, Ground):
            return Twist.none()
        frame = self._frames[body.name]
        return frame.twist.moved(frame.p - p)

    def lengths(self) -> tuple[list[bool], list[bool]]:
        """Which coordinates, and which speeds, are lengths (per second)."""
        own = [v.unit == "m" for v in self.variables]
        at, speed = self.of_body.lengths()
        return at * len(self.bodies) + own, speed * len(self.bodies) + own

    def body(self, body: Solid) -> Frame:
        return self._frames[body.name]

    def holds(self, constraint: Constraint) -> bool:
        """Whether the choice of coordinates fulfils a constraint already: never here."""
        return False

    def prescribes(self, c: Coordinate) -> bool:
        """Whether a motion law is built into the coordinates: never here."""
        return False

    def quaternion(self, body: Body) -> SX:
        i = self.bodies.index(body)
        return self.q[7 * i + 3 : 7 * i + 7]

    def slice(self, body: Body) -> slice:
        """Where a body's speeds are in v."""
        return self._slices[body.name]

    def coordinate(self, c: Coordinate) -> SX:
        """The coordinate, full turns included: the integrated angle only says which turn it is."""
        x = self._measure(c)
        if c not in self.turns:
            return x
        return x + 2 * np.pi * ca.floor((self.turns[c] - x) / (2 * np.pi) + 0.5)

    def _count_turns(self, coordinates: Sequence[Coordinate]) -> bool:
        """Whether they count full turns by themselves. In the plane an angle between bodies is a difference of their
        own, which never jump; a direction's may."""
        if not self.planar:
            return False
        return bool(ca.jacobian(ca.vertcat(SX(0, 1), *map(self._measure, coordinates)), self.config).is_constant())

    def rate(self, c: Coordinate) -> SX:
        if c not in self._rates:
            together = [c, *(x for x in self._of_library if x is not c and x not in self._rates)]
            rates = ca.vertsplit(self.time_derivative(ca.vertcat(*map(self._measure, together))))
            self._rates.update(zip(together, rates, strict=True))
        return self._rates[c]

    @cached_property
    def _of_library(self) -> list[Coordinate]:
        """Coordinates of joints that can be read without asking their user: all are differentiated at once."""
        joints = self.model.of_type(Joint)
        return [c for j in joints if type(j).__module__.startswith("linkwork.") for c in j.coordinates]

    def reaction(self, joint: Joint) -> tuple[SX, SX]:
        """Force and moment of a joint on its second body, at its second frame (symbols)."""
        both = self.reactions.setdefault(joint, SX.sym(f"{joint.name}.reaction", 6))
        return both[:3], both[3:]

    def counted_rate(self, c: JointCoordinate) -> SX:
        """The rate that its turn counter follows."""
        joint = c.joint
        return self.rate(c) * joint.clearance(c.label, self.frame(joint.first), self.frame(joint.second))

    def _measure(self, c: Coordinate) -> SX:
        if c not in self._measures:
            assert isinstance(c, JointCoordinate)
            M, N = self.frame(c.joint.first), self.frame(c.joint.second)
            for other, x in zip(c.joint.coordinates, _in_order(c.joint, c.joint.measure(M, N)), strict=True):
                self._measures[other] = SX(x)
        return self._measures[c]

    def time_derivative(self, x: SX) -> SX:
        """d/dt of an expression at constant speeds v."""
        moving, rates = self.moving()
        if self._course is None or self._course[0] is not moving or self._course[1] is not rates:
            self._course = moving, rates, ca.vertcat(moving, self.t), ca.vertcat(rates, 1)
        return ca.jtimes(x, *self._course[2:])

    @cached_property
    def own_symbols(self) -> set[int]:
        """Hashes of what the motion and the parameters alone determine."""
        parameters = self.model.symbols(self.model.parameters)
        known = ca.vertcat(*self.moving(), self.speeds, *parameters, *self.turns.values())
        return {s.element_hash() for s in ca.symvar(known)}

    def moving(self) -> tuple[SX, SX]:
        """What moves with the mechanism, and its rates; time itself is not in it."""
        return self.config, self.config_rate

    def acceleration(self, speed: SX, of_bodies: SX, a: SX) -> SX:
        """d/dt of a speed, for accelerations of all bodies in the order of v (a: of the formulation's own speeds)."""
        return ca.jacobian(speed, self.v) @ of_bodies + self.time_derivative(speed)

    def in_states(self, expressions: list[SX]) -> list[SX]:
        """The same expressions in q."""
        return ca.substitute(expressions, [self.config], [self.config_value])

    @cached_property
    def start(self) -> State:
        """[q, v] of a placement."""
        return OfBodies([body.name for body in self.bodies], [v.name for v in self.variables], self.planar)

    def retract(self, q: SX, step: SX) -> SX:
        n, size, steps = len(self.bodies), self.of_body.size, self.space.size
        moved = [self.of_body.retract(self.of_body.of(q, i), step[steps * i : steps * (i + 1)]) for i in range(n)]
        return ca.vertcat(*moved, q[size * n :] + step[steps * n :])


def _carried(body: Frame, local: Pose) -> Frame:
    """A frame that keeps its place on a body."""
    turned = body.turn is not None and local.turn is not None
    turns = [x for x in (body.turn, local.turn) if x is not None] if turned else []
    p, R, v, *turn = _carrying(turned)(body.p, body.R, body.v, body.w, local.p, local.R, *turns)
    return Frame(p, R, turn[0] if turned else None, v, body.w)


@cache
def _carrying(turned: bool) -> Pattern:
    p, R, v, w = SX.sym("p", 3), SX.sym("R", 3, 3), SX.sym("v", 3), SX.sym("w", 3)
    turn = SX.sym("turn", 2) if turned else SX(0, 1)
    local = Pose(SX.sym("local p", 3), SX.sym("local R", 3, 3), turn[1] if turned else None)
    pose = Pose(p, R, turn[0] if turned else None) @ local
    carried = Twist(v, w).moved(p - pose.p)
    own = [turn[0], turn[1]] if turned else []
    return Pattern("carried", [p, R, v, w, local.p, local.R, *own], [pose.p, pose.R, carried.velocity, *turn_of(pose)])


def turn_of(pose: Pose) -> list[SX]:
    return [] if pose.turn is None else [pose.turn]


def _column(symbols: Iterable[SX]) -> SX:
    """A column of symbols; none of them is still a column."""
    return ca.vertcat(SX(0, 1), *symbols)


def _in_order(joint: Joint, measured: list[SX]) -> list[SX]:
    return [measured[c.index] for c in joint.coordinates]


def qdot_of(view: MaximalView) -> SX:
    of = view.of_body
    each = (of.rates(of.of(view.q, i), view.v[view.slice(body)]) for i, body in enumerate(view.bodies))
    return ca.vertcat(*each, view.rates_of_symbols)


def some_rotations(view: MaximalView) -> dict[str, float]:
    """Numbers for the entries of all bodies' rotation matrices, at random rotations."""
    random = np.random.default_rng(3)
    values: dict[str, float] = {}
    for body in view.bodies:
        values |= view.of_body.any_rotation(view.body(body).R, random)
    return values


def state_names_of(view: MaximalView) -> list[str]:
    n, m = view.of_body.size, view.space.size
    own = [v.name for v in view.variables]
    return [
        *(b.name for b in view.bodies for _ in range(n)),
        *own,
        *(b.name for b in view.bodies for _ in range(m)),
        *own,
    ]
