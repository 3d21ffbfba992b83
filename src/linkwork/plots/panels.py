"""What figures have in common: colours, lines of channels, marks of events, legends beside the panel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.core.result import Result
from linkwork.plots.names import readable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

# Okabe and Ito's colours: told apart by every kind of colour vision; their yellow is too faint for a line on white.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
STYLES = ("-", "--", ":", "-.")
GREY, DARK = "#777777", "#333333"
ROW = 0.19  # inches: a line of a legend
_EVENT_STYLES = (":", "--", "-.", (0, (6, 2)))
_CROWD = 40  # events that can be told apart as lines; more become ticks at the upper edge
_NAMED = 4  # kinds of events that a legend names; more are only counted


def line(panel: Axes, x: np.ndarray, y: np.ndarray, *, label: str, channel: str, **look: Any) -> Line2D:
    """Draw one channel in the next free colour; two samples at one time are a jump, drawn upright.

    channel: kept as the line's gid (and the id in SVG), so that a line can be found again whatever its label is.
    """
    k = sum(1 for one in panel.lines if one.get_gid())
    chosen = {"color": COLOURS[k % len(COLOURS)], "linestyle": STYLES[k // len(COLOURS) % len(STYLES)]}
    (drawn,) = panel.plot(x, y, label=label, gid=channel, **{**chosen, **look})
    return drawn


def mark_events(panels: Sequence[Axes], result: Result) -> None:
    """A thin upright line at each event, in every panel; the names stand in the legend of the first."""
    if not result.events:
        return
    from matplotlib.collections import LineCollection

    named: dict[str, list[float]] = {}
    many = event_names(result) == 1 and len({name for _, name in result.events}) > 1
    for time, name in result.events:
        named.setdefault(f"{len(result.events)} events" if many else f"event {readable(name)}", []).append(time)
    foot = 0.95 if many or len(result.events) > _CROWD else 0.0
    for k, (name, times) in enumerate(named.items()):
        for panel in panels:
            marks = LineCollection(
                [[(time, foot), (time, 1.0)] for time in times],
                colors=GREY,
                linewidths=0.9 if foot == 0.0 else 0.5,
                linestyles=[_EVENT_STYLES[k % len(_EVENT_STYLES)] if foot == 0.0 else "-"],
                transform=panel.get_xaxis_transform(),
                zorder=1.5,
                label=name if panel is panels[0] else None,
            )
            panel.add_collection(marks, autolim=False)


def event_names(result: Result) -> int:
    """How many lines `mark_events` adds to a legend."""
    kinds = len({name for _, name in result.events})
    return kinds if kinds <= _NAMED else 1


def legend(panel: Axes, *, always: bool = False) -> Legend | None:
    """Beside the panel, where it hides nothing; none for a single line, whose name is on the axis."""
    handles, labels = panel.get_legend_handles_labels()
    if len(labels) < (1 if always else 2):
        return None
    figure: Any = panel.get_figure()
    tall = panel.get_position().height * figure.get_size_inches()[1]
    columns = math.ceil(len(labels) / max(1, int(tall / ROW)))
    return panel.legend(
        handles,
        labels,
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        borderaxespad=0.0,
        ncols=columns,
    )


def panel_height(lines: int, least: float = 2.0, most: float = 4.5) -> float:
    """Inches for a panel whose legend has so many lines."""
    return min(most, max(least, ROW * lines + 0.1))


def positive(values: object) -> np.ndarray:
    """Sizes for a logarithmic axis, which has no zero: where a value vanishes, the line has a gap."""
    sizes = np.abs(np.asarray(values, dtype=float))
    return np.where(sizes > 0, sizes, np.nan)
