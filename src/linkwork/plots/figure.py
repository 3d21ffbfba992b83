"""A Matplotlib Figure with our look, that shows itself in notebooks and is written quickly.

This module imports Matplotlib; import it where something is drawn, not before. pyplot is never needed.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib
import matplotlib.figure

from linkwork.core.errors import LinkworkError
from linkwork.files.atomic import replacing
from linkwork.plots.formats import SUFFIXES

if TYPE_CHECKING:
    from matplotlib.backend_bases import RendererBase


_LOOK: Any = {
    "font.size": 10.0,
    "font.family": "sans-serif",
    "text.usetex": False,
    "axes.titlesize": 11.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#555555",
    "axes.linewidth": 0.6,
    "axes.labelcolor": "#333333",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "xtick.color": "#555555",
    "ytick.color": "#555555",
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "ytick.minor.width": 0.4,
    "ytick.minor.size": 1.5,
    "lines.linewidth": 1.4,
    "axes.unicode_minus": True,
    "legend.frameon": False,
    "legend.fontsize": 9.0,
    "legend.handlelength": 2.0,
    "legend.handletextpad": 0.6,
    "axes.formatter.useoffset": False,
    "axes.formatter.limits": (-3, 4),
    "agg.path.chunksize": 20_000,  # a line of a million samples is more than Agg takes at once
    "svg.fonttype": "none",  # text stays text: a tenth of the size, and searchable
    "svg.hashsalt": "linkwork",  # the same figure gives the same file
    "pdf.fonttype": 42,  # whole fonts: publishers refuse the default ones
}
_CANVASES = {".svg": "FigureCanvasSVG", ".png": "FigureCanvasAgg", ".pdf": "FigureCanvasPdf"}
_UNDATED: dict[str, dict[str, str | None] | None] = {
    ".svg": {"Date": None},
    ".png": None,
    ".pdf": {"CreationDate": None},
}
_FINE = 200  # dots per inch of a PNG file


def look() -> AbstractContextManager[None]:
    """Our settings for what is made inside, whatever the user's own Matplotlib settings are elsewhere."""
    return matplotlib.rc_context(_LOOK)


class Figure(matplotlib.figure.Figure):
    """A figure that keeps our look when it is drawn, because Matplotlib makes ticks and labels only then."""

    def draw(self, renderer: RendererBase) -> None:
        """Draw with our settings."""
        with look():
            super().draw(renderer)

    def write(self, file: str | os.PathLike[str]) -> None:
        """Write a file whole or not at all; the suffix chooses the format: .svg, .png or .pdf."""
        write(self, file)

    def show(self, warn: bool = True) -> None:
        """Figures have no window of their own; say how to get one."""
        raise LinkworkError(
            "this figure has no window.",
            component="Figure.show",
            remedy='Write it, figure.write("figure.svg"), or draw into a window: '
            "figure, panel = pyplot.subplots(), r.plot(…, axes=panel), pyplot.show().",
        )

    def _repr_png_(self) -> bytes:
        image = BytesIO()
        _print(self, ".png", image)
        return image.getvalue()


def write(figure: matplotlib.figure.Figure, file: str | os.PathLike[str]) -> None:
    """Write any Matplotlib figure, whole or not at all; the suffix chooses the format: .svg, .png or .pdf."""
    path = Path(file)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise LinkworkError(
            f"no plot format has the suffix {path.suffix!r}.",
            component=str(path),
            remedy=f"Use one of: {', '.join(SUFFIXES)}.",
        )
    with replacing(path) as draft:
        _print(figure, suffix, draft, dots=_FINE)


def _print(figure: matplotlib.figure.Figure, suffix: str, target: object, *, dots: float | None = None) -> None:
    # `savefig` draws everything twice; the canvas of the format itself draws once.
    name = _CANVASES[suffix]
    backend = import_module(f"matplotlib.backends.backend_{name.removeprefix('FigureCanvas').lower()}")
    previous, before = figure.canvas, figure.dpi
    try:
        with look():
            canvas = getattr(backend, name)(figure)
            if dots is not None and suffix == ".png":
                figure.dpi = dots
            getattr(canvas, f"print_{suffix[1:]}")(target, metadata=_UNDATED[suffix])
    finally:
        figure.dpi = before
        figure.set_canvas(previous)
