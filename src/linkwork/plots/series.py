"""Channels over time: one panel per unit, one line per channel."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from linkwork.core.errors import LinkworkError
from linkwork.core.result import Result
from linkwork.plots.channels import grouped, suggested
from linkwork.plots.names import axis_name, legend_names, with_unit
from linkwork.plots.panels import event_names, legend, line, mark_events, panel_height

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot", "suggested"]


def plot(
    result: Result,
    *channels: str | Sequence[str],
    file: str | os.PathLike[str] | None = None,
    title: str | None = None,
    size: tuple[float, float] | None = None,
    axes: Axes | Iterable[Axes] | None = None,
    label: str = "",
    events: bool = True,
) -> Figure:
    """Draw channels over time; those of equal unit share a panel. Returns a Matplotlib Figure.

    channels  names or patterns (`"O.reaction.*"`); a list of them gets panels of its own; none: those the run was made
              to show, else coordinates and energies
    file      also write it there: .svg, .png or .pdf
    title     above the figure; the model's name unless given
    size      width and height [inch]
    axes      draw into these Matplotlib axes, one per unit, instead of a new figure: another run on top of the first
    label     added to the names in the legend, to tell runs apart
    events    mark the events of the run
    """
    groups = grouped(result, channels or suggested(result))
    if not groups:
        raise LinkworkError("there is no channel to plot.", component=result.record.get("model"))
    from linkwork.plots.figure import look, write

    with look():
        figure = (
            _new(result, groups, label, title, size, events)
            if axes is None
            else _onto(result, groups, label, title, axes, events)
        )
    if file is not None:
        write(figure, file)
    return figure


def _new(
    result: Result,
    groups: list[tuple[str, list[str]]],
    label: str,
    title: str | None,
    size: tuple[float, float] | None,
    events: bool,
) -> Figure:
    from linkwork.plots.layout import arrange, stacked

    rows = [len(names) for _, names in groups]
    rows[0] += event_names(result) if events else 0
    figure, panels = stacked([panel_height(n) for n in rows], size)
    for panel, (unit, names) in zip(panels, groups, strict=True):
        draw(panel, result, names, unit, label)
    if events:
        mark_events(panels, result)
    for panel in panels:
        legend(panel, always=bool(label))
    time_axis(panels[-1], result)
    panels[0].set_title(result.record.get("model", "") if title is None else title, loc="left", y=1.0)
    arrange(figure, panels, grow=size is None)
    return figure


def _onto(
    result: Result,
    groups: list[tuple[str, list[str]]],
    label: str,
    title: str | None,
    axes: Axes | Iterable[Axes],
    events: bool,
) -> Figure:
    """Into axes that exist; what they show already stays."""
    panels = list(axes) if isinstance(axes, Iterable) else [axes]
    if len(panels) != len(groups):
        raise LinkworkError(
            f"{len(groups)} units need as many axes, and {len(panels)} are given.",
            component=result.record.get("model"),
            remedy="Give one axes per unit: " + ", ".join(f"[{unit}]" for unit, _ in groups) + ".",
        )
    figure: Any = panels[0].get_figure()
    for panel, (unit, names) in zip(panels, groups, strict=True):
        draw(panel, result, names, unit, label)
    if events:
        mark_events(panels, result)
    from linkwork.plots.figure import Figure as Ours

    for panel in panels:
        if isinstance(figure, Ours):
            legend(panel)
        elif len(panel.get_legend_handles_labels()[1]) > 1:
            panel.legend(loc="best")
        if panel is panels[-1] or not panel.get_shared_x_axes().joined(panel, panels[-1]):
            time_axis(panel, result)
    if title is not None:
        panels[0].set_title(title, loc="left", y=1.0)
    if isinstance(figure, Ours):
        from linkwork.plots.layout import arrange

        arrange(figure, figure.axes)
    return figure


def draw(panel: Axes, result: Result, names: list[str], unit: str, label: str = "") -> None:
    """The channels `names`, all of `unit`, in one panel."""
    from linkwork.plots.ticks import scale_axis

    fresh = not any(one.get_gid() for one in panel.lines)
    for name, text in zip(names, legend_names(names, unit), strict=True):
        line(panel, result.t, result[name], label=f"{text}, {label}" if label else text, channel=name)
    panel.margins(x=0.01)
    panel.locator_params(axis="y", nbins=5)
    scale = scale_axis(panel.yaxis, unit, [one.get_ydata() for one in panel.lines if one.get_gid()])
    shown = list(dict.fromkeys(str(one.get_gid()) for one in panel.lines if one.get_gid()))
    if fresh or panel.get_ylabel().endswith("]"):
        panel.set_ylabel(with_unit(axis_name(shown, unit), scale.unit))


def time_axis(panel: Axes, result: Result) -> None:
    """Name and number the time axis of the lowest panel."""
    from linkwork.plots.ticks import scale_axis

    scale = scale_axis(panel.xaxis, "s", [result.t])
    panel.set_xlabel(f"time [{scale.unit}]")


Result.register("plot", plot)
