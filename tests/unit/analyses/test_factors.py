"""Least squares for many samples: dense and sparse factors of any rank agree with singular values."""

import numpy as np
import pytest

from linkwork.analyses.driving.factors import Factors, independent_rows, null_space
from linkwork.analyses.driving.sparse_factors import suits


def systems(rng, samples: int, columns: int, redundant: int, lost: int) -> tuple[np.ndarray, np.ndarray]:
    """J with some rows that repeat others, and `lost` columns less of rank in the second sample; solutions x."""
    J = np.zeros((samples, columns, columns))
    for k in range(columns):
        J[:, k, [k, (k + 1) % columns]] = rng.uniform(1, 3, (samples, 2)) * (1, 0.3)
    J = np.concatenate([J, 2 * J[:, :redundant]], axis=1)
    J[1, :, :lost] = 0
    return J, rng.uniform(-1, 1, (samples, columns))


@pytest.mark.parametrize(("columns", "redundant"), [(5, 0), (5, 2), (150, 0), (150, 7)])
@pytest.mark.parametrize("samples", [3, 60])
@pytest.mark.parametrize("lost", [0, 2])
@pytest.mark.parametrize("consistent", [False, True])
def test_shortest_solutions(columns, redundant, samples, lost, consistent, rng):
    if columns > 5 and samples > 3:
        samples = 51  # enough for the square part, few enough to be quick
    J, x = systems(rng, samples, columns, redundant, lost)
    assert suits(J) == (columns == 150)
    factors = Factors(J, consistent=consistent)
    x[1, :lost] = 0
    assert np.allclose(factors.solve((J @ x[:, :, None])[:, :, 0]), x, atol=1e-9)
    balanced = (x[:, None, :] @ J.transpose(0, 2, 1) @ J)[:, 0]
    found = factors.solve_transposed(balanced)
    assert np.allclose((found[:, None, :] @ J)[:, 0], balanced, atol=1e-9)


def test_what_is_not_finite_stays_so(rng):
    J, x = systems(rng, 3, 5, 2, 0)
    J[1, 0, 0] = np.nan
    found = Factors(J).solve(np.zeros((3, 7)) + 1)
    assert np.isnan(found[1]).all()
    assert np.isfinite(found[[0, 2]]).all()


def test_null_space_and_independent_rows():
    J = np.array([[1.0, 1, 0], [2, 2, 0], [0, 0, 1e-3]])
    free = null_space(J)
    assert free.shape == (3, 1)
    assert np.allclose(J @ free, 0)
    assert independent_rows(J, np.linalg.norm(J, axis=1)) == [0, 2]
    assert null_space(np.zeros((0, 2))).shape == (2, 2)
