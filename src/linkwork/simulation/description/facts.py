"""What of a description the watch measures by: where joints are on their bodies, masses, inertias, gravity."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.core.plain_data import Record
from linkwork.core.result import Later
from linkwork.simulation.description.form import Blank, Filled


@dataclass(frozen=True)
class Facts:
    """In the order of the description."""

    joints: list[str]
    points: np.ndarray
    """(sides, 3) of all joints, first and second in turn, in body axes [m]."""
    fixed: list[tuple[int, str]]
    """Which of these are on the ground, and the body on the other side."""
    bodies: frozenset[str]
    """Of all that are described, the ground too."""
    massive: list[str]
    """Bodies with a mass."""
    mass: np.ndarray
    """Theirs [kg]."""
    inertia: np.ndarray
    """Theirs, the largest entry each [kg·m²]."""
    gravity: float
    """[m/s²]"""


class _Layout:
    """Which numbers of a description are facts, and of what."""

    def __init__(self, described: Record):
        joints, bodies = described.get("joints", {}), described.get("bodies", {})
        ground = described.get("ground")
        sides = [(j["first"], j["second"]) for j in joints.values()]
        both = [pair for first, second in sides for pair in ((first, second), (second, first))]
        self.joints, self.bodies = list(joints), frozenset(bodies)
        self.fixed = [(k, other["body"]) for k, (side, other) in enumerate(both) if side["body"] == ground]
        own = {name: body for name, body in bodies.items() if "mass" in body}
        self.massive = list(own)
        inertias = [[*_leaves(body["inertia"])] for body in own.values()]
        self._starts = np.cumsum([0, *(len(x) for x in inertias[:-1])])[: len(inertias)]
        parts = [
            [x for side, _ in both for x in side["point"]],
            [body["mass"] for body in own.values()],
            [x for each in inertias for x in each],
            list(described.get("gravity", ())),
        ]
        self._ends = np.cumsum([len(part) for part in parts])[:-1].tolist()
        leaves = [x for part in parts for x in part]
        self._values = np.array([0.0 if isinstance(x, Blank) else x for x in leaves], dtype=float)
        blanks = np.array([(k, x.number) for k, x in enumerate(leaves) if isinstance(x, Blank)], dtype=int)
        self._places, self._numbers = blanks.reshape(-1, 2).T

    def facts(self, numbers: np.ndarray) -> Facts:
        values = self._values.copy()
        values[self._places] = numbers[self._numbers]
        a, b, c = self._ends
        inertia = np.abs(values[b:c])
        return Facts(
            self.joints,
            values[:a].reshape(-1, 3),
            self.fixed,
            self.bodies,
            self.massive,
            values[a:b],
            np.maximum.reduceat(inertia, self._starts) if inertia.size else inertia,
            float(np.sqrt((values[c:] ** 2).sum())),
        )


def facts_of(described: Record | Later, memory: dict[Hashable, Any]) -> Facts:
    """memory: where those of the last description are kept, and what is the same in all of one form."""
    last: tuple[object, Facts] | None = memory.get("last facts")
    if last is None or last[0] is not described:
        last = memory["last facts"] = described, _read(described, memory)
    return last[1]


def _read(described: Record | Later, memory: dict[Hashable, Any]) -> Facts:
    if isinstance(described, Filled):
        form, layout = memory.get("facts", (None, None))
        if form is not described.form:
            layout = _Layout(described.form.parts)
            memory["facts"] = described.form, layout
        facts: Facts = layout.facts(described.numbers)
        return facts
    plain = described.make() if isinstance(described, Later) else described
    return _Layout(plain).facts(np.zeros(0))


def _leaves(part: object) -> Iterator[object]:
    if isinstance(part, list):
        for each in part:
            yield from _leaves(each)
    else:
        yield part
