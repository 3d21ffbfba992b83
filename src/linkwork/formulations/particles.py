"""A rigid body as particles (PRT): where they are, what they weigh, and the body's motion from theirs.

Ten particles (four primary, six at the midpoints between them) have the body's mass, mass centre and inertia, PRT (1).
With μᵢⱼ = mᵢⱼ/4 (i ≠ j), μᵢᵢ = mᵢ + Σⱼ mᵢⱼ/4 the ten conditions read Σ μᵢⱼ s̃ᵢ s̃ⱼᵀ = P, P the 4×4 pseudo-inertia
and s̃ = (s, 1): so μ = S⁻¹ P S⁻ᵀ, the solution of the 10×10 system in closed form. In the plane three particles do, and
three at their midpoints.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from linkwork.geometry import SX, Number, as_vector, cross


@dataclass(frozen=True)
class Particles:
    """Places of a body's state particles (PRT's 1, 2 and 4; 1 and 2 in the plane) and of its dependent one (3)."""

    places: list[SX]
    """Body axes, from the mass centre."""
    planar: bool
    dependent: SX | None = None
    """Where PRT's particle 3 is, if the user says so."""

    def third(self) -> SX:
        """PRT's particle 3: out of the plane of the others; next to the line of the others in the plane."""
        if self.dependent is not None:
            return self.dependent
        s1, s2 = self.places[:2]
        if self.planar:
            return s1 + _across(s2 - s1)
        out = ca.cross(s2 - s1, self.places[2] - s1)
        return s1 + out / ca.norm_2(s2 - s1)

    def weights(self, mass: Number, inertia: SX) -> SX:
        """μ: kinetic energy is ½ Σ μᵢⱼ ṙᵢ·ṙⱼ over the primary particles [state particles…, dependent one]."""
        length = ca.norm_2(self.places[1] - self.places[0])  # in its units, the inverse does not mind the body's size
        m, J = SX(mass), SX(inertia) / length**2
        if self.planar:
            second = ca.diagcat(J / 2, J / 2)  # only the sum of the second moments matters
            S = ca.vertcat(*(ca.horzcat(*(s[k] / length for s in self.every())) for k in range(2)), SX.ones(1, 3))
        else:
            second = (J[0, 0] + J[1, 1] + J[2, 2]) / 2 * SX.eye(3) - J
            S = ca.vertcat(*(ca.horzcat(*(s[k] / length for s in self.every())) for k in range(3)), SX.ones(1, 4))
        back = ca.inv(S)
        return back @ ca.diagcat(second, m) @ back.T

    def every(self) -> list[SX]:
        """Places of all primary particles: state particles…, dependent one."""
        return [*self.places, self.third()]

    def invariants(self) -> tuple[SX, SX, SX]:
        """λ, μ, τ of PRT (12): r₃ = r₁ + λ r₂₁×r₄₁ + μ r₄₁ + τ r₂₁ (no r₄ in the plane: λ ẑ×r₂₁ + τ r₂₁)."""
        s1, s2 = self.places[:2]
        if self.dependent is None:  # square to the others
            return SX(1) if self.planar else 1 / ca.norm_2(s2 - s1), SX(0), SX(0)
        s31 = self.dependent - s1
        if self.planar:
            s21 = s2 - s1
            size = ca.sumsqr(s21)
            return ca.dot(_across(s21), s31) / size, SX(0), ca.dot(s21, s31) / size
        s41 = self.places[2] - s1
        solution = ca.solve(ca.horzcat(ca.cross(s2 - s1, s41), s41, s2 - s1), s31)
        return solution[0], solution[1], solution[2]

    def relative(self, r: list[SX]) -> list[SX]:
        """rᵢ − r₁ of the other primary particles, PRT (12)."""
        lam, mu, tau = self.invariants()
        r21 = r[1] - r[0]
        if self.planar:
            return [r21, lam * _across(r21) + tau * r21]
        r41 = r[2] - r[0]
        return [r21, r41, lam * cross(r21, r41) + mu * r41 + tau * r21]

    def rigid(self, r: list[SX]) -> list[SX]:
        """The state particles at their own distances from the first, in the directions in which they are seen.

        Here PRT is not followed, which takes them as they are: between two projections, and at the stages of a step,
        distances are off by what the step neglects, the body would be as little rigid, and what hangs on it as little
        in place. Loops near a singular position do not forgive that: RK4 leaves the path in its first pass.
        """
        E, size = self._axes(r), ca.norm_2(self.places[1] - self.places[0])
        second = r[0] + size * E[:, 0]
        if self.planar:
            return [r[0], second]
        ahead, aside = self._fourth()
        return [r[0], second, r[0] + ahead * E[:, 0] + aside * E[:, 1]]

    def _fourth(self) -> tuple[SX, SX]:
        """Particle 4 along and across the direction from 1 to 2."""
        s21, s41 = (s - self.places[0] for s in self.places[1:])
        return ca.dot(s21, s41) / ca.norm_2(s21), ca.norm_2(ca.cross(s21, s41)) / ca.norm_2(s21)

    def _axes(self, r: list[SX]) -> SX:
        if not self.planar:
            return basis(r)
        first = _unit((r[1] - r[0])[:2])
        return ca.vertcat(
            ca.horzcat(first[0], -first[1], 0), ca.horzcat(first[1], first[0], 0), ca.horzcat(SX(1, 2), 1)
        )

    def pose(self, r: list[SX]) -> tuple[SX, SX]:
        """(p, R) of the body from its particles' positions: directions between them, no angles."""
        R = self._axes(r) @ self._axes(self.places).T
        return r[0] - R @ self.places[0], R

    def spin(self, r: list[SX], v: list[SX]) -> SX:
        """The ω with which directions between particles turn when these have velocities v (world axes).

        Also α, of accelerations less ω × ṙᵢ₁: what is left are the same rigid motions.
        """
        r21, v21 = r[1] - r[0], v[1] - v[0]
        if self.planar:
            return ca.vertcat(0, 0, (r21[0] * v21[1] - r21[1] * v21[0]) / ca.sumsqr(r21[:2]))
        E, r41, v41 = basis(r), r[2] - r[0], v[2] - v[0]
        e1, e2, e3 = (E[:, k] for k in range(3))
        size = ca.norm_2(r21)
        about2, about3 = -ca.dot(v21, e3) / size, ca.dot(v21, e2) / size
        about1 = (ca.dot(v41, e3) + about2 * ca.dot(r41, e1)) / ca.dot(r41, e2)
        return E @ ca.vertcat(about1, about2, about3)

    def distances(self, r: list[SX]) -> dict[tuple[int, int], SX]:
        """PRT (4.1)–(4.3): pairs of state particles keep their distances."""
        distances = {}
        for i in range(len(r)):
            for j in range(i):
                s, d = self.places[i] - self.places[j], r[i] - r[j]
                # Divided by twice the length: the equation then measures metres.
                distances[i, j] = (ca.dot(d, d) - ca.dot(s, s)) / (2 * ca.norm_2(s))
        return distances


def choose(origin: SX, axis: SX | None, towards: SX | None, length: float, planar: bool) -> Particles:
    """Particles at the joint's centre, along its axis, and square to it; `towards` another joint where there is one."""
    if planar:
        along = _unit(towards - origin) if towards is not None else as_vector((1, 0))
        return Particles([origin, origin + length * along], True)
    first = axis if axis is not None else (_unit(towards - origin) if towards is not None else as_vector((1, 0, 0)))
    return Particles([origin, origin + length * first, origin + length * _square_to(first)], False)


def basis(r: list[SX]) -> SX:
    """Orthonormal axes along particles 1 → 2, and square to all three."""
    first = _unit(r[1] - r[0])
    third = _unit(ca.cross(first, r[2] - r[0]))
    return ca.horzcat(first, ca.cross(third, first), third)


def _across(d: SX) -> SX:
    """A quarter turn in the plane."""
    return ca.vertcat(-d[1], d[0], 0)


def _unit(v: SX) -> SX:
    return v / ca.norm_2(v)


def _square_to(direction: SX) -> SX:
    """A unit vector perpendicular to a (numeric or symbolic) one."""
    numbers = [float(direction[i]) if direction[i].is_constant() else 0.5 for i in range(3)]
    weakest = min(range(3), key=lambda i: abs(numbers[i]))
    helper = SX(ca.DM([1.0 if i == weakest else 0.0 for i in range(3)]))
    return _unit(helper - ca.dot(helper, direction) * direction)
