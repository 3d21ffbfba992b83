"""`python -m tests.fuzz --calls 100000 --seed 1`: wrong and odd calls of everything public, in processes of their own.

Counts go to the terminal and, with --file, to a JSON file. Exit status 1 if anything was found that must not be: an
abort, a hang, a NaN that finishes, or an exception that is neither a LinkworkError nor a TypeError naming the argument.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from tests.fuzz.running import WRONG, fuzz


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    options.add_argument("--calls", type=int, default=2000)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--workers", type=int, default=1)
    options.add_argument("--share", type=float, default=0.05, help="of calls after which the model is used")
    options.add_argument("--quick", action="store_true", help="leave out what runs or derives something")
    options.add_argument("--only", default="", help="targets whose label contains this")
    options.add_argument("--file", type=Path, help="where counts and findings go (JSON)")
    given = options.parse_args()
    found = fuzz(given.calls, given.seed, workers=given.workers, share=given.share, only=given.only, quick=given.quick)
    counts = Counter(x["verdict"] for x in found)
    wrong = [x for x in found if x["verdict"] in WRONG]
    for x in wrong:
        print(f"{x['verdict']}: {x['call']} {x['what']}")
    print(f"{len(found)} calls: " + ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common()))
    if given.file:
        record = {"seed": given.seed, "counts": counts, "wrong": wrong}
        record["accepted"] = sorted(x["call"] for x in found if x["verdict"] == "accepted")
        given.file.write_text(json.dumps(record, indent=1))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
