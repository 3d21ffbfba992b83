"""How compile time and the time of an RK4 step grow with the number of bodies, and where compile time goes.

    LINKWORK_CACHE=off python benchmarks/scaling.py 10 20 40 100 200 400

The mechanism is the N four-bar (2 N + 1 bodies). The three functions that a run with RK4 needs (`rhs`, `project`,
`outputs`) are derived and compiled stage by stage; nothing is read from the cache. A step includes its projection.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import machine
import numpy as np

from linkwork.compile.functions import builders
from linkwork.compile.llvm import emit_object, lower
from linkwork.compile.native import RECORD, SYMBOL, CompiledFunction
from linkwork.compile.program import compile_program
from linkwork.compile.stream import stream_of
from linkwork.examples import n_four_bar
from linkwork.formulations import formulate
from linkwork.integrate import integrate

T = TypeVar("T")
FUNCTIONS = ("rhs", "project", "outputs")
STAGES = ("formulate", "derive", "extract", "write IR", "LLVM", "load")
STEP = 0.005
"""s."""


class Stopwatch:
    """Wall time [s] by stage."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(STAGES, 0.0)

    def time(self, stage: str, work: Callable[[], T]) -> T:
        clock = time.perf_counter()
        done = work()
        self.seconds[stage] += time.perf_counter() - clock
        return done


def measure(n: int, repeats: int) -> dict[str, float]:
    """Stage times [s], instructions of all functions and of `rhs`, assembly [s], time per step [s]."""
    watch, model = Stopwatch(), n_four_bar.model(n=n)
    eq = watch.time("formulate", lambda: formulate(model, "absolute"))
    derive = builders(eq)
    compiled = {name: _compile(watch, derive[name], name) for name in FUNCTIONS}
    program = compile_program(eq, model.parameters, model.inputs)
    program.tier = "best"
    program.build = compiled.__getitem__
    clock = time.perf_counter()
    start = model.assemble().state
    assembly = time.perf_counter() - clock
    return {
        **watch.seconds,
        "bodies": 2 * n + 1,
        "total": sum(watch.seconds.values()),
        "instructions": sum(f.instructions for f in compiled.values()),
        "assembly": assembly,
        "step": min(_step(program, start) for _ in range(repeats)),
    }


def _compile(watch: Stopwatch, derive: Callable[[], Any], name: str) -> CompiledFunction:
    f = watch.time("derive", derive)
    stream = watch.time("extract", lambda: stream_of(f, shared=True))
    text, work = watch.time("write IR", lambda: lower(stream, SYMBOL))
    payload = RECORD.pack(work, len(stream)) + watch.time("LLVM", lambda: emit_object(text))
    return watch.time("load", lambda: CompiledFunction(f, name, payload, cached=False))


def _step(program: Any, start: np.ndarray, steps: int = 200) -> float:
    span = (0.0, steps * STEP)
    clock = time.perf_counter()
    integrate(program, start, span, times=np.array([span[1]]), solver="rk4", step=STEP)
    return (time.perf_counter() - clock) / steps


def slope(bodies: list[float], values: list[float]) -> float:
    """Exponent p of the best fit values ∝ bodiesᵖ."""
    return float(np.polyfit(np.log(bodies), np.log(values), 1)[0])


def figure(rows: list[dict[str, float]], path: Path) -> None:
    from matplotlib.figure import Figure

    bodies = [row["bodies"] for row in rows]
    sheet = Figure(figsize=(9, 4), layout="constrained")
    left, right = sheet.subplots(1, 2)
    for stage in (*STAGES, "total"):
        left.loglog(bodies, [row[stage] for row in rows], "o-", label=stage, linewidth=2.5 if stage == "total" else 1)
    left.set(xlabel="bodies", ylabel="time to compile [s]")
    left.legend(fontsize="small")
    right.loglog(bodies, [row["step"] * 1e6 for row in rows], "o-")
    right.set(xlabel="bodies", ylabel="time per RK4 step [µs]")
    for axes in (left, right):
        axes.grid(alpha=0.3, which="both")
    sheet.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("n", nargs="*", type=int, default=[10, 20, 40, 100, 200, 400], help="numbers of loops")
    parser.add_argument("--repeats", type=int, default=5, help="timed runs of 200 steps, of which the least counts")
    parser.add_argument("-o", type=Path, default=Path("scaling.svg"), help="figure file")
    chosen = parser.parse_args()
    print(machine.describe(), end="\n\n")
    heads = ("N", "bodies", "instr.", *STAGES, "total", "assemble", "µs/step", "µs/step/body")
    print(" ".join(f"{head:>9}" for head in heads), "  (stages in s)")
    rows = []
    for n in chosen.n:
        row = measure(n, chosen.repeats)
        rows.append(row)
        stages = [f"{row[stage]:9.2f}" for stage in (*STAGES, "total", "assembly")]
        sizes = [f"{n:>9}", f"{row['bodies']:>9.0f}", f"{row['instructions']:>9.0f}"]
        print(*sizes, *stages, f"{row['step'] * 1e6:9.1f}", f"{row['step'] / row['bodies'] * 1e6:9.3f}", flush=True)
    if len(rows) < 2:
        return
    bodies = [row["bodies"] for row in rows]
    print("\nGrowth, exponent of the number of bodies (log-log slope over all rows):")
    for what in (*STAGES, "total", "assembly", "instructions", "step"):
        print(f"  {what:<13} {slope(bodies, [row[what] for row in rows]):5.2f}")
    figure(rows, chosen.o)
    print(f"\nwrote {chosen.o}")


if __name__ == "__main__":
    main()
