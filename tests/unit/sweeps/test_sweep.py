"""`m.sweep`: what it gives is what single runs give, whatever varies and whoever runs it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import linkwork as lw
from linkwork.simulation import cost
from tests.unit.sweeps.models import oscillator, trouble


@pytest.fixture(scope="module")
def m() -> lw.Model:
    return oscillator()


def closed_form(t, k, x0=0.1, v0=0.0, u=0.0):
    w = np.sqrt(k / 2.0)
    return (x0 - u / k) * np.cos(w * t) + v0 / w * np.sin(w * t) + u / k


def test_parameters_starts_and_inputs(m):
    ds = m.sweep(
        {"k": [20.0, 80.0], "rail.slide": [0.1, -0.2], "rail.slide.rate": [0.0, 0.5], "u": [0.0, 3.0]}, 1,
        backend="serial", output=0.1,
    )  # fmt: skip
    assert ds["rail.slide"].dims == ("case", "t") and ds["rail.slide"].shape == (16, 11)
    columns = ("k", "rail.slide.start", "rail.slide.rate.start", "u")
    for case, row in enumerate(zip(*(ds[name].values for name in columns), strict=True)):
        assert ds["rail.slide"][case].values == pytest.approx(closed_form(ds.t.values, *row), abs=1e-7)
    assert set(ds.status.values) == {"finished"} and set(ds.end_time.values) == {1.0}
    assert ds["k"].attrs["units"] == "N/m" and ds["rail.slide"].attrs["units"] == "m"
    assert m.parameters == {"k": 50.0} and m["rail"].slide.value == 0.1  # the model is as it was


def test_the_same_as_single_runs(m):
    ds = m.sweep({"k": [20.0, 80.0]}, 1, channels=["block.*", "energy.total"], backend="serial", parameters=None)
    for case, k in enumerate((20.0, 80.0)):
        r = m.simulate(1, parameters={"k": k})
        for name in ("block.x", "block.vx", "energy.total"):
            assert np.array_equal(ds[name][case].values, r[name])


def test_what_is_kept(m):
    ds = m.sweep(
        {"k": [50.0]}, 1, channels="rail.slide", keep=["end", "min", "max", "mean", "rms", "integral"],
        reduce={"span": lambda r: np.ptp(r["rail.slide"])}, output=0.001,
    )  # fmt: skip
    w = 5.0
    exact = {
        "end": 0.1 * np.cos(w), "min": -0.1, "max": 0.1, "mean": 0.1 * np.sin(w) / w, "integral": 0.1 * np.sin(w) / w,
        "rms": 0.1 * np.sqrt(0.5 + np.sin(2 * w) / (4 * w)),
    }  # fmt: skip
    for way, value in exact.items():
        assert float(ds[f"rail.slide.{way}"][0]) == pytest.approx(value, abs=2e-6)
    assert float(ds["span"][0]) == pytest.approx(0.2, abs=1e-6)
    assert "rail.slide" not in ds and ds["rail.slide.integral"].attrs["units"] == "m·s"


def test_signals_vary(m):
    ramp = lw.Table([0, 1], [0, 10])
    ds = m.sweep({"u": [ramp, ([0, 1], [0, 0]), lambda t: 2.0]}, 1, keep="end", backend="serial")
    for case, u in enumerate((ramp, ([0, 1], [0, 0]), lambda t: 2.0)):
        assert float(ds["rail.slide.end"][case]) == m.simulate(1, inputs={"u": u})["rail.slide"][-1]


def test_fixed_values_hold_in_all_cases(m):
    ds = m.sweep({"k": [20.0, 30.0]}, 1, inputs={"u": 2.0}, keep="end", backend="serial")
    assert ds["rail.slide.end"].values == pytest.approx([closed_form(1.0, k, u=2.0) for k in (20, 30)], abs=1e-7)


def test_one_compilation_for_all(m, monkeypatch):
    m.sweep({"k": [1.0, 2.0]}, 1, backend="serial")
    from linkwork.compile import program

    monkeypatch.setattr(program, "compile_source", lambda *_, **__: pytest.fail("compiled again"))
    m.sweep({"k": [3.0, 4.0]}, 1, backend="serial")


@pytest.fixture(scope="module")
def troubled():
    with pytest.warns(lw.LinkworkWarning, match="2 of 4 cases failed; the first of them is case 0"):
        return trouble().sweep(
            [{"L": 0.1, "limit": 9.0}, {"L": 1.0, "limit": 9.0}, {"L": 1.0, "limit": 1.5}, {"L": 1.2, "limit": 4.0}], 1,
            channels=["O.angle"], keep=["series", "end"], backend="serial",
        )  # fmt: skip


def test_cases_that_do_not_end_say_why(troubled):
    ds = troubled
    assert ds.status.values.tolist() == ["failed", "event", "failed", "event"]
    cannot, event, root, _ = ds.reason.values
    assert "cannot close" in cannot and event == "end" and "O.angle" in root
    assert ds.end_time.values[0] == 0 and 0 < ds.end_time.values[2] < 1
    angle = ds["O.angle"].values
    assert np.isnan(angle[0]).all() and angle[2][0] == pytest.approx(1.0)
    for case in (1, 2, 3):  # samples up to there are kept, those behind it are not numbers
        there = ds.t.values <= ds.end_time.values[case]
        assert np.isfinite(angle[case][there]).all() and np.isnan(angle[case][~there]).all()
    assert np.nanmax(angle[2]) <= 1.5  # where the root ends
    assert np.isnan(ds["O.angle.end"].values[[0, 2]]).all()
    assert ds["O.angle.end"].values[[1, 3]] == pytest.approx(2.5)


def test_a_users_function_that_fails_is_told(m):
    with pytest.warns(lw.LinkworkWarning, match="ZeroDivisionError"):
        ds = m.sweep({"k": [1.0, 2.0]}, 1, reduce={"bad": lambda r: 1 / 0}, backend="serial")
    assert set(ds.status.values) == {"failed"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"design": {"kk": [1]}}, "Did you mean 'k'"),
        ({"design": {"rail.slid": [1]}}, "Did you mean 'rail.slide'"),
        ({"design": {}}, "empty"),
        ({"design": {"k": [1]}, "duration": None}, "duration None"),
        ({"parameters": {"k": 1.0}}, "both fixed and varied"),
        ({"parameters": {"q": 1.0}}, "there is no parameter named 'q'"),
        ({"inputs": {"q": 1.0}}, "there is no input named 'q'"),
        ({"channels": "rail.slid"}, "Did you mean 'rail.slide"),
        ({"keep": "men"}, "Did you mean 'mean'"),
        ({"reduce": 3}, "reduce=3"),
        ({"backend": "tread"}, "Did you mean 'threads'"),
        ({"workers": 0}, "workers=0"),
        ({"seed": 1.5}, "seed=1.5"),
        ({"cases": 0, "design": {"k": lw.normal(1, 1)}}, "cases=0"),
        ({"to": "study.nc"}, "study.zarr"),
        ({"design": {"k": [lambda t: 1.0]}}, "only inputs can be driven"),
        ({"channels": [], "reduce": {}}, "nothing is to be kept"),
        ({"of": "simulat"}, "Did you mean 'simulate'"),
    ],
)
def test_refused(m, options, said):
    given = {"design": {"k": [1.0]}, "duration": 1.0} | options
    with pytest.raises(lw.LinkworkError) as told:
        m.sweep(given.pop("design"), given.pop("duration"), **given)
    assert said in str(told.value)


def test_start_of_a_coordinate_that_is_driven_is_told(m):
    """Every case fails with the reason that a single run would give."""
    driven = oscillator()
    driven["rail"].slide.law(lw.Motion(lambda t: 0.1 + t))
    with warnings.catch_warnings(), pytest.raises(lw.LinkworkError, match="Motion begins at"):
        driven.sweep({"rail.slide": [0.0, 0.2]}, 1, backend="serial")


def test_too_large_for_the_memory(m, monkeypatch):
    monkeypatch.setattr(cost, "ALWAYS", 0.0)
    monkeypatch.setattr(cost, "free_memory", lambda: 1e5)
    with pytest.raises(lw.ModelError, match="to=.study.zarr"):
        m.sweep({"k": lw.normal(50, 1)}, 1, cases=100, backend="serial")
