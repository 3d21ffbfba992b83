"""Designs: grids, tables, random and quasi-random numbers, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import linkwork as lw
from linkwork.sweeps.design import design_of


def made(given, cases=None, sampling="random", seed=0):
    return design_of(given, cases=cases, sampling=sampling, seed=seed, name="m")


def test_lists_span_a_grid_the_last_fastest():
    d = made({"a": [1, 2], "b": np.array([10, 20, 30])})
    assert d.names == ("a", "b")
    assert d.table.tolist() == [[1, 10], [1, 20], [1, 30], [2, 10], [2, 20], [2, 30]]
    assert [*d.axes] == ["a", "b"] and d.axes["b"].tolist() == [10, 20, 30]


def test_two_that_vary_together():
    d = made({("a", "b"): [(1, 10), (2, 20)], "c": [5, 6]})
    assert d.table.tolist() == [[1, 10, 5], [1, 10, 6], [2, 20, 5], [2, 20, 6]]
    assert not d.axes


def test_tables(tmp_path):
    rows = [{"a": 1.0, "b": 2.0}, {"b": 4.0, "a": 3.0}]
    file = tmp_path / "cases.csv"
    file.write_text("a, b\n1,2\n3,4\n", encoding="utf-8")
    for given in (rows, pd.DataFrame(rows), file, str(file)):
        d = made(given)
        assert d.names == ("a", "b") and d.table.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("sampling", ["random", "sobol", "halton", "latin"])
def test_draws_follow_their_distributions(sampling):
    d = made({"a": lw.normal(5, 2), "b": stats.expon(scale=3)}, 1024, sampling)
    assert stats.kstest(d.table[:, 0], stats.norm(5, 2).cdf).pvalue > 0.01
    assert stats.kstest(d.table[:, 1], stats.expon(scale=3).cdf).pvalue > 0.01
    assert abs(np.corrcoef(d.table.T)[0, 1]) < 0.1
    assert np.array_equal(d.table, made({"a": lw.normal(5, 2), "b": stats.expon(scale=3)}, 1024, sampling).table)
    assert not np.array_equal(d.table, made({"a": lw.normal(5, 2), "b": stats.expon(scale=3)}, 1024, sampling, 1).table)


def test_even_draws_integrate_better():
    """The mean of 1024 quasi-random numbers is nearer to the truth than that of random ones."""
    off = {s: abs(made({"a": lw.uniform(0, 1), "b": lw.uniform(0, 1)}, 1024, s).table.prod(axis=1).mean() - 0.25)
           for s in ("random", "sobol", "halton")}  # fmt: skip
    assert off["sobol"] < off["random"] / 5 and off["halton"] < off["random"] / 5


def test_every_point_of_a_grid_gets_the_same_draws():
    d = made({"L": [1, 2], "k": lw.normal(0, 1)}, 10)
    first, second = d.table[:5], d.table[5:]
    assert set(first[:, 0]) == {1} and set(second[:, 0]) == {2} and np.array_equal(first[:, 1], second[:, 1])


@pytest.mark.parametrize(
    ("given", "cases", "said"),
    [
        ({}, None, "empty"),
        ([], None, "empty"),
        ({"a": []}, None, "empty"),
        (3, None, "names nothing to vary"),
        ({"a": 3j}, None, "a: is varied by"),
        ({"a": "1"}, None, "a: is varied by"),
        ({"a": [1, "x"]}, None, "a: has the value 'x'"),
        ({"a": [1, np.nan]}, None, "a: has the value nan"),
        ({"a": lw.normal(0, 1)}, None, "how many cases"),
        ({"a": [1, 2, 3], "b": lw.normal(0, 1)}, 10, "Give cases=9"),
        ({"a": [1, 2, 3]}, 10, "the design has 3"),
        ({("a", "b"): [(1, 2), (3,)]}, None, "a, b: has the values"),
        ({"a": [1], ("a", "b"): [(1, 2)]}, None, "varied twice"),
        ({"a": stats.norm(0, -1)}, 5, "gives no numbers"),
        ([{"a": 1}, {"b": 1}], None, "case 1"),
        ([1, 2], None, "the first case is 1"),
        ("nowhere.csv", None, "nowhere.csv: cannot be read"),
    ],
)
def test_refused(given, cases, said):
    with pytest.raises(lw.LinkworkError) as told:
        made(given, cases)
    assert said in str(told.value)


def test_bad_csv(tmp_path):
    file = tmp_path / "cases.csv"
    for text, said in (("a,b\n1,2\n3\n", "case 1 reads 3"), ("a,b\n1,x\n", "case 0 reads 1, x"), ("a\n", "empty")):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(lw.LinkworkError, match=said):
            made(file)


def test_unknown_sampling():
    with pytest.raises(lw.UnknownName, match="sobol"):
        made({"a": lw.normal(0, 1)}, 4, "sobel")
