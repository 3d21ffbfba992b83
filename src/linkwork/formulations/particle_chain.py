"""Momentum of a tree of particles, generated from the tips inwards: PRT (16)–(25).

A body's particles move as r̈ᵢ = r̈₁ + a × rᵢ₁ + ω × ṙᵢ₁: that is the solution of its distance equations (19), (21), with
three unknowns a left of six. In (r̈₁, a) its momentum (16), (17) reads I (r̈₁, a) + drift. A joint carries particle 1 of
the child on the parent, but for its own columns S: (r̈₁, a) = X (r̈₁, a)_parent + S u + drift, and asks that momentum
of all that it carries, projected on S, is what forces do: the moment (20) for a ball, its component along the axis for
a hinge (step 3), the force (25) along the axis for a slider (step 4). Solved for u at once, from the tips inwards, what
is left of (20), (22) is one 6×6 (ball: 3×3) block on the parent, so that the work grows with the number of bodies.

Where PRT is not followed: it appends (21) to the moments, six equations for six r̈ of a body. So an inner ball-jointed
body takes 684 operations, here 576 with all kinematics; the matrix is not symmetric, and elimination in a fixed order
divides by coordinates of r₂₁, which pass through zero as the body turns.
`tests/reference/test_point_equations.py` solves the equations as they are printed and finds the same r̈.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from linkwork.components.bodies import Body, Ground
from linkwork.components.coordinate import Coordinate
from linkwork.formulations.contributions import Contributions
from linkwork.formulations.particle_baumgarte import kept_apart, returning
from linkwork.formulations.particle_view import PointsView
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.formulations.tree import Link
from linkwork.geometry import SX, as_vector, cross, dot

Loads = Mapping[str, SX]
"""By body, what acts on (r̈₁, a): force and moment about particle 1; one column, or several."""


@dataclass(frozen=True)
class Step:
    """A joint of the tree: motion of the child = X · parent's + S u + drift; world axes, about each particle 1."""

    name: str
    parent: str | None
    X: SX
    S: SX
    free: list[int] | None
    """Where S are unit columns: which; the joint lets these go and passes nothing of them on."""


class Chain:
    """Particles of all bodies along the tree; a body's motion is (r̈₁, a), (ẍ, ÿ, a_z) in the plane."""

    def __init__(self, view: PointsView, stabilisation: Projection | Baumgarte | None = None):
        self.view = view
        self.stabilisation = stabilisation if isinstance(stabilisation, Baumgarte) else None
        self.rows = view.space.rows
        self.first_order = [s for f in view.freedoms.values() for s in f.first_order]
        self.steps = [self._step(link) for link in view.links]
        self.weights = {b.name: view.particles[b.name].weights(b.mass, b.inertia) for b in view.bodies}
        self.arms = {b.name: view.particles[b.name].relative(view.positions[b.name]) for b in view.bodies}
        """rᵢ₁ of the primary particles 2, (4,) 3."""
        self.first_moment = {b.name: self._first_moment(b) for b in view.bodies}
        """Σ m̄ᵢ rᵢ₁."""
        self.inertia = {b.name: self._inertia(b) for b in view.bodies}
        self.drift = self._drifts()
        """(r̈₁, a) of each body where no free rate accelerates."""

    def _step(self, link: Link) -> Step:
        name, freedom = link.body.name, self.view.freedoms[link.body.name]
        parent = None if isinstance(link.parent, Ground) else link.parent.name
        arm = SX(3, 1) if parent is None else self.first(name) - self.first(parent)
        X = ca.blockcat([[SX.eye(3), -ca.skew(arm)], [SX(3, 3), SX.eye(3)]])
        twists = freedom.twists
        S = ca.vertcat(twists.velocity - ca.skew(self.view.offset(link.body)) @ twists.spin, twists.spin)
        S = ca.sparsify(S[self.rows, :])
        unit = S.is_constant() and S.nnz() == S.shape[1] and ca.DM(S).nonzeros() == [1.0] * S.nnz()
        return Step(name, parent, ca.sparsify(X[self.rows, self.rows]), S, S.sparsity().row() if unit else None)

    def first(self, name: str) -> SX:
        """Where particle 1 of a body is."""
        return self.view.positions[name][0]

    def _first_moment(self, body: Body) -> SX:
        reduced = ca.sum2(self.weights[body.name])  # m̄ᵢ, PRT (7)
        return sum((reduced[i + 1] * arm for i, arm in enumerate(self.arms[body.name])), SX(3, 1))

    def _inertia(self, body: Body) -> SX:
        """What (r̈₁, a) do in the momentum of the particles, PRT (16), (17) with (5)–(9)."""
        mu, arms, first = self.weights[body.name], self.arms[body.name], self.first_moment[body.name]
        others = range(1, mu.shape[0])
        second = SX(3, 3)
        for i in others:
            second += arms[i - 1] @ sum((mu[i, j] * arms[j - 1] for j in others), SX(3, 1)).T
        second = ca.triu2symm(ca.triu(second))
        turning = ca.densify(ca.trace(second) * SX.eye(3) - second)  # −Σ Aᵢ r̃ᵢ₁, PRT (8)
        whole = ca.blockcat([[ca.sum1(ca.sum2(mu)) * SX.eye(3), -ca.skew(first)], [ca.skew(first), turning]])
        return ca.sparsify(whole[self.rows, self.rows])

    def _drifts(self) -> dict[str, SX]:
        view, drifts = self.view, dict[str, SX]()
        for link in view.links:
            freedom, name = view.freedoms[link.body.name], link.body.name
            a, alpha = freedom.drift.velocity, freedom.drift.spin
            d, w = view.offset(link.body), view.carrying[name].w  # the joint's frame is at r₁ − d
            if not isinstance(link.parent, Ground):
                parent = link.parent.name
                before = self.spatial(drifts[parent])
                a = a + before[:3] + cross(before[3:], self.first(name) - d - self.first(parent))
                a += cross(view.carrying[parent].w, view.rates[name][0] - cross(w, d) - view.rates[parent][0])
                alpha = alpha + before[3:]
            if not d.is_zero():
                a += cross(alpha, d) + cross(w, cross(w, d))
            drifts[name] = ca.vertcat(a, alpha)[self.rows]
            if self.stabilisation is not None:
                drifts[name] += returning(view, link, self.to_speeds(link.body), self.stabilisation)
        return drifts

    def spatial(self, motion: SX) -> SX:
        """Six numbers, in the plane, too."""
        return self.view.space.six(motion)

    def momentum(self, motions: Mapping[str, SX]) -> dict[str, SX]:
        """PRT (16), (17) less weight, at these (r̈₁, a): Σ m̄ᵢ(r̈ᵢ − g) and Σ Aᵢ(r̈ᵢ − g), about particle 1."""
        gravity = as_vector(self.view.model.gravity)
        momenta = {}
        for body in self.view.bodies:
            I, w = self.inertia[body.name], self.view.carrying[body.name].w
            motion = motions[body.name] - ca.vertcat(gravity, SX(3, 1))[self.rows]
            h = self.first_moment[body.name]
            J = self.view.space.inertia(I[self.view.space.along :, self.view.space.along :])
            inwards = dot(w, h) * w - dot(w, w) * h  # ω × (ω × h)
            momenta[body.name] = I @ motion + self.view.space.both(inwards, cross(w, J @ w))
        return momenta

    def added(self, contributions: Contributions) -> tuple[SX, SX]:
        """Mass on the bodies' speeds, and forces, of what components with ports join rigidly to coordinates."""
        view, n = self.view, self.view.v.numel()
        mass, owed = SX(n, n), SX(n, 1)
        for x in contributions.inertias:
            first, second = (ca.jacobian(view.rate(c), view.v) for c in (x.first, x.second))
            mass += first.T @ (x.value * second)
            owed += first.T @ (x.value * view.time_derivative(view.rate(x.second)))
        return mass, owed

    def rotors(self, contributions: Contributions) -> dict[str, SX] | None:
        """The same by body, as inertia on the columns of its joint; None where it couples several, or others."""
        inertias = {step.name: SX(step.S.shape[1], 1) for step in self.steps}
        columns: dict[Coordinate, tuple[str, int]] = {}
        for link in self.view.links:
            if link.joint is not None and not link.joint.ball:
                free = [c for c in link.joint.coordinates if c.motion is None]
                columns |= {c: (link.body.name, k) for k, c in enumerate(free)}
        for x in contributions.inertias:
            if x.first is not x.second or x.first not in columns:
                return None
            name, k = columns[x.first]
            inertias[name][k] += x.value
        return inertias

    def at_first(self, push: SX) -> dict[str, SX]:
        """Generalised forces on the bodies' speeds (as in the maximal view), about each particle 1; any columns."""
        return {b.name: self.to_speeds(b).T @ push[self.view.slice(b), :] for b in self.view.bodies}

    def to_speeds(self, body: Body) -> SX:
        """Speeds of the body as in the maximal view, per unit of (ṙ₁, ω)."""
        frame = self.view.body(body)
        arm = frame.R @ -self.view.particles[body.name].places[0]
        whole = ca.blockcat([[SX.eye(3), -ca.skew(arm)], [SX(3, 3), frame.R.T]])
        return ca.sparsify(whole[self.rows, self.rows])

    def of_bodies(self, motions: Mapping[str, SX], own: SX) -> SX:
        """Accelerations of bodies, as in the maximal view; own: those of variables."""
        parts = []
        for body in self.view.bodies:
            w = self.view.carrying[body.name].w
            arm = self.view.body(body).R @ -self.view.particles[body.name].places[0]
            turning = ca.vertcat(cross(w, cross(w, arm)), SX(3, 1))[self.rows]
            parts.append(self.to_speeds(body) @ motions[body.name] + turning)
        return ca.vertcat(*parts, own)

    def of_states(self, motions: Mapping[str, SX], own: SX) -> SX:
        """r̈ᵢ of the particles that are states, own: and of variables."""
        accelerations = []
        for link in self.view.links:
            every = self._of_body(link, motions)
            if self.stabilisation is not None:
                every = kept_apart(self.view, link.body, every, self.stabilisation)
            accelerations += [self.view.space.true(r) for r in every[self.view.shared[link.body.name] :]]
        return ca.vertcat(SX(0, 1), *accelerations, own)

    def _of_body(self, link: Link, motions: Mapping[str, SX]) -> list[SX]:
        """r̈ᵢ = r̈₁ + a × rᵢ₁ + ω × (ω × rᵢ₁) of its state particles.

        Baumgarte lets distances go off: then particles turn as they are seen, + 2ω × (ṙᵢ₁ − ω × rᵢ₁).
        """
        name, view = link.body.name, self.view
        motion, w = self.spatial(motions[name]), view.carrying[name].w
        accelerations = [motion[:3]]
        for i in range(1, len(view.states[name])):
            if self.stabilisation is None:
                arm, rate = self.arms[name][i - 1], view.rates[name][i] - view.rates[name][0]
                accelerations.append(motion[:3] + cross(motion[3:], arm) + cross(w, rate))
            elif i < view.shared[name]:
                accelerations.append(self._on_parent(link, view.states[name][i], view.state_rates[name][i], motions))
            else:
                arm, rate = (x[name][i] - x[name][0] for x in (view.states, view.state_rates))
                turned = 2 * cross(w, rate) - cross(w, cross(w, arm))
                accelerations.append(motion[:3] + cross(motion[3:], arm) + turned)
        return accelerations

    def displacements(self, motions: Mapping[str, SX], own: SX) -> SX:
        """Small displacements of the particles that are states, where bodies are displaced so."""
        displacements = []
        for name, i, _, _ in self.view.fresh:
            motion = self.spatial(motions[name])
            arm = cross(motion[3:], self.arms[name][i - 1]) if i else SX(3, 1)
            displacements.append(self.view.space.true(motion[:3] + arm))
        return ca.vertcat(SX(0, 1), *displacements, own)

    def accelerations(self, a: SX) -> dict[str, SX]:
        """(r̈₁, a) of each body from the accelerations of the particles that are states."""
        view, motions, begin = self.view, dict[str, SX](), 0
        width = view.width
        for link in view.links:
            name, particles = link.body.name, view.particles[link.body.name]
            r, v, w = view.positions[name], view.rates[name], view.carrying[name].w
            points = []
            for i in range(len(particles.places)):
                if i < view.shared[name]:
                    points.append(self._on_parent(link, r[i], v[i], motions))
                else:
                    points.append(view.space.true_vector(a[begin : begin + width]))
                    begin += width
            turned = [points[0], *(p - cross(w, v[i] - v[0]) for i, p in enumerate(points) if i)]
            motions[name] = ca.vertcat(points[0], particles.spin(r, turned))[self.rows]
        return motions

    def _on_parent(self, link: Link, r: SX, v: SX, motions: Mapping[str, SX]) -> SX:
        if isinstance(link.parent, Ground):
            return SX(3, 1)
        name = link.parent.name
        motion = self.spatial(motions[name])
        turning = cross(self.view.carrying[name].w, v - self.view.rates[name][0])
        return motion[:3] + cross(motion[3:], r - self.first(name)) + turning
