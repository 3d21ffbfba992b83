"""How large the coefficients of equations are, in numbers: which unknown an equation can be solved for safely.

Volts, ohms and pascals are made comparable by scaling rows and columns such that the heaviest transversal is all ones
and nothing is larger (Duff and Koster); of a resistor network that transversal is the tree of least resistance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import casadi as ca
import numpy as np

from linkwork.geometry import SX
from linkwork.structure.transversal import heaviest_with_prices

TRIALS = 3
"""States at which coefficients that depend on states are looked at."""


COMPARABLE = 1e-2
"""Share of the largest term of an equation from which on another counts as equally large."""


@dataclass
class Numbers:
    """Values of symbols: what is known of parameters and inputs, random numbers for the rest."""

    known: Mapping[int, float] = field(default_factory=dict)
    """By hash of the symbol."""

    def has(self, x: SX) -> bool:
        """Whether the values of all its symbols are known."""
        return all(s.element_hash() in self.known for s in ca.symvar(x))

    def at(self, expressions: list[SX], *, spread: float = 1.0) -> list[list[np.ndarray]]:
        """The expressions at several states; spread: factor by which known values are changed, up or down."""
        symbols = ca.symvar(ca.veccat(SX(0, 1), *expressions))
        f = ca.Function("sizes", [ca.vertcat(SX(0, 1), *symbols)], [ca.densify(x) for x in expressions])
        random = np.random.default_rng(len(symbols))
        fixed = np.array([self.known.get(s.element_hash(), np.nan) for s in symbols])
        varies = bool(np.any(np.isnan(fixed))) or spread != 1
        trials = []
        for _ in range(TRIALS if varies else 1):
            change = spread ** random.uniform(-1, 1, fixed.size)
            drawn = random.uniform(-0.5, 1.5, fixed.size)
            values = f.call([ca.DM(np.where(np.isnan(fixed), drawn, fixed * change))])
            trials.append([np.array(x) for x in values])
        return trials


def scaled(matrix: np.ndarray) -> np.ndarray | None:
    """Sizes of the entries after scaling, at most 1; None where the matrix is singular by structure or no number."""
    prices = _prices(matrix)
    if prices is None:
        return None
    with np.errstate(divide="ignore"):
        return np.exp(np.minimum(np.log(np.abs(matrix)) + prices[0][:, None] + prices[1], 0.0))


def _prices(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Logarithms of the scales of rows and columns."""
    if not np.all(np.isfinite(matrix)):
        return None
    size = np.abs(matrix)
    logs = [{int(j): float(np.log(row[j])) for j in np.flatnonzero(row)} for row in size]
    match, rows, columns = heaviest_with_prices(logs, matrix.shape[1])
    return None if any(j < 0 for j in match) else (np.array(rows), np.array(columns))


@dataclass
class Strengths:
    """Scaled sizes of a block's coefficients over several states, and typical sizes of its unknowns."""

    smallest: np.ndarray
    """A coefficient counts as small too where its term a x is, beside the others of its equation: what is computed
    from it would be the small difference of large numbers."""
    largest: np.ndarray
    unknowns: np.ndarray


def strengths(J: SX, b: SX, numbers: Numbers) -> Strengths | None:
    """Of J x = b; None where no state tells."""
    trials = [(np.minimum(size, _shares(matrix, x)), size, np.abs(x))
             for matrix, right in numbers.at([J, b])
             if (size := scaled(matrix)) is not None
             for x in [_solution(matrix, right)]]  # fmt: skip
    if not trials:
        return None
    small, large, sizes = (np.array(part) for part in zip(*trials, strict=True))
    return Strengths(small.min(axis=0), large.max(axis=0), sizes.max(axis=0))


def _solution(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """x, roughly; what one of it is worth where it is zero or no number."""
    prices = _prices(matrix)
    assert prices is not None
    rows, columns = (np.exp(np.clip(x, -300, 300)) for x in prices)
    with np.errstate(all="ignore"):
        try:
            x = np.linalg.solve(rows[:, None] * matrix * columns, rows * right.ravel())
        except np.linalg.LinAlgError:
            return columns
        return columns * np.where(np.isfinite(x) & (x != 0), x, np.nanmin(np.abs(x[x != 0]), initial=1.0))


def _shares(matrix: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Terms a x of each equation beside its largest; those that are comparable, or not known, count as 1."""
    with np.errstate(all="ignore"):
        terms = np.abs(matrix * x)
        share = terms / terms.max(axis=1, keepdims=True)
    return np.where(np.isfinite(share) & (share < COMPARABLE), share, 1.0)


def pivots(matrix: np.ndarray, sizes: np.ndarray) -> tuple[list[int], list[int]]:
    """Rows and columns in an order of elimination: each equation is solved for an unknown whose term is large in it.

    sizes: of the unknowns. Of all such pairs, the one that fills least (Markowitz).
    """
    left = np.abs(matrix) * sizes
    value, rows, columns = matrix * sizes, list(range(len(matrix))), list(range(len(matrix)))
    order: tuple[list[int], list[int]] = [], []
    while rows:
        part = np.abs(value[np.ix_(rows, columns)])
        part[part <= 1e-14 * left[np.ix_(rows, columns)].max(axis=1, keepdims=True)] = 0.0
        top = part.max(axis=1, keepdims=True)
        used = part > 0
        cost = (used.sum(axis=1, keepdims=True) - 1.0) * (used.sum(axis=0) - 1.0)
        cost = np.where(used & (part >= 0.1 * top), cost, np.inf)
        r, c = np.unravel_index(np.argmin(cost), cost.shape)
        i, j = rows.pop(int(r)), columns.pop(int(c))
        order[0].append(i)
        order[1].append(j)
        if value[i, j]:
            for k in rows:
                value[k] -= value[i] * (value[k, j] / value[i, j])
    return order
