"""How fast the gap between two outlines may change: what keeps a step from passing over an encounter.

A gap is a distance, so it changes no faster than the one outline moves past the other.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import casadi as ca
import numpy as np

from linkwork.components.contacts.outlines import Ball, Box, Convex, Cylinder, Ellipsoid, Outline, Terrain, Wheel
from linkwork.core.component import Frame
from linkwork.geometry import SX, Number, dot

POINT = 2e-3
"""Size [m] that a point counts as over uneven ground."""
SHARE = 0.5
"""Of the length over which a gap changes its course, that an outline moves at most between two looks."""


def approach(a: Outline, A: Frame, b: Outline, B: Frame, planar: bool) -> SX:
    """(pace, grain, hold) of a gap: its rate at most [m/s]; a way [m] on which nothing is passed over; how often [1/s]
    what has penetrated an outline must be looked at so that it does not come out behind it unseen."""
    ways = [way for way in (_pace(a, A, b, B, planar), _pace(b, B, a, A, planar)) if way is not None]
    if not ways:  # an outline that is not known here: smoothness alone must do
        return SX.zeros(3, 1)
    pace = ways[0]
    if len(ways) == 2:  # what is round may be taken as a point; of two others, corners of either may be what touches
        pace = ca.fmin(*ways) if _is_round(a, planar) or _is_round(b, planar) else ca.fmax(*ways)
    thin = thinnest(a, b)
    grain = SX(SHARE * _length(a, b))
    return ca.vertcat(pace, grain, 0 if thin is None else pace / (SHARE * ca.fmax(thin, 1e-12)))


def _pace(a: Outline, A: Frame, b: Outline, B: Frame, planar: bool) -> SX | None:
    """Speed of any point of a past b, from the motion of a in b's axes; None: a has no bounds."""
    spin = _spin(a, A, B, planar)
    if spin is None:
        return None
    along = A.v - B.v - ca.cross(B.w, A.p - B.p)
    if isinstance(b, Terrain) and b.height is None:
        return ca.fabs(dot(B.R[:, 1 if planar else 2], along)) + spin
    return ca.sqrt(dot(along, along)) + spin


def _spin(a: Outline, A: Frame, B: Frame, planar: bool) -> SX | None:
    """What its turning adds: none where it is round."""
    if _is_round(a, planar):
        return SX(0)
    turning = A.w - B.w
    if isinstance(a, Wheel):
        turning -= dot(turning, A.z) * A.z
    radius = bounding_radius(a)
    return None if radius is None else ca.sqrt(dot(turning, turning)) * radius


def _is_round(outline: Outline, planar: bool) -> bool:
    return isinstance(outline, Ball) or (planar and isinstance(outline, (Wheel, Cylinder)))


def bounding_radius(outline: Outline) -> Any:
    """Of a ball around the frame's origin that holds it [m]; None: there is none."""
    if isinstance(outline, (Ball, Wheel)):
        return outline.radius
    if isinstance(outline, Box):
        return ca.sqrt(sum((SX(s) ** 2 for s in outline.size), SX(0))) / 2
    if isinstance(outline, Ellipsoid):
        return reduce(ca.fmax, outline.radii, SX(0))
    if isinstance(outline, Convex):
        return float(np.linalg.norm(outline.corners, axis=1).max()) + outline.rounding
    return None


def inner_radius(outline: Outline) -> Number | None:
    """Of the largest ball within it [m]; None: it has no other side."""
    if isinstance(outline, (Ball, Cylinder)):
        return None if outline.inside else outline.radius
    if isinstance(outline, Wheel):
        return outline.radius
    if isinstance(outline, Box):
        return reduce(ca.fmin, outline.size[1:], SX(outline.size[0])) / 2
    if isinstance(outline, Ellipsoid):
        return reduce(ca.fmin, outline.radii[1:], SX(outline.radii[0]))
    if isinstance(outline, Convex):  # a third of its least width is always inside
        along = outline.corners @ outline.outward.T
        return float(np.ptp(along, axis=0).min()) / 3 + outline.rounding
    return None


def thinnest(a: Outline, b: Outline) -> Number | None:
    """How deep one can be in the other before it is nearer to the other side [m]; None: there is no other side."""
    mine, theirs = inner_radius(a), inner_radius(b)
    if mine is None or theirs is None:
        return None
    if any(isinstance(outline, (Ball, Wheel, Cylinder)) for outline in (a, b)):
        return SX(mine) + theirs
    return ca.fmin(SX(mine), theirs)


def _length(a: Outline, b: Outline) -> Number:
    """Over which a gap keeps its course [m]."""
    for ground, body in ((a, b), (b, a)):
        if isinstance(ground, Terrain):
            if isinstance(body, Ball) and ground.height is None:
                return ca.inf
            return ca.fmax(bounding_radius(body), POINT)
        if isinstance(ground, (Ball, Cylinder)) and ground.inside:
            return ground.radius
    thin = thinnest(a, b)
    assert thin is not None
    return thin
