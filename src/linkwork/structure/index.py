"""How often each equation must be differentiated (Pantelides' result, found by Pryce's Σ-method).

σ_ij is the highest derivative of unknown j in equation i. A transversal of largest weight matches equations with
unknowns; the smallest c ≥ 0, d with d_j − c_i ≥ σ_ij and equality on the transversal say that equation i is to be
differentiated c_i times and then determines derivatives of order d_j.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.core.errors import ModelError
from linkwork.structure.matching import explain_singular
from linkwork.structure.system import System

DEEPEST = 6
"""Differentiations of one equation before the system is taken as ill-posed."""


@dataclass
class Index:
    """match[i]: the unknown that equation i determines; times[i] = c_i; order[j] = d_j."""

    match: np.ndarray
    times: np.ndarray
    order: np.ndarray
    signature: list[dict[int, int]]

    @property
    def value(self) -> int:
        """The structural (differentiation) index: 0 for an ODE, 1 with algebraic equations, more where these hide."""
        if not self.times.size:
            return 0
        return int(self.times.max()) + int(np.any(self.order == 0))


def index_of(system: System, signature: list[dict[int, int]]) -> Index:
    """Match, and find the offsets; a structurally singular system is told in the user's words."""
    n = len(system.equations)
    if not n:
        return Index(np.zeros(0, int), np.zeros(0, int), np.zeros(0, int), [])
    match = _heaviest(system, signature)
    c, d = np.zeros(n, int), np.zeros(n, int)
    while True:
        d[:] = 0
        for i, row in enumerate(signature):
            for j, s in row.items():
                d[j] = max(d[j], s + c[i])
        wanted = np.array([d[match[i]] - signature[i][match[i]] for i in range(n)])
        if np.array_equal(wanted, c):
            return Index(match, c, d, signature)
        c = wanted
        if c.max() > DEEPEST:
            worst = system.equations[int(c.argmax())]
            raise ModelError(
                f"its {worst.text} would have to be differentiated more than {DEEPEST} times.",
                component=worst.owner,
                remedy="It does not determine what it should: check which of its quantities are given twice.",
            )


def _heaviest(system: System, signature: list[dict[int, int]]) -> np.ndarray:
    """The transversal of largest Σσ."""
    from scipy.optimize import linear_sum_assignment
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching, min_weight_full_bipartite_matching

    n, m = len(system.equations), len(system.unknowns)
    rows = [i for i, row in enumerate(signature) for _ in row]
    columns = [j for row in signature for j in row]
    own = {i: system.unknowns.index(e.gives[0]) for i, e in enumerate(system.equations) if e.gives is not None}
    # Of equal transversals, those that give each constraint its own multiplier: blocks that constraints alone would
    # determine are singular where constraints are redundant.
    weights = np.array([s + 1e-3 * (own.get(i) == j) for i, row in enumerate(signature) for j, s in row.items()])
    pattern = csr_array((np.ones(len(rows)), (rows, columns)), shape=(n, m))
    found = maximum_bipartite_matching(pattern, perm_type="column")
    if n != m or np.any(found < 0):
        explain_singular(system, signature, found)
    if n <= 300:
        cost = np.full((n, m), 1e6)
        cost[rows, columns] = -weights
        return np.asarray(linear_sum_assignment(cost)[1])
    heavy = csr_array((weights.max() + 1 - weights, (rows, columns)), shape=(n, m))
    order, match = min_weight_full_bipartite_matching(heavy)
    return np.asarray(match)[np.argsort(order)]
