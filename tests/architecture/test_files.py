"""The shape of the source tree: small files, each named after its idea."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SUFFIXES = {".py", ".c", ".h"}
FOLDERS = (ROOT / "src", ROOT / "tests")
SOURCES = sorted(p.relative_to(ROOT) for folder in FOLDERS for p in folder.rglob("*") if p.suffix in SUFFIXES)
LONGEST = 400
VAGUE = {"utils", "util", "helpers", "helper", "misc", "common"}


def test_sources_are_found():
    assert Path("src/linkwork/core/result.py") in SOURCES


@pytest.mark.parametrize("path", SOURCES, ids=str)
def test_file_is_short_and_named_after_its_idea(path):
    assert len((ROOT / path).read_text(encoding="utf-8").splitlines()) <= LONGEST
    assert path.stem not in VAGUE
