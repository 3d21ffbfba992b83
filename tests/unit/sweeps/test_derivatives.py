"""Sweeps with derivatives: those of single runs to the last bit, those of the closed form, whoever computes them."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.sweeps.backends.processes import can_fork
from tests.unit.sweeps.models import oscillator, trouble

T = np.linspace(0.0, 1.0, 21)
STIFFNESS = [20.0, 50.0, 80.0]
forked = pytest.mark.skipif(not can_fork(), reason="processes are started anew here, which takes seconds")
WAYS = ["series", "end", "min", "max", "mean", "rms", "integral"]


@pytest.fixture(scope="module")
def m() -> lw.Model:
    return oscillator()


@pytest.fixture(scope="module")
def serially(m):
    return m.sweep({"k": STIFFNESS, "u": [0.0, 1.0]}, 1, channels=["rail.slide", "rail.slide.rate"], keep=WAYS,
                   output=T, sensitivities=["k", "rail.slide"], backend="serial")  # fmt: skip


def x(k, t=T, x0=0.1, u=0.0):
    return (x0 - u / k) * np.cos(np.sqrt(k / 2) * t) + u / k


REDUCED = {
    "end": lambda v: v[-1], "min": np.min, "max": np.max, "mean": lambda v: np.trapezoid(v, T),
    "rms": lambda v: np.sqrt(np.trapezoid(v * v, T)), "integral": lambda v: np.trapezoid(v, T),
}  # fmt: skip


def test_derivatives_of_single_runs_to_the_last_bit(m, serially):
    for case in range(6):
        k, u = float(serially["k"][case]), float(serially["u"][case])
        s = m.sensitivity(["rail.slide", "rail.slide.rate"], ["k"], 1.0, output=T, parameters={"k": k}, inputs={"u": u})
        one = m.sweep([{"k": k, "u": u}], 1, channels=["rail.slide", "rail.slide.rate"], output=T, sensitivities="k")
        for name in s.channels:
            assert np.array_equal(one[name].values[0], s[name])
            assert np.array_equal(one[f"{name} by k"].values[0], s[name, "k"])
            assert serially[f"{name} by k"].values[case] == pytest.approx(s[name, "k"], abs=1e-9)


def test_derivatives_of_the_closed_form(serially):
    """Also of every number that is made of a series, by central differences of the closed form."""
    h = 1e-6
    for case in range(6):
        k, u = float(serially["k"][case]), float(serially["u"][case])
        w = np.sqrt(k / 2)
        by_k = -(0.1 - u / k) * T * np.sin(w * T) / (4 * w) + u / k**2 * np.cos(w * T) - u / k**2
        assert serially["rail.slide by k"].values[case] == pytest.approx(by_k, abs=1e-8)
        assert serially["rail.slide by rail.slide.start"].values[case] == pytest.approx(np.cos(w * T), abs=1e-7)
        for way, reduced in REDUCED.items():
            slope = (reduced(x(k * (1 + h), u=u)) - reduced(x(k * (1 - h), u=u))) / (2 * h * k)
            assert float(serially[f"rail.slide.{way} by k"][case]) == pytest.approx(slope, abs=1e-8), way
            assert float(serially[f"rail.slide.{way}"][case]) == pytest.approx(reduced(x(k, u=u)), abs=1e-7)


def test_units(serially):
    assert serially["rail.slide by k"].attrs["units"] == "m/(N/m)"
    assert serially["rail.slide.integral by rail.slide.start"].attrs["units"] == "m·s/m"


@pytest.mark.parametrize("backend", ["threads", pytest.param("processes", marks=forked), "auto"])
def test_the_same_to_the_last_bit(m, serially, backend):
    ds = m.sweep({"k": STIFFNESS, "u": [0.0, 1.0]}, 1, channels=["rail.slide", "rail.slide.rate"], keep=WAYS,
                 output=T, sensitivities=["k", "rail.slide"], backend=backend, workers=3)  # fmt: skip
    for name in serially.variables:
        assert np.array_equal(serially[name].values, ds[name].values, equal_nan=name.startswith("rail")), name


@pytest.mark.parametrize("gradient", ["forward", "adjoint"])
def test_scalars_as_of_single_runs(m, gradient):
    goals = {"square": lw.Integral(lambda c: c["rail.slide"] ** 2), "last": lw.Final("rail.slide")}
    ds = m.sweep({"k": STIFFNESS}, 1, reduce=goals, sensitivities="k", gradient=gradient, backend="threads", workers=2)
    for case, k in enumerate(STIFFNESS):
        found = m.sensitivity(list(goals.values()), "k", 1, parameters={"k": k}, method=gradient)
        for name, g in zip(goals, found, strict=True):
            assert float(ds[name][case]) == g.value and float(ds[f"{name} by k"][case]) == g["k"]
    w = np.sqrt(np.array(STIFFNESS) / 2)
    assert ds["last by k"].values == pytest.approx(-0.1 * np.sin(w) / (4 * w), abs=1e-8)


def test_channels_and_scalars_together(m):
    ds = m.sweep({"k": [50.0]}, 1, channels="rail.slide", keep="end", reduce={"last": lw.Final("rail.slide")},
                 sensitivities="k")  # fmt: skip
    assert [n for n in ds.data_vars if "rail" in n or "last" in n] == [
        "rail.slide.end", "last", "rail.slide.end by k", "last by k"
    ]  # fmt: skip
    assert float(ds["last by k"][0]) == pytest.approx(float(ds["rail.slide.end by k"][0]), rel=1e-6)


def test_loops_against_differences_of_sweeps():
    """A slider-crank whose rod's length varies: the start moves with it."""
    m = trouble()
    options = {"channels": ["rod.x", "O.angle"], "keep": "end", "rtol": 1e-10, "atol": 1e-12}
    h = 1e-4
    ds = m.sweep({"L": [0.9, 1.0]}, 0.3, sensitivities=["L"], **options)
    around = m.sweep({"L": [0.9 - h, 0.9 + h, 1 - h, 1 + h]}, 0.3, **options)
    for name in ("rod.x.end", "O.angle.end"):
        low, high = around[name].values.reshape(2, 2).T
        assert ds[f"{name} by L"].values == pytest.approx((high - low) / (2 * h), abs=2e-7)


def test_cases_that_fail_or_stop_are_told():
    """L = 0.1: not to be assembled; limit = 1.2: no root; at 2.5 rad an event ends the run."""
    cases = [{"L": 1.0, "limit": 9.0}, {"L": 0.1, "limit": 9.0}, {"L": 1.0, "limit": 1.2}]
    with pytest.warns(lw.LinkworkWarning, match="2 of 3 cases failed"):
        ds = trouble().sweep(cases, 1.0, channels="O.angle", keep=["series", "end"], output=T, sensitivities="L")
    assert ds.status.values.tolist() == ["event", "failed", "failed"]
    assert ds.reason.values[0] == "end" and "cannot close" in ds.reason.values[1] and ds.reason.values[2]
    late = T > float(ds.end_time[0])
    series = ds["O.angle by L"].values
    assert late.any() and np.isnan(series[0, late]).all() and np.isfinite(series[0, ~late]).all()
    assert np.isnan(series[1:]).all() and np.isnan(ds["O.angle.end by L"].values).all()


def test_written_and_taken_up_again(m, tmp_path):
    xarray = pytest.importorskip("xarray")
    options = {"keep": "end", "sensitivities": "k", "to": tmp_path / "study.zarr"}
    ds = m.sweep({"k": STIFFNESS}, 1, **options)
    again = m.sweep({"k": STIFFNESS}, 1, **options)
    read = xarray.open_zarr(tmp_path / "study.zarr")
    for found in (again, read):
        assert np.array_equal(found["rail.slide.end by k"].values, ds["rail.slide.end by k"].values)
    with pytest.raises(lw.LinkworkError, match="another sweep"):
        m.sweep({"k": STIFFNESS}, 1, keep="end", to=tmp_path / "study.zarr")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sensitivities": "kk"}, "Did you mean 'k'"),
        ({"sensitivities": []}, "no parameter to differentiate by"),
        ({"sensitivities": "u"}, "u: is an input"),
        ({"sensitivities": ["k", "k"]}, "named twice"),
        ({"sensitivities": "k", "reduce": {"a": lambda r: 1.0}}, "no exact derivative"),
        ({"sensitivities": "k", "gradient": "adjoint"}, "derivatives of scalars"),
        ({"sensitivities": "k", "gradient": "backward"}, "no method named 'backward'"),
        ({"sensitivities": "k", "step": 0.1}, "Leave step out"),
        ({"sensitivities": "k", "solver": "rk4"}, "no solver for sensitivities named 'rk4'"),
        ({"sensitivities": "k", "backend": "lanes"}, "along with single cases"),
        ({"sensitivities": "k", "channels": "rail.slid"}, "Did you mean 'rail.slide"),
        ({"reduce": {"a": lw.Final("rail.slide")}}, "sensitivities=[…]"),
    ],
)
def test_refused(m, options, said):
    with pytest.raises(lw.LinkworkError) as told:
        m.sweep({"k": STIFFNESS}, 1, **options)
    assert said in str(told.value)


def test_maps_have_none(m):
    with pytest.raises(lw.LinkworkError, match="nothing is run"):
        m.sweep({"k": STIFFNESS}, of="equilibrium", sensitivities="k")
