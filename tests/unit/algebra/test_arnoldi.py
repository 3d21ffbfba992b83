"""The largest eigenvalues, against all of them."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.algebra import lapack
from linkwork.algebra.arnoldi import largest_eigenvalues


def sorted_by_size(values):
    return np.sort(np.abs(values))[::-1]


@pytest.mark.parametrize("spread", [1.0, 6.0])
def test_the_largest_are_those_of_the_whole(spread):
    """Oscillators of many frequencies, some damped, in mixed coordinates."""
    rng = np.random.default_rng(1)
    n = 150
    frequency, damping = 10 ** rng.uniform(0, spread, n), rng.uniform(0, 0.5, n)
    block = np.zeros((2 * n, 2 * n))
    block[:n, n:], block[n:, :n] = np.diag(frequency), -np.diag(frequency)
    block[n:, n:] = -np.diag(2 * damping * frequency)
    mixed = np.linalg.qr(rng.normal(size=(2 * n, 2 * n)))[0]
    matrix = mixed @ block @ mixed.T
    found, whole = largest_eigenvalues(matrix, 30, 1e-3), lapack.eigvals(matrix)
    np.testing.assert_allclose(sorted_by_size(found)[:30], sorted_by_size(whole)[:30], rtol=2e-3)


def test_nothing_but_free_motions():
    """A nilpotent matrix has no largest eigenvalue, and Arnoldi's method nothing to begin with."""
    matrix = np.zeros((220, 220))
    matrix[:110, 110:] = np.eye(110)
    np.testing.assert_allclose(largest_eigenvalues(matrix, 30, 1e-3), 0, atol=1e-6)
