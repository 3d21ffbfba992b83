"""AME's equations (13)–(31) in NumPy, for constraints that are sums α a·b of the vectors OM, ON, x_i, y_i, x_j, y_j."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import linkwork as lw
from linkwork.geometry import SX, Pose

Terms = list[tuple[float, str, str]]
"""Products α a·b; their sum must vanish."""
SYMMETRIC: list[Terms] = [[(1, "ON", "yi"), (-1, "OM", "yi")], [(1, "ON", "yj"), (-1, "OM", "yj")]]
"""The translational joint as (21) has it."""
MIXED: list[Terms] = [
    [(1, "ON", "yi"), (-1, "OM", "yi"), (0.4, "xi", "xj"), (0.3, "OM", "OM"), (-0.2, "OM", "xj"), (0.1, "yi", "xj")],
    [(1, "ON", "yj"), (-0.7, "OM", "yj"), (0.5, "xi", "yj"), (0.2, "ON", "ON"), (-0.3, "OM", "ON"), (0.6, "ON", "xi")],
]
"""No joint anybody would build: every kind of product occurs."""


class ByProducts(lw.Joint):
    """A planar joint that says nothing but which sums of products vanish."""

    free = ("along",)
    plane = free

    def __init__(self, name: str, first: lw.Marker, second: lw.Marker, *, rows: list[Terms]):
        super().__init__(name, first, second)
        self.sums = rows

    def closure(self, M: Pose, N: Pose) -> list[SX]:
        at = {"OM": M.p, "ON": N.p, "xi": M.x, "yi": M.y, "xj": N.x, "yj": N.y}
        return [sum(alpha * lw.dot(at[a], at[b]) for alpha, a, b in terms) for terms in self.sums]


@dataclass(frozen=True)
class Side:
    """A body with a joint axis on it: pose, rates and second rates (x, y, θ), and the axis in body axes."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    point: np.ndarray
    turned: float

    @property
    def theta(self) -> float:
        """Of the joint axis, (19) and (20)."""
        return float(self.q[2] + self.turned)

    @property
    def arm(self) -> np.ndarray:
        c, s = np.cos(self.q[2]), np.sin(self.q[2])
        return np.array([c * self.point[0] - s * self.point[1], s * self.point[0] + c * self.point[1]])

    def place(self) -> np.ndarray:
        return self.q[:2] + self.arm  # (19), (20)

    def velocity(self) -> np.ndarray:
        return self.v[:2] + self.v[2] * np.array([-self.arm[1], self.arm[0]])  # (25)

    def acceleration(self) -> np.ndarray:
        return self.a[:2] + self.a[2] * np.array([-self.arm[1], self.arm[0]]) - self.v[2] ** 2 * self.arm  # (27)

    def axes(self) -> tuple[np.ndarray, np.ndarray]:
        c, s = np.cos(self.theta), np.sin(self.theta)
        return np.array([c, s]), np.array([-s, c])


def cross(a: np.ndarray, b: np.ndarray) -> float:
    return float(a[0] * b[1] - a[1] * b[0])


@dataclass(frozen=True)
class Pair:
    """Two bodies and what a sum of products says of them."""

    i: Side
    j: Side

    def vectors(self) -> dict[str, np.ndarray]:
        (xi, yi), (xj, yj) = self.i.axes(), self.j.axes()
        return {"OM": self.i.place(), "ON": self.j.place(), "xi": xi, "yi": yi, "xj": xj, "yj": yj}

    def value(self, terms: Terms) -> float:
        at = self.vectors()
        return float(sum(alpha * at[a] @ at[b] for alpha, a, b in terms))

    def by(self, terms: Terms, name: str) -> np.ndarray:
        """∂f/∂a, a vector (appendix B)."""
        at = self.vectors()
        found = np.zeros(2)
        for alpha, a, b in terms:
            found = found + alpha * ((a == name) * at[b] + (b == name) * at[a])
        return found

    def twice(self, terms: Terms, first: str, second: str) -> float:
        """∂²f/∂a∂b, a number (appendix B)."""
        return sum(alpha * ((a, b) == (first, second)) + alpha * ((b, a) == (first, second)) for alpha, a, b in terms)

    def couple(self, terms: Terms, side: str) -> float:
        """Moment per multiplier about the joint's own point, (17)."""
        at = self.vectors()
        return -sum(cross(self.by(terms, f"{x}{side}"), at[f"{x}{side}"]) for x in "xy")

    def row(self, terms: Terms) -> np.ndarray:
        """Coefficients of (ẋ_i, ẏ_i, θ̇_i, ẋ_j, ẏ_j, θ̇_j) in (14)."""
        parts = []
        for side, body, name in (("i", self.i, "OM"), ("j", self.j, "ON")):
            f = self.by(terms, name)
            parts += [*f, cross(body.arm, f) + self.couple(terms, side)]
        return np.array(parts)

    def port(self, terms: Terms, side: str) -> np.ndarray:
        """Force and couple (F_x, F_y, C_z) per multiplier on a body at its port, (17)."""
        return np.array([*self.by(terms, "OM" if side == "i" else "ON"), self.couple(terms, side)])

    def rate(self, terms: Terms) -> float:
        """(24), equally (31)."""
        at, found = self.vectors(), 0.0
        for side, body, name in (("i", self.i, "OM"), ("j", self.j, "ON")):
            found += self.by(terms, name) @ body.velocity()
            x, y = at[f"x{side}"], at[f"y{side}"]
            found += body.v[2] * (self.by(terms, f"x{side}") @ y - self.by(terms, f"y{side}") @ x)
        return float(found)

    def second_rate(self, terms: Terms, printed: bool = False) -> float:
        """(26), whole; printed: with the sign that the paper has before its sine."""
        at, two = self.vectors(), lambda a, b: self.twice(terms, a, b)
        VM, VN, wi, wj = self.i.velocity(), self.j.velocity(), self.i.v[2], self.j.v[2]
        spun = {"xi": wi * at["yi"], "yi": -wi * at["xi"], "xj": wj * at["yj"], "yj": -wj * at["xj"]}
        found = two("OM", "OM") * VM @ VM + two("ON", "ON") * VN @ VN + 2 * two("OM", "ON") * VM @ VN
        for side, body, name in (("i", self.i, "OM"), ("j", self.j, "ON")):
            x, y = at[f"x{side}"], at[f"y{side}"]
            fx, fy = self.by(terms, f"x{side}"), self.by(terms, f"y{side}")
            found += self.by(terms, name) @ body.acceleration()
            found += body.a[2] * (fx @ y - fy @ x) - body.v[2] ** 2 * (fx @ x + fy @ y)
        apart = self.i.theta - self.j.theta
        sine = two("xi", "yj") - two("yi", "xj")
        found += 2 * wi * wj * (two("xi", "xj") + two("yi", "yj")) * np.cos(apart)
        found += 2 * wi * wj * (-sine if printed else sine) * np.sin(apart)
        for name, V in (("OM", VM), ("ON", VN)):
            found += 2 * sum(two(name, axis) * w @ V for axis, w in spun.items())
        return float(found)
