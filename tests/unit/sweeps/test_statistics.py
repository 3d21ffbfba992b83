"""Summaries and Sobol's indices against closed forms; figures show what they should."""

from __future__ import annotations

import numpy as np
import pytest
import xarray

import linkwork as lw
from linkwork.sweeps.design import design_of
from linkwork.sweeps.plots import over_grid
from tests.unit.sweeps.models import oscillator


@pytest.fixture(scope="module")
def m() -> lw.Model:
    return oscillator()


@pytest.fixture(scope="module")
def ds(m):
    return m.sweep({"k": lw.uniform(20, 80), "u": lw.normal(0, 1)}, 1, cases=40, keep=["series", "max"], output=0.05)


def test_summary(ds):
    s = ds.sweep.summary(quantiles=(0.1, 0.5))
    x = ds["rail.slide.max"].values
    expected = [40, x.mean(), x.std(ddof=1), np.quantile(x, 0.1), np.median(x)]
    assert s["rail.slide.max"].values == pytest.approx(expected)
    assert s["rail.slide"].dims == ("statistic", "t") and list(s.statistic.values)[-2:] == ["10 %", "50 %"]
    with pytest.raises(lw.LinkworkError, match="quantile"):
        ds.sweep.summary(quantiles=(1.2,))


def test_summary_leaves_out_what_failed(ds):
    holes = ds.copy(deep=True)
    holes["rail.slide.max"][:3] = np.nan
    holes["rail.slide"][:, 4] = np.nan
    s = holes.sweep.summary()
    assert s["rail.slide.max"].values[0] == 37
    assert s["rail.slide.max"].values[1] == pytest.approx(ds["rail.slide.max"].values[3:].mean())
    assert np.isnan(s["rail.slide"].values[1:, 4]).all() and np.isfinite(s["rail.slide"].values[:, 5]).all()


def test_sobol_indices():
    """Of 3 a + b² + a b: a, b uniform on −1 … 1; the parts have variances 3, 4/45 and 1/9."""
    names = {"a": lw.uniform(-1, 1), "b": lw.uniform(-1, 1), "c": lw.uniform(0, 1)}
    plan = design_of(names, cases=5 * 2048, sampling="saltelli", seed=3)
    a, b, _ = plan.table.T
    y = 3 * a + b**2 + a * b
    y[17] = np.nan  # a case that failed: those that belong to it are left out
    attributes = {"sampling": "saltelli", "design": '{"a": "", "b": "", "c": ""}'}
    found = xarray.Dataset({"y": ("case", y)}, attrs=attributes).sweep.sobol("y")
    parts = np.array([3.0, 4 / 45, 1 / 9])
    assert found["first"].values == pytest.approx([*parts[:2] / parts.sum(), 0.0], abs=0.01)
    total = [parts[0] + parts[2], parts[1] + parts[2], 0.0]
    assert found["total"].values == pytest.approx(np.array(total) / parts.sum(), abs=0.01)
    assert list(found.parameter.values) == ["a", "b", "c"] and found.attrs["groups left out"] == 1


def test_sobol_refuses_other_designs(m, ds):
    with pytest.raises(lw.LinkworkError, match="saltelli"):
        ds.sweep.sobol("rail.slide.max")
    with pytest.raises(lw.LinkworkError, match="Give cases=24"):
        m.sweep({"k": lw.uniform(10, 12)}, 1, cases=20, sampling="saltelli")
    with pytest.raises(lw.LinkworkError, match="random parameters only"):
        m.sweep({"k": lw.uniform(10, 12), "u": [0, 1]}, 1, cases=24, sampling="saltelli")


def test_ribbon(ds, tmp_path):
    figure = ds.sweep.ribbon("rail.slide", file=tmp_path / "ribbon.png")
    assert (tmp_path / "ribbon.png").stat().st_size > 5000
    (panel,) = figure.axes
    assert panel.lines[0].get_ydata() == pytest.approx(np.median(ds["rail.slide"].values, axis=0))
    assert [t.get_text() for t in panel.get_legend().get_texts()] == ["90 %", "50 %", "median"]
    with pytest.raises(lw.UnknownName, match="rail.slide"):
        ds.sweep.ribbon("rail.slid")


def test_contour(m, ds, tmp_path):
    grid = m.sweep({"k": [30.0, 20.0, 40.0], "u": [0.0, 1.0]}, 1, keep="end", backend="serial")
    grid["rail.slide.end"][2] = np.nan
    figure = grid.sweep.contour("rail.slide.end", file=tmp_path / "map.png")
    panel = figure.axes[0]
    assert panel.get_xlabel() == "k [N/m]" and panel.get_ylabel() == "u [N]"
    crosses = next(line for line in panel.lines if line.get_marker() == "x")
    assert (crosses.get_xdata().tolist(), crosses.get_ydata().tolist()) == ([20.0], [0.0])
    ds.sweep.contour("rail.slide.max", x="u", y="k", file=tmp_path / "random.svg")
    with pytest.raises(lw.LinkworkError, match="two parameters"):
        m.sweep({"k": [1.0, 2.0, 3.0]}, 1, keep="end", backend="serial").sweep.contour("rail.slide.end")
    with pytest.raises(lw.UnknownName):
        ds.sweep.contour("rail.slide.max", x="v")


@pytest.mark.parametrize(("across", "up"), [("k", "u"), ("u", "k")])
def test_a_grid_is_drawn_where_its_values_are(m, across, up):
    """Values along the axes may come in any order."""
    grid = m.sweep({"k": [30.0, 20.0, 40.0], "u": [1.0, 0.0]}, 0.2, keep="end", backend="serial")
    values = grid["rail.slide.end"].values
    x, y, table = over_grid(grid, {"k": 3, "u": 2}, across, up, values)
    assert np.all(np.diff(x) > 0) and np.all(np.diff(y) > 0) and table.shape == (y.size, x.size)
    for case, value in enumerate(values):
        row, column = y.tolist().index(grid[up].values[case]), x.tolist().index(grid[across].values[case])
        assert table[row, column] == value
