"""The command line: what it prints, writes and returns."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from linkwork.cli import app
from linkwork.cli.app import main
from linkwork.files.results import load

MODEL = '''
"""A block that slides."""
import numpy as np
from linkwork.core.errors import IntegrationError, ModelError
from linkwork.core.program import Channel
from linkwork.core.result import Result

DURATION = 2.0
SHOW = ("block.x",)


class Report:
    def __init__(self, ok):
        self.ok = ok
        self.lines = [("ok", "block", "1 degree of freedom"), ("warning", "block", "[bold]odd[/bold]")]


class Block:
    def __init__(self, ending):
        self.parameters, self.ending = {"speed": 1.0}, ending

    def simulate(self, duration, *, parameters, solver="dopri5", rtol=1e-6):
        t = np.linspace(0, duration, 5)
        data = np.stack([parameters.get("speed", 1.0) * t, 0 * t + rtol], axis=1)
        record = {"model": "block", "solver": solver, "statistics": {"accepted": 7}, "status": "finished"}
        if self.ending == "cancelled":
            t, data, record = t[:3], data[:3], record | {"status": "cancelled"}
        if self.ending == "interrupted":
            raise KeyboardInterrupt
        result = Result(t, data, [Channel("block.x", "m"), Channel("energy.total", "J")], record=record)
        if self.ending == "failed":
            raise IntegrationError("the step became too small at 1 s.", component="block", partial=result)
        if self.ending == "model error":
            raise ModelError("its mass is [negative].", component="block", remedy="Give a positive mass.")
        if self.ending == "defect":
            raise ZeroDivisionError("oh")
        return result

    def check(self, *, parameters):
        return Report(self.ending != "failed")


def model(ending=""):
    return Block(ending)
'''


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "block.py").write_text(MODEL)
    return tmp_path


@dataclass
class Done:
    exit_code: int
    stdout: str
    stderr: str

    @property
    def output(self) -> str:
        return self.stdout + self.stderr


@pytest.fixture
def call(capsys):
    def call(*words: str) -> Done:
        code = main(words)
        return Done(code, *capsys.readouterr())

    return call


def test_run_reports_and_plots(call, folder):
    done = call("run", "block.py")
    assert done.exit_code == 0, done.output
    for part in ("block.x", "dopri5", "7", "at 2 s", "wrote block.svg"):
        assert part in done.stdout
    assert "block.x" in (folder / "block.svg").read_text()


def test_options_reach_the_run_and_the_files(call, folder):
    done = call(
        "run", "block.py", "4", "--set", "speed=3", "--rtol", "1e-3", "--solver", "rk4",
        "--plot", "energy.*, block.x", "-o", "out.png", "--save", "run.nc",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    result = load(folder / "run.nc")
    assert result.final == {"block.x": 12.0, "energy.total": 1e-3}
    assert result.record["solver"] == "rk4" and result.record["show"] == ["energy.*", "block.x"]
    assert (folder / "out.png").read_bytes().startswith(b"\x89PNG") and not (folder / "block.svg").exists()


def test_quiet_and_no_plot(call, folder):
    done = call("run", "block.py", "--quiet", "--no-plot")
    assert (done.exit_code, done.output) == (0, "")
    assert sorted(p.name for p in folder.iterdir() if p.is_file()) == ["block.py"]


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        (["run", "block"], 2, "Did you mean 'block.py'"),
        (["run", "blok.py"], 2, "Did you mean 'block.py'"),
        (["run", "block.py", "--set", "sped=1"], 2, "Did you mean 'speed'"),
        (["run", "block.py", "--set", "speed"], 1, "--set name=value"),
        (["run", "block.py", "--set", "speed=fast"], 1, "not a number"),
        (["run", "block.py", "--plot", "blck.x"], 2, "Did you mean 'block.x'"),
        (["run", "block.py", "-o", "out.bmp"], 1, ".svg, .png, .pdf"),
        (["run", "block.py", "--save", "nowhere/run.nc"], 1, "cannot be written"),
        (["run", "block.py", "--set", "ending=model error"], 1, "block: its mass is [negative]. Give a positive mass."),
        (["run", "block.py", "--set", "ending=defect"], 70, "--debug"),
        (["run", "block.py", "--set", "ending=interrupted"], 130, "Cancelled"),
        (["check", "block.py", "--set", "ending=failed"], 1, "1 degree of freedom"),
        (["run", "empty.py"], 1, "defines no model"),
        (["run", "broken.py"], 1, "NameError"),
    ],
)
def test_errors_are_one_paragraph_and_a_code(call, folder, words, code, part):
    (folder / "empty.py").write_text("")
    (folder / "broken.py").write_text("undefined_name")
    done = call(*words)
    assert done.exit_code == code, done.output
    assert part in done.output and "Traceback" not in done.output


@pytest.mark.parametrize(("ending", "code", "reached"), [("cancelled", 130, 1.0), ("failed", 1, 2.0)])
def test_a_run_that_ends_early_keeps_what_it_has(call, folder, ending, code, reached):
    done = call("run", "block.py", "--set", f"ending={ending}", "--save", "run.csv")
    assert done.exit_code == code
    assert "was kept" in done.stderr and (folder / "block.svg").exists()
    assert load(folder / "run.csv").t[-1] == reached


def test_channels_to_plot_are_looked_for_before_the_run(call, folder):
    """A run of a thousand years would not end; that the channel does not exist is told at once."""
    done = call("run", "pendulum", "3e10", "--plot", "nope", "--save", "run.nc")
    assert done.exit_code == 2 and "no channel named 'nope'" in done.stderr and not (folder / "run.nc").exists()


def test_debug_lets_the_error_through(call, folder):
    with pytest.raises(ZeroDivisionError):
        call("run", "block.py", "--set", "ending=defect", "--debug")


def test_check_prints_the_report_as_it_is(call, folder):
    done = call("check", "block.py")
    assert done.exit_code == 0
    assert "[bold]odd[/bold]" in done.stdout and "ready to run" in done.stdout


def test_a_model_object_will_do_and_needs_a_duration(call, folder):
    (folder / "object.py").write_text("from block import model\nm = model()\ndel model\n")
    assert call("run", "object.py", "1").exit_code == 0
    missing = call("run", "object.py")
    assert missing.exit_code == 1 and "duration" in missing.output


def test_words_that_are_no_command_are_usage_errors(call, folder):
    for words in ([], ["rn"], ["run"], ["run", "block.py", "long"], ["run", "block.py", "--tol", "1"]):
        with pytest.raises(SystemExit) as left:
            call(*words)
        assert left.value.code == 2


def test_the_module_runs_as_a_command():
    done = subprocess.run([sys.executable, "-m", "linkwork", "--help"], capture_output=True, text=True, env=os.environ)
    assert done.returncode == 0 and "examples" in done.stdout


def test_matplotlib_is_left_as_it_was():
    """The short cut taken while it is imported must not outlive the import."""
    code = """
from linkwork.cli.startup import import_matplotlib
import_matplotlib()
import matplotlib.artist, matplotlib.lines
assert "linewidth" in matplotlib.artist.kwdoc(matplotlib.lines.Line2D)
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


BLOCK = """
import linkwork as lw
def model():
    m = lw.Model("block")
    block = m.body("block", mass=2, inertia=1)
    rail = m.prismatic("rail", m.ground.at(0, 0), block.at(0, 0))
    rail.slide.law(lw.Spring(m.parameter("k", 8.0)))
    rail.slide.law(lw.Effort(m.input("push", 1.0)))
    return m
"""


@pytest.fixture
def block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "block.py").write_text(BLOCK)
    return "block.py"


def test_inputs_can_be_set(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["equilibrium", block, "--set", "push=4"]) == 0
    assert "rail.slide  0.5 m" in capsys.readouterr().out
    assert main(["equilibrium", block, "--set", "pull=4"]) == 2
    assert "no parameter or input named 'pull'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["run", "1", "--rtol", "-1"], "rtol=-1"),
        (["optimise", "1", "--minimise", "final:rail.slide"], "--over"),
        (["optimise", "1", "--minimise", "final:rail.slide", "--over", "k=1:9", "--iterations", "0"], "1 or more"),
    ],
)
def test_commands_tell_what_is_wrong(
    block: str, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    assert main([words[0], block, *words[1:]]) == 1
    assert told in capsys.readouterr().err


def test_a_file_that_gives_no_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "three.py").write_text("def model(): return 3")
    assert main(["equilibrium", str(tmp_path / "three.py")]) == 1
    assert "return the Model" in capsys.readouterr().err


def test_asking_for_a_plot_gives_one(block: str, tmp_path: Path) -> None:
    assert main(["kinematics", block, "1", "--drive", "rail.slide=t", "--plot", "rail.slide", "-q"]) == 0
    assert (tmp_path / "block.svg").stat().st_size > 1000


def test_an_interrupt_before_the_command_begins_is_no_traceback(monkeypatch, capsys):
    def interrupted(*words):
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "short_lived", interrupted)
    assert app.entry() == 130
    assert capsys.readouterr().err == ""
