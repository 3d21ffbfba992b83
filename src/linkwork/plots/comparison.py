"""How far runs drift from the reference over time (BND figures 21 and 31): one panel per channel, one line per run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.comparing.comparison import Comparison
from linkwork.core.errors import LinkworkError
from linkwork.plots.series import COLOURS, STYLES, arrange

if TYPE_CHECKING:
    from linkwork.plots.figure import Figure

_HEIGHT, _PANEL = 0.95, 2.0  # inches: title and time axis; each panel


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
    names, runs = _names(comparison, channels), [run.name for run in comparison.compared]
    if not names or not runs:
        raise LinkworkError("there is nothing to compare in a figure.", component=comparison.model)
    from linkwork.plots.figure import Figure, look

    with look():
        figure = Figure(figsize=size or (7.0, _HEIGHT + _PANEL * len(names)), dpi=120)
        panels = figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
        for panel, name in zip(panels, names, strict=True):
            for k, run in enumerate(runs):
                if name not in comparison.results[run]:
                    continue
                t, apart = comparison.difference(run, name)
                # A logarithm has no zero: where runs agree to the last bit, the line has a gap.
                shown = np.where(apart == 0, np.nan, np.abs(apart)) if log else apart
                style = STYLES[k // len(COLOURS) % len(STYLES)]
                panel.plot(t, shown, style, color=COLOURS[k % len(COLOURS)], label=run)
            if log:
                panel.set_yscale("log")
            else:  # small numbers in full: a common factor above the axis would sit on the title
                panel.yaxis.set_major_formatter(lambda value, _: f"{value:.3g}")
            panel.margins(x=0.01)
            unit = comparison.units.get(name, "")
            panel.set_ylabel(f"Δ {name}\n[{unit}]" if unit else f"Δ {name}")
            if len(runs) > 1:
                panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.0)
        panels[-1].set_xlabel("time [s]")
        what = "difference" if len(runs) > 1 else f"difference of {runs[0]}"
        heading = f"{comparison.model}: {what} from {comparison.reference}"
        panels[0].set_title(heading if title is None else title, loc="left", y=1.0)
        arrange(figure, panels, [runs])
    if file is not None:
        figure.write(file)
    return figure


def _names(comparison: Comparison, patterns: tuple[str, ...]) -> list[str]:
    if comparison.reference not in comparison.results:
        remedy = "Compare again: files hold the numbers, not the motions."
        raise LinkworkError("there are no results to draw.", component=comparison.model, remedy=remedy)
    return comparison.results[comparison.reference].names(*patterns) if patterns else comparison.suggested()
