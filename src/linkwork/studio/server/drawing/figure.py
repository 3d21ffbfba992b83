"""What a drawn link weighs: slender bars of flat steel along the outline of its pins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from linkwork.studio.server.drawing.frames import distance, tidy

MASS_PER_LENGTH = 0.785
"""Of a bar [kg/m]: flat steel of 20 mm × 5 mm and 7850 kg/m³."""
BLOCK_MASS, BLOCK_SIZE = 0.5, 0.06
"""Of the block of a slider [kg], and its side [m]: what it weighs is not read off the picture."""
WHEEL_MASS_PER_AREA = 78.5
"""Of a gear wheel [kg/m²]: steel of 10 mm and 7850 kg/m³."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Figure:
    """Mass [kg], moment of inertia about the mass centre [kg·m²], and where that is [m]."""

    mass: float
    inertia: float
    centre: Point

    def describes(self, mass: object, inertia: object) -> bool:
        """Whether numbers of a file are those of this figure, and not a user's own."""
        return _same(mass, self.mass) and _same(inertia, self.inertia)


def bars(points: Sequence[Point]) -> Figure | None:
    """Bars along the outline of some points: one bar where they lie on a line; None where there is but one point."""
    corners = outline(points)
    if len(corners) < 2:
        return None
    if len(corners) == 2:
        a, b = corners
        length = distance(a, b)
        mass = MASS_PER_LENGTH * length
        return Figure(mass, mass * length**2 / 12, ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2))
    sides = list(zip(corners, [*corners[1:], corners[0]], strict=True))
    lengths = [distance(a, b) for a, b in sides]
    middles = [((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for a, b in sides]
    total = sum(lengths)
    x = sum(n * m[0] for n, m in zip(lengths, middles, strict=True)) / total
    y = sum(n * m[1] for n, m in zip(lengths, middles, strict=True)) / total
    about = sum(n * (n**2 / 12 + distance(m, (x, y)) ** 2) for n, m in zip(lengths, middles, strict=True))
    return Figure(MASS_PER_LENGTH * total, MASS_PER_LENGTH * about, (x, y))


def straightened(points: Sequence[Point], corners: Sequence[Point], length: float) -> list[Point]:
    """Points of a body in its axes, without rounding where they end its one bar along x, of a length [m]."""
    if len(corners) != 2:
        return list(points)
    ends = [(p, (length / 2 if p[0] > 0 else -length / 2, 0.0)) for p in corners]
    near = 1e-9 * length
    return [next((to for p, to in ends if distance(p, q) <= near), (q[0], tidy(q[1], 10 * length))) for q in points]


def block() -> Figure:
    """Of a slider."""
    return Figure(BLOCK_MASS, BLOCK_MASS * BLOCK_SIZE**2 / 6, (0.0, 0.0))


def wheel(radius: float) -> Figure:
    """A disc."""
    mass = WHEEL_MASS_PER_AREA * 3.141592653589793 * radius**2
    return Figure(mass, mass * radius**2 / 2, (0.0, 0.0))


def outline(points: Sequence[Point]) -> list[Point]:
    """Corners of the convex hull, counter-clockwise, from the first point that is one; the two ends of a line."""
    distinct = list(dict.fromkeys(points))
    size = max((distance(distinct[0], p) for p in distinct), default=0.0) if distinct else 0.0
    corners: list[Point] = []
    for p in distinct:
        if all(distance(p, known) > 1e-9 * size for known in corners):
            corners.append(p)
    if len(corners) < 3:
        return corners
    ordered = sorted(corners)
    ring = [*_half(ordered, size), *_half(ordered[::-1], size)]
    first = next(k for p in corners for k, corner in enumerate(ring) if corner == p)
    return ring[first:] + ring[:first]


def _half(points: Sequence[Point], size: float) -> list[Point]:
    """One side of the hull (Andrew's monotone chain), without its last point."""
    kept: list[Point] = []
    for p in points:
        while len(kept) > 1 and _turn(kept[-2], kept[-1], p) <= 1e-9 * size**2:
            kept.pop()
        kept.append(p)
    return kept[:-1]


def _turn(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _same(given: object, own: float) -> bool:
    return isinstance(given, int | float) and abs(given - own) <= 1e-9 * abs(own)
