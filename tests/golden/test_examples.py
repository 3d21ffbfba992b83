"""What the command line says of every example, and what its Result holds: metadata, channels, units."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from linkwork.cli.app import main
from linkwork.cli.models import example_names
from linkwork.files.results import load

from .golden import compare

SHARE = 0.1
"""Of the example's own duration: what is chaotic has not yet forgotten its start."""
CHANGING = re.compile(r"^(derive time|compile time|run time|steps|energy drift)( +)\S.*", re.M)
ESTIMATED = re.compile(r"((?:fastest\s+mode|faster\s+than|held\s+to\s+about|asks\s+for|dopri5\s+to)\s+)\d[-+.\de]*")


def test_list(
    request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert main(["examples"]) == 0
    compare("examples.txt", capsys.readouterr().out, request)


@pytest.mark.parametrize("name", example_names())
def test_check(
    name: str, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert main(["check", name]) == 0
    compare(f"check/{name}.txt", capsys.readouterr().out, request, rtol=1e-4)


@pytest.mark.parametrize("name", example_names())
def test_run(
    name: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)
    duration = SHARE * import_module(f"linkwork.examples.{name.replace('-', '_')}").DURATION
    assert main(["run", name, f"{duration:g}", "--no-plot", "--save", "run.nc"]) == 0
    told = ESTIMATED.sub(r"\1…", CHANGING.sub(r"\1\2…", capsys.readouterr().out))
    compare(f"run/{name}.txt", told, request, rtol=1e-4)
    compare(f"result/{name}.txt", account(load("run.nc")), request)


def account(result: Any) -> str:
    """The keys of record and description, then the channels with units, one line per thing they are of."""
    lines = ["record", *(f"  {key}: {_kind(value)}" for key, value in sorted(result.record.items()))]
    lines += ["description", *(f"  {key}: {_kind(value)}" for key, value in sorted(result.description.items()))]
    lines.append("channels")
    for owner, channels in groupby(result.channels, lambda channel: channel.name.partition(".")[0]):
        lines.append(f"  {owner}: " + ", ".join(f"{c.name.partition('.')[2]} [{c.unit}]" for c in channels))
    return "\n".join(lines)


def _kind(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(sorted(value)) + "}"
    if isinstance(value, list):
        return "list"
    return "number" if isinstance(value, float | int) and not isinstance(value, bool) else type(value).__name__
