"""Rank, null spaces and closing: one place for each."""

import re
from pathlib import Path

import numpy as np

import linkwork as lw
from linkwork.algebra.closing import POSITION_TOLERANCE, close, close_all
from linkwork.algebra.rank import (
    MIXED,
    RANK,
    Motions,
    column_space,
    independent_rows,
    least_squares,
    left_null_space,
    null_space,
    pivoted,
    rank_of,
)


def dependent_rows(rng):
    """Five rows of very different length, of rank 3."""
    A = rng.normal(size=(3, 7))
    return np.vstack([A, A[0] - 2 * A[1], 3 * A[2]])


def test_all_ways_find_the_same_rank(rng):
    A = dependent_rows(rng)
    assert rank_of(A) == Motions(A).rank == pivoted(A)[3] == column_space(A).shape[1] == 3
    assert null_space(A).shape == (7, 4) and np.abs(A @ null_space(A)).max() < 1e-12
    assert left_null_space(A).shape == (5, 2) and np.abs(A.T @ left_null_space(A)).max() < 1e-12
    assert independent_rows(A) == [0, 1, 2]


def test_rows_of_any_length_count_alike(rng):
    A = dependent_rows(rng) * np.array([1e-12, 1, 1e3, 1e6, 1e-5])[:, None]
    assert null_space(A).shape[1] == 4


def test_masses_of_their_own_are_not_dependent():
    A = np.diag([1.0, 1e-10])
    assert rank_of(A, MIXED) == 2 and rank_of(A, RANK) == 1
    assert least_squares(A, np.array([1.0, 1e-10]), MIXED)[1] == 1


def circle(q):
    """Two rows that say the same: on the unit circle."""
    r = np.array([q @ q - 1, 3 * (q @ q - 1)])
    return r, np.vstack([2 * q, 6 * q])


def test_closing_takes_redundant_rows_and_the_nearest_position():
    q, left = close(circle, lambda q, step: q + step, np.array([0.9, 1.4]))
    assert np.abs(left).max() <= POSITION_TOLERANCE
    assert np.allclose(q, np.array([0.9, 1.4]) / np.hypot(0.9, 1.4), atol=1e-3)


def test_many_are_closed_as_one_is(rng):
    start = rng.uniform(0.8, 1.2, size=(6, 2))

    def rows(_, Q):
        found = [circle(q) for q in Q]
        return np.array([r for r, _ in found]), np.array([J for _, J in found])

    many, left, _ = close_all(rows, lambda Q, steps: Q + steps, start)
    assert left.max() < 1e-13
    assert np.allclose(many, [close(circle, lambda q, step: q + step, q)[0] for q in start], atol=1e-8)


def test_no_threshold_of_rank_elsewhere():
    """Whoever decides about rank takes the thresholds from one place."""
    source = Path(lw.__file__).parent
    numbers = re.compile(r"\b(rcond|tol)=1e-\d+")
    found = [p.relative_to(source).as_posix() for p in source.rglob("*.py") if numbers.search(p.read_text("utf-8"))]
    assert found == []
