"""Baumgarte's terms for what binds particles: distances, and joints of the tree that shared particles do not absorb.

Φ̈ + 2α Φ̇ + β² Φ = 0 in place of Φ̈ = 0. Rows of cut joints have it in their γ; a joint of the tree is given the smallest
motion of its body that does it, and distances the smallest accelerations of the body's own particles.
"""

from __future__ import annotations

import casadi as ca

from linkwork.algebra.proximal import KKT, Order
from linkwork.components.bodies import Body
from linkwork.formulations.order import length_of
from linkwork.formulations.particle_view import PointsView
from linkwork.formulations.stabilisation import Baumgarte
from linkwork.formulations.tree import Link
from linkwork.geometry import SX


def returning(view: PointsView, link: Link, to_speeds: SX, given: Baumgarte) -> SX:
    """Acceleration (r̈₁, a) of a body that brings its joint back."""
    freedom = view.freedoms[link.body.name]
    position = ca.vertcat(SX(0, 1), *freedom.position_rows)
    speed = ca.vertcat(view.time_derivative(position) if position.numel() else position, *freedom.speed_rows)
    if not speed.numel():
        return SX(to_speeds.shape[1], 1)
    missing = SX.zeros(speed.numel() - position.numel(), 1)
    wanted = 2 * given.alpha * speed + given.beta**2 * ca.vertcat(position, missing)
    by_motion = ca.jacobian(speed, view.v[view.slice(link.body)]) @ to_speeds
    return _nearest(by_motion, _metric(view), wanted)


def _metric(view: PointsView) -> SX:
    """A turn counts as what it moves at the mechanism's length."""
    size = length_of(view.model) ** 2
    return SX(ca.diag([1.0] * view.space.along + [size] * view.space.about))


def _nearest(jacobian: SX, metric: SX, residual: SX) -> SX:
    felt = [ca.sumsqr(row) for row in ca.vertsplit(jacobian)]
    return KKT(metric, jacobian, Order(felt=felt)).project(residual)


def kept_apart(view: PointsView, body: Body, accelerations: list[SX], given: Baumgarte) -> list[SX]:
    """The same accelerations of a body's state particles, its own ones bent so that distances come back."""
    name = body.name
    r, v = view.states[name], view.state_rates[name]
    own = [i for i in range(len(r)) if i >= view.shared[name]]
    width = view.width
    rows, wanted = [], []
    for i in range(len(r)):
        for j in range(i):
            if i not in own:
                continue
            s = ca.norm_2(view.particles[name].places[i] - view.particles[name].places[j])
            d, rate, second = (x[i] - x[j] for x in (r, v, accelerations))
            row = SX(1, width * len(own))
            for k, sign in ((i, 1), (j, -1)):
                if k in own:
                    begin = width * own.index(k)
                    row[0, begin : begin + width] = sign * d[:width].T / s
            rows.append(row)
            off = (ca.dot(d, d) / s - s) / 2
            wanted.append(
                (ca.dot(d, second) + ca.dot(rate, rate) + 2 * given.alpha * ca.dot(d, rate)) / s + given.beta**2 * off
            )
    if not rows:
        return accelerations
    bent = _nearest(ca.vertcat(*rows), SX.eye(width * len(own)), ca.vertcat(*wanted))
    corrected = list(accelerations)
    for n, i in enumerate(own):
        corrected[i] = corrected[i] + view.space.true_vector(bent[width * n : width * (n + 1)])
    return corrected
