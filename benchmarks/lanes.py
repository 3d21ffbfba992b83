"""Many cases on one core: lanes of vector registers against the integrator of single cases.

    python benchmarks/lanes.py [--cases 16] [--repeats 10] [--seconds 5]

Both integrate the same cases; times are of the processor, the least of several, turn by turn, per case and step. The
difference is the largest of all states, by the largest state, of shorter runs, in which rounding has not grown yet.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace

import machine
import numpy as np
from sweep_models import CASES

from linkwork.compile.llvm import widest
from linkwork.integrate import integrate
from linkwork.sweeps.batch import BatchProblem
from linkwork.sweeps.lanes import run_batch


def alone(problem: BatchProblem) -> np.ndarray:
    common = problem.common
    scale = 1.0 if problem.program.scale is None else problem.program.scale
    return np.array(
        [
            integrate(
                problem.program,
                start,
                (common.t0, common.t1),
                times=problem.times,
                parameters=p,
                rtol=common.rtol,
                solver=problem.solver,
                atol=common.atol / scale,
                step=common.step,
            ).y  # fmt: skip
            for start, p in zip(problem.starts, problem.p, strict=True)
        ]
    )


def seconds(call: Callable[[], object]) -> float:
    clock = time.thread_time()
    call()
    return time.thread_time() - clock


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=16)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=5.0, help="length of the runs that are timed")
    options = parser.parse_args()
    print(machine.describe())
    print(f"lanes     {widest()}\n\ntimes in us per case and step")
    print(f"{'':30} {'':9} {'solver':7} {'alone':>9} {'lanes':>9} {'ratio':>6} {'difference':>11}")
    for case in CASES:
        ready = case.ready()
        for solver in ("rk4", "dopri5"):
            compared = case.problem(ready, 8, solver)
            reference = alone(compared)
            difference = np.abs(run_batch(compared).y - reference).max() / np.abs(reference).max()
            problem = replace(case, seconds=options.seconds).problem(ready, options.cases, solver)
            few = problem.chosen(slice(0, 4))
            steps = run_batch(problem).accepted
            best = [np.inf, np.inf]
            for _ in range(options.repeats):
                best[0] = min(best[0], seconds(lambda few=few: alone(few)) / steps[:4].sum())
                best[1] = min(best[1], seconds(lambda problem=problem: run_batch(problem)) / steps.sum())
            times = " ".join(f"{1e6 * t:9.3f}" for t in best)
            print(f"{case.name:30} {case.formulation:9} {solver:7} {times} {best[0] / best[1]:6.2f} {difference:11.1e}")


if __name__ == "__main__":
    main()
