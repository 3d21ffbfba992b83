"""How particles are kept on what binds them: distances and joints of the tree, then cut joints (projection)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import casadi as ca

from linkwork.algebra import projection
from linkwork.algebra.proximal import KKT, REACH, Order, within
from linkwork.formulations.constraint_rows import Rows
from linkwork.formulations.order import steps
from linkwork.formulations.particle_view import PointsView
from linkwork.geometry import SX


class Surface:
    """What projection keeps, in states: (position, speed) of bodies and tree joints, then of rows that are left."""

    def __init__(self, view: PointsView, rows: Rows, momentum: Callable[[Order], Any], order: Order):
        self.view, self.momentum, self.order = view, momentum, order
        distances = []
        for link in view.links:
            shared = view.shared[link.body.name]
            pairs = view.particles[link.body.name].distances(view.positions[link.body.name])
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
        """Distances first, by the shortest way; then cut joints, by joint motions alone, mass as the metric."""
        view = self.view
        q, v, reach = view.points, view.velocities, REACH * steps(view)
        if self.inner_speed.numel():
            by_point = ca.jacobian(self.inner_speed, v)
            felt = [ca.sumsqr(row) for row in ca.vertsplit(by_point)]  # rows have units of their own
            rigid = KKT(SX.eye(q.numel()), by_point, Order(felt=felt))
            q, v = projection.projected(rigid, q, v, self.inner, self.inner_speed, operator.add, steps(view))
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
