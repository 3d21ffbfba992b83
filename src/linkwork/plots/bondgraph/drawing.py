"""Draw a bond graph: `graph.draw()` shows itself in notebooks, `graph.save("graph.pdf")` writes it.

What draws is imported when something is drawn, so that it costs nothing until then.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwork.bondgraph.assigning.causality import Causality
from linkwork.bondgraph.graph import BondGraph
from linkwork.core.errors import LinkworkError
from linkwork.files import graphs
from linkwork.files.atomic import replacing
from linkwork.plots.formats import SUFFIXES

if TYPE_CHECKING:
    from linkwork.plots.bondgraph.scene import Scene
    from linkwork.plots.bondgraph.series import Series

_PAGES = {"A4": (297.0, 210.0), "A3": (420.0, 297.0)}  # landscape [mm]

MANY = 200
"""Elements beyond which groups are folded unless told otherwise: nobody could read the whole."""


class Drawing:
    """A bond graph on paper or screen."""

    def __init__(self, scene: Scene, series: Series | None = None):
        self.scene, self.series = scene, series

    @property
    def size(self) -> tuple[float, float]:
        """Width and height [px], 96 to the inch."""
        return self.scene.size

    def svg(self, *, page: str | None = None) -> str:
        """SVG text. page: "A4" or "A3" to fit it there, turned as suits it."""
        from linkwork.plots.bondgraph.svg import svg

        return svg(self.scene, page=self._page(page))

    def html(self) -> str:
        """One page without anything outside itself: zoom with the wheel, drag, double-click for all, hover a bond."""
        from linkwork.plots.bondgraph.html import html

        return html(self.scene, self.series)

    def save(self, file: str | os.PathLike[str], *, page: str | None = None) -> None:
        """Write .svg, .pdf, .png or .html, whole or not at all. page: "A4" or "A3" to fit it there (not .html)."""
        if not isinstance(file, str | os.PathLike):
            raise LinkworkError(f"{file!r} is not a file name.", remedy="Give one, such as 'graph.svg'.")
        path = Path(file)
        suffix = path.suffix.lower()
        if suffix not in (*SUFFIXES, ".html"):
            raise LinkworkError(
                f"no drawing has the suffix {path.suffix!r}.",
                component=str(path),
                remedy=f"Use one of: {', '.join((*SUFFIXES, '.html'))}.",
            )
        sheet = self._page(page)
        if suffix in (".svg", ".html"):
            text = self.svg(page=page) if suffix == ".svg" else self.html()
            with replacing(path) as draft:
                draft.write_text(text, encoding="utf-8")
            return
        from linkwork.plots.bondgraph.figure import figure

        figure(self.scene, page=None if sheet is None else (sheet[0] / 25.4, sheet[1] / 25.4)).write(path)

    def _page(self, page: str | None) -> tuple[float, float] | None:
        """Width and height [mm]."""
        if page is None:
            return None
        if page not in _PAGES:
            raise LinkworkError(f"no page is called {page!r}.", remedy=f"Use one of: {', '.join(_PAGES)}.")
        long, short = _PAGES[page]
        return (long, short) if self.size[0] >= self.size[1] else (short, long)

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        from linkwork.plots.bondgraph.html import fragment

        wide, high = self.size
        return fragment(self.scene, self.series, height=f"{min(high * min(1.0, 960 / wide) + 30, 720):.0f}px")

    def __repr__(self) -> str:
        wide, high = self.size
        return f"<Drawing of {self.scene.graph.name!r}: {wide:.0f} × {high:.0f} px>"


def draw(
    graph: BondGraph,
    causality: Causality | None = None,
    values: Mapping[str, np.ndarray | Mapping[str, np.ndarray]] | None = None,
    *,
    fold: bool | str | Sequence[str] | None = None,
) -> Drawing:
    """The drawing of a graph.

    causality  a Causality: draws the strokes, marks stores in derivative causality and conflicts
    values     {"t": (samples,) [s], bond's name: {"effort": (samples, size), "flow": …, "power": (samples,)}, …}:
               bonds are as wide as their mean power, and an HTML page shows their values over time
    fold       groups (bodies, joints, components) that are drawn as one node each; True: all of them; False: none;
               None: all where the graph has more than 200 elements
    """
    if causality is not None and not hasattr(causality, "stroke"):
        raise LinkworkError(
            f"{causality!r} is not a causality.", component=graph.name, remedy="Give what graph.causality() returns."
        )
    if causality is not None and causality.graph is not graph:
        raise LinkworkError(
            "the causality is that of another graph.", component=graph.name, remedy="Assign this one its own."
        )
    from linkwork.plots.bondgraph.folding import condensed
    from linkwork.plots.bondgraph.scene import scene
    from linkwork.plots.bondgraph.series import series

    if fold is None:
        fold = len(graph.elements) > MANY
    known = None if values is None else series(graph, values)
    drawn, marks = condensed(graph, causality, fold)
    return Drawing(scene(drawn, marks, known.weights() if known is not None else None), known)


def save(
    graph: BondGraph,
    file: str | os.PathLike[str],
    causality: Causality | None = None,
    values: Mapping[str, np.ndarray | Mapping[str, np.ndarray]] | None = None,
    *,
    page: str | None = None,
    fold: bool | str | Sequence[str] | None = None,
) -> None:
    """Draw a graph into a file: .svg, .pdf, .png or .html (what else is given: see `draw` and `Drawing.save`).

    .json: the graph itself, for `lw.BondGraph.load`.
    """
    if isinstance(file, str | os.PathLike) and Path(file).suffix.lower() == ".json":
        graphs.save(graph, file)
        return
    draw(graph, causality, values, fold=fold).save(file, page=page)


def as_svg(graph: BondGraph) -> str | None:
    """What a notebook shows of a graph; None: its text, where there is nothing to draw."""
    try:
        return draw(graph).svg()
    except LinkworkError:
        return None


BondGraph.register("draw", draw)
BondGraph.register("save", save)
BondGraph.register("_repr_svg_", as_svg)
