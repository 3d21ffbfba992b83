"""The page of all arguments in the documentation, from their declarations: `python -m linkwork.core.reference FILE`."""

from __future__ import annotations

import inspect
import sys
from inspect import Parameter
from pathlib import Path

from linkwork.core import declarations, registry
from linkwork.core.component import Component
from linkwork.core.declared import Argument, Declared, arguments_of

HEAD = """# Arguments

Every argument of every component and law, as its constructor declares it: its unit, the range of its numbers, what it
is unless given, and what it means. [Components](components.md) has them by subject. A range holds for values of
parameters too; where it may be left by `lw.signed`, parameters may leave it. `help(m.revolute)` tells the same.

This page is written by `python -m linkwork.core.reference docs/arguments.md`.
"""


def text() -> str:
    """The whole page."""
    declarations.load_all()
    own = {word: cls for word, cls in registry.components.items() if cls.__module__.startswith("linkwork.")}
    sections = [_section(f"m.{word}", cls) for word, cls in sorted(own.items()) if word != "ground"]
    laws = {c.__name__: c for base in Declared.__subclasses__() if base is not Component for c in base.__subclasses__()}
    said = [_section(f"lw.{name}", c) for name, c in sorted(laws.items()) if c.__module__.startswith("linkwork.")]
    return "\n".join([HEAD, "## Components", *sections, "## Laws", *said])


def _section(call: str, cls: type[Declared]) -> str:
    rows = [_row(word, a) for word, a in arguments_of(cls.__init__).items() if a.name not in ("self", "name")]
    table = ["| argument | unit | range | unless given | |", "| --- | --- | --- | --- | --- |", *rows] if rows else []
    doc = (inspect.getdoc(cls) or "").partition("\n\n")[0].replace("\n", " ")
    return "\n".join([f"\n### {call}\n", doc, *([""] if table else []), *table, ""])


def _row(word: str, argument: Argument) -> str:
    unless = f"`{argument.default!r}`"
    if argument.default is Parameter.empty:
        unless = "none" if word.startswith("*") else "required"
    numbers = argument.kind.range.said if argument.kind.range else ""
    cells = (f"`{word}`", argument.kind.unit, numbers, unless, argument.meaning)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(text(), encoding="utf-8")
