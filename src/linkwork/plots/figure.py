"""A Matplotlib Figure with our look, that shows itself in notebooks and is written quickly.

This module imports Matplotlib; import it where something is drawn, not before. pyplot is never needed.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.figure

from linkwork.core.errors import LinkworkError
from linkwork.files.atomic import replacing
from linkwork.plots.formats import SUFFIXES

_LOOK: Any = {
    "font.size": 10.0,
    "axes.titlesize": 11.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#555555",
    "axes.labelcolor": "#333333",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "xtick.color": "#555555",
    "ytick.color": "#555555",
    "lines.linewidth": 1.6,
    "legend.frameon": False,
    "legend.fontsize": 9.0,
    "axes.formatter.useoffset": False,
    "axes.formatter.limits": (-3, 4),
    "svg.fonttype": "none",  # text stays text: a tenth of the size, and searchable
}
_CANVASES = {".svg": "FigureCanvasSVG", ".png": "FigureCanvasAgg", ".pdf": "FigureCanvasPdf"}


def look() -> AbstractContextManager[None]:
    """Our settings for what is made inside, whatever the user's own Matplotlib settings are elsewhere."""
    return matplotlib.rc_context(_LOOK)


class Figure(matplotlib.figure.Figure):
    """A figure that keeps our look when it is drawn, because Matplotlib makes ticks and labels only then."""

    def draw(self, renderer: Any) -> None:
        """Draw with our settings."""
        with look():
            super().draw(renderer)

    def write(self, file: str | os.PathLike[str]) -> None:
        """Write a file whole or not at all; the suffix chooses the format: .svg, .png or .pdf."""
        path = Path(file)
        suffix = path.suffix.lower()
        if suffix not in SUFFIXES:
            raise LinkworkError(
                f"no plot format has the suffix {path.suffix!r}.",
                component=str(path),
                remedy=f"Use one of: {', '.join(SUFFIXES)}.",
            )
        with replacing(path) as draft:
            self._print(suffix, draft)

    def _repr_png_(self) -> bytes:
        image = BytesIO()
        self._print(".png", image)
        return image.getvalue()

    def _print(self, suffix: str, target: Any) -> None:
        # `savefig` draws everything twice; the canvas of the format itself draws once.
        name = _CANVASES[suffix]
        backend = import_module(f"matplotlib.backends.backend_{name.removeprefix('FigureCanvas').lower()}")
        previous = self.canvas
        try:
            getattr(getattr(backend, name)(self), f"print_{suffix[1:]}")(target)
        finally:
            self.set_canvas(previous)
