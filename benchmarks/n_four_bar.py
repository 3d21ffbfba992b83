"""Linkwork against Exudyn on the N four-bar: wall time at equal energy error.

    python benchmarks/n_four_bar.py 2
    python benchmarks/n_four_bar.py 40

Both sides run several settings. Each is run once with 501 samples for its energy error (largest change of the total
energy), then a few times without samples for its wall time, of which the least counts. For each error level the table
of ratios takes the cheapest setting of each side that was measured to reach it; nothing is interpolated.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import exudyn_chain
import machine
import numpy as np

import linkwork as lw
from linkwork.examples import n_four_bar

DURATION = 10.0
LEVELS = (1e-1, 1e-2, 1e-3)
"""J."""


@dataclass(frozen=True)
class Measured:
    """One setting: steps taken, energy error [J], least wall time of the run [s]."""

    setting: str
    steps: int
    error: float
    seconds: float


def linkwork_runs(n: int, repeats: int) -> list[Measured]:
    clock = time.perf_counter()
    model = n_four_bar.model(n=n)
    first = model.simulate(DURATION, solver="rk4", step=0.02, compile="best")
    took = time.perf_counter() - clock
    timings = first.record["timings"]
    print(
        f"Linkwork, once per model: {took:.2f} s from nothing to the first result, of which "
        f"compile {timings['compile']:.2f} s (no cache)\n"
    )
    tried: list[tuple[str, dict[str, float]]] = [("rk4", {"step": h}) for h in (0.02, 0.01, 0.005)]
    tried += [(name, {"rtol": r, "atol": r / 100}) for name in ("dopri5", "dop853") for r in (1e-4, 1e-5, 1e-6, 1e-7)]
    return [_linkwork(model, solver, options, repeats) for solver, options in tried]


def _linkwork(model: lw.Model, solver: str, options: dict[str, float], repeats: int) -> Measured:
    result = model.simulate(DURATION, solver=solver, compile="best", **options)
    energy = result["energy.total"]
    error = float(np.max(np.abs(energy - energy[0])))
    timed = {**options, "output": [DURATION], "compile": "best"}
    seconds = _least(lambda: model.simulate(DURATION, solver=solver, **timed).record["timings"]["run"], repeats)
    shown = f"h={options['step'] * 1e3:g} ms" if "step" in options else f"rtol={options['rtol']:g}"
    return Measured(f"{solver} {shown}", result.record["statistics"]["accepted"], error, seconds)


def exudyn_runs(n: int, repeats: int, longest: float) -> list[Measured]:
    """Settings tried from long to short steps until every level is reached or a run takes longer than `longest` [s]."""
    large = n >= 10
    found: list[Measured] = []
    for frequency in (60, 120, 250, 400, 600, 1200, 1700, 2400, 4800):
        for setting in _settings(1 / frequency, large):
            error = exudyn_chain.energy_error(n, DURATION, setting)
            seconds = math.nan
            if not math.isnan(error):
                seconds = _least(partial(exudyn_chain.run_seconds, n, DURATION, setting), repeats)
            found.append(Measured(str(setting), round(DURATION * frequency), error, seconds))
        if cheapest(found, min(LEVELS)) is not None or any(run.seconds > longest for run in found):
            break
    return found


def _settings(step: float, large: bool) -> list[exudyn_chain.Setting]:
    """What is worth trying: a dense solver and tight tolerances never win on large systems, and cost minutes there."""
    if large:
        return [exudyn_chain.Setting(step, sparse=True, loose=True, modified=m) for m in (True, False)]
    return [
        exudyn_chain.Setting(step),
        exudyn_chain.Setting(step, loose=True),
        exudyn_chain.Setting(step, loose=True, modified=False),
        exudyn_chain.Setting(step, rho=0.9),
        exudyn_chain.Setting(step, sparse=True),
    ]


def _least(measure: Callable[[], float], repeats: int) -> float:
    """The least of several; one long run is enough, because what disturbs it averages out."""
    first = measure()
    return min([first, *(measure() for _ in range(repeats - 1 if first < 2.0 else 0))])


def cheapest(runs: list[Measured], level: float) -> Measured | None:
    reached = [run for run in runs if run.error <= level]  # NaN (a failed run) reaches nothing
    return min(reached, key=lambda run: run.seconds, default=None)


def show(title: str, runs: list[Measured]) -> None:
    print(f"{title:<56} {'steps':>7} {'error [J]':>10} {'run [ms]':>10} {'µs/step':>9}")
    for run in runs:
        error = "failed" if math.isnan(run.error) else f"{run.error:.2g}"
        each = run.seconds / run.steps * 1e6
        print(f"  {run.setting:<54} {run.steps:>7} {error:>10} {run.seconds * 1e3:>10.2f} {each:>9.1f}")
    print()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("n", nargs="?", type=int, default=2, help="number of loops: 2 or 40 are the published cases")
    parser.add_argument("--repeats", type=int, default=3, help="timed runs per setting, of which the least counts")
    parser.add_argument("--longest", type=float, default=12.0, help="stop refining the peer after a run this long [s]")
    chosen = parser.parse_args()
    os.environ["LINKWORK_CACHE"] = "off"  # compile time is shown, so there must be something to compile
    print(machine.describe(["exudyn"]))
    print(f"\nN four-bar, N = {chosen.n}: {2 * chosen.n + 1} bodies, {DURATION:g} s\n")
    ours = linkwork_runs(chosen.n, chosen.repeats)
    show("Linkwork", ours)
    theirs = exudyn_runs(chosen.n, chosen.repeats, chosen.longest)
    show("Exudyn", theirs)
    print("At equal energy error:")
    for level in LEVELS:
        a, b = cheapest(ours, level), cheapest(theirs, level)
        if a is None or b is None:
            print(f"  ≤ {level:g} J: not reached by {'Linkwork' if a is None else 'Exudyn'}")
            continue
        print(
            f"  ≤ {level:g} J: Linkwork {a.seconds * 1e3:.2f} ms ({a.setting}), "
            f"Exudyn {b.seconds * 1e3:.1f} ms ({b.setting}): ratio {b.seconds / a.seconds:.0f}"
        )


if __name__ == "__main__":
    main()
