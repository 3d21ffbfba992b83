"""Algebraic loops: whether what comes back determines the variable that was cut, and its value."""

from __future__ import annotations

import casadi as ca
import numpy as np

from linkwork.algebra import lapack
from linkwork.geometry import SX

ITERATIONS = 8
"""Newton steps for algebraic loops that are not linear; they start from zero."""


def some_numbers(x: SX) -> np.ndarray:
    symbols = ca.symvar(x)
    f = ca.Function("probe", [ca.vertcat(SX(0, 1), *symbols)], [ca.densify(x)])
    return np.array(f(np.random.default_rng(4).uniform(0.5, 1.5, len(symbols))))


def certainty(slope: np.ndarray) -> float:
    """How far ∂(what comes back − x)/∂x is from singular, whatever the units of x: 1 is far, rounding errors near."""
    slope = slope.copy()
    for _ in range(10):
        for i in range(len(slope)):
            row, column = (np.abs(np.delete(line, i)).sum() for line in (slope[i], slope[:, i]))
            if row > 0 and column > 0:
                scale = np.sqrt(row / column)
                slope[i] /= scale
                slope[:, i] *= scale
    values = lapack.svd(slope, compute_uv=False)
    return float(values[-1] / max(1.0, values[0]))


def root(residual: SX, x: SX) -> SX:
    """x for which the residual vanishes."""
    J = ca.jacobian(residual, x)
    guess = SX.zeros(x.numel(), 1)
    for _ in range(1 if not ca.depends_on(J, x) else ITERATIONS):
        r, slope = ca.substitute([residual, J], [x], [guess])
        guess = guess - ca.solve(ca.densify(slope), r)
    return guess
