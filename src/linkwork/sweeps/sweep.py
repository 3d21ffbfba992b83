"""Sweep: the same question asked of many cases, from one compilation."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.sensitivity.objectives import Scalar
from linkwork.core import kinds
from linkwork.core.activity import instead
from linkwork.core.errors import LinkworkError, LinkworkWarning, ModelError, UnknownName, callers_level
from linkwork.core.interrupts import acknowledge
from linkwork.core.kinds import names_in, shown
from linkwork.core.plain_data import Record
from linkwork.core.program import AUTO, BEST
from linkwork.core.registry import verb_with
from linkwork.core.result import Result
from linkwork.core.signal import Inputs
from linkwork.integrate.solver import Solver
from linkwork.signals.inputs import signals_of
from linkwork.simulation.arguments import checked_duration, checked_tolerance, parameters_of, sample_times
from linkwork.simulation.description.describe import versions
from linkwork.simulation.simulate import choice_of
from linkwork.simulation.task import Task
from linkwork.sweeps.backends import Backend, Pilot, choose, named
from linkwork.sweeps.derivatives import Derivatives, gradient_in, labels, parameters_in, scalars_in
from linkwork.sweeps.design import LARGEST_SEED, Design, design_of
from linkwork.sweeps.keeping import Keeping, own_in, ways_in
from linkwork.sweeps.maps import Map
from linkwork.sweeps.outcome import Outcome
from linkwork.sweeps.progress import Progress
from linkwork.sweeps.runs import Runs
from linkwork.sweeps.store.contents import Contents, import_xarray
from linkwork.sweeps.store.folder import Folder
from linkwork.sweeps.store.memory import Memory
from linkwork.sweeps.store.store import Store
from linkwork.sweeps.study import Study
from linkwork.sweeps.variables import check_apart, coordinate_names, with_starts

if TYPE_CHECKING:
    import xarray

    from linkwork.core.model import Model

QUESTIONS = ("simulate", "equilibrium", "linearize")
SUFFIX = ".zarr"
MANY = 200
"""Cases from which on the best machine code is made before the first one."""


@verb_with(cases=kinds.count, workers=kinds.count, seed=kinds.counted(0, LARGEST_SEED))
def sweep(
    model: Model,
    design: object,
    duration: float | None = None,
    *,
    channels: str | Sequence[str] | None = None,
    keep: str | Sequence[str] = "series",
    reduce: Mapping[str, Callable[[Result], float] | Scalar] | None = None,
    sensitivities: str | Sequence[str] | None = None,
    gradient: str = "auto",
    cases: int | None = None,
    sampling: str = "random",
    seed: int = 0,
    of: str = "simulate",
    backend: str | object = "auto",
    workers: int | None = None,
    to: str | os.PathLike[str] | None = None,
    formulation: str | None = None,
    solver: str | Solver = "auto",
    rtol: float = 1e-8,
    atol: float = 1e-10,
    output: float | np.ndarray | None = None,
    step: float | None = None,
    max_step: float | None = None,
    parameters: Mapping[str, float] | None = None,
    inputs: Inputs | None = None,
    judge: bool = True,
    progress: Callable[[float], None] | None = None,
) -> xarray.Dataset:
    """Run many cases of a model from one compilation; an xarray Dataset with a row per case.

    design: {name: list of values, or a distribution such as `lw.normal(1e4, 500)`}; lists span a grid, at each point of
    which distributions are drawn by the same numbers; {("a", "b"): [(1, 2), (3, 4)]} varies two together. Or a list of
    {name: value}, a DataFrame, or a CSV file. Names are those of parameters, inputs, and coordinates ("O.angle",
    "O.angle.rate"), which means their start values. cases: how many in all, where something is random.
    sampling: "random", or evenly: "sobol", "halton", "latin"; "saltelli": for `ds.sweep.sobol(…)`;
    seed: the same seed, the same numbers.
    channels: names or patterns (default: coordinates of joints); keep: "series" (over time), "end", "min", "max",
    "mean", "rms", "integral", one or several, over the samples; reduce: {name: function of the Result → number}.
    sensitivities: names of parameters and start values; all that is kept then comes with its exact derivatives:
    `ds["piston.x.end by L"]`; reduce takes {name: `lw.Final(…)`, `lw.Integral(…)`}, gradient: theirs, as in `optimise`.
    of: "simulate"; or maps of stability, without duration: "equilibrium" (where each case rests: channels there,
    eigenvalues, growth of the fastest mode, whether it is stable), "linearize" (the same at its start).
    backend: "serial", "threads", "processes", "dask", address of a Dask scheduler, "lanes" (many cases in vector
    registers), "cuda" (on a graphics card), or "auto": by what the first cases cost; workers: how many (default: one
    per processor).
    to: a folder "study.zarr" that outcomes are written to while they come. The same call takes it up again after
    Ctrl-C, a crash or a power cut; finished cases are not run again. Without it, the result is in the memory.
    judge=False: runs that end well are not looked at by the watch: no warnings, in half the time.
    progress: called with the share that is done, instead of a bar; True: share, rate and time left as text.
    formulation, solver, rtol, atol, output, step, max_step, parameters, inputs: as in `simulate`.
    A case that fails stops no other: `status` ("finished", "event", "failed", "pending"), `reason`, `end_time` [s] and
    `warnings` say what became of each, `engine` what integrated it. Ctrl-C keeps what there is.
    """
    import_xarray()
    _check(model, of, to)
    plan = design_of(design, cases=cases, sampling=sampling, seed=int(seed), name=model.name)
    fixed = parameters_of(model, parameters)
    signals_of(model, inputs)  # refused before anything is derived
    check_apart(model, plan.names, [*fixed, *(inputs or {})])
    by = () if sensitivities is None else parameters_in(model, sensitivities)
    twin = with_starts(model, list(dict.fromkeys([*plan.names, *by])))
    twin.parameter_values(fixed)
    _check_signals(twin, plan)
    runner = named(backend, workers)
    record = {"of": of, "seed": int(seed), "sampling": sampling, "design": plan.said, "versions": versions()}
    chosen = coordinate_names(twin) if channels is None and reduce is None else names_in(channels or ())
    if of != "simulate":
        _check_map(model, duration=(duration, None), keep=(keep, "series"), reduce=(reduce, None),
                   sensitivities=(sensitivities, None))  # fmt: skip
        study: Study = Map(
            twin, plan, fixed, inputs or {}, at_rest=of == "equilibrium", formulation=formulation, channels=chosen
        )
        return swept(model, study, runner, workers, to, progress, record)
    duration = checked_duration(model, duration)
    checked_tolerance(model, rtol=rtol, atol=atol)
    if by:
        _check_derivatives(model, step=step, max_step=max_step)
        asked = {
            "duration": duration,
            "formulation": formulation or "auto",
            "solver": solver,
            "rtol": rtol,
            "atol": atol,
        }
        held = Keeping(chosen, ways_in(keep, model.name), sample_times(duration, output))
        study = Derivatives(
            twin, plan, fixed, inputs or {}, to=labels(model, by), asked=asked, keeping=held,
            scalars=scalars_in(model, reduce), gradient=gradient_in(model, gradient, bool(chosen)),
        )  # fmt: skip
        return swept(model, study, runner, workers, to, progress, record | {"duration": duration})
    task = Task(
        twin, duration, sample_times(duration, output), choice_of(twin, formulation, "projection", None, "multipliers",
        None), solver, rtol, atol, step, max_step, None, None, None, True, None, None,
        BEST if plan.cases >= MANY else AUTO,
    )  # fmt: skip
    keeping = Keeping(chosen, ways_in(keep, model.name), task.times, own_in(reduce, model.name))
    study = Runs(twin, plan, fixed, inputs or {}, task=task, keeping=keeping, judge=judge)
    return swept(model, study, runner, workers, to, progress, record | {"duration": duration})


def swept(
    model: Model,
    study: Study,
    runner: Backend | None,
    workers: int | None,
    to: str | os.PathLike[str] | None,
    progress: Callable[[float], None] | None,
    record: Record,
) -> xarray.Dataset:
    """Ask the question of all cases that were not asked yet; runner None: chosen by what the first ones cost."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LinkworkWarning)  # of single runs: they are in the Dataset
        study.settle()
        if runner is not None:
            runner.check(study)
        store = _store(model, study, to, record)
        try:
            if not store.done.all():
                status = _run(study, store, runner, workers, progress, record)
                store.close(record | {"status": status})
        finally:
            store.release()
    dataset = store.dataset()
    _tell(model, dataset, store)
    return dataset


def _run(
    study: Study,
    store: Store,
    runner: Backend | None,
    workers: int | None,
    progress: Callable[[float], None] | None,
    record: Record,
) -> str:
    """ "finished", or "cancelled" by Ctrl-C."""
    left = np.flatnonzero(~store.done).tolist()

    def deliver(case: int, outcome: Outcome) -> None:
        store.add(case, outcome)
        meter(store.failures)

    clock = time.perf_counter()
    with instead() as heard:  # of the sweep, not of its cases
        meter = Progress(store.done.size, store.done.size - len(left), progress, heard)
        try:
            if runner is None:
                pilot = Pilot()
                first = pilot.run(study, left, deliver) if left else 0
                left = left[first:]
                runner = choose(pilot, len(left), workers, study)
            record["backend"] = str(runner)
            if left:
                runner.run(study, left, deliver)
            return "finished"
        except KeyboardInterrupt:
            acknowledge()
            return "cancelled"
        finally:
            record["seconds"] = time.perf_counter() - clock
            meter.finish(store.failures)


def _store(model: Model, study: Study, to: str | os.PathLike[str] | None, record: Record) -> Store:
    axes = {name: len(x) for name, x in study.design.axes.items()}
    layout = study.layout
    if not layout:
        raise ModelError(
            "nothing is to be kept of the cases.", component=model.name, remedy="Give channels=…, or reduce=…."
        )
    contents = Contents(model.name, study.design.cases, layout, study.columns(model), study.dimensions, axes)
    return Memory(contents) if to is None else Folder(to, contents, study.fingerprint(), record=record)


def _tell(model: Model, dataset: xarray.Dataset, store: Store) -> None:
    """A warning where cases failed: nobody should overlook that they are missing."""
    if store.failures:
        first = int(np.argmax(dataset["status"].values == "failed"))
        warnings.warn(
            f"{model.name}: {store.failures} of {store.done.size} cases failed; the first of them is case {first}: "
            f"{str(dataset['reason'].values[first])}",
            LinkworkWarning,
            stacklevel=callers_level(),
        )


def _check(model: Model, of: object, to: object) -> None:
    """Arguments that no other verb has."""
    if not isinstance(of, str) or of not in QUESTIONS:
        raise UnknownName("question", str(of), QUESTIONS, component=model.name)
    if to is not None and (not isinstance(to, (str, os.PathLike)) or Path(to).suffix.lower() != SUFFIX):
        raise LinkworkError(
            f"to={shown(to)}: outcomes are written to a Zarr folder.", component=model.name,
            remedy='Give to="study.zarr"; ds.to_netcdf("study.nc") makes a single file of what it returns.',
        )  # fmt: skip


def _check_map(model: Model, **given: tuple[object, object]) -> None:
    """What only runs have: as it was given, and what it is by default."""
    for name, (value, default) in given.items():
        if value is not default and value != default:
            raise ModelError(
                f"{name}={shown(value)}, but nothing is run.", component=model.name, remedy="Leave it out."
            )


def _check_derivatives(model: Model, **given: float | None) -> None:
    """Steps that are chosen for the states alone."""
    for name, value in given.items():
        if value is not None:
            raise ModelError(
                f"{name}={shown(value)}: steps are chosen for the states and their derivatives together.",
                component=model.name, remedy=f"Leave {name} out; rtol and atol say how fine they are.",
            )  # fmt: skip


def _check_signals(model: Model, plan: Design) -> None:
    """Only inputs follow time."""
    for name, signals in plan.signals.items():
        if name not in model.inputs:
            raise ModelError(
                f"has the value {shown(signals[0])}.", component=name,
                remedy="Give numbers; only inputs can be driven by signals.",
            )  # fmt: skip
        for signal in signals:
            signals_of(model, {name: signal})  # type: ignore[dict-item]
