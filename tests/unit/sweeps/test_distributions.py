"""Distributions against SciPy's own, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import linkwork as lw

U = np.linspace(0.001, 0.999, 401)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (lw.normal(3, 2), stats.norm(3, 2)),
        (lw.normal(3, 2, low=2, high=6), stats.truncnorm(-0.5, 1.5, 3, 2)),
        (lw.normal(0, 1, low=0), stats.truncnorm(0, np.inf)),
        (lw.uniform(-1, 4), stats.uniform(-1, 5)),
        (lw.loguniform(0.1, 100), stats.loguniform(0.1, 100)),
        (lw.triangular(1, 2, 5), stats.triang(0.25, 1, 4)),
        (lw.triangular(1, 1, 5), stats.triang(0, 1, 4)),
    ],
    ids=lambda x: None if hasattr(x, "ppf") else str(x),
)
def test_quantiles(ours, theirs):
    assert ours.quantile(U) == pytest.approx(theirs.ppf(U), rel=1e-9, abs=1e-12)


def test_lognormal_has_the_mean_and_deviation_that_it_says():
    variance = np.log1p((3 / 5) ** 2)
    theirs = stats.lognorm(np.sqrt(variance), scale=5 * np.exp(-variance / 2))
    assert (theirs.mean(), theirs.std()) == pytest.approx((5, 3))
    assert lw.lognormal(5, 3).quantile(U) == pytest.approx(theirs.ppf(U), rel=1e-9)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: lw.normal(1, 0), "deviation=0"),
        (lambda: lw.normal(1, -2), "deviation=-2"),
        (lambda: lw.normal("a", 1), "mean='a'"),
        (lambda: lw.normal(0, 1, low=2, high=1), "low=2 and high=1"),
        (lambda: lw.normal(0, np.nan), "deviation=nan"),
        (lambda: lw.uniform(2, 2), "low=2 and high=2"),
        (lambda: lw.loguniform(0, 1), "low=0 and high=1"),
        (lambda: lw.lognormal(-1, 1), "mean=-1"),
        (lambda: lw.triangular(0, 3, 2), "mode=3"),
    ],
)
def test_impossible_arguments(make, said):
    with pytest.raises(lw.ModelError, match="lw\\.") as told:
        make()
    assert said in str(told.value) and "Give" in str(told.value) or "must be" in str(told.value)
