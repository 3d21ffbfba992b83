"""Instructions of `rhs`, `project` and `outputs`, for all examples in the formulations they have.

    python benchmarks/instruction_counts.py counts.json          record
    python benchmarks/instruction_counts.py counts.json --check  compare: what has grown by more than 2 % is shown

Nothing is compiled: a count is the length of the instruction stream. What a formulation refuses is left out.
"""

from __future__ import annotations

import argparse
import json
import pkgutil
import sys
import warnings
from importlib import import_module
from pathlib import Path

import linkwork as lw
from linkwork import examples
from linkwork.compile.stream import stream_of
from linkwork.simulation.prepare import Choice, prepare

FORMULATIONS = (
    "absolute",
    "minimal",
    "points",
    "acausal",
    "compliant",
    "bondgraph",
    "bondgraph-minimal",
    "bondgraph-zcp",
)
FUNCTIONS = ("rhs", "project", "outputs")
ALLOWED = 1.02
"""Growth of a count that is none."""


def counts(names: list[str]) -> dict[str, list[int]]:
    found = {}
    for name in names:
        for formulation in FORMULATIONS:
            for loops in ("multipliers", "partition") if formulation == "minimal" else ("multipliers",):
                model = import_module(f"linkwork.examples.{name}").model()
                if not isinstance(model, lw.Model):
                    continue
                try:
                    program = prepare(model, Choice(formulation, loops=loops), contacts=True).program
                    streams = [stream_of(program.symbolic(f), shared=True) for f in FUNCTIONS]
                except lw.LinkworkError:
                    continue
                found[f"{name} {formulation} {loops}"] = [len(stream) for stream in streams]
                print(name, formulation, loops, *found[f"{name} {formulation} {loops}"], flush=True)
    return found


def grown(before: dict[str, list[int]], now: dict[str, list[int]]) -> list[str]:
    """What has more instructions than allowed, or is gone."""
    gone = [f"{key}: gone" for key in before if key not in now]
    return gone + [
        f"{key}: {name} {old} → {new}"
        for key in before.keys() & now.keys()
        for name, old, new in zip(FUNCTIONS, before[key], now[key], strict=True)
        if new > ALLOWED * old
    ]


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--examples", nargs="*", default=[m.name for m in pkgutil.iter_modules(examples.__path__)])
    given = parser.parse_args()
    now = counts(given.examples)
    if not given.check:
        given.file.write_text(json.dumps(now, indent=1))
        return
    before = json.loads(given.file.read_text())
    before = {key: value for key, value in before.items() if key.split()[0] in given.examples}
    print(f"{sum(now.get(key) == value for key, value in before.items())} of {len(before)} cases unchanged")
    if found := grown(before, now):
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
