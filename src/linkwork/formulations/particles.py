"""A rigid body as particles (PRT): where they are, what they weigh, and the body's pose from them.

Ten particles (four primary, six at the midpoints between them) have the body's mass, mass centre and inertia, PRT (1).
With μᵢⱼ = mᵢⱼ/4 (i ≠ j), μᵢᵢ = mᵢ + Σⱼ mᵢⱼ/4 the ten conditions read Σ μᵢⱼ s̃ᵢ s̃ⱼᵀ = P, P the 4×4 pseudo-inertia
and s̃ = (s, 1): so μ = S⁻¹ P S⁻ᵀ, the solution of the 10×10 system in closed form. In the plane three particles do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca

from linkwork.geometry import SX, as_vector


@dataclass(frozen=True)
class Particles:
    """Places of a body's state particles (PRT's 1, 2 and 4; 1 and 2 in the plane) and of its dependent one (3)."""

    places: list[SX]
    """Body axes, from the mass centre."""
    planar: bool

    def third(self) -> SX:
        """PRT's particle 3: out of the plane of the others; next to the line of the others in the plane."""
        s1, s2 = self.places[:2]
        if self.planar:
            return s1 + ca.vertcat(-(s2 - s1)[1], (s2 - s1)[0], 0)
        out = ca.cross(s2 - s1, self.places[2] - s1)
        return s1 + out / ca.norm_2(s2 - s1)

    def weights(self, mass: Any, inertia: Any) -> SX:
        """μ: kinetic energy is ½ Σ μᵢⱼ ṙᵢ·ṙⱼ over the primary particles [state particles…, dependent one]."""
        length = ca.norm_2(self.places[1] - self.places[0])  # in its units, the inverse does not mind the body's size
        m, J = SX(mass), SX(inertia) / length**2
        if self.planar:
            second = ca.diagcat(J / 2, J / 2)  # only the sum of the second moments matters
            S = ca.vertcat(*(ca.horzcat(*(s[k] / length for s in self._all())) for k in range(2)), SX.ones(1, 3))
        else:
            second = (J[0, 0] + J[1, 1] + J[2, 2]) / 2 * SX.eye(3) - J
            S = ca.vertcat(*(ca.horzcat(*(s[k] / length for s in self._all())) for k in range(3)), SX.ones(1, 4))
        back = ca.inv(S)
        return back @ ca.diagcat(second, m) @ back.T

    def _all(self) -> list[SX]:
        return [*self.places, self.third()]

    def pose(self, r: list[SX]) -> tuple[SX, SX]:
        """(p, R) of the body from its particles' positions: directions between them, no angles.

        Unlike PRT (12) the directions are normalised: between two projections distances are off by the integration
        error, and the body would be as little rigid; loops near a singular position do not forgive that.
        """
        if self.planar:
            s21, r21 = self.places[1] - self.places[0], r[1] - r[0]
            size = ca.norm_2(s21) * ca.norm_2(r21)
            c = ca.dot(s21, r21) / size
            s = (s21[0] * r21[1] - s21[1] * r21[0]) / size
            R = ca.vertcat(ca.horzcat(c, -s, 0), ca.horzcat(s, c, 0), ca.horzcat(0, 0, 1))
        else:
            R = _basis(r) @ _basis(self.places).T
        return r[0] - R @ self.places[0], R

    def distances(self, r: list[SX]) -> dict[tuple[int, int], SX]:
        """PRT (4.1)–(4.3): pairs of state particles keep their distances."""
        found = {}
        for i in range(len(r)):
            for j in range(i):
                s, d = self.places[i] - self.places[j], r[i] - r[j]
                # Divided by twice the length: the equation then measures metres.
                found[i, j] = (ca.dot(d, d) - ca.dot(s, s)) / (2 * ca.norm_2(s))
        return found


def choose(origin: SX, axis: SX | None, towards: SX | None, length: float, planar: bool) -> Particles:
    """Particles at the joint's centre, along its axis, and square to it; `towards` another joint where there is one."""
    if planar:
        along = _unit(towards - origin) if towards is not None else as_vector((1, 0))
        return Particles([origin, origin + length * along], True)
    first = axis if axis is not None else (_unit(towards - origin) if towards is not None else as_vector((1, 0, 0)))
    return Particles([origin, origin + length * first, origin + length * _square_to(first)], False)


def _basis(r: list[SX]) -> SX:
    """Orthonormal axes along particles 1 → 2, and square to all three."""
    first = _unit(r[1] - r[0])
    third = _unit(ca.cross(first, r[2] - r[0]))
    return ca.horzcat(first, ca.cross(third, first), third)


def _unit(v: SX) -> SX:
    return v / ca.norm_2(v)


def _square_to(direction: SX) -> SX:
    """A unit vector perpendicular to a (numeric or symbolic) one."""
    numbers = [float(direction[i]) if direction[i].is_constant() else 0.5 for i in range(3)]
    weakest = min(range(3), key=lambda i: abs(numbers[i]))
    helper = SX(ca.DM([1.0 if i == weakest else 0.0 for i in range(3)]))
    return _unit(helper - ca.dot(helper, direction) * direction)
