"""Splines against SciPy's, which nobody here wrote."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from linkwork.core.spline import cubic_spline


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("points", [2, 3, 4, 5, 6, 17, 200, 1000])
def test_coefficients_are_those_of_scipy(points, periodic):
    rng = np.random.default_rng(points)
    for _ in range(20):
        x = np.cumsum(10 ** rng.uniform(-2, 1, points))
        y = 10 ** rng.uniform(-3, 3) * rng.standard_normal(points)
        if periodic:
            y[-1] = y[0]
        expected = CubicSpline(x, y, bc_type="periodic" if periodic else "not-a-knot").c[::-1].T
        powers = np.diff(x)[:, None] ** np.arange(4)  # what each term adds at the end of its interval
        apart = np.abs((cubic_spline(x, y, periodic=periodic) - expected) * powers)
        assert apart.max() < 1e-11 * np.abs(expected * powers).max(initial=1e-300) + 1e-300


def test_a_cubic_is_its_own_spline():
    x = np.array([-1.0, -0.3, 0.5, 2.0, 2.25])
    cubic = np.polynomial.Polynomial([0.5, -1.0, 2.0, 3.0])
    expected = np.column_stack([cubic.deriv(k)(x[:-1]) / factorial for k, factorial in ((1, 1), (2, 2), (3, 6))])
    found = cubic_spline(x, cubic(x))
    np.testing.assert_allclose(found[:, 0], cubic(x[:-1]))
    np.testing.assert_allclose(found[:, 1:], expected, atol=1e-11)
