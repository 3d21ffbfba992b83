"""How well a run went: drift of constraints and energy, and the steps the solver took, on logarithmic scales."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.core.result import Result
from linkwork.plots.energy import balance
from linkwork.plots.names import readable, with_unit
from linkwork.plots.panels import GREY, event_names, legend, line, mark_events, panel_height, positive
from linkwork.plots.series import time_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.plots.figure import Figure


def plot_drift(
    result: Result,
    *,
    file: str | os.PathLike[str] | None = None,
    title: str | None = None,
    size: tuple[float, float] | None = None,
    events: bool = True,
) -> Figure:
    """Draw how far constraints are violated and the energy balance is off. Returns a Matplotlib Figure.

    file: also write it there: .svg, .png or .pdf; title: above the figure; size: width and height [inch]; events: mark
    """
    shown = {name: (result.unit(name), result[name]) for name in ("residual.position", "residual.velocity")
             if name in result}  # fmt: skip
    if "energy.total" in result:
        parts, given = balance(result)
        if given is not None:
            shown["energy residual"] = ("J", np.sum(list(parts.values()), axis=0) - given)
    if not shown:
        raise LinkworkError(
            "the result holds no residuals.", component=result.record.get("model"), remedy="Plot a simulation."
        )
    return _logarithmic(result, shown, file=file, title=title, size=size, events=events)


def plot_steps(
    result: Result,
    *,
    file: str | os.PathLike[str] | None = None,
    title: str | None = None,
    size: tuple[float, float] | None = None,
    events: bool = True,
) -> Figure:
    """Draw the step size of the solver over time. Returns a Matplotlib Figure.

    file: also write it there: .svg, .png or .pdf; title: above the figure; size: width and height [inch]; events: mark
    """
    if "solver.step" not in result:
        raise LinkworkError(
            "the result holds no step sizes.", component=result.record.get("model"), remedy="Plot a simulation."
        )
    shown = {"solver.step": ("s", result["solver.step"])}
    return _logarithmic(result, shown, file=file, title=title, size=size, events=events)


def _logarithmic(
    result: Result,
    shown: Mapping[str, tuple[str, np.ndarray]],
    *,
    file: str | os.PathLike[str] | None,
    title: str | None,
    size: tuple[float, float] | None,
    events: bool,
) -> Figure:
    from linkwork.plots.figure import look
    from linkwork.plots.layout import arrange, stacked

    with look():
        least = 1.6 if len(shown) > 1 else 2.4
        rows = [event_names(result) if events else 0] + [0] * (len(shown) - 1)
        figure, panels = stacked([panel_height(n, least=least) for n in rows], size)
        for panel, (name, (unit, values)) in zip(panels, shown.items(), strict=True):
            _panel(panel, result.t, name, unit, values)
        if events and result.events:
            mark_events(panels, result)
            legend(panels[0])
        time_axis(panels[-1], result)
        panels[0].set_title(result.record.get("model", "") if title is None else title, loc="left", y=1.0)
        panels[0].set_title(_how(result), loc="right", y=1.0, fontsize=8, color=GREY)
        arrange(figure, panels)
    if file is not None:
        figure.write(file)
    return figure


def _panel(panel: Axes, t: np.ndarray, name: str, unit: str, values: np.ndarray) -> None:
    from linkwork.plots.ticks import logarithmic

    sizes = positive(values)
    line(panel, t, sizes, label=readable(name), channel=name, linewidth=1.2)
    panel.margins(x=0.01)
    panel.set_ylabel(with_unit(readable(name), unit))
    if not np.any(np.isfinite(sizes)):
        panel.set_yticks([])
        panel.text(0.5, 0.5, "zero throughout", transform=panel.transAxes, ha="center", va="center", color=GREY)
        return
    logarithmic(panel.yaxis)
    low, high = np.nanmin(sizes), np.nanmax(sizes)
    if high < 10 * low:  # at least one decade, or there is no number on the axis
        middle = np.log10(low * high) / 2
        panel.set_ylim(10 ** np.floor(middle - 0.3), 10 ** np.ceil(middle + 0.3))


def _how(result: Result) -> str:
    """Formulation, solver, tolerance and steps, as far as the record has them."""
    record = result.record
    words = [str(record[key]).partition("(")[0] for key in ("formulation", "solver") if record.get(key)]
    if isinstance(record.get("rtol"), int | float):
        words.append(f"rtol {record['rtol']:g}")
    accepted = record.get("statistics", {}).get("accepted")
    if accepted is not None:
        rejected = record["statistics"].get("rejected")
        words.append(f"{accepted} steps" + (f", {rejected} rejected" if rejected else ""))
    return ", ".join(words)


Result.register("plot_drift", plot_drift)
Result.register("plot_steps", plot_steps)
