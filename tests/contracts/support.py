"""What each formulation and each verb takes: the tables of docs/support.md; `python -m tests.contracts.support`."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Sequence
from pathlib import Path

import linkwork as lw
from linkwork.core import registry
from linkwork.formulations import formulations

from .every_component import COMPONENTS, channels, model_with

PAGE = Path(__file__).parents[2] / "docs" / "support.md"
FORMULATIONS = [name for name in formulations if not name.endswith("-scalar")]
SOFT = ("compliant", "bondgraph-rc")
"""Joints are springs, which carry nothing yet at the start."""
CHANGING = ("connect", "plane", "save")
"""Verbs that change the model and ask for no number."""
WORDS = ("parameters", "inputs", "formulation", "solver")
ROW = re.compile(r"^\| `m\.(\w+)` \| (.*) \|$", re.M)


class Outcome:
    """What the formulations make of one component: {formulation: channels, or the error}."""

    def __init__(self, component: str, formulations: Sequence[str] = FORMULATIONS):
        self.component = component
        self.found: dict[str, dict[str, float] | lw.LinkworkError] = {}
        model = model_with(component)
        for formulation in formulations:
            try:
                self.found[formulation] = channels(model, formulation)
            except lw.LinkworkError as error:
                self.found[formulation] = error

    @property
    def refusals(self) -> dict[str, lw.LinkworkError]:
        return {f: x for f, x in self.found.items() if isinstance(x, lw.LinkworkError)}

    @property
    def taken(self) -> dict[str, dict[str, float]]:
        return {f: x for f, x in self.found.items() if not isinstance(x, lw.LinkworkError)}

    def cell(self, formulation: str) -> str:
        return "–" if formulation in self.refusals else "✓"

    def row(self) -> str:
        cells = [self.cell(f) for f in FORMULATIONS]
        reasons = dict.fromkeys(e.cause.replace(f"formulation {f!r}", "it") for f, e in self.refusals.items())
        return " | ".join([*cells, " ".join(reasons)])


def verb_row(verb: str) -> str:
    taken = inspect.signature(registry.verbs[verb]).parameters
    return " | ".join("✓" if word in taken or f"{word}s" in taken else "–" for word in WORDS)


def rows_of_page() -> dict[str, str]:
    """{component or verb: the cells of its row}."""
    return dict(ROW.findall(PAGE.read_text("utf-8")))


def written() -> str:
    """The page with its tables as they are now."""
    text, found = PAGE.read_text("utf-8"), {}
    for name in COMPONENTS:
        found[name] = Outcome(name).row()
    head = f"| component | {' | '.join(f'`{f}`' for f in FORMULATIONS)} | why not |\n" + "| --- " * 12 + "|\n"
    text = _between(text, "components", head + "".join(f"| `m.{n}` | {row} |\n" for n, row in sorted(found.items())))
    head = f"| verb | {' | '.join(f'`{w}`' for w in WORDS)} |\n" + "| --- " * (1 + len(WORDS)) + "|\n"
    verbs = sorted(v for v, f in registry.verbs.items() if f.__module__.startswith("linkwork.") and v not in CHANGING)
    return _between(text, "verbs", head + "".join(f"| `m.{v}` | {verb_row(v)} |\n" for v in verbs))


def _between(text: str, mark: str, table: str) -> str:
    before, rest = text.split(f"<!-- {mark} -->\n")
    return f"{before}<!-- {mark} -->\n{table}<!-- end -->\n{rest.partition('<!-- end -->' + chr(10))[2]}"


if __name__ == "__main__":
    warnings.simplefilter("ignore", lw.LinkworkWarning)
    PAGE.write_text(written(), "utf-8", newline="\n")
