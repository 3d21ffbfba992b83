"""Runs of one model beside each other: how far they drift from the reference (BND figures 21 and 31), and overlaid."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.comparison.comparison import Comparison
from linkwork.core.errors import LinkworkError
from linkwork.core.result import Result
from linkwork.plots.channels import chosen
from linkwork.plots.names import readable, with_unit
from linkwork.plots.panels import COLOURS, STYLES, legend, panel_height, positive
from linkwork.plots.series import time_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.plots.figure import Figure

_DASH = 3.0  # length of a dash, in widths of the line


def plot(
    comparison: Comparison,
    *channels: str,
    file: str | os.PathLike[str] | None = None,
    log: bool = False,
    title: str | None = None,
    size: tuple[float, float] | None = None,
) -> Figure:
    """Draw run − reference against time. Returns a Matplotlib Figure.

    channels  names or patterns; none: those the comparison was asked for, else the speeds that differ most
    file      also write it there: .svg, .png or .pdf
    log       show the size of the difference on a logarithmic scale
    title     above the figure; the model and the reference unless given
    size      width and height [inch]
    """
    names, runs = _wanted(comparison, channels)
    from linkwork.plots.figure import look
    from linkwork.plots.layout import arrange, stacked

    with look():
        figure, panels = stacked([panel_height(len(runs))] * len(names), size)
        for panel, name in zip(panels, names, strict=True):
            _differences(panel, comparison, name, runs, log=log)
        legend(panels[0])
        _finish(panels, comparison, "difference" if len(runs) > 1 else f"difference of {runs[0]}", title)
        arrange(figure, panels, grow=size is None)
    if file is not None:
        figure.write(file)
    return figure


def plot_overlay(
    comparison: Comparison,
    *channels: str,
    file: str | os.PathLike[str] | None = None,
    log: bool = False,
    title: str | None = None,
    size: tuple[float, float] | None = None,
) -> Figure:
    """Draw each channel of all runs in one panel, and below it run − reference. Returns a Matplotlib Figure.

    Options as for `plot`; log: differences on a logarithmic scale.
    """
    names, runs = _wanted(comparison, channels)
    from linkwork.plots.figure import look
    from linkwork.plots.layout import arrange, stacked

    with look():
        upper = panel_height(len(runs) + 1)
        figure, panels = stacked([upper, 0.6 * upper] * len(names), size)
        for k, name in enumerate(names):
            _values(panels[2 * k], comparison, name, runs)
            _differences(panels[2 * k + 1], comparison, name, runs, log=log)
        names_of_runs: Any = legend(panels[0])
        for sample in names_of_runs.get_lines():
            sample.set_linestyle("-")
        _finish(panels, comparison, "runs, and their difference", title)
        arrange(figure, panels, grow=size is None)
    if file is not None:
        figure.write(file)
    return figure


def _wanted(comparison: Comparison, patterns: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Channels and runs to draw."""
    if comparison.reference not in comparison.results:
        remedy = "Compare again: files hold the numbers, not the motions."
        raise LinkworkError("there are no results to draw.", component=comparison.model, remedy=remedy)
    names = chosen(comparison.results[comparison.reference], patterns) if patterns else comparison.suggested()
    runs = [run.name for run in comparison.compared]
    if not names or not runs:
        remedy = "Compare two formulations or more that finish, and name channels that they have."
        raise LinkworkError("there is nothing to compare in a figure.", component=comparison.model, remedy=remedy)
    return names, runs


def _values(panel: Axes, comparison: Comparison, name: str, runs: list[str]) -> None:
    from linkwork.plots.ticks import scale_axis

    reference = comparison.results[comparison.reference]
    panel.plot(
        reference.t,
        reference[name],
        color="#bbbbbb",
        linewidth=4.0,
        label=comparison.reference,
        gid=f"reference {name}",
    )
    curves: list[np.ndarray] = [reference[name]]
    for k, run in enumerate(runs):
        result: Result = comparison.results[run]
        if name in result:
            colour = COLOURS[k % len(COLOURS)]
            panel.plot(
                result.t, result[name], linestyle=_turn(k, len(runs)), color=colour, label=run, gid=f"{run} {name}"
            )
            curves.append(result[name])
    panel.margins(x=0.01)
    panel.locator_params(axis="y", nbins=5)
    scale = scale_axis(panel.yaxis, comparison.units.get(name, ""), curves)
    panel.set_ylabel(with_unit(readable(name), scale.unit))


def _turn(k: int, count: int) -> str | tuple[float, tuple[float, ...]]:
    """Dashes that take turns: runs that agree show as one line of all their colours, none hides another."""
    return "-" if count == 1 else ((count - k) % count * _DASH, (_DASH, (count - 1) * _DASH))


def _differences(panel: Axes, comparison: Comparison, name: str, runs: list[str], *, log: bool) -> None:
    from linkwork.plots.ticks import logarithmic, scale_axis

    curves = []
    for k, run in enumerate(runs):
        if name not in comparison.results[run]:
            continue
        t, apart = comparison.difference(run, name)
        style = STYLES[k // len(COLOURS) % len(STYLES)]
        shown = positive(apart) if log else apart
        panel.plot(t, shown, style, color=COLOURS[k % len(COLOURS)], label=run, gid=f"{run} Δ {name}")
        curves.append(apart)
    unit = comparison.units.get(name, "")
    if log:
        logarithmic(panel.yaxis)
    else:
        panel.locator_params(axis="y", nbins=5)
        unit = scale_axis(panel.yaxis, unit, curves).unit
    panel.margins(x=0.01)
    what = f"Δ {readable(name)}"
    panel.set_ylabel(with_unit(f"|{what}|" if log else what, unit))


def _finish(panels: list[Axes], comparison: Comparison, what: str, title: str | None) -> None:
    time_axis(panels[-1], comparison.results[comparison.reference])
    heading = f"{comparison.model}: {what} from {comparison.reference}"
    panels[0].set_title(heading if title is None else title, loc="left", y=1.0)


Comparison.register("plot", plot)
Comparison.register("plot_overlay", plot_overlay)
