"""What the watch costs: judging a run after it, and samples and states beside it, against the run itself.

    python benchmarks/watch.py

Each figure is the least of several runs. "steps" are those of the run; "judge" is everything that the watch does after
it: nothing of it is inside a step.
"""

from __future__ import annotations

import time
import warnings
from importlib import import_module

from machine import describe

from linkwork.simulation import simulate as module
from linkwork.simulation.failure import broken

CASES = (
    ("slider_crank", {}, 5.0),
    ("rssr", {}, 5.0),
    ("n_four_bar", {"n": 2}, 10.0),
    ("n_four_bar", {"n": 40}, 10.0),
    ("car", {}, 4.0),
    ("excavator_boom", {}, 6.0),
)
REPEATS = 7


def timed(name: str, options: dict, duration: float) -> tuple[float, float, int]:
    """(seconds of the run, seconds of the judgement, steps)."""
    spent = [0.0]

    def clocked(function):  # type: ignore[no-untyped-def]
        def call(*args):  # type: ignore[no-untyped-def]
            clock = time.perf_counter()
            found = function(*args)
            spent[0] += time.perf_counter() - clock
            return found

        return call

    model = import_module(f"linkwork.examples.{name}").model(**options)
    judge = module.judge
    module.judge, module.broken = clocked(judge), clocked(broken)
    try:
        runs = []
        for _ in range(REPEATS):
            spent[0] = 0.0
            result = model.simulate(duration)
            runs.append((result.record["timings"]["run"], spent[0], result.record["statistics"]["accepted"]))
    finally:
        module.judge, module.broken = judge, broken
    return min(r for r, _, _ in runs), min(j for _, j, _ in runs), runs[0][2]


def main() -> None:
    warnings.simplefilter("error")
    print(describe())
    print(f"{'model':<22} {'steps':>7} {'run':>10} {'judge':>10} {'share':>7}")
    for name, options, duration in CASES:
        run, judged, steps = timed(name, options, duration)
        label = name + "".join(f" {k}={v}" for k, v in options.items())
        print(f"{label:<22} {steps:>7} {run * 1e3:>7.2f} ms {judged * 1e3:>7.2f} ms {judged / run:>7.1%}")


if __name__ == "__main__":
    main()
