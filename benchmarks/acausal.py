"""The acausal formulation against `absolute`: one evaluation of the right-hand side, in one run.

    python benchmarks/acausal.py

Time per evaluation: the least of fifteen native runs of RK4 with a fixed step and without projection, divided by its
evaluations; the two formulations take turns. Deriving includes flattening, matching, sorting and tearing; compilation
is apart.
"""

from __future__ import annotations

import time

from machine import describe

import linkwork as lw
from linkwork.compile.functions import builders
from linkwork.examples import excavator_boom, slider_crank, slider_crank_spatial, snakeboard, squeezer
from linkwork.formulations import formulate
from linkwork.integrate import integrate
from linkwork.simulation.prepare import Choice, prepare

CASES = {
    "slider-crank": (slider_crank.model, 1e-4),
    "slider-crank in space": (slider_crank_spatial.model, 1e-4),
    "squeezer": (squeezer.model, 1e-6),
    "snakeboard": (snakeboard.model, 1e-5),
    "excavator boom": (excavator_boom.model, 1e-6),
}
FORMULATIONS = ("absolute", "acausal")
STEPS = 2000


def per_evaluation(models: dict[str, lw.Model], step: float) -> dict[str, float]:
    """Seconds for one right-hand side, by formulation."""
    prepared = {name: prepare(model, Choice(name)) for name, model in models.items()}
    best = dict.fromkeys(models, float("inf"))
    for name, ready in [pair for _ in range(15) for pair in prepared.items()]:
        started = time.perf_counter()
        path = integrate(
            ready.program,
            ready.state,
            (0.0, STEPS * step),
            times=[STEPS * step],
            parameters=ready.p,
            solver="rk4",
            step=step,
            projection=False,
        )
        best[name] = min(best[name], (time.perf_counter() - started) / path.stats["rhs"])
    return best


def main() -> None:
    print(describe())
    columns = ("mechanism", "formulation", "derive [s]", "operations", "evaluation [µs]", "ratio")
    print("{:<24}{:<12}{:>11}{:>12}{:>17}{:>8}".format(*columns))
    for name, (build, step) in CASES.items():
        models = {formulation: build() for formulation in FORMULATIONS}
        seconds = per_evaluation(models, step)
        for formulation, model in models.items():
            started = time.perf_counter()
            eq = formulate(model, formulation)
            derived = time.perf_counter() - started
            operations = builders(eq, shared=True)["rhs"]().n_instructions()
            spent = seconds[formulation]
            shown = (name, formulation, derived, operations, spent * 1e6, spent / seconds[FORMULATIONS[0]])
            print("{:<24}{:<12}{:>11.2f}{:>12}{:>17.2f}{:>8.2f}".format(*shown))


if __name__ == "__main__":
    main()
