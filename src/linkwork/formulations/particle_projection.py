"""How particles are kept on what binds them: distances and joints of the tree, then cut joints (projection)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import casadi as ca
import numpy as np

from linkwork.algebra import projection
from linkwork.algebra.proximal import KKT, REACH, Order, within
from linkwork.components.bodies import Body, Ground
from linkwork.core.component import Frame
from linkwork.formulations.constraint_rows import Rows
from linkwork.formulations.order import length_of, steps
from linkwork.formulations.particle_view import PointsView
from linkwork.formulations.tree import Link
from linkwork.geometry import SX

Own = Mapping[int, tuple[SX, SX]]
"""Positions and velocities of a body's own particles, by their index."""


class Surface:
    """What projection keeps, in states: (position, speed) of bodies and tree joints, then of rows that are left."""

    def __init__(self, view: PointsView, rows: Rows, momentum: Callable[[Order], Any], order: Order):
        self.view, self.momentum, self.order = view, momentum, order
        distances = []
        for link in view.links:
            shared = view.shared[link.body.name]
            pairs = view.particles[link.body.name].distances(view.states[link.body.name])
            distances += [d for (i, j), d in pairs.items() if not (i < shared and j < shared)]
        own = ca.vertcat(*distances)
        tree = ca.vertcat(*(x for f in view.freedoms.values() for x in f.position_rows))
        tree_speed = ca.vertcat(view.time_derivative(tree), *(x for f in view.freedoms.values() for x in f.speed_rows))
        tree, tree_speed, self.cut, self.cut_speed = view.in_states([tree, tree_speed, rows.position, rows.velocity])
        own_speed = ca.jtimes(own, view.points, view.velocities)
        self.inner, self.inner_speed = ca.vertcat(own, tree), ca.vertcat(own_speed, tree_speed)

    @property
    def position(self) -> SX:
        return ca.vertcat(self.inner, self.cut)

    @property
    def velocity(self) -> SX:
        return ca.vertcat(self.inner_speed, self.cut_speed)

    def projected(self) -> list[SX]:
        """Distances and tree joints from the ground outwards, each body on its parent; then the rows that are left, by
        joint motions alone, mass as the metric."""
        view = self.view
        reach = REACH * steps(view)
        q, v = self._outwards()
        if self.cut_speed.numel():
            missing = SX.zeros(self.cut_speed.numel() - self.cut.numel(), 1)
            # Factors are taken where they are used: next to a singular position old ones would blow errors up.
            away = self.order.away(self.cut)
            (step,) = view.in_states([self.momentum(away).project(ca.vertcat(self.cut, missing))])
            (step,) = ca.substitute([step], [view.points], [q])
            q = q + within(step, reach)
            (step,) = view.in_states([self.momentum(self.order).project(self.cut_speed)])
            (step,) = ca.substitute([step], [view.points, view.velocities], [q, v])
            v = v + step
        return [q, v]

    def _outwards(self) -> tuple[SX, SX]:
        """Particles of each body by the shortest way to where its distances, and its joint, let them be."""
        view, frames = self.view, dict[str, Frame]()
        at, speed = [], []
        for link in view.links:
            parent = frames.get(link.parent.name)
            own = {i: (r, v) for name, i, r, v in view.fresh if name == link.body.name}
            if own:
                q, v = self._nearest(link, own)
                if parent is not None and isinstance(link.parent, Body):
                    values = [ca.densify(x) for x in view.values(link.parent, parent)]
                    q, v = ca.substitute([q, v], [*view.symbols_of(link.parent)], values)
                at.append(q)
                speed.append(v)
                pairs = zip(ca.vertsplit(q, view.width), ca.vertsplit(v, view.width), strict=True)
                vector = view.space.true_vector
                own = {i: (vector(r), vector(rate)) for i, (r, rate) in zip(own, pairs, strict=True)}
            frames[link.body.name] = view.carry(link, parent, own)[2]
        return ca.vertcat(SX(0, 1), *at, view.symbols), ca.vertcat(SX(0, 1), *speed, view.rates_of_symbols)

    def _nearest(self, link: Link, own: Own) -> tuple[SX, SX]:
        """A body's own particles and their velocities after a step, with the parent's symbols in them."""
        view = self.view
        q, v = (ca.vertcat(*(view.space.true(pair[k]) for pair in own.values())) for k in (0, 1))
        position, velocity = self._rows(link, own)
        if not velocity.numel():
            return q, v
        by_point = ca.jacobian(velocity, v)
        felt = [ca.sumsqr(row) for row in ca.vertsplit(by_point)]  # rows have units of their own
        metric, length = KKT(SX.eye(q.numel()), by_point, Order(felt=felt)), np.full(q.numel(), length_of(view.model))
        return projection.projected(metric, q, v, position, velocity, operator.add, length)

    def _rows(self, link: Link, own: Own) -> tuple[SX, SX]:
        """(position, speed) of a body's distances, and of what its joint asks beside them."""
        view, freedom, particles = self.view, self.view.freedoms[link.body.name], self.view.particles[link.body.name]
        at, moving, frame = view.carry(link, None if isinstance(link.parent, Ground) else view.body(link.parent), own)
        symbols = [SX.sym("r", 3) for _ in at]
        distances = ca.vertcat(SX(0, 1), *(d for (i, _), d in particles.distances(symbols).items() if i in own))
        rates = ca.jtimes(distances, ca.vertcat(*symbols), ca.vertcat(*moving))
        distances, rates = ca.substitute([distances, rates], [ca.vertcat(*symbols)], [ca.vertcat(*at)])
        tree = ca.vertcat(SX(0, 1), *freedom.position_rows)
        speeds = ca.vertcat(view.time_derivative(tree) if tree.numel() else tree, *freedom.speed_rows)
        values = [ca.densify(x) for x in view.values(link.body, frame)]
        tree, speeds = ca.substitute([tree, speeds], [*view.symbols_of(link.body)], values)
        return ca.vertcat(distances, tree), ca.vertcat(rates, speeds)
