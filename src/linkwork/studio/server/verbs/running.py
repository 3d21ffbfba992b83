"""Run the model, and read what a run has found."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from linkwork.core.activity import announced_to
from linkwork.core.errors import IntegrationError, LinkworkError
from linkwork.core.plain_data import Record
from linkwork.core.result import Result
from linkwork.studio.again import moved
from linkwork.studio.build import build_scene
from linkwork.studio.page import base64_of, motion_data, scene_data
from linkwork.studio.scene import Scene
from linkwork.studio.server.session import Run, Session, Shown, listed

CHANNEL_LIMIT = 200
"""Of one answer."""
USUAL_DURATION = 5.0
"""s of a run of a model that does not say how long it is worth looking at."""
ENERGIES = ("kinetic", "potential", "total", "dissipated", "supplied")


def run(
    session: Session,
    duration: float | None = None,
    formulation: str | None = None,
    solver: str | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    step: float | None = None,
    output: float | None = None,
    parameters: dict[str, float] | None = None,
    label: str = "",
    plot: list[str] | None = None,
    keep: bool = True,
    like: str | None = None,
) -> Record:
    """Simulate for a duration [s]; parameters: values other than the document's, which stays as it is.

    plot: channels that the answer holds as well; keep=False: a run in passing (a slider moves), whose place the next
    one takes; like: a run whose scene is shown: where this one shows the same things, only their motion is told.
    A run that fails or is cancelled on the way is kept as far as it got.
    """
    options = {"formulation": formulation, "solver": solver, "rtol": rtol, "atol": atol, "step": step, "output": output}
    given = {word: x for word, x in options.items() if x is not None}
    values = session.parameters | _numbers(parameters or {})
    duration = planned_duration(session, duration)
    began = time.perf_counter()
    result, failure = simulated(session, duration, values, given)
    seconds = time.perf_counter() - began
    if show := session.document.hints.get("show"):
        result.record["show"] = show
    shown = session.shown if session.shown is not None and session.shown.run == like else None
    kept = session.keep(label, result, {"duration": duration, "parameters": values, **given}, passing=not keep)
    told = (_moved(session, kept, shown) if shown is not None else None) or answered(session, kept)
    return (
        _plotted(session, kept, plot)
        | told
        | {"seconds": seconds, "failure": None if failure is None else _failed(failure)}
    )


def result(session: Session, run: str, plot: list[str] | None = None) -> Record:
    """A run that was made before, as `run` has told it; of_now: whether it is one of the document as it is."""
    kept = session.run(run)
    told = {"of_now": session.is_current(kept), "text": kept.text, "seconds": kept.seconds, "failure": None}
    return _plotted(session, kept, plot) | answered(session, kept) | told


def _plotted(session: Session, kept: Run, plot: list[str] | None) -> Record:
    names = [name for name in plot or [] if name in kept.result]
    return channels(session, kept.name, names) if names else {}


def planned_duration(session: Session, given: float | None) -> float:
    """What was asked for [s], or what the example says, or a few seconds."""
    said = session.document.hints.get("duration") if given is None else given
    return USUAL_DURATION if said is None else float(said)


def simulated(
    session: Session, duration: float, parameters: dict[str, float], options: Record
) -> tuple[Result, IntegrationError | None]:
    """The result, with what stopped it early."""
    with announced_to(lambda stage: session.progress(stage)):
        try:
            result = session.model.simulate(
                duration,
                parameters=parameters,
                progress=lambda share: session.progress("running", share),
                compile="auto",
                **options,
            )
        except IntegrationError as failure:
            if failure.partial is None or not failure.partial.t.size:
                raise
            return failure.partial, failure
    return result, None


def answered(session: Session, kept: Run) -> Record:
    """What a page gets of a run: all but the channels, for which it asks."""
    result, scene = kept.result, _scene(kept)
    session.shown = None if scene is None else Shown(kept.name, scene, result.description)
    return listed(kept) | {
        "warnings": _warnings(result),
        "events": [[t, name] for t, name in result.events[:1000]],
        "channels": [{"name": c.name, "unit": c.unit} for c in result.channels],
        "show": _shown(result),
        "scene": None if scene is None else scene_data(scene),
        "energy": balance(result),
        "timings": result.record.get("timings"),
        "statistics": result.record.get("statistics"),
        "parameters": kept.options["parameters"],
    }


def _moved(session: Session, kept: Run, shown: Shown) -> Record | None:
    """The same of a run whose things are shown already: their motion, and nothing that has not changed. None: what it
    shows is something else."""
    if kept.result.description != shown.description:
        return None
    scene = moved(shown.scene, kept.result)
    if scene is None:
        return None
    session.shown = replace(shown, run=kept.name, scene=scene)
    return listed(kept) | {
        "warnings": _warnings(kept.result),
        "motion": motion_data(scene),
        "parameters": kept.options["parameters"],
    }


def _scene(kept: Run) -> Scene | None:
    """What there is to see of a run; None: of a circuit there is nothing."""
    try:
        return build_scene(kept.result, plot=())
    except LinkworkError:
        return None


def _warnings(result: Result) -> list[Record]:
    return [{"component": w.component, "time": w.time, "text": w.message} for w in result.warnings]


def channels(session: Session, run: str, names: list[str]) -> Record:
    """Values of channels over time, as base64 of little-endian doubles."""
    result = session.run(run).result
    matches = result.names(*names)
    if len(matches) > CHANNEL_LIMIT:
        raise LinkworkError(f"{len(matches)} channels at once.", remedy=f"Ask for at most {CHANNEL_LIMIT}.")
    return {
        "run": run,
        "t": base64_of(result.t, double=True),
        "values": {name: base64_of(result[name], double=True) for name in matches},
        "units": {name: result.unit(name) for name in matches},
    }


def energy(session: Session, run: str) -> Record:
    """Energies over time, and how well their balance closes."""
    result = session.run(run).result
    names = [f"energy.{word}" for word in ENERGIES if f"energy.{word}" in result]
    return channels(session, run, names) | {"balance": balance(result)}


def forget(session: Session, run: str) -> Record:
    """Drop a run."""
    session.forget(run)
    return {"runs": [listed(kept) for kept in session.runs.values()]}


def balance(result: Result) -> Record | None:
    """Energy at the start and at the end, what was supplied and lost; error: what the balance leaves open [J]."""
    if not result.t.size or any(f"energy.{word}" not in result for word in ENERGIES):
        return None
    total, lost, supplied = (result[f"energy.{word}"] for word in ("total", "dissipated", "supplied"))
    open_ = total - total[0] + (lost - lost[0]) - (supplied - supplied[0])
    return {
        "first": float(total[0]),
        "last": float(total[-1]),
        "dissipated": float(lost[-1] - lost[0]),
        "supplied": float(supplied[-1] - supplied[0]),
        "error": float(np.abs(open_).max()),
    }


def _shown(result: Result) -> list[str]:
    """Channels worth a first look."""
    names: list[str] = []
    for pattern in result.record.get("show", ()):
        try:
            names += result.names(pattern)
        except LinkworkError:
            continue
    return names


def _numbers(given: dict[str, Any]) -> dict[str, float]:
    for name, value in given.items():
        if type(value) not in (int, float):
            raise LinkworkError(f"{value!r} is not a number.", component=name, remedy="Give a number.")
    return {name: float(value) for name, value in given.items()}


def _failed(failure: IntegrationError) -> Record:
    return {"message": failure.cause, "component": failure.component, "remedy": failure.remedy}
