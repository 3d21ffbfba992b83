"""What the five source papers contain, item by item, each with a check that is run; see `docs/papers.md`.

To add an item: a function in the file of its paper, decorated with `@item(…)`, that runs the thing and returns
`off(…)`, a difference and the bound it keeps, or `same(…)`, what was found and what it must be. `weaker=` says in which
way the paper's claim holds less than it says. `missing(…)` lists what is not there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import numpy as np

PAPERS = {
    "AME": "planar library of bodies and joints as vector constraints",
    "PRT": "rigid bodies as particles",
    "BND": "multibody systems with bond graphs",
    "SYM": "position matrices are enough",
    "ACA": "acausal joints, rolling, the snakeboard",
}
once = cache
"""Of a run or model that several items look at: made when the first of them asks for it."""


@dataclass(frozen=True)
class Finding:
    """What a check found, in words with its number, and whether that is as it must be."""

    text: str
    kept: bool


@dataclass(frozen=True)
class Item:
    """An equation, figure, table, method, example or wish of a paper."""

    paper: str
    number: str
    """Of the equation, figure, table or section."""
    what: str
    where: str
    """Files below src/linkwork, `m.verb` or `lw.name`, separated by commas."""
    reason: str
    """Why it holds only weakly, or is missing."""
    check: Callable[[], Finding] | None
    slow: bool

    @property
    def status(self) -> str:
        if self.check is None:
            return "missing"
        return "weaker" if self.reason else "verified"


ITEMS: list[Item] = []
"""All of them, in the order of the papers."""
Check = TypeVar("Check", bound=Callable[[], Finding])


def item(
    paper: str, number: str, what: str, where: str, *, weaker: str = "", slow: bool = False
) -> Callable[[Check], Check]:
    """Register a check; slow: takes more than about half a second."""

    def register(check: Check) -> Check:
        ITEMS.append(Item(paper, number, what, where, weaker, check, slow))
        return check

    return register


def missing(paper: str, number: str, what: str, reason: str) -> None:
    """Register what the paper has and we have not."""
    ITEMS.append(Item(paper, number, what, "–", reason, None, False))


def off(difference: Any, bound: float, unit: str, text: str) -> Finding:
    """The largest difference must stay below the bound; both in `unit` ("" for a pure number)."""
    size = float(np.max(np.abs(difference), initial=0.0))
    return Finding(f"{text} {_number(size)}{unit and ' ' + unit} (bound {bound:.2g})", size <= bound)


def same(found: Any, expected: Any, text: str) -> Finding:
    """What was found must be what is expected."""
    return Finding(f"{text} {found}", bool(found == expected))


def _number(size: float) -> str:
    """Rounding differs from machine to machine: what is no more than that is told as a power of ten above it."""
    if size == 0 or not math.isfinite(size):
        return f"{size:g}"
    return f"below 1e{math.ceil(math.log10(size)):+03d}" if size < 1e-8 else f"{size:.1e}"


@dataclass(frozen=True)
class Outcome:
    """An item and what its check found just now; None: it has no check."""

    item: Item
    finding: Finding | None

    @property
    def kept(self) -> bool:
        return self.finding is None or self.finding.kept


def run(items: Iterable[Item]) -> list[Outcome]:
    """Run the checks; one that raises has not kept its bound."""
    return [Outcome(x, _found(x.check)) for x in items]


def _found(check: Callable[[], Finding] | None) -> Finding | None:
    if check is None:
        return None
    try:
        return check()
    except Exception as error:
        return Finding(f"{type(error).__name__}: {error}", False)
