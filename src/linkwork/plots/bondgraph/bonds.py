"""A bond as lines: double for vectors, a half arrow at its head, a causal stroke where the effort is received.

A bicausal bond has two half strokes: that of the effort where it is received, that of the flow, on the side of the half
arrow, where it comes from.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from linkwork.bondgraph.graph import Bond
from linkwork.plots.bondgraph.labels import Label
from linkwork.plots.bondgraph.primitives import COLOURS, LINE, MARKED, Line, Point

_CLEAR = 3.5  # between a symbol and its bond [px]
_STROKE, _BARB, _DOUBLE = 6.5, 9.5, 1.7  # half a causal stroke, length of a half arrow, half of a double line [px]


def bond_lines(
    bond: Bond,
    at: Mapping[str, Point],
    written: Mapping[str, Label],
    end: str | None,
    weight: float,
    wrong: bool,
    bicausal: bool = False,
) -> list[Line]:
    tail, head = bond.tail.element.name, bond.head.element.name
    p, q = _clipped(at[tail], at[head], written[tail], written[head])
    long = math.hypot(q[0] - p[0], q[1] - p[1]) or 1.0
    u = ((q[0] - p[0]) / long, (q[1] - p[1]) / long)
    # The half arrow points to the side of the flow: below a level bond, to the right of an upright one.
    n = (-u[1], u[0])
    n = n if n[1] > 1e-6 or (abs(n[1]) <= 1e-6 and n[0] > 0) else (-n[0], -n[1])
    owner, colour = f"bond:{bond.name}", MARKED if wrong else COLOURS.get(bond.kind, COLOURS[""])
    thick = LINE + 3.0 * weight
    apart = _DOUBLE + (thick - LINE) / 2
    made: list[Line] = []
    for side in (-apart, apart) if bond.size > 1 else (0.0,):
        made.append(Line((_add(p, n, side), _add(q, n, side)), owner, "bond", colour, thick))
    barb = _add(_add(q, u, -_BARB), n, 0.62 * _BARB + (apart if bond.size > 1 else 0.0))
    tip = _add(q, n, apart) if bond.size > 1 else q
    made.append(Line((tip, barb), owner, "arrow", colour))
    if end is not None:
        place, other = (q, p) if end == "head" else (p, q)
        bar = _STROKE + (apart if bond.size > 1 else 0.0)
        halves = [
            (_add(place, n, -bar), place),
            (other if bicausal else place, _add(other if bicausal else place, n, bar)),
        ]
        ends = halves if bicausal else [(halves[0][0], halves[1][1])]
        made += [Line(points, owner, "stroke", colour, 1.6) for points in ends]
    return made


def _add(p: Point, direction: Point, length: float) -> Point:
    return p[0] + length * direction[0], p[1] + length * direction[1]


def _clipped(start: Point, end: Point, first: Label, last: Label) -> tuple[Point, Point]:
    """Where the line leaves what is written at its start, and where it comes to what is written at its end."""
    way = (end[0] - start[0], end[1] - start[1])
    here, there = _share(way, first), _share((-way[0], -way[1]), last)
    if here + there > 0.9:
        here, there = (0.9 * share / (here + there) for share in (here, there))
    return _add(start, way, here), _add(end, way, -there)


def _share(way: Point, label: Label) -> float:
    """Of the way that what is written at its start takes."""
    dx, dy = way
    boxes = label.boxes() if label.inline else label.boxes()[:1]
    share = 0.0
    for left, top, right, bottom in boxes:
        left, top, right, bottom = left - _CLEAR, top - _CLEAR, right + _CLEAR, bottom + _CLEAR
        inside = [
            (edge / step)
            for step, edges in ((dx, (left, right)), (dy, (top, bottom)))
            for edge in edges
            if step and edge / step > 0
        ]
        if left <= 0 <= right and inside:
            share = max(share, min(inside))
    return share
