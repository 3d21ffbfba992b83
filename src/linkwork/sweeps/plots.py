"""Sweeps as figures: ribbons of channels over time, maps over two parameters."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.plots.names import readable, with_unit
from linkwork.plots.panels import COLOURS, GREY
from linkwork.sweeps.statistics import kept

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes

    from linkwork.plots.figure import Figure

BANDS = ((0.05, 0.95), (0.25, 0.75))
"""Quantiles between which a ribbon is drawn, the widest first."""
LEVELS = 12
PANEL = 2.2
"""inch."""
ENOUGH = 10
"""Cases from which on their quantiles say something."""


def ribbon(
    ds: xarray.Dataset,
    channels: Sequence[str],
    *,
    file: str | os.PathLike[str] | None = None,
    title: str | None = None,
    size: tuple[float, float] | None = None,
) -> Figure:
    """The median of channels over time, with the bands that hold 50 % and 90 % of the cases."""
    from linkwork.plots.figure import look
    from linkwork.plots.layout import arrange, stacked
    from linkwork.plots.ticks import scale_axis

    chosen = [kept(ds, name, series=True) for name in channels]
    if not chosen:
        raise LinkworkError("there is no channel to draw.", component=ds.attrs.get("model"), remedy="Name one.")
    with look():
        figure, panels = stacked([PANEL] * len(chosen), size)
        t = ds["t"].values
        for panel, variable in zip(panels, chosen, strict=True):
            shown = _ribbon(panel, t, variable.values)
            unit = scale_axis(panel.yaxis, str(variable.attrs.get("units", "")), shown).unit
            panel.set_ylabel(with_unit(readable(str(variable.name)), unit))
            panel.margins(x=0.01)
            panel.locator_params(axis="y", nbins=5)
        panels[-1].set_xlabel(f"time [{scale_axis(panels[-1].xaxis, 's', [t]).unit}]")
        heading = f"{ds.attrs.get('model', '')}, {ds.sizes['case']} cases"
        panels[0].set_title(heading if title is None else title, loc="left", y=1.0)
        arrange(figure, panels)
        panels[0].legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, borderaxespad=0.2)
    if file is not None:
        figure.write(file)
    return figure


def _ribbon(panel: Axes, t: np.ndarray, x: np.ndarray) -> list[np.ndarray]:
    """What is drawn; times at which no case has a value are left open."""
    some = np.isfinite(x).any(axis=0)
    median = np.full(t.size, np.nan)
    median[some] = np.nanmedian(x[:, some], axis=0)
    drawn = [median]
    for (low, high), strength in zip(BANDS, (0.18, 0.35), strict=True):
        ends = np.full((2, t.size), np.nan)
        ends[:, some] = np.nanquantile(x[:, some], (low, high), axis=0)
        label = f"{round(100 * (high - low))} %"
        panel.fill_between(t, *ends, color=COLOURS[0], alpha=strength, linewidth=0, label=label)
        drawn += [*ends]
    panel.plot(t, median, color=COLOURS[0], label="median")
    if len(x) < ENOUGH:
        panel.plot(t, x.T, color=GREY, linewidth=0.6, alpha=0.8, zorder=1)
    return drawn


def contour(
    ds: xarray.Dataset,
    name: str,
    x: str | None = None,
    y: str | None = None,
    *,
    file: str | os.PathLike[str] | None = None,
    title: str | None = None,
    size: tuple[float, float] | None = None,
) -> Figure:
    """A number of each case over two that vary; cases that gave none are crosses."""
    from linkwork.plots.figure import Figure, look
    from linkwork.plots.layout import arrange
    from linkwork.plots.ticks import scale_axis

    variable = kept(ds, name, series=False)
    across, up = _axes(ds, x, y)
    with look():
        figure = Figure(figsize=size or (6.4, 4.6), dpi=120)
        panel = figure.subplots()
        values = variable.values
        there = np.isfinite(values)
        if np.count_nonzero(there) < 3:
            raise LinkworkError("fewer than three cases gave a number.", component=name, remedy="See ds.reason.")
        filled = _filled(panel, ds, across, up, values)
        panel.plot(
            ds[across].values[~there], ds[up].values[~there], "x", color=GREY, markersize=4, markeredgewidth=0.9,
            label="no number", clip_on=False,
        )  # fmt: skip
        for axis, which, setter in ((panel.xaxis, across, panel.set_xlabel), (panel.yaxis, up, panel.set_ylabel)):
            unit = scale_axis(axis, str(ds[which].attrs.get("units", "")), [ds[which].values]).unit
            setter(with_unit(readable(which), unit))
        panel.grid(False)
        bar = figure.colorbar(filled, ax=panel, pad=0.02)
        unit = scale_axis(bar.ax.yaxis, str(variable.attrs.get("units", "")), [values[there]]).unit
        bar.set_label(with_unit(readable(name), unit).replace("\n", " "))
        panel.set_title(str(ds.attrs.get("model", "")) if title is None else title, loc="left")
        arrange(figure, [panel])
        figure.subplots_adjust(top=0.91, bottom=0.13, right=0.98)
        if not there.all():
            panel.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2)
    if file is not None:
        figure.write(file)
    return figure


def _filled(panel: Axes, ds: xarray.Dataset, across: str, up: str, values: np.ndarray) -> Any:
    """Filled contours over the points of a grid; else over triangles between cases. One border: where it is 0 or 1."""
    grid: dict[str, int] = json.loads(ds.attrs.get("grid", "{}"))
    sign = set(np.unique(values[np.isfinite(values)])) <= {0.0, 1.0}
    levels = [-0.5, 0.5, 1.5] if sign else _levels(values)
    if set(grid) == {across, up} and min(grid.values()) > 1:
        *points, table = over_grid(ds, grid, across, up, values)
        if sign:
            return panel.pcolormesh(*points, table, cmap="viridis", vmin=0, vmax=1, shading="nearest")
        panel.contour(*points, table, levels=levels, colors="white", linewidths=0.4, alpha=0.6)
        return panel.contourf(*points, table, levels=levels, cmap="viridis", zorder=0)
    there = np.isfinite(values)
    return panel.tricontourf(
        ds[across].values[there], ds[up].values[there], values[there], levels=levels, cmap="viridis"
    )


def over_grid(
    ds: xarray.Dataset, grid: dict[str, int], across: str, up: str, values: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values along both axes, rising, and a table with a row for each of those that go up."""
    table = values.reshape(tuple(grid.values()))
    table = table if list(grid) == [up, across] else table.T
    along = {which: _along(ds, grid, which) for which in (across, up)}
    order = {which: np.argsort(x) for which, x in along.items()}
    return along[across][order[across]], along[up][order[up]], table[np.ix_(order[up], order[across])]


def _along(ds: xarray.Dataset, grid: dict[str, int], which: str) -> np.ndarray:
    """Values along one axis of a grid, in the order in which they were given."""
    table = ds[which].values.reshape(tuple(grid.values()))
    return np.asarray(np.moveaxis(table, list(grid).index(which), 0).reshape(grid[which], -1)[:, 0])


def _levels(values: np.ndarray) -> np.ndarray:
    from matplotlib.ticker import MaxNLocator

    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    room = 1e-9 * max(abs(low), abs(high), 1e-300)
    if high - low <= room:
        return np.array([low - max(room, 1e-12), high + max(room, 1e-12)])
    return np.asarray(MaxNLocator(LEVELS).tick_values(low, high))


def _axes(ds: xarray.Dataset, x: str | None, y: str | None) -> tuple[str, str]:
    """What is drawn along and up: as asked, else the two that vary."""
    known = [str(n) for n in ds.coords if ds[n].dims == ("case",)]
    for name in (x, y):
        if name is not None and name not in known:
            raise UnknownName("parameter that varies", name, known, component=ds.attrs.get("model"))
    left = [n for n in known if n not in (x, y)]
    chosen = [name if name is not None else (left.pop(0) if left else None) for name in (x, y)]
    across, up = chosen
    if across is None or up is None or across == up:
        raise LinkworkError(
            "a map needs two parameters that vary.", component=ds.attrs.get("model"),
            remedy=f"Give x=… and y=… out of: {', '.join(known)}.",
        )  # fmt: skip
    if x is None and y is None and len(known) > 2:
        raise LinkworkError(
            f"{len(known)} parameters vary, a map has room for two.", component=ds.attrs.get("model"),
            remedy="Give x=… and y=…, and select the others first: ds.sel(case=ds.L == 1.0).",
        )  # fmt: skip
    return across, up
