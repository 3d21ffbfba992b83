"""Matching against SciPy's assignment, and tearing and sorting on small graphs worked out by hand."""

import numpy as np
from scipy.optimize import linear_sum_assignment

from linkwork.structure.blocks import blocks
from linkwork.structure.tearing import tear
from linkwork.structure.transversal import heaviest


def test_as_many_and_as_heavy_as_scipy(rng):
    for _ in range(200):
        n = int(rng.integers(1, 12))
        weights, present = rng.integers(-2, 3, (n, n)).astype(float), rng.random((n, n)) < 0.4
        rows = [{j: weights[i, j] for j in range(n) if present[i, j]} for i in range(n)]
        found = heaviest(rows, n)
        cost = np.where(present, -weights, 1e3)
        i, j = linear_sum_assignment(cost)
        matched = [k for k in range(n) if found[k] >= 0]
        assert len(matched) == len({found[k] for k in matched}) == int(present[i, j].sum())
        if len(matched) == n:
            assert sum(rows[k][found[k]] for k in range(n)) == -cost[i, j].sum()


def test_blocks_come_in_an_order_that_can_be_computed():
    # 0: x0, x1 | 1: x1 | 2: x2, x3, x0 | 3: x3, x2
    incidence = [{0, 1}, {1}, {0, 2, 3}, {2, 3}]
    assert blocks(incidence, [0, 1, 2, 3]) == [[1], [0], [2, 3]]


def test_tearing_leaves_what_must_be_solved_together():
    """A ring of five: one torn unknown, the rest follows."""
    ring = {i: {i, (i + 1) % 5} for i in range(5)}
    found = tear(ring, ring, dict.fromkeys(range(5), 0))
    assert len(found.torn) == len(found.residuals) == 1 and len(found.assigned) == 4


def test_what_cannot_be_solved_for_is_torn():
    full = {0: {0, 1}, 1: {0, 1}}
    found = tear(full, {0: set(), 1: {0}}, {0: 0, 1: 0})
    assert found.torn == [1] and found.assigned == [(1, 0)] and found.residuals == [0]
