"""Runs: the same numbers as without the studio, with other parameters, cut short, or refused."""

from __future__ import annotations

import base64
import json

import numpy as np
import pytest

from linkwork.core.errors import LinkworkError
from linkwork.studio.build import build_scene
from linkwork.studio.server.answers import as_json


def numbers(text: str, kind: str = "<f8") -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), kind)


def test_a_run_has_the_numbers_of_the_model_itself(ask, example):
    ask("open", example="slider-crank")
    run = ask("run", duration=1.0, parameters={"torque": 12.0}, label="more torque")
    there = ask("channels", run=run["run"], names=["piston.x", "O.reaction.*"])
    model = example("slider_crank")
    expected = model.simulate(1.0, parameters={"torque": 12.0})
    np.testing.assert_array_equal(numbers(there["t"]), expected.t)
    for name, packed in there["values"].items():
        np.testing.assert_array_equal(numbers(packed), expected[name])
    assert set(there["values"]) == {"piston.x", *expected.names("O.reaction.*")} and there["units"]["piston.x"] == "m"
    assert (run["label"], run["status"], run["t_end"]) == ("more torque", "finished", 1.0) and run["warnings"] == []
    assert run["parameters"] == {"torque": 12.0} and ask.session.parameters == {"torque": 10.0}
    assert len(numbers(run["scene"]["motion"]["t"])) == expected.t.size
    assert run["show"][:2] == ["piston.x", "O.angle.rate"] and run["energy"]["error"] < 1e-6
    assert any(event["event"] == "progress" for event in ask.events)


def test_edited_parameters_and_given_ones_are_the_same(pendulum):
    given = pendulum("run", duration=0.5, parameters={"k": 7.0})
    pendulum("set", name="k", argument="value", value=7.0)
    edited = pendulum("run", duration=0.5)
    a, b = (pendulum("channels", run=r["run"], names=["O.angle"])["values"] for r in (given, edited))
    assert a == b


def test_energies_are_told_with_their_balance(pendulum):
    run = pendulum("run", duration=0.5)
    told = pendulum("energy", run=run["run"])
    assert set(told["values"]) >= {"energy.kinetic", "energy.total", "energy.supplied"}
    total = numbers(told["values"]["energy.total"])
    assert told["balance"]["first"] == total[0] and told["balance"]["error"] < 1e-6


def test_only_so_many_runs_are_kept(pendulum, monkeypatch):
    monkeypatch.setattr("linkwork.studio.server.session.KEPT_RUNS", 2)
    names = [pendulum("run", duration=0.1)["run"] for _ in range(3)]
    assert list(pendulum.session.runs) == names[1:]
    with pytest.raises(LinkworkError, match="run"):
        pendulum("channels", run=names[0], names=["O.angle"])
    assert [r["run"] for r in pendulum("forget", run=names[1])["runs"]] == names[2:]


@pytest.mark.parametrize(
    "given",
    [
        {"duration": -1.0},
        {"duration": 1.0, "formulation": "magic"},
        {"duration": 1.0, "solver": "magic"},
        {"duration": 1.0, "rtol": 0.0},
        {"duration": 1.0, "parameters": {"nothing": 1.0}},
        {"duration": 1.0, "parameters": {"k": "3"}},
        {"duration": 1.0, "output": 1e-12},
        {"duration": "long"},
    ],
)
def test_what_is_no_run_is_refused(pendulum, given):
    with pytest.raises(LinkworkError):
        pendulum("run", **given)
    assert not pendulum.session.runs


def test_what_is_not_finite_is_null_and_never_a_word():
    assert json.loads(as_json({"a": [1.0, float("nan"), {"b": float("inf")}]})) == {"a": [1.0, None, {"b": None}]}


def test_a_new_document_forgets_runs_and_picture(pendulum):
    pendulum("run", duration=0.1)
    pendulum("new")
    state = pendulum("state")
    assert state["runs"] == [] and state["empty"] and state["scene"] is None and state["problem"] is None
    pendulum("undo")
    assert not pendulum("state")["empty"]


def test_a_run_in_passing_tells_the_motion_of_what_is_shown(pendulum):
    shown = pendulum("run", duration=0.5)
    passing = pendulum("run", duration=0.5, parameters={"k": 9.0}, keep=False, like=shown["run"], plot=["O.angle"])
    whole = pendulum("run", duration=0.5, parameters={"k": 9.0}, plot=["O.angle"])
    assert "scene" not in passing and "channels" not in passing
    assert passing["values"] == whole["values"]
    there, here = whole["scene"]["motion"], passing["motion"]
    assert here["nodes"] == there["nodes"] != shown["scene"]["motion"]["nodes"] and here["t"] == there["t"]
    again = pendulum("run", duration=0.5, keep=False, like=whole["run"])["motion"]  # arrows keep their scale
    scale = pendulum.session.shown.scene.scales["reaction"]
    ratio = scale / build_scene(pendulum.session.run(shown["run"]).result, plot=()).scales["reaction"]
    arrows = [numbers(told["arrows"][0]["v"], "<f4") for told in (again, shown["scene"]["motion"])]
    np.testing.assert_allclose(arrows[0], ratio * arrows[1], rtol=1e-6)
    assert ratio != 1


def test_what_shows_other_things_is_told_as_a_whole(pendulum):
    shown = pendulum("run", duration=0.1)
    pendulum("add", kind="point", name="tip", arguments={"marker": "bar.at(0.5, 0)"})
    assert pendulum("run", duration=0.1, keep=False, like=shown["run"])["scene"]["traces"]
    assert pendulum("run", duration=0.1, keep=False, like="none")["scene"]
