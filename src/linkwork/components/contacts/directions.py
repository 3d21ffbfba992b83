"""Directions that forces of contact are told in: along the normal, ahead and aside."""

from __future__ import annotations

import casadi as ca

from linkwork.components.contacts.outlines import Outline, Wheel
from linkwork.components.contacts.touching import Touch
from linkwork.core.component import Frame
from linkwork.geometry import SX, cross, dot

Channels = dict[str, tuple[str, SX]]
LYING = 1e-30
"""Square of the sine between axle and normal below which a wheel heads nowhere."""


def headings(touch: Touch, shape: Outline, A: Frame) -> tuple[SX, ...]:
    """Unit vectors ahead (and aside, in space) at a place, world axes: normal × ahead is aside.

    A wheel's ahead is to the right of its axle (z of its frame). What has no axle has the x axis of what it touches,
    turned onto the surface; in the plane all have.
    """
    if touch.planar or not isinstance(shape, Wheel):
        return touch.tangents
    across = cross(A.z, touch.normal)
    ahead = across / ca.sqrt(ca.fmax(dot(across, across), LYING))
    return ahead, cross(touch.normal, ahead)


def told(normal: SX, along: SX, ways: tuple[SX, ...]) -> Channels:
    """Channels of a normal force [N] and of a force along the surface [N], world axes."""
    said = {"normal": ("N", SX(normal))}
    return said | {word: ("N", dot(along, way)) for word, way in zip(("ahead", "aside"), ways, strict=False)}


def numbered(places: list[Channels]) -> Channels:
    """Sums over all places, then each with its number: "normal", "1.normal", …"""
    total = {word: (unit, sum((SX(one[word][1]) for one in places), SX(0))) for word, (unit, _) in places[0].items()}
    if len(places) == 1:
        return total
    return total | {f"{k + 1}.{word}": value for k, one in enumerate(places) for word, value in one.items()}
