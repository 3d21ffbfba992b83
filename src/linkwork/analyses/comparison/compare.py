"""Compare: one model, several formulations and solvers, the same motion; and how equal it is."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.comparison.comparison import Comparison, Run
from linkwork.core.activity import begin, part
from linkwork.core.compliance import Compliance
from linkwork.core.errors import LinkworkError, ModelError, UnknownName
from linkwork.core.plain_data import Record
from linkwork.core.registry import verb
from linkwork.core.result import Result
from linkwork.core.signal import Inputs
from linkwork.core.summary import energy_drift, largest
from linkwork.formulations import formulations as known_formulations
from linkwork.integrate.registry import resolve_solver
from linkwork.integrate.solver import Solver
from linkwork.simulation import deviations as between
from linkwork.simulation.arguments import parameters_of
from linkwork.simulation.choice.formulation import AUTOMATIC

if TYPE_CHECKING:
    from linkwork.core.model import Model

TABLES, FIGURES = (".json", ".csv"), (".svg", ".png", ".pdf")


@verb
def compare(
    model: Model,
    formulations: Sequence[str] | None,
    duration: float,
    *,
    solvers: Sequence[str | Solver] | None = None,
    reference: str | None = None,
    channels: str | Sequence[str] | None = None,
    rtol: float = 1e-8,
    atol: float = 1e-10,
    output: float | np.ndarray | None = None,
    step: float | None = None,
    compliance: Compliance | None = None,
    parameters: Mapping[str, float] | None = None,
    inputs: Inputs | None = None,
    progress: Callable[[float], None] | None = None,
    file: str | Path | None = None,
) -> Comparison:
    """Run the model for `duration` seconds in several ways and say what each cost and how far apart they are.

    formulations: names, or None for all there are; solvers: names or solver objects, each with every formulation
    (default: the one that suits the formulation); reference: the formulation or run that the others are measured
    against (default: "minimal", else the first); channels: names or patterns to be shown one by one;
    output, step, rtol, atol, compliance, parameters, inputs, progress: as in `simulate`;
    file: also write the comparison (.json, .csv) or its figure (.svg, .png, .pdf).
    A run that fails is listed with its error, and the others still run; if all fail alike, that error is raised.
    """
    path = _target(file)
    names = list(known_formulations) if formulations is None else _names(model, formulations)
    ways = [(_label(f, s), f, s) for f, s in itertools.product(names, ["auto"] if solvers is None else solvers)]
    if len({label for label, _, _ in ways}) < len(ways):
        raise ModelError("the same run is asked for twice.", component=model.name, remedy="Name each run once.")
    wanted = _reference(model, reference, ways)
    patterns = [channels] if isinstance(channels, str) else list(channels or [])
    options: Record = {
        "rtol": rtol, "atol": atol, "output": output, "step": step, "compliance": compliance,
        "parameters": parameters, "inputs": inputs,
    }  # fmt: skip
    runs, results = _runs(model, duration, ways, patterns, options, progress)
    comparison = _compared(model, duration, wanted, runs, results, parameters, patterns)
    if path is not None:
        (comparison.save if path.suffix.lower() in TABLES else comparison.plot)(file=path)
    return comparison


def _runs(
    model: Model,
    duration: float,
    ways: list[tuple[str, str, str | Solver]],
    patterns: list[str],
    options: Record,
    progress: Callable[[float], None] | None,
) -> tuple[list[Run], dict[str, Result]]:
    """Each way by itself; where all fail alike, that error."""
    runs: list[Run] = []
    results: dict[str, Result] = {}
    errors: list[Exception] = []
    for k, (label, formulation, solver) in enumerate(ways):
        bar = None if progress is None else _part(progress, k, len(ways))
        begin(label)
        try:
            with part(k, len(ways)):
                result = model.simulate(duration, formulation=formulation, solver=solver, progress=bar, **options)
        except (UnknownName, KeyboardInterrupt):
            raise
        except Exception as error:  # whatever stops one formulation, a defect included, must not stop the others
            errors.append(error)
            runs.append(Run(label, formulation, _solver_name(solver), status="failed", error=_message(error)))
            continue
        if result.t.size:
            results[label] = result
        if len(results) == 1:
            result.names(*patterns)  # a name that does not exist is found after the first run, not after the last
        runs.append(_run(label, result))
        if result.record["status"] == "cancelled":
            break
    if errors and len(errors) == len(ways) and len({str(error) for error in errors}) == 1:
        raise errors[0]
    return runs, results


def _compared(
    model: Model,
    duration: float,
    wanted: str,
    runs: list[Run],
    results: dict[str, Result],
    parameters: Mapping[str, float] | None,
    patterns: Sequence[str],
) -> Comparison:
    notes: list[str] = []
    undetermined: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()
    reference, units = wanted, {}
    if results:
        if wanted not in results:
            alike = [label for label in results if _formulation(label) == _formulation(wanted)]
            reference = next(iter([*alike, *results]))
            notes.append(f"the reference {wanted} has no result; {reference} takes its place.")
        base = results[reference]
        unique = model.check(parameters=parameters_of(model, parameters)).unique
        undetermined = tuple(joint for joint, yes in unique.items() if not yes)
        chosen, units = tuple(base.names(*patterns)), {c.name: c.unit for c in base.channels}
        runs = [_measured(run, results[run.name], base, undetermined) if run.name in results else run for run in runs]
    if any(run.status == "cancelled" for run in runs):
        notes.append("cancelled: the comparison covers what was computed until then.")
    return Comparison(
        model.name, float(duration), reference, tuple(runs), units, chosen, undetermined, tuple(notes), results
    )  # fmt: skip


def _measured(run: Run, result: Result, base: Result, undetermined: tuple[str, ...]) -> Run:
    if result is base:
        return run
    names = between.comparable(result, base, undetermined)
    apart = {name: between.deviation(result, base, name) for name in names}
    return replace(run, channels=apart, groups=between.by_group(apart, base))


def _run(label: str, result: Result) -> Run:
    record = result.record
    timings, statistics = record["timings"], record["statistics"]
    return Run(
        label,
        record["formulation"],
        record["solver"],
        status=record["status"],
        compile_time=timings["derive"] + timings["compile"],
        run_time=timings["run"],
        accepted=int(statistics.get("accepted", 0)),
        rejected=int(statistics.get("rejected", 0)),
        energy_drift=_known(energy_drift(result)),
        position_residual=_known(largest(result, "residual.position")),
        velocity_residual=_known(largest(result, "residual.velocity")),
    )


def _known(value: float | None) -> float:
    return math.nan if value is None else value


def _names(model: Model, given: Sequence[str]) -> list[str]:
    names = [given] if isinstance(given, str) else list(given)
    if not names:
        raise ModelError("no formulation to compare.", component=model.name, remedy="Name at least one.")
    for name in names:
        if name not in known_formulations and name != AUTOMATIC:
            raise UnknownName("formulation", name, [*known_formulations, AUTOMATIC], component=model.name)
    return names


def _label(formulation: str, solver: str | Solver) -> str:
    return formulation if solver == "auto" else f"{formulation}/{_solver_name(solver)}"


def _formulation(label: str) -> str:
    return label.partition("/")[0]


def _solver_name(solver: str | Solver) -> str:
    if isinstance(solver, str):
        return solver if solver == "auto" else resolve_solver(solver).name
    return repr(solver)


def _reference(model: Model, given: str | None, ways: list[tuple[str, str, str | Solver]]) -> str:
    """The label of the reference run: given by its own name or by its formulation."""
    for wanted in [given] if given is not None else ["minimal", ways[0][0]]:
        for label, formulation, _ in ways:
            if wanted in (label, formulation):
                return label
    raise UnknownName("run to compare with", str(given), [label for label, _, _ in ways], component=model.name)


def _part(progress: Callable[[float], None], k: int, count: int) -> Callable[[float], None]:
    return lambda fraction: progress((k + fraction) / count)


def _message(error: Exception) -> str:
    return str(error) if isinstance(error, LinkworkError) else f"{type(error).__name__}: {error}"


def _target(file: str | Path | None) -> Path | None:
    """Find out before the runs, not after them, that a file has no known format."""
    if file is None:
        return None
    path = Path(file)
    if path.suffix.lower() not in (*TABLES, *FIGURES):
        remedy = f"Use one of: {', '.join((*TABLES, *FIGURES))}."
        raise LinkworkError(f"the suffix {path.suffix!r} is not known.", component=str(path), remedy=remedy)
    return path
