"""The studio's page: its scripts name each other rightly, and nothing in them could run what a model says."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

WEB = Path(str(files("linkwork.studio") / "web"))
SCRIPTS = sorted(WEB.rglob("*.js"))
IMPORTED = re.compile(r"""(?:from|import)\s*\(?\s*"(\.[^"]+)\"""")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.relative_to(WEB).as_posix())
def test_a_script_imports_what_there_is_and_makes_no_markup_of_text(script):
    text = script.read_text("utf-8")
    for name in IMPORTED.findall(text):
        assert (script.parent / name).is_file(), name
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "srcdoc"):
        assert word not in text, word
    assert set(re.findall(r"https?://[^\s\"'`]+", text)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1998/Math/MathML",
        "http://…#m=…",
    }


def test_the_page_asks_for_all_its_scripts_at_once_and_runs_none_of_its_own():
    page = (WEB / "index.html").read_text("utf-8")
    asked = set(re.findall(r'rel="modulepreload" href="\./web/([^"]+)"', page))
    assert asked == {script.name for script in WEB.glob("*.js")} - {"app.js"}
    assert re.findall(r"<script[^>]*>([^<]+)</script>", page) == []
    assert not re.search(r"\son\w+\s*=", page) and "style=" not in page


def test_every_icon_that_is_named_is_drawn():
    page = (WEB / "index.html").read_text("utf-8")
    drawn = set(re.findall(r'<symbol id="i-([\w-]+)"', page))
    text = "\n".join(script.read_text("utf-8") for script in WEB.glob("*.js"))
    named = set(re.findall(r'(?:icon|empty)\("([\w-]+)"', text)) | set(re.findall(r'icon: "([\w-]+)"', text))
    named |= set(re.findall(r'"#i-([\w-]+)"', text)) | set(re.findall(r'href="#i-([\w-]+)"', page))
    assert named - drawn == set()
