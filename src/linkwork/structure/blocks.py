"""Block lower triangular order: which unknowns must be found together, and what comes first."""

from __future__ import annotations

import casadi as ca


def blocks(incidence: list[set[int]], match: list[int]) -> list[list[int]]:
    """Equations grouped into blocks, in an order in which each needs only earlier ones.

    incidence[i]: unknowns in equation i; match[i]: the one it determines. Tarjan's strong components, by CasADi.
    """
    n = len(match)
    row_of = {j: i for i, j in enumerate(match)}
    # Equation i needs equation k if it contains the unknown that k determines.
    rows, columns = [], []
    for i, unknowns in enumerate(incidence):
        for j in unknowns | {match[i]}:
            rows.append(i)
            columns.append(row_of[j])
    pattern = ca.Sparsity.triplet(n, n, rows, columns)
    _, order, starts = pattern.scc()
    groups = [list(order[a:b]) for a, b in zip(starts, starts[1:], strict=False)]
    return _sorted(groups, incidence, row_of)


def _sorted(groups: list[list[int]], incidence: list[set[int]], row_of: dict[int, int]) -> list[list[int]]:
    """Topological order of the components; the given order where there is a choice."""
    where = {i: g for g, group in enumerate(groups) for i in group}
    needs = [{where[row_of[j]] for i in group for j in incidence[i]} - {g} for g, group in enumerate(groups)]
    done: list[int] = []
    state = [0] * len(groups)
    for root in range(len(groups)):
        stack = [(root, iter(sorted(needs[root])))] if not state[root] else []
        if stack:
            state[root] = 1
        while stack:
            g, rest = stack[-1]
            for other in rest:
                if not state[other]:
                    state[other] = 1
                    stack.append((other, iter(sorted(needs[other]))))
                    break
            else:
                stack.pop()
                done.append(g)
    return [sorted(groups[g]) for g in done]
