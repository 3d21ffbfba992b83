"""Phase plots: one channel against another, time going along the line."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.core.result import Result
from linkwork.plots.channels import chosen
from linkwork.plots.names import axis_name, readable, with_unit
from linkwork.plots.panels import DARK, legend, line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.plots.figure import Figure

_ARROWS = (0.12, 0.45, 0.78)  # shares of the line's length at which its direction is shown


def plot_phase(
    result: Result,
    x: str,
    y: str | None = None,
    *,
    file: str | os.PathLike[str] | None = None,
    title: str | None = None,
    size: tuple[float, float] | None = None,
) -> Figure:
    """Draw y against x: a phase plot, or the path of a point. Returns a Matplotlib Figure.

    x      a channel or pattern, such as "O.angle" or "*.angle"
    y      the same; one for each of x, or several against one x. Unless given: the rate of x (`O.angle.rate`, `bar.vx`)
    file   also write it there: .svg, .png or .pdf; title: above the figure; size: width and height [inch]

    An open circle is the start, a full one the end. Lengths against lengths are drawn to the same scale. What jumps
    at one time is joined by a dotted line.
    """
    pairs = _pairs(result, x, y)
    from linkwork.plots.figure import Figure, look
    from linkwork.plots.layout import arrange, text_width
    from linkwork.plots.ticks import scale_axis

    units = [{result.unit(name) for name in side} for side in zip(*pairs, strict=True)]
    for side, among in zip("xy", units, strict=True):
        if len(among) > 1:
            raise LinkworkError(
                f"{side} would have the units {' and '.join(sorted(u or 'none' for u in among))} on one axis.",
                component=result.record.get("model"),
                remedy="Draw channels of one unit together, the others in a figure of their own.",
            )
    across, up = units[0].pop(), units[1].pop()
    texts = _labels(pairs, of_rates=y is None)
    with look():
        beside = 0.6 + max(text_width(text, 9.0) for text in texts) if len(pairs) > 1 else 0.0
        figure = Figure(figsize=size or (5.4 + beside, 4.6), dpi=120)
        panel = figure.subplots()
        for (a, b), text in zip(pairs, texts, strict=True):
            _draw(panel, result, a, b, text)
        panel.margins(0.06)
        panel.locator_params(nbins=6)
        horizontal = scale_axis(panel.xaxis, across, [result[a] for a, _ in pairs])
        vertical = scale_axis(panel.yaxis, up, [result[b] for _, b in pairs])
        panel.set_xlabel(with_unit(_axis([a for a, _ in pairs], across), horizontal.unit).replace("\n", " "))
        panel.set_ylabel(with_unit(_axis([b for _, b in pairs], up), vertical.unit))
        panel.set_title(result.record.get("model", "") if title is None else title, loc="left")
        legend(panel)
        arrange(figure, [panel])
        figure.subplots_adjust(top=0.91, bottom=0.125)
        if across == up == "m":
            panel.set_aspect("equal", adjustable="datalim")
    if file is not None:
        figure.write(file)
    return figure


def rate_of(result: Result, name: str) -> str:
    """The channel that holds the speed of another one."""
    owner, _, what = name.rpartition(".")
    candidates = [f"{name}.rate"]
    if re.fullmatch("[xyz]", what):
        candidates.append(f"{owner}.v{what}")
    elif re.fullmatch("v[xyz]", what):
        candidates.append(f"{owner}.a{what[1]}")
    elif what == "angle":
        candidates.append(f"{owner}.wz")
    rate = next((c for c in candidates if c in result), None)
    if rate is None:
        raise LinkworkError(
            "the result has no rate of this channel.", component=name, remedy="Name both: r.plot_phase(x, y)."
        )
    return rate


def _pairs(result: Result, x: str, y: str | None) -> list[tuple[str, str]]:
    across = chosen(result, [x])
    if y is None:
        if re.search(r"[*?\[]", x):  # of a pattern, those that have a rate
            having = [name for name in across if not name.endswith(".rate") and _has_rate(result, name)]
            across = having or across
        return [(name, rate_of(result, name)) for name in across]
    up = chosen(result, [y])
    if len(across) == 1:
        across = across * len(up)
    if len(across) != len(up):
        raise LinkworkError(
            f"{len(across)} channels match {x!r} and {len(up)} match {y!r}.",
            component=result.record.get("model"),
            remedy="Give one of each, one x for several y, or as many of both.",
        )
    return list(zip(across, up, strict=True))


def _has_rate(result: Result, name: str) -> bool:
    try:
        return bool(rate_of(result, name))
    except LinkworkError:
        return False


def _labels(pairs: list[tuple[str, str]], *, of_rates: bool) -> list[str]:
    """Names of the lines, as short as they can be told apart: the channel, or whose path it is."""
    if of_rates:
        return [readable(a) for a, _ in pairs]
    if len({a for a, _ in pairs}) == 1:
        return [readable(b) for _, b in pairs]
    owners = [(a.rpartition(".")[0], b.rpartition(".")[0]) for a, b in pairs]
    if all(a == b and a for a, b in owners) and len(set(owners)) == len(owners):
        return [readable(a) for a, _ in owners]
    return [f"{readable(b)} ({readable(a)})" for a, b in pairs]


def _axis(names: list[str], unit: str) -> str:
    """What all names end with says more than the unit does: "x", not "position"."""
    once = list(dict.fromkeys(names))
    ends = {name.rpartition(".")[2] for name in once}
    shared = ends.pop() if len(ends) == 1 else ""
    return readable(f".{shared}").strip() if len(once) > 1 and shared not in ("", "rate") else axis_name(once, unit)


def _draw(panel: Axes, result: Result, a: str, b: str, text: str) -> None:
    x, y = result[a], result[b]
    jumps = np.flatnonzero(np.diff(result.t) == 0) + 1
    gaps = np.insert(np.stack([x, y]), jumps, np.nan, axis=1)
    drawn = line(panel, gaps[0], gaps[1], label=text, channel=f"{b} ({a})")
    colour = drawn.get_color()
    for k in jumps:
        panel.plot(x[k - 1 : k + 1], y[k - 1 : k + 1], ":", color=colour, linewidth=1.0)
    if not x.size:
        return
    _direct(panel, x, y, colour)
    panel.plot(x[:1], y[:1], "o", markersize=6, markerfacecolor="white", markeredgecolor=colour, zorder=4)
    panel.plot(x[-1:], y[-1:], "o", markersize=5, color=colour, markeredgecolor=DARK, markeredgewidth=0.5, zorder=4)


def _direct(panel: Axes, x: np.ndarray, y: np.ndarray, colour: object) -> None:
    """Small arrows along the line, evenly by the way on paper."""
    known = np.isfinite(x) & np.isfinite(y)
    x, y = x[known], y[known]
    spans = [float(np.ptp(v)) if v.size else 0.0 for v in (x, y)]
    if x.size < 3 or not max(spans) > 0:
        return
    way = np.hypot(*(np.diff(v) / (s or 1.0) for v, s in zip((x, y), spans, strict=True)))
    gone = np.concatenate([[0.0], np.cumsum(way)])
    for share in _ARROWS:
        k = int(np.clip(np.searchsorted(gone, share * gone[-1]), 1, x.size - 1))
        panel.annotate(
            "",
            xy=(x[k], y[k]),
            xytext=(x[k - 1], y[k - 1]),
            arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 0.0, "mutation_scale": 13, "shrinkA": 0},
        )


Result.register("plot_phase", plot_phase)
