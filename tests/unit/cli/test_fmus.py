"""Model files that name FMUs: their code runs only where the user has said so."""

from __future__ import annotations

from pathlib import Path

import pytest

import linkwork as lw
from linkwork.cli.app import main

from ...fmus.building import lag


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A model file beside the FMU that it names."""
    (tmp_path / "lag.fmu").write_bytes(lag().read_bytes())
    m = lw.Model("follower", gravity=(0, 0))
    m.revolute("O", m.ground, m.body("disc", mass=1, inertia=1).at())
    m.cosimulation("lag", str(lag()), step=0.05, inputs={"u": 1.0, "on": 0.0}, outputs=["y"])
    m.components["lag"].__dict__["_said"].arguments["file"] = "lag.fmu"
    m.save(tmp_path / "x.toml")
    return tmp_path / "x.toml"


@pytest.mark.parametrize("command", ["run", "check", "view", "export"])
def test_commands_refuse_them_and_say_how_to_allow_them(command: str, file: Path, capsys) -> None:
    extra = {"run": ["0.1"], "view": ["0.1", "--no-open"]}.get(command, [])
    assert main([command, str(file), *extra]) == 1
    said = " ".join(capsys.readouterr().err.split())
    assert "names the FMU 'lag.fmu'" in said and "--allow-fmus" in said
    assert sorted(p.name for p in file.parent.iterdir()) == ["lag.fmu", "x.toml"]


def test_with_consent_it_runs(file: Path, capsys) -> None:
    words = ["run", str(file), "0.1", "--allow-fmus", "--no-plot"]
    assert main(words) == 0
    assert main(words[:3]) == 1  # consent is for one command
    capsys.readouterr()


def test_the_studio_never_reads_them(file: Path, capsys) -> None:
    from linkwork.files.models.loading import loads

    with pytest.raises(lw.ModelError, match="names the FMU"):
        loads(file.read_text("utf-8"), file)  # as its pages read what they show
    assert main(["studio", str(file), "--no-browser"]) == 1
    with pytest.raises(SystemExit):
        main(["studio", str(file), "--allow-fmus"])
    assert "names the FMU" in capsys.readouterr().err
