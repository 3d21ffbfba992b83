"""What a bond-graph drawing is made of: lines, texts and boxes in pixels, y downwards.

Every primitive says which bond, element or group it belongs to and what it is of it, so that writers can group them and
readers can find them.
"""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.plots.bondgraph.text import ASCENT, DESCENT, Run, width

Point = tuple[float, float]
Rectangle = tuple[float, float, float, float]
"""Left, top, right, bottom [px]."""

COLOURS = {
    "rotation": "#762a83",
    "translation": "#1b7837",
    "hydraulic": "#0072b2",
    "electrical": "#b8860b",
    "thermal": "#a50026",
    "": "#222222",
}
"""Purple, green, blue, ochre and red that every kind of colour vision tells apart."""
MARKED, TEXT, FAINT = "#d55e00", "#111111", "#555555"
LINE = 1.3
"""Width of a thin line [px]."""


@dataclass(frozen=True)
class Line:
    """A polyline. role: "bond", "arrow", "stroke" or "key"."""

    points: tuple[Point, ...]
    owner: str
    role: str
    colour: str
    width: float = LINE


@dataclass(frozen=True)
class Text:
    """Runs from a point on the base line to the right. role: "symbol", "name", "title" or "key"."""

    at: Point
    runs: tuple[Run, ...]
    size: float
    owner: str
    role: str
    colour: str = TEXT
    bold: bool = False

    @property
    def box(self) -> Rectangle:
        x, y = self.at
        return (x, y - ASCENT * self.size, x + width(self.runs, self.size), y + DESCENT * self.size)


@dataclass(frozen=True)
class Box:
    """A rounded, tinted rectangle."""

    rectangle: Rectangle
    owner: str
    role: str
    fill: str
    edge: str


Primitive = Line | Text | Box
