"""Panels above each other, and margins that hold their texts.

Matplotlib's own layout engines draw every text twice to measure it: half of the drawing time. Here the widths are
added up from the letters. This module imports Matplotlib; import it where something is drawn, not before.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties, findfont, get_font

from linkwork.plots.figure import Figure

TOP, BOTTOM = 0.4, 0.55  # inches: the title, the horizontal axis
_GAP, _EDGE, _LINE, _NUMBER = 0.24, 0.12, 0.17, 10.0
_NARROW = 3.4  # inches that a panel keeps
_HANDLE, _COLUMN = 0.43, 0.28  # inches: sample of a line in a legend, space between its columns


def stacked(
    heights: Sequence[float], size: tuple[float, float] | None, *, width: float = 7.0
) -> tuple[Figure, list[Axes]]:
    """A figure of panels above each other that share the time axis; heights [inch] of each, width of all."""
    tall = TOP + BOTTOM + sum(heights) + _GAP * (len(heights) - 1)
    figure = Figure(figsize=size or (width, tall), dpi=120)
    grid = {"height_ratios": list(heights), "hspace": _GAP / (sum(heights) / len(heights))}
    panels = figure.subplots(len(heights), 1, sharex=True, squeeze=False, gridspec_kw=grid)[:, 0]
    high = float(figure.get_size_inches()[1])
    figure.subplots_adjust(top=1 - TOP / high, bottom=min(0.4, BOTTOM / high))
    return figure, list(panels)


def arrange(figure: Figure, panels: Sequence[Axes], *, grow: bool = False) -> None:
    """Left and right margins from the texts there: numbers and names of the axes, legends.

    grow: the figure may become wider where a long legend would leave the panels too little
    """
    width = float(figure.get_size_inches()[0])
    numbers = max(_numbers(panel) for panel in panels)
    names = max(_LINE * (panel.get_ylabel().count("\n") + 1) if panel.get_ylabel() else 0.0 for panel in panels)
    left = _EDGE + names + 0.08 + numbers + 0.1
    right = _EDGE + max(max(_legend(panel) for panel in panels), 0.12)
    if grow and width - left - right < _NARROW:
        width = left + right + _NARROW
        figure.set_size_inches(width, float(figure.get_size_inches()[1]))
    right = min(right, 0.5 * width) if not grow else right
    left = min(left, 0.4 * width)
    figure.subplots_adjust(left=left / width, right=1 - right / width)
    for panel in panels:
        panel.yaxis.set_label_coords(-(left - _EDGE - names / 2) / (width - left - right), 0.5)
        panel.yaxis.label.set_verticalalignment("center")


def text_width(text: str, size: float) -> float:
    """Width of a text [inch] in the default font at `size` points."""
    return max((_advance(row) for row in text.split("\n")), default=0.0) * size / 72.0


@lru_cache(maxsize=2048)
def _advance(text: str) -> float:
    """Width of one row in units of the font's size."""
    font = get_font(findfont(FontProperties()))
    font.set_size(64.0, 72)
    font.set_text(text, 0.0)
    return float(font.get_width_height()[0]) / 64.0 / 64.0


def _numbers(panel: Axes) -> float:
    """Width of the widest number at the vertical axis [inch]."""
    low, high = sorted(panel.get_ylim())
    ticks = [y for y in panel.yaxis.get_majorticklocs() if low <= y <= high]
    texts = panel.yaxis.get_major_formatter().format_ticks(ticks)
    return max((text_width(text, _NUMBER) for text in texts), default=0.0)


def _legend(panel: Axes) -> float:
    shown = panel.get_legend()
    if shown is None:
        return 0.0
    columns: int = getattr(shown, "_ncols", 1)
    widest = max(text_width(text.get_text(), float(text.get_fontsize())) for text in shown.get_texts())
    return columns * (_HANDLE + widest) + (columns - 1) * _COLUMN
