"""Momentum of a tree of particles, gathered along its chains and projected on what each joint leaves free (PRT)."""

from __future__ import annotations

import casadi as ca

from linkwork.components.bodies import Body, Ground
from linkwork.formulations.particle_view import PointsView, kept
from linkwork.formulations.tree import Link
from linkwork.formulations.twists import Freedom
from linkwork.geometry import SX, cross


class Chain:
    """Velocities and accelerations along the tree, per unit of joint acceleration, from the particles' own motion."""

    def __init__(self, view: PointsView):
        self.view = view
        sizes = {name: f.columns for name, f in view.freedoms.items()}
        self.variables = len(view.variables)
        self.size = sum(sizes.values()) + self.variables
        self.first_order = [s for f in view.freedoms.values() for s in f.first_order]
        zero = (SX(3, self.size), SX(3, self.size), SX(3, 1), SX(3, 1))
        self.motion = {view.model.ground.name: zero}
        """By body: ω and mass-centre velocity per unit of u; their rates at u = 0 (world axes)."""
        begin = 0
        for link in view.links:
            freedom, n = view.freedoms[link.body.name], sizes[link.body.name]
            self.motion[link.body.name] = self._step(link, freedom, begin, n)
            begin += n

    def _step(self, link: Link, freedom: Freedom, begin: int, n: int) -> tuple[SX, SX, SX, SX]:
        view = self.view
        W0, U0, alpha0, a0 = self.motion[link.parent.name]
        M, N = view.frame(freedom.parent), view.frame(freedom.child)
        w0 = SX(3, 1) if isinstance(link.parent, Ground) else view.body(link.parent).w
        base = SX(3, 1) if isinstance(link.parent, Ground) else view.body(link.parent).p
        arm, r = M.p - base, N.p - M.p
        W, U = SX(W0), U0 + _crossed(W0, arm) + _crossed(W0, r)
        W[:, begin : begin + n] = freedom.W
        U[:, begin : begin + n] = freedom.U
        a_M = a0 + cross(alpha0, arm) + cross(w0, cross(w0, arm))
        alpha = alpha0 + freedom.W_rate
        a_N = a_M + cross(alpha0, r) + cross(w0, N.v - M.v) + freedom.U_rate
        body = view.body(link.body)
        d = body.p - N.p
        return W, U + _crossed(W, d), alpha, a_N + cross(alpha, d) + cross(body.w, cross(body.w, d))

    def speeds(self) -> SX:
        """T: body speeds (as in the maximal view) per unit of u."""
        bodies = (self._in_view(b, self.motion[b.name][0], self.motion[b.name][1]) for b in self.view.bodies)
        return ca.vertcat(*bodies, self._own())

    def drift(self) -> SX:
        """Body accelerations at u = 0."""
        bodies = (self._in_view(b, self.motion[b.name][2], self.motion[b.name][3]) for b in self.view.bodies)
        return ca.vertcat(*bodies, SX(self.variables, 1))

    def _own(self) -> SX:
        """Variables are the last of u."""
        return SX.eye(self.size)[self.size - self.variables :, :]

    def _in_view(self, body: Body, angular: SX, linear: SX) -> SX:
        if self.view.planar:
            return ca.vertcat(linear[:2, :], angular[2, :])
        return ca.vertcat(linear, self.view.body(body).R.T @ angular)

    def _particle(self, body: Body, place: SX) -> tuple[SX, SX]:
        """Velocity per unit of u, and acceleration at u = 0, of a point of the body."""
        W, U, alpha, a = self.motion[body.name]
        frame = self.view.body(body)
        d = frame.R @ place
        return U + _crossed(W, d), a + cross(alpha, d) + cross(frame.w, cross(frame.w, d))

    def momentum(self) -> tuple[SX, SX]:
        """Xᵀμ X and Xᵀμ ẍ₀ over the primary particles of all bodies: PRT (20), (22) with (5)–(9), (15)."""
        mass, force = SX(self.size, self.size), SX(self.size, 1)
        for body in self.view.bodies:
            particles = self.view.particles[body.name]
            weights = particles.weights(body.mass, body.inertia)
            pairs = [self._particle(body, s) for s in [*particles.places, particles.third()]]
            for i, (X, _) in enumerate(pairs):
                mass += X.T @ sum((weights[i, j] * Y for j, (Y, _) in enumerate(pairs)), SX(3, self.size))
                force += X.T @ sum((weights[i, j] * y for j, (_, y) in enumerate(pairs)), SX(3, 1))
        return ca.triu2symm(ca.triu(mass)), force

    def _states(self) -> list[tuple[SX, SX]]:
        return [
            self._particle(self.view.model[name], self.view.particles[name].places[i])
            for name, i, _, _ in self.view.fresh
        ]

    def spread(self) -> SX:
        """X: velocities of the particles that are states, per unit of u."""
        return ca.vertcat(*(X[:2, :] if self.view.planar else X for X, _ in self._states()), self._own())

    def fresh(self, u: SX) -> SX:
        """Accelerations of the particles that are states."""
        particles = (kept(X @ u + x0, self.view.planar) for X, x0 in self._states())
        own = ca.vertsplit(u, [0, self.size - self.variables, self.size])[1]  # an empty slice of a scalar is a row
        return ca.vertcat(*particles, own)


def _crossed(W: SX, d: SX) -> SX:
    """Columns of W, each × d."""
    return -(ca.skew(d) @ W)
