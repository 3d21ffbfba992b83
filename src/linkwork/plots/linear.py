"""Eigenvalues in the complex plane: those of one linearisation, and their paths while a parameter changes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.linearizing.linearization import Linearization
from linkwork.analyses.linearizing.root_locus import RootLocus
from linkwork.core.errors import LinkworkError
from linkwork.plots.series import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.plots.figure import Figure

_LABELLED = 12  # modes whose frequencies can be told apart in print
_STABLE, _GROWING = COLOURS[0], COLOURS[1]


def plot_eigenvalues(
    linear: Linearization,
    *,
    file: str | os.PathLike[str] | None = None,
    title: str | None = None,
    size: tuple[float, float] | None = None,
) -> Figure:
    """Draw the eigenvalues of a linearisation; those that grow are marked. Returns a Matplotlib Figure.

    file: also write it there: .svg, .png or .pdf; title: above the figure; size: width and height [inch]
    """
    if not linear.modes:
        raise LinkworkError("there are no eigenvalues to draw.", component=linear.model)
    from linkwork.plots.figure import Figure, look

    with look():
        figure = Figure(figsize=size or (6.0, 4.6), dpi=120)
        panel = figure.subplots()
        for grows, colour, label in ((False, _STABLE, "decays or stays"), (True, _GROWING, "grows")):
            found = np.array([m.eigenvalue for m in linear.modes if m.growing == grows])
            found = np.concatenate([found, found[found.imag > 0].conj()]) if found.size else found
            if found.size:
                panel.plot(found.real, found.imag, "x", color=colour, markersize=7, markeredgewidth=1.8, label=label)
        for mode in linear.modes if len(linear.modes) <= _LABELLED else []:
            if mode.oscillates:
                panel.annotate(
                    f" {mode.frequency:.3g} Hz, {100 * mode.damping:.3g} %",
                    (mode.eigenvalue.real, mode.eigenvalue.imag),
                    xytext=(6, 0),
                    textcoords="offset points",
                    va="center",
                    fontsize=8,
                    color="#555555",
                )
        _axes(panel, linear.model if title is None else title)
        panel.margins(x=0.3, y=0.15)
        _arrange(figure)
    if file is not None:
        figure.write(file)
    return figure


def plot_root_locus(
    locus: RootLocus,
    *,
    file: str | os.PathLike[str] | None = None,
    title: str | None = None,
    size: tuple[float, float] | None = None,
) -> Figure:
    """Draw the path of each eigenvalue, coloured by the parameter; where it is unstable the ground is shaded.

    file: also write it there: .svg, .png or .pdf; title: above the figure; size: width and height [inch]
    """
    if not locus.eigenvalues.size:
        raise LinkworkError("there are no eigenvalues to draw.", component=locus.model)
    from linkwork.plots.figure import Figure, look

    with look():
        figure = Figure(figsize=size or (7.0, 4.6), dpi=120)
        panel = figure.subplots()
        for path in locus.eigenvalues.T:
            panel.plot(path.real, path.imag, "-", color="#bbbbbb", linewidth=0.8, zorder=1)
        every = locus.eigenvalues
        shown = panel.scatter(
            every.real.ravel(),
            every.imag.ravel(),
            c=np.repeat(locus.values, every.shape[1]),
            cmap="viridis",
            s=14,
            zorder=2,
        )
        for k, marker, label in ((0, "o", "first value"), (-1, "s", "last value")):
            panel.plot(
                every[k].real, every[k].imag, marker, color="none", markeredgecolor="#333333", markersize=7, label=label
            )
        _axes(panel, locus.model if title is None else title)
        if not locus.stable.all():
            low, high = panel.get_xlim()
            panel.axvspan(0, high, color=_GROWING, alpha=0.07, linewidth=0)
            panel.set_xlim(low, high)
        unit = f" [{locus.unit}]" if locus.unit else ""
        bar = figure.colorbar(shown, ax=panel, label=f"{locus.parameter}{unit}", pad=0.02)
        for value in locus.critical:
            bar.ax.axhline(value, color=_GROWING, linewidth=2)
        panel.legend(loc="best")
        if locus.critical:
            text = ", ".join(f"{value:.5g}" for value in locus.critical)
            panel.set_title(f"{panel.get_title(loc='left')}: stability changes at {text}", loc="left")
        figure.subplots_adjust(left=0.11, right=1.0, top=0.91, bottom=0.12)
    if file is not None:
        figure.write(file)
    return figure


def _axes(panel: Axes, title: str) -> None:
    panel.axvline(0, color="#555555", linewidth=0.8)
    panel.axhline(0, color="#555555", linewidth=0.8)
    panel.set_xlabel("real part [1/s]")
    panel.set_ylabel("imaginary part [rad/s]")
    panel.set_title(title, loc="left")


def _arrange(figure: Figure) -> None:
    panel = figure.axes[0]
    if len(panel.get_legend_handles_labels()[1]) > 1:
        panel.legend(loc="best")
    figure.subplots_adjust(left=0.13, right=0.97, top=0.91, bottom=0.12)
