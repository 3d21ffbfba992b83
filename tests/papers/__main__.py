"""`python -m tests.papers`: run every item of the five papers and write docs/papers.md."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

import linkwork as lw

from .audit import Item, run
from .items import ITEMS
from .page import PAGE, written


def main(items: Sequence[Item] = ITEMS, page: Path = PAGE) -> int:
    """0, and the page is written; 1 if an item does not keep its bound: then the page stays as it was."""
    outcomes = run(items)
    broken = [x for x in outcomes if not x.kept]
    for x in broken:
        print(f"{x.item.paper} {x.item.number}, {x.item.what}: {x.finding.text if x.finding else ''}", file=sys.stderr)
    if broken:
        return 1
    page.write_text(written(outcomes), "utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    warnings.simplefilter("ignore", lw.LinkworkWarning)
    began = time.perf_counter()
    code = main()
    print(f"{len(ITEMS)} items in {time.perf_counter() - began:.0f} s")
    sys.exit(code)
