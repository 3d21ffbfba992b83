"""Mode shapes of a linearisation: one panel per mode, one bar per coordinate."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.linearization.linearization import Linearization
from linkwork.analyses.linearization.modes import Mode
from linkwork.core.errors import LinkworkError
from linkwork.plots.names import readable
from linkwork.plots.panels import COLOURS, GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.plots.figure import Figure

_COLUMNS, _BAR, _HEAD = 3, 0.26, 0.7  # panels beside each other; inches: a bar, title and axis of a panel
_IN_LINE = 10.0  # degrees: closer to 0° or 180° than this, a coordinate moves with or against the leader


def plot_modes(
    linear: Linearization,
    count: int = 6,
    *,
    file: str | os.PathLike[str] | None = None,
    title: str | None = None,
    size: tuple[float, float] | None = None,
) -> Figure:
    """Draw the shapes of the slowest modes. Returns a Matplotlib Figure.

    Each bar is how far a coordinate moves, relative to the one that takes most part in the mode; to the left where it
    moves against it. Phases other than 0° and 180° stand at the bar. Coordinates in m and in rad are compared as they
    are: the unit stands behind the name.
    count: how many modes; file: also write it there: .svg, .png or .pdf; title: above; size: width and height [inch]
    """
    modes = [mode for mode in linear.modes if mode.shape][: max(count, 0)]
    if not modes:
        raise LinkworkError("there are no modes to draw.", component=linear.model)
    from linkwork.plots.figure import Figure, look
    from linkwork.plots.layout import text_width

    names = list(modes[0].shape)
    labels = [f"{readable(n)} [{linear.units[n]}]" if linear.units.get(n) else readable(n) for n in names]
    columns = 2 if len(modes) == 4 else min(_COLUMNS, len(modes))
    rows = -(-len(modes) // columns)
    with look():
        left = 0.3 + max(text_width(label, 9.0) for label in labels)
        each = _HEAD + _BAR * (len(names) + 0.6)
        width, height = size or (left + 2.1 * max(columns, 2) + 0.2, 0.35 + each * rows)
        figure = Figure(figsize=(width, height), dpi=120)
        panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for panel, mode in zip(panels.flat, modes, strict=False):
            _bars(panel, mode, names)
        for panel in panels.flat[len(modes) :]:
            panel.set_visible(False)
        panels[0, 0].set_yticks(range(len(names)), labels)
        for panel in panels[:, 0]:
            panel.tick_params(axis="y", labelsize=9)
        panels[0, 0].invert_yaxis()
        furthest = max(abs(x) for mode in modes for x in mode.shape.values())
        panels[0, 0].set_xlim(-1.32 * furthest, 1.32 * furthest)  # room for a phase behind the longest bar
        for column in range(columns):
            lowest = max(r for r in range(rows) if r * columns + column < len(modes))
            panels[lowest, column].set_xlabel("relative motion", fontsize=9)
            panels[lowest, column].tick_params(labelbottom=True)
        heading = f"{linear.model}: modes" if title is None else title
        figure.suptitle(heading, x=left / width, y=1 - 0.08 / height, ha="left", va="top", fontsize=11)
        figure.subplots_adjust(
            left=left / width,
            right=1 - 0.2 / width,
            top=1 - 0.6 / height,
            bottom=0.5 / height,
            wspace=0.12,
            hspace=_HEAD / max(each - _HEAD, 0.3),
        )
    if file is not None:
        figure.write(file)
    return figure


def _bars(panel: Axes, mode: Mode, names: list[str]) -> None:
    colour = COLOURS[1] if mode.growing else COLOURS[0]
    for place, name in enumerate(names):
        value = mode.shape[name]
        phase = float(np.degrees(np.angle(value)))
        size = abs(value) * (-1.0 if abs(phase) > 90.0 else 1.0)
        panel.barh(place, size, color=colour, height=0.62)
        aside = min(abs(phase), 180.0 - abs(phase))
        if aside > _IN_LINE and abs(value) > 0.005:
            panel.annotate(
                f"{phase:.0f}°".replace("-", "−"),
                (size, place),
                xytext=(3 if size > 0 else -3, 0),
                textcoords="offset points",
                ha="left" if size > 0 else "right",
                va="center",
                fontsize=8,
                color=GREY,
            )
    panel.axvline(0, color=GREY, linewidth=0.8)
    panel.grid(visible=False, axis="y")
    panel.tick_params(axis="y", length=0)
    panel.set_title(_heading(mode), loc="left", fontsize=9)


def _heading(mode: Mode) -> str:
    if mode.oscillates:
        damping = 0.0 if abs(mode.eigenvalue.real) <= mode.accuracy else 100 * mode.damping
        text = f"{mode.frequency:.4g} Hz, damping {damping:.3g} %"
    elif abs(mode.eigenvalue) <= mode.accuracy:
        text = "stays (rigid)"
    else:
        text = f"{'grows' if mode.growing else 'decays'}, {1 / abs(mode.eigenvalue.real):.3g} s"
    return text.replace("-", "−")


Linearization.register("plot_modes", plot_modes)
