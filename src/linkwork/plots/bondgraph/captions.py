"""The texts at the elements of a bond graph: names stand where least is in their way."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from linkwork.bondgraph.elements import C, Field, I
from linkwork.bondgraph.graph import BondGraph
from linkwork.plots.bondgraph.labels import SIDES, SMALL, SYMBOL, Label
from linkwork.plots.bondgraph.primitives import FAINT, MARKED, TEXT, Point, Rectangle, Text
from linkwork.plots.bondgraph.text import ASCENT

_WIDE = 2.5  # half the width of a double line [px]


def captions(
    graph: BondGraph,
    at: Mapping[str, Point],
    written: Mapping[str, Label],
    segments: list[tuple[Point, Point]],
    derivative: set[str],
) -> list[Text]:
    fixed = [_moved(box, at[n]) for n, w in written.items() for box in (w.boxes() if w.inline else w.boxes()[:1])]
    names = {n: _moved(w.boxes()[1], at[n]) for n, w in written.items() if w.name and not w.inline}
    spans = np.array([(min(p[0], q[0]), min(p[1], q[1]), max(p[0], q[0]), max(p[1], q[1])) for p, q in segments])
    order = {name: i for i, name in enumerate(names, start=len(fixed))}
    texts = np.array([*fixed, *names.values()])
    for name, i in order.items():
        choices = [_moved(written[name].boxes(side)[1], at[name]) for side in (written[name].side, *SIDES)]
        around = np.min(choices, axis=0)[:2].tolist() + np.max(choices, axis=0)[2:].tolist()
        others = [k for k in _touching(texts, around) if k != i]
        near = [segments[k] for k in _touching(spans, around)] if segments else []
        names[name] = min(choices, key=lambda box: clutter(box, texts[others].tolist(), near))
        texts[i] = names[name]
    made: list[Text] = []
    for name, element in graph.elements.items():
        label, (x, y) = written[name], at[name]
        owner = f"element:{name}"
        colour = MARKED if name in derivative and isinstance(element, I | C | Field) else TEXT
        line = y + 0.34 * SYMBOL
        made.append(Text((x - label.half, line), label.symbol, SYMBOL, owner, "symbol", colour))
        if label.name and label.inline:
            left = x + label.boxes()[1][0]
            made.append(Text((left, line), label.name, SYMBOL, owner, "name", colour))
        elif label.name:
            left, top = names[name][:2]
            made.append(Text((left, top + ASCENT * SMALL), label.name, SMALL, owner, "name", FAINT))
    return made


def covered(graph: BondGraph, at: Mapping[str, Point], written: Mapping[str, Label]) -> list[str]:
    """Elements with a bond of others running through what is written in line with them, once for each."""
    boxes = [(n, _moved(box, at[n])) for n, w in written.items() for box in (w.boxes() if w.inline else w.boxes()[:1])]
    spans = np.array([box for _, box in boxes])
    names = []
    for bond in graph.bonds:
        a, b = bond.tail.element.name, bond.head.element.name
        (ax, ay), (bx, by) = at[a], at[b]
        for k in _touching(spans, [min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)]):
            name, (left, top, right, bottom) = boxes[k]
            wide = left - _WIDE, top - _WIDE, right + _WIDE, bottom + _WIDE
            if name not in (a, b) and crosses(wide, at[a], at[b]):
                names.append(name)
    return names


def _moved(box: Rectangle, at: Point) -> Rectangle:
    return box[0] + at[0], box[1] + at[1], box[2] + at[0], box[3] + at[1]


def _touching(boxes: np.ndarray, box: list[float]) -> list[int]:
    """Which of the boxes (n, 4) have something in common with one."""
    apart = (boxes[:, 0] > box[2]) | (boxes[:, 2] < box[0]) | (boxes[:, 1] > box[3]) | (boxes[:, 3] < box[1])
    return [int(k) for k in np.flatnonzero(~apart)]


def clutter(box: Rectangle, taken: list[Rectangle], segments: list[tuple[Point, Point]]) -> float:
    """How much stands in a box already: texts count more than lines."""
    hit = sum(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in taken)
    return 10.0 * hit + sum(crosses(box, p, q) for p, q in segments)


def crosses(box: Rectangle, p: Point, q: Point) -> bool:
    """Whether the segment p–q passes through a box."""
    low, high = 0.0, 1.0
    for k in (0, 1):
        d = q[k] - p[k]
        if abs(d) < 1e-12:
            if not box[k] < p[k] < box[k + 2]:
                return False
            continue
        a, b = sorted(((box[k] - p[k]) / d, (box[k + 2] - p[k]) / d))
        low, high = max(low, a), min(high, b)
    return low < high
