"""The page docs/papers.md, written from what the checks have found."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from .audit import PAPERS, Item, Outcome

PAGE = Path(__file__).parents[2] / "docs" / "papers.md"
HEAD = """# The five papers, item by item

What the papers behind Linkwork ([references](references.md)) contain: equations, figures, tables, methods, examples and
wishes. The page is written by a program that runs every line of it (`make papers`). A line is *verified* if the number
in it was found just now and keeps the bound beside it; *weaker* if it runs, but says less than the paper does, with the
reason; *missing* if there is nothing to run. Numbers at the level of rounding are told as the power of ten above them.
Formulas that are damaged or mistaken in print were derived anew; where that matters the line says so.

"""
ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| (verified|\*\*weaker\*\*|\*\*missing\*\*)", re.M)
WORDS = ("verified", "weaker", "missing")


def written(outcomes: Sequence[Outcome]) -> str:
    lines = [HEAD + "| paper | | items | verified | weaker | missing |", "| --- " * 6 + "|"]
    for paper, about in PAPERS.items():
        counts = _counts([x for x in outcomes if x.item.paper == paper])
        lines.append(f"| [{paper}](#{paper.lower()}) | {about} | {counts} |")
    lines.append(f"| all | | {_counts(outcomes)} |")
    for paper, about in PAPERS.items():
        lines += ["", f"## {paper}", "", f"{about[0].upper()}{about[1:]}.", ""]
        lines += ["| in the paper | what it is | in the code | found |", "| --- " * 4 + "|"]
        lines += [_row(x) for x in outcomes if x.item.paper == paper]
    return "\n".join(lines) + "\n"


def cells(x: Item) -> tuple[str, str, str, str]:
    """What of a row does not depend on the numbers found."""
    status = x.status if x.status == "verified" else f"**{x.status}**"
    return x.number, x.what, _code(x.where), status


def rows_of_page() -> list[tuple[str, str, str, str]]:
    """The same, as the page has it."""
    return [(a, b, c, d) for a, b, c, d in ROW.findall(PAGE.read_text("utf-8"))]


def _row(x: Outcome) -> str:
    told = [text for text in (x.finding.text if x.finding else "", x.item.reason) if text]
    return f"| {' | '.join(cells(x.item))}: {'; '.join(told).replace('|', '∣')} |"


def _code(where: str) -> str:
    return where if where == "–" else ", ".join(f"`{name.strip()}`" for name in where.split(","))


def _counts(outcomes: Sequence[Outcome]) -> str:
    found = [sum(x.item.status == word for x in outcomes) for word in WORDS]
    return " | ".join(str(n) for n in (sum(found), *found))
