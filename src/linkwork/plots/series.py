"""Channels over time: one panel per unit, one line per channel."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from linkwork.core.errors import LinkworkError
from linkwork.core.result import Result
from linkwork.core.units import quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.plots.figure import Figure

# Okabe and Ito's colours: told apart by every kind of colour vision; their yellow is too faint for a line on white.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
STYLES = ("-", "--", ":")
_LEFT, _TOP, _BOTTOM, _PANEL = 0.95, 0.4, 0.55, 2.0  # inches
_LONGEST_LABEL = 22  # characters that fit beside a panel


def plot(
    result: Result,
    *channels: str,
    file: str | os.PathLike[str] | None = None,
    title: str | None = None,
    size: tuple[float, float] | None = None,
) -> Figure:
    """Draw channels over time; those of equal unit share a panel. Returns a Matplotlib Figure.

    channels  names or patterns (`"O.reaction.*"`); none: those the run was made to show, else coordinates and energies
    file      also write it there: .svg, .png or .pdf
    title     above the figure; the model's name unless given
    size      width and height [inch]
    """
    names = result.names(*channels) if channels else suggested(result)
    if not names:
        raise LinkworkError("there is no channel to plot.", component=result.record.get("model"))
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(result.unit(name), []).append(name)
    from linkwork.plots.figure import Figure, look

    with look():
        figure = Figure(figsize=size or (7.0, _TOP + _BOTTOM + _PANEL * len(groups)), dpi=120)
        panels = figure.subplots(len(groups), 1, sharex=True, squeeze=False)[:, 0]
        for panel, (unit, members) in zip(panels, groups.items(), strict=True):
            _draw(panel, result, members, unit)
        panels[-1].set_xlabel("time [s]")
        panels[0].set_title(result.record.get("model", "") if title is None else title, loc="left", y=1.0)
        arrange(figure, panels, groups.values())
    if file is not None:
        figure.write(file)
    return figure


def suggested(result: Result) -> list[str]:
    """The channels to look at first: what the run says it shows, else joint coordinates and energies, else anything."""
    if result.record.get("show"):
        return result.names(*result.record["show"])
    joints = result.description.get("joints", {})
    coordinates = [name for name in result if name.split(".")[0] in joints and f"{name}.rate" in result][:4]
    energies = [name for name in result if name.startswith("energy.")]
    return coordinates + energies or list(result)[:4]


def _draw(panel: Axes, result: Result, names: list[str], unit: str) -> None:
    for i, name in enumerate(names):
        colour, style = COLOURS[i % len(COLOURS)], STYLES[i // len(COLOURS) % len(STYLES)]
        panel.plot(result.t, result[name], style, color=colour, label=name)
    panel.margins(x=0.01)
    panel.locator_params(axis="y", nbins=5)
    meaning = names[0] if len(names) == 1 else quantity(unit)
    label = f"{meaning} [{unit}]" if unit else meaning
    panel.set_ylabel(label if len(label) <= _LONGEST_LABEL else f"{meaning}\n[{unit}]")
    if len(names) > 1:
        panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.0)


def arrange(figure: Figure, panels: Iterable[Axes], groups: Iterable[list[str]]) -> None:
    """Margins from the lengths of the texts. Matplotlib's own layout measures every text: half of the drawing time."""
    width, height = figure.get_size_inches()
    legend = max((len(name) for names in groups if len(names) > 1 for name in names), default=0)
    right = min(0.5 + 0.08 * legend, 0.5 * width) if legend else 0.2
    span = width - _LEFT - right
    figure.subplots_adjust(
        left=_LEFT / width, right=1 - right / width, top=1 - _TOP / height, bottom=_BOTTOM / height, hspace=0.12
    )
    for panel in panels:
        panel.yaxis.set_label_coords(-(_LEFT - 0.25) / span, 0.5)
        panel.yaxis.label.set_verticalalignment("center")
