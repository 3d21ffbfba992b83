"""First-order states that nonlinear equations determine (algebraic loops): found before a run starts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

import casadi as ca
import numpy as np

from linkwork.core.equations import Equations
from linkwork.core.errors import AssemblyError

TOLERANCE = 1e-10
"""Largest relative change that is still left."""
STALLED = 1e-6
"""The same where it does not become less any more: rounding of large numbers whose small difference counts."""
ITERATION_LIMIT = 200
SIDES = 6
"""States up to which all combinations of signs are tried."""


def newton_step(eq: Equations) -> ca.Function:
    """(t, q, v, z, p, a, λ) → (z after one pass of Newton steps, residuals before)."""
    assert eq.algebraic.improved is not None
    arguments = [eq.t, eq.q, eq.v, eq.z, eq.p, eq.a, eq.multipliers]
    return ca.Function("algebraic", arguments, [eq.algebraic.improved, eq.algebraic.residual], {"cse": True})


def solve_algebraic(
    eq: Equations, t: float, y: Sequence[np.ndarray], p: np.ndarray, function: ca.Function | None = None
) -> np.ndarray:
    """z on those equations, for y = (q, v, z): Newton's method, damped where the residuals would grow.

    function: `newton_step(eq)`, where it is there already.
    """
    q, v, z = y
    if eq.algebraic.improved is None:
        return z
    function = newton_step(eq) if function is None else function
    still = np.zeros(eq.a.numel()), np.zeros(eq.multipliers.numel())

    def look(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        better, r = function(t, q, v, z, p, *still)
        return np.array(better).ravel(), np.array(r).ravel()

    algebraic = [k for k in range(z.size) if not ca.is_equal(eq.algebraic.improved[k], eq.z[k])]
    for guess in _guesses(z, algebraic):
        solution, r = _newton(look, guess)
        if solution is not None:
            return solution
    worst = int(np.argmax(np.abs(r))) if np.all(np.isfinite(r)) else 0
    raise AssemblyError(
        "its nonlinear equations have no solution near the start.",
        component=eq.algebraic.owners[worst],
        remedy="Give a start nearer to it, or check that its equations can be met.",
    )


def _guesses(z: np.ndarray, algebraic: list[int]) -> Iterator[np.ndarray]:
    """The start; then, where nothing was said, other magnitudes: a valve may be shut at zero pressure."""
    yield z
    said = [k for k in algebraic if z[k] != 0]
    if not said:
        for size in (1.0, 1e2, 1e4, 1e6, 1e7, 1e8):
            for sign in (1, -1):
                guess = z.copy()
                guess[algebraic] = sign * size
                yield guess
        for signs in product((1.0, -1.0), repeat=len(algebraic)) if len(algebraic) <= SIDES else ():
            guess = z.copy()
            guess[algebraic] = signs  # diodes: some lead, some block
            yield guess


def _newton(
    look: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]], z: np.ndarray
) -> tuple[np.ndarray | None, np.ndarray]:
    """(solution or None, last residuals)."""
    better, r = look(z)
    if not np.all(np.isfinite(better)):
        return None, r
    size = np.abs(r).max(initial=0.0)
    scale = np.where(np.abs(r) > 1e-12 * size, np.abs(r), size or 1.0)
    before = np.inf
    for _ in range(ITERATION_LIMIT):
        step = better - z
        left = np.max(np.abs(step) / (1e-3 + np.abs(better)), initial=0.0)
        if left <= TOLERANCE or (left <= STALLED and left > before / 2):
            return better, r
        before = left
        length = 1.0
        while length > 1e-6:
            trial = z + length * step
            new, r_new = look(trial)
            if np.all(np.isfinite(new)) and (np.abs(r_new / scale).max() <= np.abs(r / scale).max() or length < 1e-5):
                break
            length /= 2
        else:
            break
        z, better, r = trial, new, r_new
    return None, r
