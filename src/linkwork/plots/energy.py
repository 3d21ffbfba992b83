"""Energy balance: where the energy is and goes, and what the account is off by."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.core.result import Result
from linkwork.plots.names import with_unit
from linkwork.plots.panels import COLOURS, DARK, event_names, legend, mark_events, panel_height
from linkwork.plots.series import time_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.plots.figure import Figure

_BALANCE = ("energy.total", "energy.dissipated", "energy.supplied")
_COLOURS = {"kinetic": COLOURS[0], "stored": COLOURS[0], "potential": COLOURS[5], "dissipated": COLOURS[1]}
_ROUNDING = 1e-9  # share of the largest energy below which a part is no part


def plot_energy(
    result: Result,
    *,
    file: str | os.PathLike[str] | None = None,
    title: str | None = None,
    size: tuple[float, float] | None = None,
    events: bool = True,
) -> Figure:
    """Draw kinetic, potential and dissipated energy stacked, what was there and supplied as a line over them, and
    below it what the balance is off by. Returns a Matplotlib Figure.

    Potential energy is counted from its lowest value in the run, since only its changes mean something. Where the line
    and the edge of the stack are one, no energy is lost or made. file: also write it there: .svg, .png or .pdf;
    title: above the figure; size: width and height [inch]; events: mark them
    """
    parts, given = balance(result)
    from linkwork.plots.figure import look
    from linkwork.plots.layout import arrange, stacked

    with look():
        rows = len(parts) + 1 + (event_names(result) if events else 0)
        figure, panels = stacked([panel_height(rows, least=2.8)] + ([1.2] if given is not None else []), size)
        _stack(panels[0], result.t, parts, given)
        if given is not None:
            _residual(panels[1], result.t, np.sum(list(parts.values()), axis=0) - given)
        if events:
            mark_events(panels, result)
        legend(panels[0], always=True)
        time_axis(panels[-1], result)
        panels[0].set_title(result.record.get("model", "") if title is None else title, loc="left", y=1.0)
        arrange(figure, panels)
    if file is not None:
        figure.write(file)
    return figure


def balance(result: Result) -> tuple[dict[str, np.ndarray], np.ndarray | None]:
    """{part: values [J]} that stack up, and what they must add up to: the energy at the start and all supplied since.

    The second is None where the run lacks a part of the balance (`record["left out"]`).
    """
    if "energy.total" not in result:
        raise LinkworkError(
            "the result holds no energies.",
            component=result.record.get("model"),
            remedy="Plot the result of a simulation; others leave the balance of energy out.",
        )
    total = result["energy.total"]
    stored = {word: result[f"energy.{word}"] for word in ("kinetic", "potential") if f"energy.{word}" in result}
    rest = total - sum(stored.values(), np.zeros(total.size))
    scale = max((float(np.max(np.abs(v), initial=0.0)) for v in (total, *stored.values())), default=0.0)
    if not stored:
        stored = {"stored": total}
    elif np.max(np.abs(rest), initial=0.0) > _ROUNDING * scale:
        stored["otherwise stored"] = rest
    for word, values in stored.items():
        low = float(np.min(values, initial=np.inf))
        if word != "kinetic" and np.isfinite(low) and (word == "potential" or low < 0):
            stored[word] = values - low  # energies of position have no zero of their own
    whole = all(name in result for name in _BALANCE) and not set(_BALANCE) & set(result.record.get("left out", ()))
    if not whole:
        return stored, None
    supplied, dissipated = result["energy.supplied"], result["energy.dissipated"]
    parts = {**stored, "dissipated": dissipated - dissipated[:1]}
    start = np.sum([values[:1] for values in parts.values()], axis=0)
    return parts, supplied - supplied[:1] + start


def _stack(panel: Axes, t: np.ndarray, parts: dict[str, np.ndarray], given: np.ndarray | None) -> None:
    """Areas on top of each other; what is negative hangs below zero."""
    from linkwork.plots.ticks import scale_axis

    up, down = np.zeros(t.size), np.zeros(t.size)
    for word, values in parts.items():
        above, below = up + np.maximum(values, 0.0), down + np.minimum(values, 0.0)
        area: Any = {"color": _COLOURS.get(word, COLOURS[2]), "alpha": 0.75, "linewidth": 0.0}
        panel.fill_between(t, up, above, label=word, gid=f"energy.{word}", **area)
        if np.any(below < down):
            panel.fill_between(t, down, below, **area)
        up, down = above, below
    curves = [up, down]
    if given is not None:
        panel.plot(t, given, color=DARK, linewidth=1.4, label="at start + supplied", gid="energy.given")
        curves.append(given)
    panel.margins(x=0.01)
    panel.locator_params(axis="y", nbins=6)
    panel.set_ylabel(with_unit("energy", scale_axis(panel.yaxis, "J", curves).unit))


def _residual(panel: Axes, t: np.ndarray, off: np.ndarray) -> None:
    from linkwork.plots.ticks import scale_axis

    panel.plot(t, off, color=DARK, linewidth=0.9, gid="energy.residual")
    panel.margins(x=0.01)
    panel.locator_params(axis="y", nbins=4)
    panel.set_ylabel(with_unit("residual", scale_axis(panel.yaxis, "J", [off]).unit))


Result.register("plot_energy", plot_energy)
