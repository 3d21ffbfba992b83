"""Distances of points from convex polytopes, in the axes of these."""

from __future__ import annotations

from itertools import combinations

import casadi as ca

from linkwork.components.contacts.outlines import Box, Convex, corners_of
from linkwork.geometry import SX, as_vector, cross, dot

TINY = 1e-24


def from_core(outline: Box | Convex, x: SX) -> tuple[SX, SX]:
    """Signed distance of a point from the core (negative inside) and its gradient, a unit vector."""
    return _from_box(outline, x) if isinstance(outline, Box) else _from_hull(outline, x)


def _from_box(box: Box, x: SX) -> tuple[SX, SX]:
    n = len(box.size)
    over = [ca.fabs(x[i]) - box.half[i] for i in range(n)]
    away = as_vector([ca.if_else(x[i] < 0, -1, 1) * ca.fmax(over[i], 0) for i in range(n)])
    depth, out = over[0], _axis(x, 0)
    for i in range(1, n):
        out = ca.if_else(over[i] > depth, _axis(x, i), out)
        depth = ca.fmax(over[i], depth)
    return _signed(away, depth, out)


def _axis(x: SX, i: int) -> SX:
    side = SX(3, 1)
    side[i] = ca.if_else(x[i] < 0, -1, 1)
    return ca.densify(side)


def _from_hull(hull: Convex, x: SX) -> tuple[SX, SX]:
    """Outside: the nearest of all edges, and of the faces the point stands over. Inside: the nearest face."""
    corners = corners_of(hull)
    depth, out = None, SX(3, 1)
    pairs = {tuple(sorted((int(i), int(j)))) for face in hull.faces for i, j in combinations(face, 2)}
    nearest, away = None, SX(3, 1)
    for i, j in sorted(pairs):
        a = x - on_segment(x, corners[i], corners[j])
        square = dot(a, a)
        away = a if nearest is None else ca.if_else(square < nearest, a, away)
        nearest = square if nearest is None else ca.fmin(square, nearest)
    assert nearest is not None
    for face, direction in zip(hull.faces, hull.outward, strict=True):
        normal = as_vector(direction)
        height = dot(normal, x - corners[face[0]])
        out = normal if depth is None else ca.if_else(height > depth, normal, out)
        depth = height if depth is None else ca.fmax(height, depth)
        if len(face) == 3:
            over = ca.logic_and(_over(x, [corners[k] for k in face], normal), height**2 < nearest)
            away = ca.if_else(over, height * normal, away)
            nearest = ca.if_else(over, height**2, nearest)
    assert depth is not None
    return _signed(away, depth, out)


def _over(x: SX, triangle: list[SX], normal: SX) -> SX:
    """Whether the point stands straight over a triangle."""
    a, b, c = triangle
    if float(dot(cross(b - a, c - a), normal)) < 0:
        b, c = c, b
    sides = [dot(cross(q - p, x - p), normal) >= 0 for p, q in ((a, b), (b, c), (c, a))]
    return ca.logic_and(ca.logic_and(sides[0], sides[1]), sides[2])


def _signed(away: SX, depth: SX, out: SX) -> tuple[SX, SX]:
    """Outside by the vector from the nearest point, inside by the nearest face."""
    length = ca.sqrt(ca.fmax(dot(away, away), TINY))
    outside = depth > 1e-12
    return ca.if_else(outside, length, depth), ca.if_else(outside, away / length, out)


def on_segment(x: SX, a: SX, b: SX) -> SX:
    """The nearest point of a segment."""
    d = b - a
    return a + ca.fmin(ca.fmax(dot(x - a, d) / dot(d, d), 0), 1) * d
