"""Relative order of an output: how often it is differentiated along ẋ = f(x, u, t) until the input u shows.

L₀ = h, Lₖ₊₁ = ∂Lₖ/∂x f + ∂Lₖ/∂t (Isidori, Nonlinear Control Systems, 4.1). From L_r = y⁽ʳ⁾ follows u.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwork.bondgraph.reading.loop_roots import root
from linkwork.bondgraph.reading.state_equations import StateEquations
from linkwork.core.errors import ModelError
from linkwork.geometry import SX

CANCELLED = 1e-11
"""Share of its terms up to which an influence is taken as rounding."""
POINTS = 6
"""States at which it is looked at."""


@dataclass
class Derivatives:
    """levels: h, ḣ, … as functions of the states; highest: that of order r, in which the input shows."""

    levels: list[SX]
    highest: SX

    @property
    def order(self) -> int:
        return len(self.levels)


def derivatives(eq: StateEquations, h: SX, u: SX, p: np.ndarray, output: str) -> Derivatives | None:
    """None: the input never shows, however often the output is differentiated."""
    levels: list[SX] = []
    others = [s for s in eq.graph.symbols(eq.graph.inputs) if not ca.is_equal(s, u)]
    here, size = h, _size(ca.jacobian(h, u))
    for _ in range(eq.x.numel() + 1):
        if _shows(eq, here, size, u, p):
            return Derivatives(levels, here)
        here = ca.substitute(here, u, SX(0)) if ca.depends_on(here, u) else here
        if others and ca.depends_on(here, ca.vertcat(*others)):
            name = next(s.name() for s in others if ca.depends_on(here, s))
            raise ModelError(
                f"its derivative would need that of the input {name!r}.",
                component=output,
                remedy="Give that source as an expression of g.t, or put a store between.",
            )
        levels.append(here)
        slope = ca.jacobian(here, eq.x)
        size = ca.fabs(slope) @ ca.fabs(ca.jacobian(eq.rate, u))
        here = slope @ eq.rate + ca.jacobian(here, eq.graph.t)
    return None


def _size(x: SX) -> SX:
    return ca.fabs(x)


def _shows(eq: StateEquations, value: SX, size: SX, u: SX, p: np.ndarray) -> bool:
    """Whether the input has an influence that is no rounding, somewhere near the start."""
    if not ca.depends_on(value, u):
        return False
    pair = ca.densify(ca.vertcat(ca.fabs(ca.jacobian(value, u)), size))
    f = ca.Function("influence", [eq.graph.t, eq.x, eq.p], [pair])
    x0, rng = eq.start(p), np.random.default_rng(5)
    scale = eq.scales(x0, p)
    for k in range(POINTS):
        x = x0 + (scale * rng.uniform(-0.5, 0.5, x0.size) if k else 0.0)
        influence, terms = np.array(f(0.1 * k, x, p)).ravel()
        if np.isfinite(influence) and influence > CANCELLED * terms:
            return True
    return False


def solve_for_input(derived: Derivatives, u: SX, wanted: SX) -> SX:
    """The input for which the highest derivative is what is wanted."""
    slope = ca.jacobian(derived.highest, u)
    if ca.depends_on(slope, u):
        return root(derived.highest - wanted, u)
    return (wanted - ca.substitute(derived.highest, u, SX(0))) / slope
