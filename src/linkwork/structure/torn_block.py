"""A linear block of equations J x = b, solved by tearing: pivots by size, and what rounding leaves taken out again."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwork.geometry import SX
from linkwork.structure.linear import factorised
from linkwork.structure.sizes import Numbers
from linkwork.structure.tearing import Torn

MISMATCH_ROUNDING = 1e-14
"""Mismatch of a solved equation, relative to its terms, that is rounding."""
REFINEMENTS = 3
"""At most so many; each takes out as many digits of what is wrong as the elimination has kept."""
CHANGED = 10.0
"""Factor by which parameters are changed to see whether the elimination still holds then."""
FLOOR = 1e-9
"""Unknowns below this share of the others' size count as that large: rounding errors of large ones are not theirs."""


@dataclass
class TornBlock:
    """Assigned unknowns in terms of the torn ones, these from the equations that are left: K x_torn = …"""

    J: SX
    torn: Torn
    left: list[int]
    numbers: Numbers
    sizes: np.ndarray
    """Of the unknowns, typically."""

    def __post_init__(self) -> None:
        n, pattern = self.J.shape[0], self.J.sparsity()
        self.rows: list[dict[int, SX]] = [{} for _ in range(n)]
        """Coefficients; of those that are solved for an unknown, per coefficient of that."""
        for i, j in zip(pattern.row(), pattern.get_col(), strict=True):
            self.rows[i][j] = self.J[i, j]
        by_torn: dict[int, dict[int, SX]] = {j: {j: SX(1)} for j in self.torn.torn}
        self.pivot: dict[int, SX] = {}
        for i, j in self.torn.assigned:
            # Equal coefficients cancel exactly so: what goes round a loop of potentials comes back unchanged.
            self.pivot[i] = pivot = self.rows[i].pop(j)
            self.rows[i] = {k: a / pivot for k, a in self.rows[i].items()}
            by_torn[j] = {k: -x for k, x in self._through(i, by_torn).items()}
        place = {j: k for k, j in enumerate(self.torn.torn)}
        K = SX(len(place), len(place))
        for row, i in enumerate(self.left):
            for j, x in self._through(i, by_torn).items():
                K[row, place[j]] = x
        self._core = factorised(K, self.numbers, self.sizes[self.torn.torn])
        self.refinements = self._needed()

    def _through(self, i: int, by_torn: dict[int, dict[int, SX]]) -> dict[int, SX]:
        """Coefficients of the torn unknowns in equation i, directly and by what was assigned before."""
        total: dict[int, SX] = {}
        for k, a in self.rows[i].items():
            for j, x in by_torn[k].items():
                total[j] = total[j] + a * x if j in total else a * x
        return {j: x for j, x in total.items() if not x.is_zero()}

    def solve(self, b: SX, refinements: int | None = None) -> SX:
        """x."""
        x = self._once(b)
        for _ in range(self.refinements if refinements is None else refinements):
            x = x + self._once(b - self.J @ x)
        return x

    def _once(self, b: SX) -> SX:
        none = SX(0)
        known = self._march(b, dict.fromkeys(self.torn.torn, none))
        rest = [b[i] - self._sum(i, known) for i in self.left]
        guessed = self._core(ca.vertcat(SX(0, 1), *rest))
        x = self._march(b, {j: guessed[k] for k, j in enumerate(self.torn.torn)})
        return ca.vertcat(*(x[j] for j in range(len(self.rows))))

    def _march(self, b: SX, known: dict[int, SX]) -> dict[int, SX]:
        for i, j in self.torn.assigned:
            known[j] = b[i] / self.pivot[i] - self._sum(i, known)
        return known

    def _sum(self, i: int, x: dict[int, SX]) -> SX:
        return sum((a * x[k] for k, a in self.rows[i].items()), SX(0))

    def mismatch(self, x: SX, b: SX) -> SX:
        """The largest of |J x − b|, each relative to the terms of its equation; those of unknowns that are next to
        nothing count as `FLOOR` of what the others are worth."""
        worth = ca.DM(self.sizes)
        typical = FLOOR * worth * ca.mmax(ca.fabs(x) / worth)
        terms = ca.fabs(self.J) @ (ca.fabs(x) + typical) + ca.fabs(b)
        return ca.mmax(ca.fabs(self.J @ x - b) / (terms + 1e-300))

    def _needed(self) -> int:
        """Refinements that make the equations hold to rounding, at several states and for changed parameters."""
        b = SX.sym("b", self.J.shape[0])
        random = np.random.default_rng(0)
        right = Numbers({**self.numbers.known, **dict(zip((s.element_hash() for s in ca.vertsplit(b)),
                                                          random.normal(size=b.numel()), strict=True))})  # fmt: skip
        for count in range(REFINEMENTS):
            off = [self.mismatch(self.solve(b, count), b)]
            trials = [*right.at(off), *right.at(off, spread=CHANGED)]
            if all(not np.isfinite(x) or x <= MISMATCH_ROUNDING for (x,) in trials):
                return count
        return REFINEMENTS
