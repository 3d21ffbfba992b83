"""Result as a mapping: names, units, patterns, interpolation, summary."""

from __future__ import annotations

import json

import numpy as np
import pytest

import linkwork.files
import linkwork.plots  # noqa: F401  (both attach their verbs to Result)
from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.core.program import Channel
from linkwork.core.result import Result


def run(**changes) -> Result:
    t = np.array([0.0, 1.0, 2.0])
    columns = {
        "piston.x": ("m", t * 2),
        "piston.vx": ("m/s", t * 0 + 2),
        "energy.total": ("J", np.array([5.0, 4.0, 3.5])),
        "energy.dissipated": ("J", np.array([0.0, 1.0, 1.25])),
        "residual.position": ("m", np.array([0.0, 1e-12, -3e-12])),
    }
    options = {
        "record": {
            "model": "slide<r>",
            "formulation": "absolute",
            "solver": "dopri5",
            "rtol": 1e-8,
            "timings": {"compile": 0.25, "run": 0.0015},
            "statistics": {"accepted": np.int64(42), "rejected": 3},
        },
        "events": [(0.5, "hit")],
    } | changes
    channels = [Channel(name, unit) for name, (unit, _) in columns.items()]
    return Result(t, np.stack([values for _, values in columns.values()], axis=1), channels, **options)


def test_channels_are_read_by_name_and_cannot_be_written():
    r = run()
    assert r["piston.x"].tolist() == [0, 2, 4]
    assert "piston.x" in r and "piston.z" not in r
    assert list(r.keys())[0] == "piston.x" and len(r) == 5
    assert r.unit("piston.vx") == "m/s"
    with pytest.raises(ValueError, match="read-only"):
        r["piston.x"][0] = 1.0


def test_unknown_channel_suggests_the_nearest():
    with pytest.raises(UnknownName, match=r"Did you mean 'piston\.x'"):
        run()["pistn.x"]


def test_patterns_keep_the_order_asked_for_and_name_each_channel_once():
    r = run()
    assert r.names("energy.*", "piston.x", "*.x") == ["energy.total", "energy.dissipated", "piston.x"]
    assert list(r.select("piston.*")) == ["piston.x", "piston.vx"]
    with pytest.raises(UnknownName):
        r.names("crank.*")


def test_a_name_with_brackets_is_found_as_it_is():
    r = Result([0.0], [[1.0]], [Channel("arm[1].x")])
    assert r.names("arm[1].x") == ["arm[1].x"]


@pytest.mark.parametrize(("time", "x"), [(0.0, 0.0), (0.25, 0.5), (1.0, 2.0), (2.0, 4.0)])
def test_values_between_samples(time, x):
    assert run().at(time)["piston.x"] == pytest.approx(x)


def test_values_where_an_event_left_two_samples_at_one_time():
    r = Result([0.0, 1.0, 1.0, 2.0], [[0.0], [1.0], [5.0], [6.0]], [Channel("x")])
    assert r.at(0.5)["x"] == 0.5
    assert r.at(1.5)["x"] == 5.5
    assert Result([1.0, 1.0], [[2.0], [3.0]], [Channel("x")]).at(1.0)["x"] == 2.0


@pytest.mark.parametrize("time", [-0.1, 2.1, float("nan")])
def test_no_value_outside_the_run(time):
    with pytest.raises(LinkworkError, match="covers 0 … 2 s"):
        run().at(time)


def test_final_values():
    assert run().final["energy.total"] == 3.5
    with pytest.raises(LinkworkError, match="empty"):
        _ = Result([], np.empty((0, 1)), [Channel("x")]).final


def test_shapes_and_names_must_fit():
    with pytest.raises(ValueError, match="shape"):
        Result([0.0, 1.0], [[1.0]], [Channel("x")])
    with pytest.raises(ValueError, match="same name"):
        Result([0.0], [[1.0, 2.0]], [Channel("x"), Channel("x")])


def test_record_is_plain_json():
    r = run(record={"a": np.array([1.0, 2.0]), "b": (np.float64(1.5), None), 3: {"c": np.bool_(True)}})
    assert json.loads(json.dumps(r.record)) == r.record == {"a": [1.0, 2.0], "b": [1.5, None], "3": {"c": True}}


def test_summary_tells_what_ran_and_how_well():
    text = repr(run())
    for part in ("slide<r>", "0 … 2 s", "absolute", "dopri5, rtol 1e-08", "42, 3 more", "1.5 ms", "250 ms", "3e-12"):
        assert part in text
    assert run().summary()["energy drift"] == "0.25 J"
    assert "status" not in run().summary()
    assert run(record={"status": "cancelled"}).summary()["status"] == "cancelled"
    assert "slide&lt;r&gt;" in run()._repr_html_()


def test_summary_of_an_empty_result():
    assert "none" in repr(Result([], np.empty((0, 0)), []))


def test_verbs_show_up_as_methods():
    assert {"plot", "save", "load", "reaction", "to_xarray"} <= set(dir(Result))
    assert Result.plot.__doc__ and Result.save.__doc__ and Result.load.__doc__


def test_pandas_keeps_units():
    pytest.importorskip("pandas")
    frame = run().to_pandas()
    assert frame.index.name == "t" and frame["piston.x"].tolist() == [0, 2, 4]
    assert frame.attrs["units"]["piston.x"] == "m"


def test_xarray_keeps_units():
    pytest.importorskip("xarray")
    data = run().to_xarray()
    assert data["piston.x"].attrs["units"] == "m" and data["t"].values.tolist() == [0, 1, 2]
    assert data.attrs["formulation"] == "absolute"
    assert json.loads(data.attrs["statistics"]) == {"accepted": 42, "rejected": 3}


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(LinkworkError, match=r"linkwork\[data\]"):
        run().to_pandas()
