"""Saving, links, figures, and the same model in Python."""

from __future__ import annotations

import base64
import tomllib
import zlib
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.core.errors import LinkworkError
from linkwork.files.models.loading import loads
from linkwork.files.models.saving import content_of
from linkwork.files.models.toml_text import written
from linkwork.studio.server import links
from linkwork.studio.server.document import text_of
from linkwork.studio.server.python_text import python_of

SHORT = ["slider_crank", "crane", "motor_slider_crank", "hydraulic_jack", "bicycle"]


def test_a_model_is_saved_and_opened_again(pendulum, tmp_path):
    assert not pendulum("state")["saved"]
    pendulum("save", path="my pendulum.toml")
    assert pendulum("state")["saved"] and pendulum("state")["path"] == "my pendulum.toml"
    assert list(lw.load(tmp_path / "my pendulum.toml").components) == ["ground", "bar", "O"]
    pendulum("set", name="bar", argument="mass", value=9)
    assert not pendulum("state")["saved"]
    pendulum("save", path="my pendulum.toml")  # its own file
    pendulum("new")
    assert pendulum("files")["files"] == [{"path": "my pendulum.toml", "bytes": pendulum("files")["files"][0]["bytes"]}]
    pendulum("open", file="my pendulum.toml")
    assert pendulum.session.model["bar"].mass == 9 and pendulum("state")["saved"]


def test_files_of_others_are_not_overwritten_unasked(pendulum, tmp_path):
    (tmp_path / "a.toml").write_text("mine")
    with pytest.raises(LinkworkError, match="exists"):
        pendulum("save", path="a.toml")
    assert (tmp_path / "a.toml").read_text() == "mine"
    pendulum("save", path="a.toml", overwrite=True)
    assert (tmp_path / "a.toml").read_text() == pendulum.session.document.text


@pytest.mark.parametrize(
    "path", ["a.py", "a", "a.toml.exe", ".bashrc", "../a.toml", "no/such/a.toml", "/tmp/a.toml", ""]
)
def test_only_model_files_of_the_folder_are_written(pendulum, path, tmp_path):
    with pytest.raises(LinkworkError):
        pendulum("save", path=path, overwrite=True)
    assert [p.name for p in tmp_path.iterdir()] == [".linkwork-studio"]


def test_results_are_saved_or_sent(pendulum, tmp_path):
    run = pendulum("run", duration=0.1)["run"]
    pendulum("save_result", run=run, path="r.csv")
    np.testing.assert_array_equal(lw.load(tmp_path / "r.csv")["O.angle"], pendulum.session.run(run).result["O.angle"])
    sent = pendulum("save_result", run=run, format="csv")
    assert base64.b64decode(sent["data"]) == (tmp_path / "r.csv").read_bytes() and sent["name"] == "pendulum.csv"
    with pytest.raises(LinkworkError):
        pendulum("save_result", run=run, format="exe")
    with pytest.raises(LinkworkError):
        pendulum("save_result", run=run, path="../r.csv")


def test_figures_and_pictures_are_sent(pendulum):
    first, second = (pendulum("run", duration=0.1, parameters={"k": k})["run"] for k in (1.0, 2.0))
    figure = pendulum("figure", run=first, channels=["O.angle"], runs=[second])
    assert b"<svg" in base64.b64decode(figure["data"]) and figure["kind"] == "image/svg+xml"
    picture = pendulum("picture", format="png")
    assert base64.b64decode(picture["data"]).startswith(b"\x89PNG")
    for wrong in ({"format": "exe"}, {"kind": "magic"}):
        with pytest.raises(LinkworkError):
            pendulum("figure", run=first, **wrong)


def test_a_link_carries_the_whole_model(pendulum, asking):
    text = pendulum("link")["text"]
    assert set(text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")
    other = asking("other")
    other("open", text=text)
    assert other.session.document.text == pendulum.session.document.text


@pytest.mark.parametrize("text", ["lw1.", "lw1.!!!", "lw1.AAAA", "lw1." + "A" * 1000, "lw1.\u00e9"])
def test_a_damaged_link_is_told(ask, text):
    with pytest.raises(LinkworkError, match="link"):
        ask("open", text=text)


def test_a_link_that_unpacks_to_too_much_is_refused(monkeypatch):
    monkeypatch.setattr(links, "LARGEST_TEXT", 1000)
    bomb = links.BEGINNING + base64.urlsafe_b64encode(zlib.compress(b"a" * 10**6)).decode().rstrip("=")
    with pytest.raises(LinkworkError, match="cut off"):
        links.text_of(bomb)


@pytest.mark.parametrize("name", [*SHORT, "right_angles", "snakeboard", "robot"])
def test_the_script_builds_the_same_model(example, name):
    text = written(content_of(example(name)))
    script = python_of(tomllib.loads(text))
    scope: dict[str, object] = {}
    exec(script, scope)
    assert written(content_of(scope["m"])) == text  # type: ignore[arg-type]
    assert ("loads(" in script) == (name not in SHORT)


def test_operators_and_functions_mean_the_same_in_the_script_and_in_the_file():
    body = "-(2 - (x - 3))/4/(5*t)**2**(-1) + if_else(t < 1 and not (x > 2), sinh(x), pi) - 2*(1 - x)*(3/(t/2))"
    data = {
        "linkwork": 1,
        "model": {"name": 'a "quoted" name', "gravity": [0, -9.81]},
        "component": {
            "lambda": {"type": "body", "mass": 1, "inertia": 1},
            "1a": {
                "type": "revolute",
                "first": "ground",
                "second": "`lambda`",
                "free": {"angle": {"laws": [f"Effort((t, x) -> {body})"]}},
            },
        },
    }
    scope: dict[str, object] = {}
    exec(python_of(data), scope)
    by_script, by_file = scope["m"], loads(text_of(data), Path("x.toml"))
    assert isinstance(by_script, lw.Model) and by_script.name == 'a "quoted" name'
    x, t = 0.7, 0.9
    one, other = (
        float(lw.SX(m["1a"].angle.laws[0].effort(lw.SX(t), lw.SX(x), lw.SX(0)))) for m in (by_script, by_file)
    )
    wanted = -(2 - (x - 3)) / 4 / (5 * t) ** 2 ** (-1) + np.sinh(x) - 2 * (1 - x) * (3 / (t / 2))
    assert one == other == pytest.approx(wanted, rel=1e-12)
