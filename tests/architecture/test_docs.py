"""README and docs are true: every Python block runs, and prints the output shown after it; links lead somewhere."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

from linkwork.components import laws
from linkwork.core import registry

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md")), *sorted((ROOT / "benchmarks").glob("*.md"))]
FENCED = re.compile(r"^```.*?^```", re.M | re.S)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


def blocks(text: str) -> list[tuple[str, str | None]]:
    """(code, output shown or None) of each Python block; the output may follow after a line or two of prose."""
    parts = re.split(r"^```(\w*)\n(.*?)^```$", text, flags=re.M | re.S)
    prose, kinds, bodies = parts[0::3], parts[1::3], parts[2::3]
    found: list[tuple[str, str | None]] = []
    for k, (kind, body) in enumerate(zip(kinds, bodies, strict=True)):
        if kind != "python":
            continue
        follows = k + 1 < len(kinds) and kinds[k + 1] == "text" and prose[k + 1].count("\n\n") <= 2
        found.append((body, bodies[k + 1] if follows else None))
    return found


@pytest.fixture
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Components that a page defines are gone after it."""
    monkeypatch.setattr(registry, "components", dict(registry.components))


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p.read_text("utf-8"))], ids=lambda p: p.name)
def test_code_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_registry: None) -> None:
    """The blocks of one page share their names, as they would if typed one after the other."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "page"}
    for number, (code, shown) in enumerate(blocks(page.read_text("utf-8")), 1):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, f"{page.name}, Python block {number}", "exec", dont_inherit=True), names)
        if shown is not None:
            assert printed.getvalue().split() == shown.split(), f"{page.name}, Python block {number}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_links_lead_somewhere(page: Path) -> None:
    text = FENCED.sub("", page.read_text("utf-8"))
    missing = [target for target in LINK.findall(text) if not (page.parent / target).exists()]
    assert not missing


def test_every_component_and_law_is_documented() -> None:
    text = (ROOT / "docs" / "components.md").read_text("utf-8")
    own = [name for name, cls in registry.components.items() if cls.__module__.startswith("linkwork.")]
    missing = [name for name in own if f"`m.{name}(" not in text and name != "ground"]
    found = [cls.__name__ for cls in vars(laws).values() if isinstance(cls, type) and issubclass(cls, laws.Law)]
    missing += [name for name in found if f"`lw.{name}(" not in text and name != "Law"]
    assert not missing
