"""The contacts of two convex outlines in the equations: gaps of corners, edges and faces that are numbers in the state.

So there are a few contacts, whatever the number of corners, and their expressions are short. Which corners and edges
they are is chosen in `manifold`, before they touch, and anew when something has moved so far that others may.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from linkwork.components.contacts.manifold import Feature
from linkwork.components.contacts.outlines import Box, Convex, corners_of
from linkwork.components.contacts.touching import Touch
from linkwork.core.component import Frame
from linkwork.geometry import SX, Pose, cross, dot, embedding

TINY = 1e-30
PLANE, SPACE = 2, 8
"""Contacts at most: a segment on a segment, a rectangle on a rectangle."""


@dataclass(frozen=True)
class Guard:
    """How long a choice is good: as long as they are apart along an axis, or have not moved far from where they were.

    normal_a, normal_b: the axis, in a's or b's axes; allowance [m]: what may be missing along it; place, turn: pose of
    a seen from b when it was chosen; margin [m]: how far any point may have moved since.
    """

    normal_a: np.ndarray
    normal_b: np.ndarray
    place: np.ndarray
    turn: np.ndarray
    margin: float
    allowance: float


class Features:
    """The numbers of one pair: as symbols, and where each is in an array of them."""

    def __init__(self, name: str, planar: bool, rounded: bool):
        self.planar, self.rounded = planar, rounded
        self.count = (PLANE if planar else SPACE) + int(rounded)
        n = embedding(planar).along
        guard = {"normal_a": n, "normal_b": n, "place": n, "turn": 2 if planar else 9, "margin": 1, "allowance": 1}
        each = {"active": 1, "point_a": n, "point_b": n, "normal_a": n, "normal_b": n}
        if not planar:
            each |= {"along_a": n, "along_b": n}
        if rounded:
            each |= {"rounded": 1}
        self._guard, size = _slices(guard, 0)
        self._each = []
        for _ in range(self.count):
            slices, size = _slices(each, size)
            self._each.append(slices)
        self.names = [f"{name}.held{k + 1}" for k in range(size)]
        self.symbols = SX.sym(f"{name}.held", size)

    def _vector(self, where: slice) -> SX:
        part = self.symbols[where]
        return embedding(self.planar).true_vector(part)

    # ------------------------------------------------------------------ symbols

    def touches(self, a: Box | Convex, A: Frame, b: Box | Convex, B: Frame) -> list[Touch]:
        """As `touching.touches` has them; what is not in use has a gap of 1 m and no normal."""
        relative = Pose.__matmul__(B.inverse(), A)
        touches = []
        for slot in self._each:
            gap, normal, point = self._touch(slot, a, relative, b)
            touches.append(Touch(gap, B.R @ normal, B.p + B.R @ point, B.R, normal, self.planar))
        return touches

    def _touch(self, slot: dict[str, slice], a: Box | Convex, A: Pose, b: Box | Convex) -> tuple[SX, SX, SX]:
        """Gap, normal towards a, point on a's surface, in b's axes.

        The normal is fixed in one of the bodies (corner over face) or across two edges; the contact point is the
        corner, or the point of a's edge nearest to b's: there the normal times the relative velocity is the gap's rate.
        """
        active, own = self.symbols[slot["active"]], A.R @ self._vector(slot["normal_a"])
        x, y = A.p + A.R @ self._vector(slot["point_a"]), self._vector(slot["point_b"])
        w, normal, point = x - y, own + self._vector(slot["normal_b"]), x
        if "along_a" in slot:
            u, v = A.R @ self._vector(slot["along_a"]), self._vector(slot["along_b"])
            normal += _unit(cross(u, v))
            uv = dot(u, v)
            point += (uv * dot(v, w) - dot(u, w)) / ca.fmax(1 - uv * uv, 1e-12) * u
        else:
            u = v = SX(3, 1)
        if "rounded" in slot:
            normal += self.symbols[slot["rounded"]] * _unit(w - dot(u, w) * u - dot(v, w) * v)
        height = dot(normal, w)
        point += dot(own, own) * (height * normal - w)  # a's own face: the foot of b's corner
        gap = height - active * (a.rounding + b.rounding) + (1 - active)
        return gap, normal, point - a.rounding * normal

    def watch(self, a: Box | Convex, A: Frame, b: Box | Convex, B: Frame) -> SX:
        """Above zero as long as the guard holds."""
        relative = Pose.__matmul__(B.inverse(), A)
        own = self._vector(self._guard["normal_a"])
        normal = relative.R @ own + self._vector(self._guard["normal_b"])
        low = dot(normal, relative.p) - _support(a, -(relative.R.T @ normal))
        apart = low - _support(b, normal) - (a.rounding + b.rounding)
        shift = relative.p - self._vector(self._guard["place"])
        turn = self.symbols[self._guard["turn"]]
        if self.planar:
            turned = ca.vertcat(relative.R[0, 0], relative.R[1, 0]) - turn
        else:
            turned = (ca.vec(relative.R) - turn) / np.sqrt(2)
        radius = ca.sqrt(_largest([dot(c, c) for c in corners_of(a)]))
        motion = ca.sqrt(dot(shift, shift)) + radius * ca.sqrt(ca.dot(turned, turned))
        margin, allowance = self.symbols[self._guard["margin"]], self.symbols[self._guard["allowance"]]
        return ca.fmin(margin - motion, apart + allowance)

    # ------------------------------------------------------------------ numbers

    def guard(self, guard: Guard) -> np.ndarray:
        """The numbers of a guard, and no contacts."""
        numbers = np.zeros(len(self.names))
        turn = guard.turn[:2, 0] if self.planar else guard.turn.T.ravel()
        for name, where in self._guard.items():
            numbers[where] = turn if name == "turn" else np.atleast_1d(getattr(guard, name))[: where.stop - where.start]
        return numbers

    def write(self, numbers: np.ndarray, k: int, feature: Feature) -> None:
        """Write a contact into its place."""
        for name, where in self._each[k].items():
            value: Any = 1.0 if name == "active" else getattr(feature, name)
            numbers[where] = np.atleast_1d(value)[: where.stop - where.start]

    def get(self, numbers: np.ndarray, k: int) -> Feature | None:
        """The contact in a place; None: there is none."""
        slot = self._each[k]
        if not numbers[slot["active"]][0]:
            return None
        read = {name: _in_space(numbers[where]) for name, where in slot.items() if name not in ("active", "rounded")}
        rounded = "rounded" in slot and bool(numbers[slot["rounded"]][0])
        return Feature(np.zeros(3), rounded=rounded, **read)

    def keep(self, numbers: np.ndarray, margin: float, allowance: float) -> None:
        """Set how far things may move [m], and what may be missing along the axis [m]."""
        numbers[self._guard["margin"]], numbers[self._guard["allowance"]] = margin, allowance

    def margin(self, numbers: np.ndarray) -> float:
        return float(numbers[self._guard["margin"]][0])

    def contacts(self, numbers: np.ndarray) -> np.ndarray:
        """Those of all contacts, without the guard."""
        return numbers[self._each[0]["active"].start :]


def _slices(sizes: dict[str, int], start: int) -> tuple[dict[str, slice], int]:
    slices = {}
    for name, size in sizes.items():
        slices[name] = slice(start, start + size)
        start += size
    return slices, start


def _support(outline: Box | Convex, direction: SX) -> SX:
    """How far the core reaches along a direction [m]."""
    if isinstance(outline, Box):
        return sum((ca.fabs(direction[i]) * h for i, h in enumerate(outline.half)), SX(0))
    return _largest([dot(c, direction) for c in corners_of(outline)])


def _largest(values: list[SX]) -> SX:
    largest = values[0]
    for x in values[1:]:
        largest = ca.fmax(largest, x)
    return largest


def _unit(x: SX) -> SX:
    return x / ca.sqrt(ca.fmax(dot(x, x), TINY))


def _in_space(x: np.ndarray) -> np.ndarray:
    return np.append(x, np.zeros(3 - x.size))
