"""Eigenvalues in the complex plane: those of one linearisation, and their paths while a parameter changes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.linearization.linearization import Linearization
from linkwork.analyses.linearization.modes import Mode
from linkwork.analyses.root_locus import RootLocus
from linkwork.core.errors import LinkworkError
from linkwork.plots.panels import COLOURS, DARK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linkwork.plots.figure import Figure

_LABELLED = 12  # modes whose frequencies can be told apart in print
_STABLE, _GROWING = COLOURS[0], COLOURS[1]
_ROUNDING = 1e-12  # share of the imaginary parts below which real parts are rounding errors


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
            eigenvalues = np.array([_shown(m) for m in linear.modes if m.growing == grows])
            eigenvalues = (
                np.concatenate([eigenvalues, eigenvalues[eigenvalues.imag > 0].conj()])
                if eigenvalues.size
                else eigenvalues
            )
            if eigenvalues.size:
                panel.plot(
                    eigenvalues.real,
                    eigenvalues.imag,
                    "x",
                    color=colour,
                    markersize=7,
                    markeredgewidth=1.8,
                    label=label,
                )
        every = np.array([_shown(m) for m in linear.modes])
        middle = 0.5 * float(min(every.real.min(), 0.0) + max(every.real.max(), 0.0))
        for mode in linear.modes if len(linear.modes) <= _LABELLED else []:
            if mode.oscillates:
                _label(panel, mode, middle)
        panel.margins(x=0.3, y=0.15)
        _axes(panel, np.concatenate([every, every.conj()]), linear.model if title is None else title)
        if len(panel.get_legend_handles_labels()[1]) > 1:  # above the panel, beside the title: nothing is hidden
            panel.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0.2)
        _arrange(figure, panel)
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
        every = locus.eigenvalues
        for path in every.T:
            # Where a pair meets the real axis the way between two values is not straight: it is left open.
            meets = np.flatnonzero(np.diff(path.imag == 0)) + 1
            drawn = np.insert(path, meets, np.nan)
            panel.plot(drawn.real, drawn.imag, "-", color="#bbbbbb", linewidth=0.8, zorder=1)
        shown = panel.scatter(
            every.real.ravel(),
            every.imag.ravel(),
            c=np.repeat(locus.values, every.shape[1]),
            cmap="viridis",
            s=14,
            zorder=2,
        )
        _axes(panel, every, locus.model if title is None else title)
        if not locus.stable.all():
            low, high = panel.get_xlim()
            panel.axvspan(0, high, color=_GROWING, alpha=0.07, linewidth=0)
            panel.set_xlim(low, high)
        unit = f" [{locus.unit}]" if locus.unit else ""
        bar = figure.colorbar(shown, ax=panel, label=f"{locus.parameter}{unit}", pad=0.02)
        for value in locus.critical:
            bar.ax.axhline(value, color=_GROWING, linewidth=2)
        # The same signs in the bar tell which value an end of a path belongs to.
        for k, marker in ((0, "o"), (-1, "s")):
            _end(panel, every[k].real, every[k].imag, marker)
            _end(bar.ax, np.array([0.5]), locus.values[[k]], marker)
        if locus.critical:
            text = ", ".join(f"{value:.5g}".replace("-", "−") for value in locus.critical)
            heading = f"{panel.get_title(loc='left')}: stability changes at {text}"
            panel.set_title(heading if title is None else title, loc="left")
        _arrange(figure, panel)
        figure.subplots_adjust(right=1.0)
    if file is not None:
        figure.write(file)
    return figure


def _end(panel: Axes, x: np.ndarray, y: np.ndarray, marker: str) -> None:
    """Open signs where paths begin or end."""
    panel.plot(x, y, marker=marker, markersize=7, linestyle="none", color="none", markeredgecolor=DARK, clip_on=False)


def _label(panel: Axes, mode: Mode, middle: float) -> None:
    """Frequency and damping beside an eigenvalue, on the side where there is room."""
    x, y = _shown(mode).real, _shown(mode).imag
    damping = 100 * mode.damping if x else 0.0
    panel.annotate(
        f"{mode.frequency:.3g} Hz, ζ {damping:.3g} %".replace("-", "−"),
        (x, y),
        xytext=(8, 0) if x < middle else (-8, 0),
        textcoords="offset points",
        ha="left" if x < middle else "right",
        va="center",
        fontsize=8,
        color="#555555",
        bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.8},
    )


def _shown(mode: Mode) -> complex:
    """The eigenvalue without a real part that is rounding error: an axis would be stretched to show it."""
    value = mode.eigenvalue
    return complex(0.0 if abs(value.real) <= mode.accuracy else value.real, value.imag)


def _axes(panel: Axes, eigenvalues: np.ndarray, title: str) -> None:
    from linkwork.plots.ticks import scale_axis

    panel.axvline(0, color="#555555", linewidth=0.8)
    panel.axhline(0, color="#555555", linewidth=0.8)
    real, imaginary = eigenvalues.real, eigenvalues.imag
    if np.abs(real).max() <= _ROUNDING * np.abs(imaginary).max():
        real = np.zeros(1)
    # Zero belongs to both axes: the border of stability must be in the picture.
    real, imaginary = np.append(real, 0.0), np.append(imaginary, 0.0)
    panel.set_xlabel(f"real part [{scale_axis(panel.xaxis, '1/s', [real]).unit}]")
    panel.set_ylabel(f"imaginary part [{scale_axis(panel.yaxis, 'rad/s', [imaginary]).unit}]")
    panel.set_title(title, loc="left")


def _arrange(figure: Figure, panel: Axes) -> None:
    from linkwork.plots.layout import arrange

    arrange(figure, [panel])
    figure.subplots_adjust(top=0.91, bottom=0.12)


Linearization.register("plot", plot_eigenvalues)
RootLocus.register("plot", plot_root_locus)
