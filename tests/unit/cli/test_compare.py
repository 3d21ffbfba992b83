"""`linkwork compare`: what it prints, writes and returns; and `--formulation auto`."""

from __future__ import annotations

import json

import pytest

from linkwork.cli.app import main


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_prints_the_table_and_writes_the_files(here, capsys):
    words = ["compare", "slider-crank", "1", "--channel", "piston.vx,crank.wz", "-o", "d.svg", "--json", "d.json"]
    assert main([*words, "--formulations", "absolute,minimal,compliant"]) == 0
    out = capsys.readouterr().out
    for part in ("absolute", "compliant", "radau", "piston.vx [m/s]", "energy drift", "wrote d.svg", "wrote d.json"):
        assert part in out
    assert {run["name"] for run in json.loads((here / "d.json").read_text())["runs"]} >= {"absolute", "minimal"}
    assert "crank.wz" in (here / "d.svg").read_text()


def test_a_failed_run_is_shown_and_makes_the_exit_code_one(here, capsys):
    assert main(["compare", "slider-crank", "0.5", "--solvers", "dopri5,rk4"]) == 1
    out = capsys.readouterr().out
    assert "absolute/rk4 failed" in out and "fixed step" in out and "minimal/dopri5" in out
    assert (
        main(
            [
                "compare",
                "slider-crank",
                "0.5",
                "--formulations",
                "absolute,minimal",
                "--solvers",
                "rk4",
                "--step",
                "0.01",
                "-q",
            ]
        )
        == 0
    )
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        (["--formulations", "absolut"], 2, "Did you mean 'absolute'"),
        (["--channel", "piston.vxx"], 2, "Did you mean"),
        (["-o", "d.bmp"], 1, ".svg, .png, .pdf"),
        (["--json", "nowhere/d.json"], 1, "cannot be written"),
    ],
)
def test_mistakes(here, capsys, words, code, part):
    assert main(["compare", "slider-crank", "0.1", *words]) == code
    assert part in capsys.readouterr().err


def test_run_takes_the_automatic_formulation(here, capsys):
    assert main(["run", "slider-crank", "0.2", "--formulation", "auto", "--no-plot"]) == 0
    assert "minimal" in capsys.readouterr().out
