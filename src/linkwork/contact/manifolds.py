"""Which corners, edges and faces of convex outlines may touch: chosen at the start of a run, and anew on the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.components.bodies import Body
from linkwork.components.contacts.features import Features, Guard
from linkwork.components.contacts.manifold import Feature, Pair, moved
from linkwork.components.contacts.outlined import Outlined
from linkwork.components.contacts.outlines import Box, Convex, corners_of
from linkwork.components.contacts.polytope import Polytope, polytope_of, shape_of
from linkwork.core.component import Component, Marker
from linkwork.core.equations import Equations
from linkwork.core.unilateral import Unilateral
from linkwork.geometry import SX, Pose, as_vector, rotations, rotz

if TYPE_CHECKING:
    from linkwork.core.model import Model

DISTANCE_ALONE = 1e9
"""Margin [m] where only the distance matters."""
FINE, COARSE = 1e-6, 1e-3
"""Shares of the smaller one's size: how exactly it is found that a corner leaves a face. It grows while one stays at
the border, as that of a box that slides along the edge of an equal one."""
SAFE = 0.7
"""Share of the way to a border after which it is looked again."""
PIERCED = 1e-7
"""Share of that size by which something else may be inside before it is looked again."""
REPLACEMENT_SHARE = 0.02
"""Share of that size within which a contact that is chosen takes the place of one that was there."""


class _Followed:
    """One pair: where its numbers are in the state, and its shapes."""

    def __init__(self, contact: Outlined, features: Features, eq: Equations):
        a, b = contact.shape, contact.other
        assert isinstance(a, (Box, Convex)) and isinstance(b, (Box, Convex))
        self.contact, self.features, self.rigid = contact, features, isinstance(contact, Unilateral)
        names = {name: k for k, name in enumerate(eq.states.names)}
        self.where = np.array([names[name] for name in features.names])
        self.own = [[names[n] for n in _states_of(contact.name, k, eq.states.names)] for k in range(features.count)]
        """By contact: its mode or the deflection of its bristle, which end with it."""
        self.shapes = shape_of(a), shape_of(b)
        self._known: list[Polytope] = []
        A, B = (_pose(end, eq) for end in (contact.at, contact.on))
        relative = B.inverse() @ A
        corners = [ca.horzcat(*corners_of(x)).T for x in (a, b)]
        self.expressions = [relative.R, relative.p, *corners, SX(a.rounding + b.rounding)]

    def choose(self, y: np.ndarray, values: list[np.ndarray]) -> bool:
        """Put what may touch into the state; whether anything but the guard is different."""
        R, p, corners_a, corners_b, skin = values
        features, before = self.features, y[self.where]
        a, b = self._polytopes(corners_a, corners_b)
        pair = Pair(a, b, R, p.ravel())
        manifold = pair.manifold(rounded=features.rounded, most=features.count)
        apart = manifold.axis.apart - float(skin.item())
        fixed = manifold.axis.normal
        in_a = manifold.axis.owner == "a"
        guard = Guard(
            normal_a=R.T @ fixed if in_a else np.zeros(3),
            normal_b=np.zeros(3) if in_a else fixed,
            place=p.ravel(),
            turn=R,
            margin=DISTANCE_ALONE,
            allowance=-pair.reach / 2,
        )
        near = apart <= pair.reach
        numbers, kept = features.guard(guard), set()
        if near:
            kept = self._place(numbers, before, manifold.features, R, p.ravel(), REPLACEMENT_SHARE * pair.smaller)
        same = bool(np.array_equal(features.contacts(numbers), features.contacts(before)))
        if near:
            margin = self._margin(manifold.change, apart, features.margin(before) if same else 0.0, pair)
            exact = self.rigid and manifold.axis.owner != "" and not features.rounded
            features.keep(numbers, margin, max(-apart, 0.0) + (PIERCED * pair.smaller if exact else margin))
        y[self.where] = numbers
        for k, own in enumerate(self.own):
            if k not in kept:
                y[own] = 0.0
        return not same

    def _polytopes(self, *corners: np.ndarray) -> list[Polytope]:
        """With these corners, which change with parameters only."""
        for k, (shape, now) in enumerate(zip(self.shapes, corners, strict=True)):
            if len(self._known) <= k:
                self._known.append(polytope_of(shape, now))
            elif not np.array_equal(self._known[k].corners, now):
                self._known[k] = polytope_of(shape, now)
        return self._known

    def _margin(self, change: float, apart: float, last: float, pair: Pair) -> float:
        least = min(2 * last, COARSE * pair.smaller) if 0 < last <= COARSE * pair.smaller else 0.0
        wanted = max(SAFE * change, apart / 2, FINE * pair.smaller, least)
        return min(wanted, pair.reach)

    def _place(
        self,
        numbers: np.ndarray,
        before: np.ndarray,
        features: list[Feature],
        R: np.ndarray,
        p: np.ndarray,
        close: float,
    ) -> set[int]:
        """Each contact where the one was that it goes on from; others where there is room. Those that go on."""
        old = {k: f for k in range(self.features.count) if (f := self.features.get(before, k)) is not None}
        places = {k: moved(f, R, p).place for k, f in old.items()}
        ways = sorted(
            (float(np.linalg.norm(f.place - place)), i, k)
            for i, f in enumerate(features)
            for k, place in places.items()
        )
        taken: dict[int, int] = {}
        for i, feature in enumerate(features):  # the very same ones stay where they are, however they have moved
            for k in old:
                self.features.write(trial := before.copy(), k, feature)
                if k not in taken.values() and np.array_equal(trial, before):
                    taken[i] = k
                    break
        for distance, i, k in ways:
            if distance <= close and i not in taken and k not in taken.values():
                taken[i] = k
        room = [k for k in range(self.features.count) if k not in taken.values()]
        room.sort(key=lambda k: k in old)
        for i, feature in enumerate(features):
            self.features.write(numbers, taken[i] if i in taken else room.pop(0), feature)
        return set(taken.values())


class Chooser:
    """All pairs of a run. values(t): parameters and inputs."""

    def __init__(self, model: Model, eq: Equations, values: Callable[[float], np.ndarray]):
        pairs = [(c, c.features(model.is_planar)) for c in model.of_type(Outlined)]
        self._pairs = [_Followed(c, features, eq) for c, features in pairs if features is not None]
        self._values = values
        parts = [x for pair in self._pairs for x in pair.expressions]
        self._look = ca.Function("poses", [eq.t, eq.y, eq.p], [ca.densify(SX(x)) for x in parts], {"cse": True})
        self._stored = ca.Function(
            "stored", [eq.t, eq.y, eq.p], [eq.observation.outputs["energy.potential"][1]], {"cse": True}
        )
        states = list(eq.states.names)
        self._lost = states.index("energy.dissipated") if "energy.dissipated" in states else None

    def choose(self, t: float, y: np.ndarray, contact: Component | None = None) -> np.ndarray:
        """The state with contacts as they may be from here on, of all pairs or of one.

        What springs lose by that is told as lost.
        """
        p, after = self._values(t), y.copy()
        values = [np.array(x) for x in self._look(t, y, p)]
        changed = False
        for k, pair in enumerate(self._pairs):
            if contact is None or pair.contact is contact:
                changed |= pair.choose(after, values[5 * k : 5 * k + 5])
        if changed and contact is not None and self._lost is not None:
            after[self._lost] += float(self._stored(t, y, p)) - float(self._stored(t, after, p))
        return after


def chooser_of(model: Model, eq: Equations, values: Callable[[float], np.ndarray]) -> Chooser | None:
    """None where a model has no convex outlines that touch each other."""
    if not any(c.features(model.is_planar) is not None for c in model.of_type(Outlined)):
        return None
    return Chooser(model, eq, values)


def _states_of(name: str, k: int, states: list[str]) -> list[str]:
    own = {f"{name}.{k + 1}.{what}" for what in ("closed", "stuck", "direction1", "direction2")}
    own |= {f"{name}.bend{k + 1}{axis}" for axis in ("", "x", "y", "z")}
    return [n for n in states if n in own]


def _pose(end: Marker, eq: Equations) -> Pose:
    """Of a frame, from the channels of its body."""
    if not isinstance(end.body, Body):
        return end.local
    name = end.body.name

    def channels(*words: str) -> SX:
        return ca.vertcat(*(eq.observation.outputs[f"{name}.{word}"][1] for word in words))

    if f"{name}.angle" in eq.observation.outputs:
        body = Pose(as_vector(channels("x", "y")), rotz(channels("angle")).R)
    else:
        body = Pose(channels("x", "y", "z"), rotations.from_quaternion(channels("q0", "q1", "q2", "q3")))
    return body @ end.local
