"""A bond graph as lines, texts and boxes: half arrows, causal strokes, double lines for vector bonds, tinted groups."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from linkwork.bondgraph.assigning.causality import Causality
from linkwork.bondgraph.elements import Element, Field, I
from linkwork.bondgraph.graph import BondGraph
from linkwork.core.errors import ModelError
from linkwork.plots.bondgraph.board import COVERED
from linkwork.plots.bondgraph.bonds import bond_lines
from linkwork.plots.bondgraph.captions import captions, clutter, covered
from linkwork.plots.bondgraph.folding import Marks
from linkwork.plots.bondgraph.labels import SMALL, Label, labels
from linkwork.plots.bondgraph.layout import Grid, grids
from linkwork.plots.bondgraph.primitives import COLOURS, FAINT, MARKED, Box, Line, Point, Primitive, Rectangle, Text
from linkwork.plots.bondgraph.spacing import PAD, TITLE, coordinates
from linkwork.plots.bondgraph.text import Run, width

_BODY, _JOINT, _EDGE = "#eef4fa", "#fbf6ea", "#c4c9cf"
_TITLE, _MARGIN, _STEP = 12.0, 10.0, 10.0  # size of a group's title, around the whole, between places of titles [px]


@dataclass
class Scene:
    """What is drawn, back to front, and the rectangle it fills. values: time series of the bonds, if known."""

    graph: BondGraph
    parts: list[Primitive] = field(default_factory=list)
    frame: Rectangle = (0.0, 0.0, 1.0, 1.0)
    stroke: dict[str, str] = field(default_factory=dict)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height [px]."""
        return self.frame[2] - self.frame[0], self.frame[3] - self.frame[1]


def scene(
    graph: BondGraph, causality: Causality | Marks | None = None, weight: Mapping[str, float] | None = None
) -> Scene:
    """The drawing of a graph. causality: a Causality; weight: 0 … 1 for each bond's name, drawn as its width."""
    if not graph.elements:
        raise ModelError("it has no elements to draw.", component=graph.name, remedy="Add some.")
    choices = [(*_placed(graph, arranged), cost) for arranged, cost in grids(graph)]
    placed, written, titles, at, _ = min(
        choices, key=lambda c: (c[4] + COVERED * len(covered(graph, c[3], c[1]))) * _paper(c[3])
    )
    written |= {name: written[name].beside() for name in covered(graph, at, written) if written[name].inline}
    made = Scene(graph)
    frames = [_frame(g.title, g.members, at, written, titles[g.title]) for g in placed.groups if g.title]
    made.parts += frames
    strokes = dict(causality.stroke) if causality is not None else {}
    made.stroke = {b.name: end for b, end in strokes.items()}
    conflicts = causality.conflicts if causality is not None else []
    wrong = [{e.name for e in (*c.elements, c.junction) if e is not None} for c in conflicts]
    segments: list[tuple[Point, Point]] = []
    for bond in graph.bonds:
        ends = {bond.tail.element.name, bond.head.element.name}
        clash = any(ends <= names for names in wrong)
        both = causality is not None and bond in causality.bicausal
        parts = bond_lines(bond, at, written, strokes.get(bond), (weight or {}).get(bond.name, 0.0), clash, both)
        made.parts += parts
        segments += [(p.points[0], p.points[-1]) for p in parts if isinstance(p, Line)]
    derivative = {e.name for e, _ in causality.derivative} if causality is not None else set()
    texts = captions(graph, at, written, segments, derivative)
    made.parts += texts
    made.parts += _titles(frames, [text.box for text in texts], segments)
    made.frame = _bounds(made.parts)
    _key(made, {"I, C: derivative causality": bool(derivative), "causal conflict": bool(wrong)})
    return made


def _placed(graph: BondGraph, placed: Grid) -> tuple[Grid, dict[str, Label], dict[str, float], dict[str, Point]]:
    """The arrangement, what is written at each element, the width of each title and the place of each element [px]."""
    written = labels(graph, placed)
    titles = {g.title: width((Run(g.title),), _TITLE) * 1.08 for g in placed.groups}
    extents = {name: label.extent for name, label in written.items()}
    return placed, written, titles, coordinates(graph, placed, extents, titles)


def _paper(at: Mapping[str, Point]) -> float:
    """How high a landscape page would have to be [px]."""
    xs, ys = zip(*at.values(), strict=True)
    return max((max(xs) - min(xs) + 100) / math.sqrt(2), max(ys) - min(ys) + 100)


def _frame(
    title: str, members: list[Element], at: Mapping[str, Point], written: Mapping[str, Label], long: float
) -> Box:
    """The box around a body (it stores energy by inertia) or a joint; long: how much its name takes [px]."""
    sides = [[], [], [], []]  # type: list[list[float]]
    for e in members:
        x, y = at[e.name]
        for left, top, right, bottom in written[e.name].boxes():
            for values, value in zip(sides, (x + left, y + top, x + right, y + bottom), strict=True):
                values.append(value)
    left, top, right, bottom = min(sides[0]) - PAD, min(sides[1]) - PAD - TITLE, max(sides[2]), max(sides[3]) + PAD
    right = max(right, left + long) + PAD
    stores = any(isinstance(e, I) or (isinstance(e, Field) and e.kind == "I") for e in members)
    owner = f"group:{title}"
    return Box((left, top, right, bottom), owner, "group", _BODY if stores else _JOINT, _EDGE)


def _titles(frames: list[Box], texts: list[Rectangle], segments: list[tuple[Point, Point]]) -> list[Text]:
    """Names of groups, each where no bond runs through it: along the upper edge, then the lower one, then outside."""
    made: list[Text] = []
    for frame in frames:
        others = [other.rectangle for other in frames if other is not frame]
        taken = texts + [title.box for title in made]

        def cost(title: Text, others: list[Rectangle] = others, taken: list[Rectangle] = taken) -> float:
            left, top, right, bottom = title.box
            return clutter((left - 2, top, right + 2, bottom), taken + others, segments)

        best = None
        for title in _places(frame):
            worth = cost(title)
            if best is None or worth < best[0]:
                best = worth, title
            if not worth:
                break
        assert best is not None
        made.append(best[1])
    return made


def _places(frame: Box) -> Iterator[Text]:
    (left, top, right, bottom), title = frame.rectangle, frame.owner.partition(":")[2]
    long = width((Run(title),), _TITLE) * 1.08
    steps = [left + 7 + k * _STEP for k in range(max(int((right - left - 14 - long) // _STEP), 0) + 1)]
    places = [(x, y) for y in (top + 15, bottom - 5, top - 5, bottom + 14) for x in steps]
    places += [(x, y) for y in (top + 12, bottom - 3) for x in (right + 5, left - 5 - long)]
    for place in places:
        yield Text(place, (Run(title),), _TITLE, frame.owner, "title", FAINT, bold=True)


def _bounds(parts: list[Primitive]) -> Rectangle:
    xs: list[float] = []
    ys: list[float] = []
    for part in parts:
        if isinstance(part, Line):
            corners: tuple[Point, ...] = part.points
        else:
            box = part.box if isinstance(part, Text) else part.rectangle
            corners = (box[0], box[1]), (box[2], box[3])
        xs += [x for x, _ in corners]
        ys += [y for _, y in corners]
    if not xs:
        return 0.0, 0.0, 2 * _MARGIN, 2 * _MARGIN
    return min(xs) - _MARGIN, min(ys) - _MARGIN, max(xs) + _MARGIN, max(ys) + _MARGIN


def _key(made: Scene, marked: Mapping[str, bool]) -> None:
    """A line below that says what the colours mean, where they mean something."""
    kinds = [k for k in COLOURS if k and any(b.kind == k for b in made.graph.bonds)]
    entries = [(k, COLOURS[k]) for k in kinds] + [(text, MARKED) for text, there in marked.items() if there]
    left, top, right, bottom = made.frame
    if not entries:
        return
    x, y = left + _MARGIN, bottom + 8.0
    for text, colour in entries:
        owner = f"key:{text}"
        made.parts.append(Line(((x, y - 3.5), (x + 20, y - 3.5)), owner, "key", colour, 2.0))
        made.parts.append(Text((x + 25, y), (Run(text),), SMALL, owner, "key", FAINT))
        x += 25 + width((Run(text),), SMALL) + 18
    made.frame = (left, top, max(right, x), bottom + 8.0 + _MARGIN)
