"""How particles are kept on what binds them: distances and joints of the tree, then cut joints (projection)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np

from linkwork.algebra import projection
from linkwork.algebra.proximal import KKT, REACH, Order, within
from linkwork.core.component import Frame
from linkwork.formulations.constraint_rows import Rows
from linkwork.formulations.order import length_of, steps
from linkwork.formulations.particle_view import PointsView, kept, spatial
from linkwork.formulations.tree import Link
from linkwork.geometry import SX


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
            (step,) = view.in_states([self.momentum(away).closest(ca.vertcat(self.cut, missing))])
            (step,) = ca.substitute([step], [view.points], [q])
            q = q + within(step, reach)
            (step,) = view.in_states([self.momentum(self.order).closest(self.cut_speed)])
            (step,) = ca.substitute([step], [view.points, view.velocities], [q, v])
            v = v + step
        return [q, v]

    def _outwards(self) -> tuple[SX, SX]:
        """Particles of each body by the shortest way to where its distances, and its joint, let them be."""
        view, frames = self.view, dict[str, Frame]()
        length = length_of(view.model)
        at, speed = [], []
        for link in view.links:
            name, parent = link.body.name, frames.get(link.parent.name)
            own = {i: (r, v) for body, i, r, v in view.fresh if body == name}
            if own:
                here = None if parent is None else view.body(link.parent)
                q, v = (ca.vertcat(*(kept(pair[k], view.planar) for pair in own.values())) for k in (0, 1))
                position, velocity = self._rows(link, here, own)
                if velocity.numel():
                    by_point = ca.jacobian(velocity, v)
                    felt = [ca.sumsqr(row) for row in ca.vertsplit(by_point)]  # rows have units of their own
                    nearest = KKT(SX.eye(q.numel()), by_point, Order(felt=felt))
                    q, v = projection.projected(
                        nearest, q, v, position, velocity, operator.add, np.full(q.numel(), length)
                    )
                if parent is not None:
                    q, v = ca.substitute(
                        [q, v], [*view.symbols_of(link.parent)], [ca.densify(x) for x in view.values(link.parent, parent)]
                    )
                at.append(q)
                speed.append(v)
                width = q.numel() // len(own)
                own = {
                    i: tuple(spatial(x[n * width : (n + 1) * width]) for x in (q, v)) for n, i in enumerate(own)
                }
            frames[name] = view.carry(link, parent, own)[2]
        return ca.vertcat(SX(0, 1), *at, view.symbols), ca.vertcat(SX(0, 1), *speed, view.rates_of_symbols)

    def _rows(self, link: Link, parent: Frame | None, own: dict[int, tuple[SX, SX]]) -> tuple[SX, SX]:
        """(position, speed) of a body's distances and of what its joint asks, with the parent's symbols in them."""
        view, freedom = self.view, self.view.freedoms[link.body.name]
        at, moving, frame = view.carry(link, parent, own)
        pairs = view.particles[link.body.name].distances(at)
        distances = ca.vertcat(*(d for (i, j), d in pairs.items() if i in own or j in own))
        symbols = [SX.sym("r", 3) for _ in at]
        local = ca.vertcat(*(d for (i, j), d in view.particles[link.body.name].distances(symbols).items() if i in own or j in own))
        rates = ca.jtimes(local, ca.vertcat(*symbols), ca.vertcat(*moving))
        rates = ca.substitute(rates, ca.vertcat(*symbols), ca.vertcat(*at)) if local.numel() else SX(0, 1)
        tree = ca.vertcat(SX(0, 1), *freedom.position_rows)
        tree_rate = view.time_derivative(tree) if tree.numel() else tree
        found = [tree, ca.vertcat(tree_rate, *freedom.speed_rows)]
        found = ca.substitute(found, [*view.symbols_of(link.body)], [ca.densify(x) for x in view.values(link.body, frame)])
        return ca.vertcat(distances, found[0]), ca.vertcat(rates, found[1])
