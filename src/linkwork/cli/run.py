"""`linkwork run MODEL`: simulate, save, plot, report."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from linkwork.bondgraph.graph import BondGraph
from linkwork.cli.models import Case, find
from linkwork.cli.report import delivered
from linkwork.cli.targets import check_target
from linkwork.core.errors import IntegrationError, LinkworkError, LinkworkWarning
from linkwork.core.model import Model
from linkwork.core.plain_data import Data
from linkwork.core.result import Result
from linkwork.files import results
from linkwork.plots import formats
from linkwork.plots.channels import chosen as chosen_of


def run(
    name: str,
    duration: float | None,
    *,
    options: Data,
    settings: Sequence[str],
    patterns: Sequence[str],
    figure: str = "series",
    plot_file: Path | None,
    save_file: Path | None,
    quiet: bool,
) -> int:
    """Simulate the model called `name` for `duration` [s]; a run that ends early still gives what it has."""
    for path, suffixes in ((plot_file, formats.SUFFIXES), (save_file, results.SUFFIXES)):
        check_target(path, suffixes)
    wanted = _wanted(patterns, figure)
    case = find(name, settings, graphs=True)
    for option in ("formulation", "verify"):
        if isinstance(case.model, BondGraph) and options.get(option):
            raise LinkworkError(
                "a bond graph by itself has no formulation.", component=name, remedy=f"Leave --{option} out."
            )
    duration = case.duration if duration is None else duration
    if duration is None:
        raise LinkworkError("no duration.", component=name, remedy="Give one: linkwork run MODEL DURATION.")
    _check_channels(case, wanted, options, duration)
    result, failure = _simulate(case, duration, options, quiet)
    shown = wanted or list(case.show)
    if shown:
        result.record["show"] = shown
    return delivered(
        result, failure, plot_file=plot_file, save_file=save_file, quiet=quiet, draw=_figure(figure, wanted)
    )


def _wanted(patterns: Sequence[str], figure: str) -> list[str]:
    """The channels named after --plot; what cannot be drawn is told before the run."""
    wanted = [word for text in patterns for word in text.replace(",", " ").split()]
    if patterns and not wanted:
        remedy = 'Name channels: --plot "piston.x, O.reaction.*", or leave --plot out.'
        raise LinkworkError("no channel is named.", component="--plot", remedy=remedy)
    if figure == "phase" and len(wanted) not in (1, 2):
        remedy = 'Name one or two: --plot "O.angle, O.angle.rate".'
        raise LinkworkError("a phase plot shows one channel over another.", component="--plot", remedy=remedy)
    return wanted


def _check_channels(case: Case, wanted: Sequence[str], options: Data, duration: float) -> None:
    """A channel that does not exist is told before the run, not after it."""
    if not wanted or not isinstance(case.model, (BondGraph, Model)):
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if isinstance(case.model, BondGraph):
                known = case.model.simulate(1e-9 * duration, parameters=case.parameters)
            else:
                chosen = options.get("formulation") or case.model.natural
                known = case.model.evaluate(formulation=chosen, parameters=case.parameters)
    except LinkworkError:
        return  # the run will say what is wrong
    chosen_of(known, [name for name in wanted if not fnmatchcase("solver.step", name)])


def _figure(kind: str, wanted: Sequence[str]) -> Callable[[Result, Path], object] | None:
    """What draws a figure other than channels over time."""
    if kind == "phase":
        return lambda result, file: result.plot_phase(*wanted, file=file)
    if kind == "series":
        return None
    return lambda result, file: getattr(result, f"plot_{kind}")(file=file)


def _simulate(case: Case, duration: float, options: Data, quiet: bool) -> tuple[Result, IntegrationError | None]:
    chosen = {key: value for key, value in options.items() if value is not None}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LinkworkWarning)  # they are told at the end, in red
        try:
            return case.model.simulate(duration, parameters=case.parameters, **chosen), None
        except IntegrationError as failure:
            if failure.partial is None:
                raise
            return failure.partial, failure
