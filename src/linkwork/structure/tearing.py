"""Tearing: some unknowns of a block are taken as known, so that the others follow one by one (Cellier's heuristic)."""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.structure.sizes import Strengths

GROWTH = 1e4
"""How many times an error in a torn unknown may come back in an assigned one before the chain is cut there."""
PIVOT_SIZE = 0.1
"""Scaled size (see `sizes`) of a coefficient that an equation may be solved by."""


@dataclass
class Torn:
    """assigned: (equation, unknown) in order of computation; torn: unknowns that the residual equations determine."""

    assigned: list[tuple[int, int]]
    torn: list[int]
    residuals: list[int]


def tear(
    incidence: dict[int, set[int]],
    solvable: dict[int, set[int]],
    rank: dict[int, int],
    strengths: Strengths | None = None,
) -> Torn:
    """incidence[i]: unknowns of equation i; solvable[i]: those it can be solved for safely.

    rank: which unknowns to tear first (larger is sooner), before how many equations they open up.
    Marching through a mesh from few torn unknowns, errors grow by a factor per step, as in shooting methods. So each
    unknown has a bound of that growth, the sum over the terms it is computed from; beyond `GROWTH` it is torn instead.
    strengths: scaled sizes of all coefficients. Equations are then solved by large ones only.
    """
    if strengths is not None:
        smallest, largest = strengths.smallest, strengths.largest
        solvable = {i: {j for j in columns if smallest[i, j] >= PIVOT_SIZE} for i, columns in solvable.items()}
    left = {i: set(columns) for i, columns in incidence.items()}
    holding: dict[int, set[int]] = {}
    for i, columns in incidence.items():
        for j in columns:
            holding.setdefault(j, set()).add(i)
    unknown, growth = set(holding), dict.fromkeys(holding, 1.0)
    result = Torn([], [], [])
    ready = [i for i, columns in left.items() if len(columns) == 1 and columns <= solvable[i]]

    def known(j: int) -> None:
        unknown.discard(j)
        for i in holding[j]:
            if i in left:
                left[i].discard(j)
                if len(left[i]) == 1 and left[i] <= solvable[i]:
                    ready.append(i)

    while True:
        while ready:
            i = ready.pop()
            if i in left and len(left[i]) == 1:
                (j,) = left[i]
                grown = 0.0
                for k in incidence[i] - {j}:
                    grown += growth[k] * (1.0 if strengths is None else float(largest[i, k] / smallest[i, j]))
                if grown > GROWTH:
                    result.torn.append(j)
                else:
                    growth[j] = grown
                    result.assigned.append((i, j))
                    del left[i]
                known(j)
        if not unknown:
            break
        possible = {j for i in left for j in solvable[i]}  # what is in none of them must be torn in any case
        best = max(
            unknown,
            key=lambda j: (j not in possible, rank.get(j, 0), sum(1 for i in holding[j] if i in left), -j),
        )
        result.torn.append(best)
        known(best)
    result.residuals = sorted(left)
    return result
