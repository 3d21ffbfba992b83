"""README and docs are true: every Python block runs, and prints the output shown after it; links lead somewhere."""

from __future__ import annotations

import contextlib
import inspect
import io
import re
from pathlib import Path
from typing import Any

import pytest

import linkwork as lw
from linkwork.components import laws
from linkwork.core import reference, registry

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md")), *sorted((ROOT / "benchmarks").glob("*.md"))]
FENCED = re.compile(r"^```.*?^```", re.M | re.S)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")
NAME = re.compile(r"\b(m|lw|g|r|s)\.(\w+)")


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


@pytest.mark.ci
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


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "coming-from").glob("*.md")), ids=lambda p: p.stem)
def test_dictionaries_name_what_there_is(page: Path) -> None:
    """What stands for a word of another program exists here."""
    kinds = {"m": lw.Model("any"), "lw": lw, "g": lw.BondGraph, "r": lw.Result, "s": lw.Stepper}
    code = " ".join(re.findall(r"`[^`]+`", FENCED.sub("", page.read_text("utf-8"))))
    missing = [f"{k}.{word}" for k, word in NAME.findall(code) if not hasattr(kinds[k], word)]
    assert not missing


def test_every_component_and_law_is_documented() -> None:
    text = (ROOT / "docs" / "components.md").read_text("utf-8")
    own = [name for name, cls in registry.components.items() if cls.__module__.startswith("linkwork.")]
    missing = [name for name in own if f"`m.{name}(" not in text and name != "ground"]
    found = [cls.__name__ for cls in vars(laws).values() if isinstance(cls, type) and issubclass(cls, laws.Law)]
    missing += [name for name in found if f"`lw.{name}(" not in text and name != "Law"]
    assert not missing


def test_page_of_arguments_is_up_to_date() -> None:
    page = (ROOT / "docs" / "arguments.md").read_text("utf-8")
    assert page == reference.text(), "run python -m linkwork.core.reference docs/arguments.md"


CALL = re.compile(r"`(m|lw)\.(\w+)\(([^`]*)\)`")


def test_calls_of_components_are_true() -> None:
    """What a call on the page lists is there, in this order and with these defaults; `…` at its end leaves the rest."""
    text = (ROOT / "docs" / "components.md").read_text("utf-8")
    found = 0
    for where, word, listed in CALL.findall(text):
        cls = registry.components.get(word) if where == "m" else getattr(laws, word, None)
        if cls is None or (where == "m" and not listed.startswith("name")):
            continue
        said = {str(p).partition(":")[0]: _default(p) for p in inspect.signature(cls).parameters.values()}
        shown = [part.strip() for part in re.split(r",\s(?![^(]*\))", " ".join(listed.split()))] if listed else []
        whole = "…" not in shown[-1:]
        given = {part.partition("=")[0]: part.partition("=")[2] for part in (shown if whole else shown[:-1])}
        assert [name for name in said if name in given] == list(given), f"{word}: {listed}"
        assert all(value in ("…", said[name]) for name, value in given.items()), f"{word}: {given} instead of {said}"
        assert not whole or list(said) == list(given), f"{word}: {listed}"
        found += 1
    assert found > 100


def _default(p: inspect.Parameter) -> str:
    if p.default is not inspect.Parameter.empty:
        return repr(p.default)
    return "…" if p.kind is p.KEYWORD_ONLY else ""


def test_citation_names_this_version() -> None:
    assert f"\nversion: {lw.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
