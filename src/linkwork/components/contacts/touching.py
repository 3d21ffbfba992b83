"""Where two outlines touch: gaps, normals and points, symbolic, from the frames they are put at.

A gap is an exact distance: its rate is the normal times the velocity of a's material at the point relative to b's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from linkwork.components.contacts.convex import from_core
from linkwork.components.contacts.outlines import (
    Ball,
    Box,
    Convex,
    Cylinder,
    Ellipsoid,
    Outline,
    Terrain,
    Wheel,
    corners_of,
)
from linkwork.components.contacts.terrain import nearest
from linkwork.core.component import Frame
from linkwork.core.errors import ModelError
from linkwork.geometry import SX, Number, Pose, as_vector, cross, dot

TINY = 1e-30


@dataclass(frozen=True)
class Touch:
    """One place where a may touch b, world axes.

    gap [m]: distance, negative where they overlap; normal: unit vector from b towards a; point: on the common normal,
    on a's surface; tangents: orthogonal unit vectors across the normal, one in the plane, two in space.
    """

    gap: SX
    normal: SX
    point: SX
    axes: SX
    """Of the frame that the normal was found in."""
    local: SX
    """The normal in those axes."""
    planar: bool

    @cached_property
    def tangents(self) -> tuple[SX, ...]:
        return tuple(self.axes @ t for t in across(self.local, self.planar))

    def slip(self, A: Frame, B: Frame) -> SX:
        """Velocity of a's material at the point relative to b's, all directions [m/s]."""
        return A.v + cross(A.w, self.point - A.p) - B.v - cross(B.w, self.point - B.p)


def touches(a: Outline, A: Frame, b: Outline, B: Frame, planar: bool, name: str = "") -> list[Touch]:
    """All places where outline a at frame A may touch outline b at frame B; name: who asks.

    Two convex outlines, boxes or hulls, are not for this: theirs are chosen during a run, see `features`.
    """
    check_outlines(a, b, planar, name)
    places = _places(a, Pose.__matmul__(B.inverse(), A), b, planar)
    if places is not None:
        return [_in_world(B, local, planar) for local in places]
    places = _places(b, Pose.__matmul__(A.inverse(), B), a, planar)
    if places is not None:
        return [_turned(_in_world(A, local, planar)) for local in places]
    raise ModelError(
        f"no contact of {_words(a)} with {_words(b)}.",
        component=name,
        remedy="Balls touch all but wheels and ellipsoids; boxes and hulls touch balls, each other, terrain and what "
        "they are inside; wheels and ellipsoids touch terrain.",
    )


_Local = tuple[SX, SX, SX]
"""Gap, normal towards a, point: in b's axes."""


def _places(a: Outline, A: Pose, b: Outline, planar: bool) -> list[_Local] | None:
    """Touches in b's axes; A: pose of a seen from b. None: not from this side."""
    if planar and isinstance(a, Wheel):
        a = Ball(a.radius)
    if isinstance(a, (Ball, Cylinder)) and a.inside:
        return None
    if planar and isinstance(b, (Wheel, Cylinder)):
        b = Ball(b.radius, inside=isinstance(b, Cylinder) and b.inside)
    if isinstance(b, Terrain):
        return _on_terrain(a, A, b, planar)
    if isinstance(a, (Box, Convex)) and isinstance(b, (Ball, Cylinder)) and b.inside:
        return [_round(A.p + A.R @ c, a.rounding, b) for c in corners_of(a)]  # a corner is what comes nearest
    if not isinstance(a, Ball):
        return None
    if isinstance(b, (Ball, Cylinder)):
        return [_round(A.p, a.radius, b)]
    if isinstance(b, (Box, Convex)):
        return [_beside_convex(A.p, a.radius, b)]
    return None


def _on_terrain(a: Outline, A: Pose, b: Terrain, planar: bool) -> list[_Local] | None:
    cores: Sequence[Callable[[SX], SX]]
    if isinstance(a, Wheel):
        arm = a.radius - a.crown

        def rim(normal: SX) -> SX:
            steep = normal - dot(normal, A.z) * A.z
            return A.p - arm * steep / ca.sqrt(ca.fmax(dot(steep, steep), TINY))

        cores, size, radius = [rim], arm, a.crown
    elif isinstance(a, Ellipsoid):
        squares = ca.diag(as_vector([r * r for r in a.radii]))

        def deepest(normal: SX) -> SX:
            local = A.R.T @ normal
            return A.p - A.R @ (squares @ local) / ca.sqrt(dot(local, squares @ local))

        largest = a.radii[0]
        for r in a.radii[1:]:
            largest = ca.fmax(largest, r)
        cores, size, radius = [deepest], largest, 0
    elif isinstance(a, Ball):
        cores, size, radius = [lambda normal: A.p], 0, a.radius
    elif isinstance(a, (Box, Convex)):
        cores, size, radius = [_fixed(A.p + A.R @ c) for c in corners_of(a)], 0, a.rounding
    else:
        return None
    places = [nearest(b, core, size, planar) for core in cores]
    return [(n.distance - radius, n.normal, n.core - radius * n.normal) for n in places]


def _fixed(point: SX) -> Callable[[SX], SX]:
    return lambda normal: point


def _round(x: SX, radius: Number, b: Ball | Cylinder) -> _Local:
    """A ball against another, or a cylinder, from outside or inside."""
    away = ca.vertcat(x[0], x[1], 0) if isinstance(b, Cylinder) else x
    length = ca.sqrt(ca.fmax(dot(away, away), TINY))
    normal = away / length
    if b.inside:
        return b.radius - radius - length, -normal, x + radius * normal
    return length - radius - b.radius, normal, x - radius * normal


def _beside_convex(x: SX, radius: Number, b: Box | Convex) -> _Local:
    distance, normal = from_core(b, x)
    return distance - radius - b.rounding, normal, x - radius * normal


def _in_world(B: Frame, local: _Local, planar: bool) -> Touch:
    gap, normal, point = local
    return Touch(gap, B.R @ normal, B.p + B.R @ point, B.R, normal, planar)


def _turned(touch: Touch) -> Touch:
    """The same with a and b exchanged."""
    point = touch.point + touch.gap * touch.normal  # from b's surface to a's
    return Touch(touch.gap, -touch.normal, point, touch.axes, -touch.local, touch.planar)


def across(normal: SX, planar: bool) -> list[SX]:
    """Orthonormal vectors across a unit normal: x, y for z (x for y in the plane), smooth but where z changes sign."""
    if planar:
        return [ca.vertcat(normal[1], -normal[0], 0)]
    x, y, z = normal[0], normal[1], normal[2]
    side = ca.if_else(z < 0, -1, 1)
    k = -1 / (side + z)
    return [
        ca.vertcat(1 + side * x * x * k, side * x * y * k, -side * x),
        ca.vertcat(x * y * k, side + y * y * k, -y),
    ]


def check_outlines(a: Outline, b: Outline, planar: bool, name: str) -> None:
    """Raise unless they are outlines of as many dimensions as the model has; name: who asks."""
    for outline in (a, b):
        _fits(outline, planar, name)


def _fits(outline: Outline, planar: bool, name: str) -> None:
    sizes = None
    if isinstance(outline, Box):
        sizes = len(outline.size)
    elif isinstance(outline, Ellipsoid):
        sizes = len(outline.radii)
    elif isinstance(outline, Convex):
        sizes = outline.corners.shape[1]
    elif not isinstance(outline, Outline):
        raise ModelError(f"{outline!r} is not an outline.", component=name, remedy="Give one of lw.outlines.")
    if sizes is not None and sizes != (2 if planar else 3):
        raise ModelError(
            f"{_words(outline)} has {sizes} dimensions.",
            component=name,
            remedy="Give two in a planar model, three in a spatial one.",
        )


def _words(outline: Outline) -> str:
    return f"lw.outlines.{type(outline).__name__}" + (" (inside)" if getattr(outline, "inside", False) else "")


def outlines_of(
    name: str, shape: Outline | None, radius: Number | None, other: Outline | None, height: Callable[..., Number] | None
) -> tuple[Outline, Outline]:
    """What touches what, from the words a user may say it with; name: who asks."""
    if shape is not None and radius is not None:
        raise ModelError("radius and shape are both given.", component=name, remedy="Give one of them.")
    if other is not None and height is not None:
        raise ModelError("height and other are both given.", component=name, remedy="Give one of them.")
    try:
        a = Ball(0.0 if radius is None else radius) if shape is None else shape
        b = Terrain(height) if other is None else other
    except ModelError as error:
        raise ModelError(error.cause, component=name, remedy=error.remedy) from None
    for outline in (a, b):
        if not isinstance(outline, Outline):
            raise ModelError(f"{outline!r} is not an outline.", component=name, remedy="Give one of lw.outlines.")
    return a, b
