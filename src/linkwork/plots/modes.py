"""Mode shapes of a linearisation: one panel per mode, one bar per coordinate."""

from __future__ import annotations

import os
from collections.abc import Mapping
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

_COLUMNS, _BAR, _HEAD = 3, 0.26, 0.75  # modes beside each other; inches: a bar, title and axis of a mode
_AXIS, _GAP = 0.48, 0.2  # inches: for an axis below bars, between modes beside each other
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
    moves against it. Phases other than 0° and 180° stand at the bar. Coordinates of each unit have an axis of their
    own: metres are not compared with radians.
    count: how many modes; file: also write it there: .svg, .png or .pdf; title: above; size: width and height [inch]
    """
    modes = [mode for mode in linear.modes if mode.shape][: max(count, 0)]
    if not modes:
        raise LinkworkError("there are no modes to draw.", component=linear.model)
    from linkwork.plots.figure import Figure, look
    from linkwork.plots.layout import text_width

    families = _by_unit(list(modes[0].shape), linear.units)
    columns = 2 if len(modes) == 4 else min(_COLUMNS, len(modes))
    rows = -(-len(modes) // columns)
    with look():
        left = 0.3 + max(text_width(readable(name), 9.0) for names in families.values() for name in names)
        heights = [_BAR * (len(names) + 0.6) for names in families.values()]
        each = _HEAD + sum(heights) + _AXIS * (len(heights) - 1)
        width, height = size or (left + 2.1 * max(columns, 2) + 0.2, 0.35 + each * rows)
        figure = Figure(figsize=(width, height), dpi=120)
        stretch = (height - 0.35) / (each * rows)
        wide = (width - left - 0.2 - _GAP * (columns - 1)) / columns
        for k, mode in enumerate(modes):
            row, column = divmod(k, columns)
            top = height - 0.35 - row * each * stretch - 0.25 * stretch
            for place, ((unit, names), tall) in enumerate(zip(families.items(), heights, strict=True)):
                x, y = left + column * (wide + _GAP), top - tall * stretch
                panel = figure.add_axes((x / width, y / height, wide / width, tall * stretch / height))
                _bars(panel, mode, names, unit, labelled=column == 0)
                if not place:
                    panel.set_title(_heading(mode), loc="left", fontsize=9)
                top = y - _AXIS * stretch
        heading = f"{linear.model}: modes" if title is None else title
        figure.suptitle(heading, x=left / width, y=1 - 0.08 / height, ha="left", va="top", fontsize=11)
    if file is not None:
        figure.write(file)
    return figure


def _by_unit(names: list[str], units: Mapping[str, str]) -> dict[str, list[str]]:
    """Names of coordinates under their units, in their order."""
    by_unit: dict[str, list[str]] = {}
    for name in names:
        by_unit.setdefault(units.get(name, ""), []).append(name)
    return by_unit


def _bars(panel: Axes, mode: Mode, names: list[str], unit: str, *, labelled: bool) -> None:
    """One unit's coordinates; labelled: with their names."""
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
    panel.set_yticks(range(len(names)), [readable(name) for name in names] if labelled else [""] * len(names))
    panel.tick_params(axis="y", labelsize=9)
    panel.set_ylim(len(names) - 0.5, -0.5)
    furthest = max(abs(mode.shape[name]) for name in names) or 1.0
    panel.set_xlim(-1.32 * furthest, 1.32 * furthest)  # room for a phase behind the longest bar
    panel.locator_params(axis="x", nbins=5)
    panel.tick_params(axis="x", labelsize=8)
    panel.set_xlabel(f"relative motion [{unit}]" if unit else "relative motion", fontsize=8, labelpad=1)


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
