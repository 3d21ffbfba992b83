"""A fit as a figure: what was measured with the model's line through it, and what is left over below."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from linkwork.plots.names import readable, with_unit
from linkwork.plots.panels import COLOURS, GREY
from linkwork.sweeps.fitted import Fit

if TYPE_CHECKING:
    from linkwork.plots.figure import Figure

TALL, LOW = 1.7, 0.8
"""inch: panels of a channel and of its residuals."""


def plot_fit(
    fit: Fit,
    *,
    file: str | os.PathLike[str] | None = None,
    title: str | None = None,
    size: tuple[float, float] | None = None,
) -> Figure:
    """Draw each channel, measured and fitted, and its residuals below. Returns a Matplotlib Figure.

    file: also write it there: .svg, .png or .pdf; title: above the figure; size: width and height [inch]
    """
    from linkwork.plots.figure import look
    from linkwork.plots.layout import arrange, stacked
    from linkwork.plots.ticks import scale_axis

    with look():
        figure, panels = stacked([x for _ in fit.data for x in (TALL, LOW)], size)
        every = np.concatenate([each.t for each in fit.data])
        for k, (each, values, left) in enumerate(zip(fit.data, fit.values, fit.residuals, strict=True)):
            upper, lower = panels[2 * k], panels[2 * k + 1]
            unit = fit.units.get(each.channel, "")
            upper.plot(each.t, each.values, "o", color=GREY, markersize=3, alpha=0.7, label="measured", linewidth=0)
            upper.plot(each.t, values, color=COLOURS[0], label="model")
            shown = scale_axis(upper.yaxis, unit, [each.values, values])
            upper.set_ylabel(with_unit(readable(each.channel), shown.unit))
            lower.axhline(0, color=GREY, linewidth=0.8)
            lower.vlines(each.t, 0, left, color=COLOURS[1], linewidth=0.8)
            lower.plot(each.t, left, "o", color=COLOURS[1], markersize=2.5)
            if each.deviation is not None:
                lower.fill_between(each.t, -2 * each.deviation, 2 * each.deviation, color=GREY, alpha=0.15, linewidth=0)
            lower.set_ylabel(with_unit("residual", scale_axis(lower.yaxis, unit, [left]).unit))
            for panel in (upper, lower):
                panel.margins(x=0.01)
                panel.locator_params(axis="y", nbins=5 if panel is upper else 3)
        panels[-1].set_xlabel(f"time [{scale_axis(panels[-1].xaxis, 's', [every]).unit}]")
        panels[0].set_title(fit.model if title is None else title, loc="left", y=1.0)
        arrange(figure, panels)
        # Above the panel, beside the title: nothing has to make room for it.
        panels[0].legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0.2)
    if file is not None:
        figure.write(file)
    return figure


Fit.register("plot", plot_fit)
