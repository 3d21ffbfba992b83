"""Notebooks run, cell by cell, and what their last lines are can be shown."""

from __future__ import annotations

import importlib.util
import json
import time
from pathlib import Path
from types import ModuleType

import pytest

from linkwork.core.progress import notebook_bar, terminal_bar

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    spec = importlib.util.spec_from_file_location("notebook_pages", DOCS / "notebook_pages.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.ci
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_it_runs(path: Path, pages: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = pages.page(path)
    assert "<img" in page or "<table" in page
    assert page.count("```python") == sum(c["cell_type"] == "code" for c in json.loads(path.read_text())["cells"])


def test_there_are_five_without_outputs() -> None:
    assert len(NOTEBOOKS) == 5
    for path in NOTEBOOKS:
        cells = json.loads(path.read_text("utf-8"))["cells"]
        assert all(not cell["outputs"] and cell["execution_count"] is None for cell in cells if "outputs" in cell)


class Handle:
    def __init__(self) -> None:
        self.seen: list[str] = []

    def __call__(self, html: str, display_id: bool) -> Handle:
        self.seen.append(html)
        return self

    def update(self, html: str) -> None:
        self.seen.append(html)


def test_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes after a while, is not looked at too often, and goes."""
    now, handle = [0.0], Handle()
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    bar = notebook_bar.NotebookBar("crank", handle, str)
    bar.stage("compiling")
    bar.share(0.1)
    assert not handle.seen
    now[0] = 0.6
    bar.share(0.25)
    bar.share(0.26)
    now[0] = 0.8
    bar.share(0.5)
    bar.close()
    assert len(handle.seen) == 3 and "25%" in handle.seen[0] and "50% crank: compiling, 0.8 s" in handle.seen[1]
    assert handle.seen[2] == ""


def test_a_stage_that_takes_long_is_shown_while_it_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is announced meanwhile."""
    handle = Handle()
    bar = notebook_bar.NotebookBar("crank", handle, str)
    bar.tick = 0.01
    monkeypatch.setattr(terminal_bar, "PATIENCE", 0.0)
    terminal_bar.watcher.watch(bar)
    bar.stage("compiling")
    end = time.monotonic() + 10.0
    while len(handle.seen) < 3 and time.monotonic() < end:
        time.sleep(0.01)
    terminal_bar.watcher.watch(None)
    bar.close()
    assert "crank: compiling" in handle.seen[2] and handle.seen[-1] == ""


def test_no_bar_outside_of_notebooks() -> None:
    assert notebook_bar.notebook_bar("crank") is None
