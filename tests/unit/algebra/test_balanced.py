"""Quick least-norm solutions of square systems that may be singular."""

import numpy as np

from linkwork.algebra.least_norm import balanced
from linkwork.algebra.rank import MIXED


def test_redundant_rows_share_as_by_singular_values():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((60, 20))
    W, r = A @ A.T, A @ rng.standard_normal(20)
    np.testing.assert_allclose(balanced(W, r, MIXED), np.linalg.lstsq(W, r, rcond=1e-12)[0], rtol=0, atol=1e-9)


def test_what_has_no_solution_is_met_as_well_as_it_can_be():
    rng = np.random.default_rng(1)
    A = rng.standard_normal((60, 20))
    W, r = A @ A.T, rng.standard_normal(60)
    np.testing.assert_allclose(balanced(W, r, MIXED), np.linalg.lstsq(W, r, rcond=1e-12)[0], rtol=0, atol=1e-9)
