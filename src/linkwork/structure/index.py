"""How often each equation must be differentiated (Pantelides' result, found by Pryce's Σ-method).

σ_ij is the highest derivative of unknown j in equation i. A transversal of largest weight matches equations with
unknowns; the smallest c ≥ 0, d with d_j − c_i ≥ σ_ij and equality on the transversal say that equation i is to be
differentiated c_i times and then determines derivatives of order d_j.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.core.errors import ModelError
from linkwork.structure.diagnosis import explain_singular
from linkwork.structure.system import System
from linkwork.structure.transversal import heaviest

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
    match = _matched(system, signature)
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


def _matched(system: System, signature: list[dict[int, int]]) -> np.ndarray:
    """The transversal of largest Σσ."""
    own = {i: system.unknowns.index(e.gives[0]) for i, e in enumerate(system.equations) if e.gives is not None}
    free = [system.start(x) is None for x in system.unknowns]
    # Of equal transversals, those that give each constraint its own multiplier: blocks that constraints alone would
    # determine are singular where constraints are redundant. Then those whose constraints determine what has no start.
    weights = [
        {j: s + 1e-3 * (own.get(i) == j) + 1e-6 * (s == 0 and free[j]) for j, s in row.items()}
        for i, row in enumerate(signature)
    ]
    match = np.array(heaviest(weights, len(system.unknowns)), dtype=int)
    if len(system.equations) != len(system.unknowns) or np.any(match < 0):
        explain_singular(system, signature, match)
    return match
