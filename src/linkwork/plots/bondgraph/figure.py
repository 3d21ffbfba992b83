"""A scene through Matplotlib, for PDF and PNG. This module imports Matplotlib; import it where something is drawn."""

from __future__ import annotations

from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch

from linkwork.plots.bondgraph.primitives import Box, Line
from linkwork.plots.bondgraph.scene import Scene
from linkwork.plots.figure import Figure

_POINTS = 0.75  # of 1/72 inch in a pixel of 1/96 inch
_FONTS = ["STIXGeneral", "DejaVu Serif"]  # both come with Matplotlib


def figure(scene: Scene, *, page: tuple[float, float] | None = None, dots: float = 200.0) -> Figure:
    """The drawing as a Matplotlib Figure. page: width and height [inch] to fit it into, else its own size."""
    wide, high = scene.size
    scale = 1.0
    inches = (wide / 96, high / 96)
    if page is not None:
        scale = min((page[0] - 0.6) / inches[0], (page[1] - 0.6) / inches[1])
        inches = page
    made = Figure(figsize=inches, dpi=dots)
    axes = made.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    left, top, right, bottom = scene.frame
    rest = (inches[0] * 96 / scale - wide) / 2, (inches[1] * 96 / scale - high) / 2
    axes.set_xlim(left - rest[0], right + rest[0])
    axes.set_ylim(bottom + rest[1], top - rest[1])
    unit = _POINTS * scale
    for order, part in enumerate(scene.parts):
        if isinstance(part, Box):
            x, y, x2, y2 = part.rectangle
            shape = "round,pad=0,rounding_size=8"
            axes.add_patch(
                FancyBboxPatch(
                    (x, y), x2 - x, y2 - y, boxstyle=shape, facecolor=part.fill, edgecolor=part.edge,
                    linewidth=unit, zorder=order,
                )
            )  # fmt: skip
        elif isinstance(part, Line):
            xs, ys = zip(*part.points, strict=True)
            axes.add_line(
                Line2D(xs, ys, color=part.colour, linewidth=part.width * unit, solid_capstyle="round", zorder=order)
            )
        else:
            x, y = part.at
            for run in part.runs:
                font = FontProperties(
                    family=_FONTS, size=part.size * run.scale * unit, style="italic" if run.italic else "normal",
                    weight="bold" if part.bold else "normal",
                )  # fmt: skip
                # a dollar sign would start Matplotlib's mathematics
                axes.text(
                    x, y + run.shift * part.size, run.text, fontproperties=font, color=part.colour, zorder=order,
                    va="baseline", ha="left", parse_math=False,
                )  # fmt: skip
                x += run.width(part.size)
    return made
