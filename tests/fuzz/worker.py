"""Makes calls in a process of its own, and notes each before it is made: so that whoever started it knows which one
killed it."""

from __future__ import annotations

import json
import resource
import sys

import numpy as np

from tests.fuzz.calls import chosen, made
from tests.fuzz.targets import targets

MEMORY = 6 << 30
"""Bytes that a call may take; one that wants more is told so by Python."""


def main(seed: int, first: int, last: int, share: float, quick: bool, only: str = "") -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    known = [t for t in targets() if only in t.label and not (quick and t.slow)]
    for index in range(first, last):
        call = chosen(np.random.default_rng([seed, index]), known, share)
        _say({"index": index, "call": str(call)})
        outcome = made(call)
        _say({"index": index, "verdict": outcome.verdict, "what": outcome.what[:300]})


def _say(line: dict[str, object]) -> None:
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]), float(sys.argv[4]), sys.argv[5] == "1", *sys.argv[6:7])
