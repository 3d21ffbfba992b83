"""Activity of elements as bars, their powers over time as lines."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from linkwork.core.errors import LinkworkError
from linkwork.plots.panels import COLOURS, STYLES, legend
from linkwork.simulation.bonds.table import BondTable, ElementEnergy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.plots.figure import Figure

_BAR_LIMIT = 16  # bars that can be told apart; the others are summed up
_LINES = 6  # powers over time shown unless others are named
_COLOURS = {"store": COLOURS[0], "resistor": COLOURS[1]}
_TOP, _BOTTOM, _BAR, _PANEL = 0.45, 0.6, 0.24, 2.6  # inches


def plot(
    table: BondTable,
    *elements: str,
    file: str | os.PathLike[str] | None = None,
    title: str | None = None,
    size: tuple[float, float] | None = None,
) -> Figure:
    """Draw the activity index of stores and resistors as bars, and powers over time. Returns a Matplotlib Figure.

    elements: whose power to draw; none: the most active ones. file: also write it there: .svg, .png or .pdf;
    title: above the figure, the graph's name unless given; size: width and height [inch]
    """
    for name in elements:
        table.power_of(name)  # an unknown name is told before anything is drawn
    ranked = sorted((e for e in table.elements.values() if e.index is not None), key=lambda e: -e.activity)
    if not ranked:
        raise LinkworkError("there is no store and no resistor.", component=table.graph.name)
    shown = list(elements) or [e.name for e in ranked[:_LINES]]
    from linkwork.plots.figure import Figure, look
    from linkwork.plots.layout import arrange

    with look():
        bars = _BAR * (min(len(ranked), _BAR_LIMIT + 1) + 1.5)
        width, height = size or (7.0, _TOP + bars + 2 * _BOTTOM + _PANEL)
        figure = Figure(figsize=(width, height), dpi=120)
        upper, lower = figure.subplots(2, 1, gridspec_kw={"height_ratios": [bars, _PANEL]})
        _bars(upper, ranked)
        _powers(lower, table, shown)
        upper.set_title(table.graph.name if title is None else title, loc="left")
        arrange(figure, [lower])
        longest = max(len(label.get_text()) for label in upper.get_yticklabels())
        figure.subplots_adjust(
            left=min(0.45, max(0.95, 0.3 + 0.075 * longest) / width),
            top=1 - _TOP / height,
            bottom=_BOTTOM / height,
            hspace=3 * _BOTTOM / (bars + _PANEL),
        )
    if file is not None:
        figure.write(file)
    return figure


def _bars(panel: Axes, ranked: list[ElementEnergy]) -> None:
    """One bar per element, the most active on top."""
    first, rest = ranked[:_BAR_LIMIT], ranked[_BAR_LIMIT:]
    names = [f"{e.symbol}:{e.name}" for e in first]
    shares = [100 * (e.index or 0.0) for e in first]
    colours = [_COLOURS[e.role] for e in first]
    if rest:
        names.append(f"{len(rest)} others")
        shares.append(100 * sum(e.index or 0.0 for e in rest))
        colours.append("#999999")
    places = list(range(len(names)))
    panel.barh(places, shares, color=colours, height=0.7)
    for place, share in zip(places, shares, strict=True):
        panel.annotate(f"{share:.2f} %", (share, place), xytext=(4, 0), textcoords="offset points", va="center", size=8)
    panel.set_yticks(places, names)
    panel.invert_yaxis()
    panel.margins(x=0.12)
    panel.grid(visible=False, axis="y")
    panel.set_xlabel("activity index [%]: stores blue, resistors orange")


def _powers(panel: Axes, table: BondTable, names: list[str]) -> None:
    for i, name in enumerate(names):
        colour, style = COLOURS[i % len(COLOURS)], STYLES[i // len(COLOURS) % len(STYLES)]
        panel.plot(table.t, table.power_of(name), style, color=colour, label=name)
    panel.margins(x=0.01)
    panel.set_xlabel("time [s]")
    panel.set_ylabel("power [W]")
    legend(panel)


BondTable.register("plot", plot)
