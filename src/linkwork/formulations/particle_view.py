"""A mechanism whose bodies are carried by particles: which are states, and where the bodies are then (PRT)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.components.bodies import Body
from linkwork.components.coordinate import Coordinate
from linkwork.components.joint import Joint
from linkwork.core.component import Constraint, Frame
from linkwork.core.courses import in_time
from linkwork.formulations.maximal_view import MaximalView
from linkwork.formulations.order import length_of, weighed
from linkwork.formulations.particles import Particles, choose
from linkwork.formulations.starting import OfParticles, State
from linkwork.formulations.tree import Link
from linkwork.formulations.twists import Freedom, freedom_of
from linkwork.geometry import SX, Pose, cross, embedding, rotations

if TYPE_CHECKING:
    from linkwork.core.model import Model


class PointsView(MaximalView):
    """Bodies carried by particles; components see them as in the maximal view, `in_states` puts the particles in."""

    def __init__(self, model: Model):
        self._counters: dict[str, SX] = {}
        super().__init__(model)
        self.width = self.space.along
        """Coordinates of a particle."""
        self.tree = weighed(model).tree
        self.links = self.tree.links
        self._held = {link.joint.name for link in self.links if link.joint is not None}
        self.freedoms: dict[str, Freedom] = {link.body.name: freedom_of(self, link) for link in self.links}
        self.particles: dict[str, Particles] = {}
        self.positions: dict[str, list[SX]] = {}
        self.rates: dict[str, list[SX]] = {}
        """By body: where its state particles are, and how fast, at their own distances from the first."""
        self.states: dict[str, list[SX]] = {}
        self.state_rates: dict[str, list[SX]] = {}
        """By body: the same, as the states say: distances may be off. Shared ones are the parent's."""
        self.carrying: dict[str, Frame] = {}
        """By body: its frame, from the particles."""
        self.shared: dict[str, int] = {}
        """By body: how many of its state particles, the first ones, are points of the parent."""
        self.fresh: list[tuple[str, int, SX, SX]] = []
        """(body, index among its particles, position, velocity) of each particle that is a state."""
        for link in self.links:
            self._populate(link)
        self.points = ca.vertcat(*(self.space.true(r) for _, _, r, _ in self.fresh), self.symbols)
        self.velocities = ca.vertcat(*(self.space.true(v) for _, _, _, v in self.fresh), self.rates_of_symbols)
        if self.planar:
            self._counters = {b.name: SX.sym(f"{b.name}.turn") for b in self.bodies}
        self._where = self._carried()

    def holds(self, constraint: Constraint) -> bool:
        return constraint.name in self._held

    def prescribes(self, c: Coordinate) -> bool:
        return any(c in freedom.driven for freedom in self.freedoms.values())

    def _populate(self, link: Link) -> None:
        """Choose a body's particles: shared ones are points of the parent, the others are states."""
        name, freedom = link.body.name, self.freedoms[link.body.name]
        local = freedom.child.local
        axis = None if freedom.axis is None else local.R[:, freedom.axis]
        if link.body.particle_places:
            particles, shared = _placed(link.body, freedom, local.p, axis)
            if shared < freedom.shared:
                self.freedoms[name] = freedom = freedom_of(self, link, shared)
        else:
            towards = self._other_joint(link, local.p)
            length = _length(link.body, towards, local.p, self.model)
            particles = choose(local.p, axis, towards, length, self.planar)
        self.particles[name], self.shared[name] = particles, freedom.shared
        fresh = {
            i: (self._vector(f"{name}.r{i + 1}"), self._vector(f"{name}.v{i + 1}"))
            for i in range(freedom.shared, len(particles.places))
        }
        self.fresh += [(name, i, r, v) for i, (r, v) in fresh.items()]
        at, moving, frame = self.carry(link, self.carrying.get(link.parent.name), fresh)
        rigid = particles.rigid(at)
        self.states[name], self.state_rates[name] = at, moving
        self.positions[name], self.carrying[name] = rigid, frame
        self.rates[name] = [moving[0], *(moving[0] + cross(frame.w, r - at[0]) for r in rigid[1:])]

    def _vector(self, name: str) -> SX:
        return self.space.true_vector(SX.sym(name, self.width))

    def carry(
        self, link: Link, parent: Frame | None, fresh: Mapping[int, tuple[SX, SX]]
    ) -> tuple[list[SX], list[SX], Frame]:
        """A body's state particles, their velocities, and its frame, where the parent and its own particles are so."""
        particles = self.particles[link.body.name]
        both = [
            fresh[i] if i in fresh else self._on_parent(link, parent, place) for i, place in enumerate(particles.places)
        ]
        at, moving = [r for r, _ in both], [v for _, v in both]
        p, R = particles.pose(at)
        w = particles.spin(at, moving)
        return at, moving, Frame(p, R, None, moving[0] + cross(w, p - at[0]), w)

    def offset(self, body: Body) -> SX:
        """From the joint's frame on a body to its particle 1 (world axes)."""
        apart = self.particles[body.name].places[0] - self.freedoms[body.name].child.local.p
        return SX(3, 1) if ca.simplify(apart).is_zero() else self.carrying[body.name].R @ apart

    def _on_parent(self, link: Link, parent: Frame | None, place: SX) -> tuple[SX, SX]:
        """Position and velocity of a child's place on the joint's centre or axis, as a point of the parent."""
        freedom = self.freedoms[link.body.name]
        marker, to_joint = freedom.parent.local, freedom.child.local.inverse()
        in_parent = marker.p + marker.R @ (freedom.fixed @ (to_joint.p + to_joint.R @ place))
        if parent is None:
            return in_parent, SX(3, 1)
        name = link.parent.name
        for i, other in enumerate(self.particles[name].places):
            if parent is self.carrying.get(name) and _same(in_parent, other):  # the parent has a particle there
                return self.positions[name][i], self.rates[name][i]
        arm = parent.R @ in_parent
        return parent.p + arm, parent.v + cross(parent.w, arm)

    def _other_joint(self, link: Link, here: SX) -> SX | None:
        """The centre of another joint on this body, if one lies well apart."""
        for joint in self.model.of_type(Joint):
            for marker in joint.markers():
                if joint is not link.joint and marker.body is link.body:
                    apart = marker.local.p - here
                    if apart.is_constant() and float(ca.norm_2(apart)) > 0:
                        return marker.local.p
        return None

    def _carried(self) -> list[list[SX]]:
        both = [self.values(b, self.carrying[b.name]) for b in self.bodies]
        config = ca.vertcat(*(x for x, _ in both), self.symbols)
        speed = ca.vertcat(*(x for _, x in both), self.rates_of_symbols)
        return [[self.config, self.v], [ca.densify(config), ca.densify(speed)]]

    def values(self, body: Body, frame: Frame) -> tuple[SX, SX]:
        """What stands for a body in `config` and `v`, where its frame is so."""
        pose: Pose = frame
        if body.name in self._counters:
            angle = ca.atan2(frame.R[1, 0], frame.R[0, 0])
            angle += 2 * np.pi * ca.floor((self._counters[body.name] - angle) / (2 * np.pi) + 0.5)
            pose = Pose(frame.p, frame.R, angle)
        return self.of_body.configuration(pose), frame.twist.on_speeds(frame.R, self.space)

    def symbols_of(self, body: Body) -> tuple[SX, SX]:
        """Its symbols in `config` and `v`."""
        n, size = self.bodies.index(body), self.of_body.config_size
        return self.config[n * size : (n + 1) * size], self.v[self.slice(body)]

    def lengths(self) -> tuple[list[bool], list[bool]]:
        own = [v.unit == "m" for v in self.variables]
        points = [True] * (self.points.numel() - len(own)) + own
        return points, points

    def counters(self) -> list[tuple[str, SX, SX]]:
        """Which turn a planar body is in, for its angle channel: bookkeeping, not part of the motion."""
        return [
            (f"{b.name}.turn", counter, self.v[self.slice(b)][2])
            for b in self.bodies
            if (counter := self._counters.get(b.name)) is not None
        ]

    def quaternion(self, body: Body) -> SX:
        return rotations.quaternion_of(self.body(body).R)

    def in_states(self, expressions: list[SX]) -> list[SX]:
        return ca.substitute(expressions, *self._where)

    def retract(self, q: SX, step: SX) -> SX:
        return q + step

    @cached_property
    def start(self) -> State:
        particles = [(name, self.particles[name].places[i]) for name, i, _, _ in self.fresh]
        return OfParticles(self.model, particles, [v.name for v in self.variables])


def _placed(body: Body, freedom: Freedom, centre: SX, axis: SX | None) -> tuple[Particles, int]:
    """Particles where the user has them, those on the joint first, and how many of them its parent shares."""
    planar = body.model is not None and body.model.is_planar
    count = embedding(planar).along
    places, dependent = body.particle_places[:count], body.particle_places[count:]
    if freedom.shared == count:  # nothing moves between the two bodies
        return Particles(places, planar, dependent[0] if dependent else None), count
    first = [k for k, place in enumerate(places) if freedom.shared and _same(place, centre)]
    if first and axis is not None:
        first += [
            k
            for k, place in enumerate(places)
            if k not in first and _same(place, centre + ca.dot(place - centre, axis) * axis)
        ]
    order = first[: freedom.shared] + [k for k in range(count) if k not in first[: freedom.shared]]
    particles = Particles([places[k] for k in order], planar, dependent[0] if dependent else None)
    return particles, min(len(first), freedom.shared)


def _same(a: SX, b: SX) -> bool:
    """Whether two places on a body are one, whatever its parameters."""
    apart = ca.simplify(a - b)
    if not apart.is_constant():
        return False
    size = max((abs(float(x)) for d in (a, b) for x in ca.vertsplit(d) if x.is_constant()), default=0.0)
    return float(ca.norm_inf(ca.DM(apart))) <= 1e-12 * size


def _length(body: Body, towards: SX | None, here: SX, model: Model) -> float:
    """A length of the body's own size [m]: to its other joint, the radius of gyration, or the mechanism's length."""
    if towards is not None:
        return float(ca.norm_2(towards - here))
    values = {**model.parameters, **model.input_values()}
    symbols = model.all_symbols()
    J = SX(body.inertia)
    size = ca.sqrt((J[0, 0] + J[1, 1] + J[2, 2] if J.numel() == 9 else J) / body.mass)
    (size,) = in_time([size], model.courses)
    own = float(ca.Function("size", [symbols], [size])(list(values.values())))
    return own if 0 < own < np.inf else length_of(model)
