"""Loops of a tree: what the multipliers of joints that close them do to its links, and the system that they solve.

With the articulated inertias of the tree, forces Kλ on a body drive its own link by E λ = SᵀK λ, and are felt by what
carries it as (K − U D⁻¹ E) λ, down to the ground: what both ends do to a body that they hang on cancels only where
the links between take it all up. Then A M⁻¹ Aᵀ = Σ Eᵀ D⁻¹ E over these links: sparse where loops share few of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from linkwork.algebra.proximal import REDUNDANT, REFINEMENTS, REGULARISATION, SOFTEST
from linkwork.large.groups import Group, Places
from linkwork.large.kernel import Kernel
from linkwork.large.parts import Sizes, in_constraints, in_dynamics
from linkwork.large.schedule import Schedule
from linkwork.large.slots import Unfit
from linkwork.large.tree.body_kernels import BodyKernels, crossing
from linkwork.large.tree.loop_fronts import loop_fronts
from linkwork.large.tree.tables import LinkGroup, TreeTables

SHARED_LIMIT = 5_000_000
"""Pairs of rows that links have in common: some 50 bytes each, and as many operations a step."""


@dataclass
class Coupling:
    """Places: K of (body, joint), E of those whose links move; and of the margins of the factorised system."""

    K: dict[tuple[int, int], np.ndarray]
    E: dict[tuple[int, int], np.ndarray]
    margin: int


class Loops:
    """The joints that close loops."""

    def __init__(self, tables: TreeTables, sizes: Sizes, of_bodies: BodyKernels):
        self.tables, self.sizes, self.of_bodies = tables, sizes, of_bodies
        self.groups = [g for g in tables.cut if g.kind.rows]
        self.rows = np.array(tables.sizes, dtype=np.int64)
        """Of each joint."""
        self.first = np.concatenate([[0], np.cumsum(self.rows)]).astype(np.int64)
        self.on: dict[int, list[int]] = {}
        """By body: joints that close loops on bodies that its link carries."""
        for joint, ends in enumerate(tables.ends):
            for body in {b for end in ends for b in self._way(end)}:
                self.on.setdefault(body, []).append(joint)
        shared = sum(int(self.rows[joints].sum()) ** 2 for joints in self.on.values())
        if shared > SHARED_LIMIT:
            raise Unfit(tables.model.name, "its loops share so many links that joint coordinates are no good for them")
        moving = [joints for body, joints in self.on.items() if self._freedoms(body)]
        self.fronts = loop_fronts(self.rows, moving)
        self._turned: dict[int, Kernel] = {}
        self._crossing: dict[tuple[int, int, int], Kernel] = {}

    def _freedoms(self, body: int) -> int:
        return self.tables.link_of[body][0].of.freedoms

    def _way(self, body: int) -> Iterator[int]:
        while body >= 0:
            yield body
            body = int(self.tables.carrier[body])

    # The system ------------------------------------------------------------------------------------------------------

    def coupled(
        self,
        schedule: Schedule,
        places: Places,
        parts: list[tuple[Group, np.ndarray]],
        *,
        dynamics: bool,
        off: int | None,
        least: float = REGULARISATION,
    ) -> Coupling:
        """A M⁻¹ Aᵀ, factorised; off: where the distance from the constraints is, squared, if rows are redundant;
        least: how soft they are at least."""
        coupling = Coupling(self._room(schedule), {}, 0)
        self._attached(schedule, places, parts, coupling, dynamics)
        for group, members in reversed(self.tables.walk):
            self._carried(schedule, places, coupling, group, members[::-1])
        softness, coupling.margin = schedule.factor(
            self.fronts, self.sizes.felt, self._crossed(schedule, places, coupling)
        )
        if off is None:
            schedule.soften(softness, 0, least, 0.0, least)
        else:
            schedule.soften(softness, off, least, REDUNDANT, SOFTEST)
        schedule.factorise()
        return coupling

    def _attached(
        self,
        schedule: Schedule,
        places: Places,
        parts: list[tuple[Group, np.ndarray]],
        coupling: Coupling,
        dynamics: bool,
    ) -> None:
        """Aᵀ in the axes of the bodies that it acts on."""
        n = self.of_bodies.space.size
        none = schedule.room(1)
        schedule.zero(none, 1)
        for group, given in parts:
            kind, m = group.kind, len(group.kind.rows)
            if not m:
                continue
            begin = (in_dynamics if dynamics else in_constraints)(kind)[1]
            i, j = kind.jacobian
            for side in range(group.bodies.shape[1]):
                mine = np.flatnonzero(j // n == side)
                entries = np.full((len(group.members), n * m), none, dtype=np.int64)
                entries[:, n * i[mine] + j[mine] % n] = given[:, begin + mine]
                if m not in self._turned:
                    self._turned[m] = self.of_bodies.turned(m)
                gather = np.hstack([places["place"][group.bodies[:, side]], entries])
                turned = schedule.call(self._turned[m], gather, np.zeros((len(gather), 0)))
                ends = zip(group.bodies[:, side].tolist(), group.blocks.tolist(), strict=True)
                known = [(k, coupling.K[end]) for k, end in enumerate(ends) if end in coupling.K]
                if known:
                    schedule.add(np.concatenate([K for _, K in known]), turned[[k for k, _ in known]])

    def _room(self, schedule: Schedule) -> dict[tuple[int, int], np.ndarray]:
        """K of every body and joint whose loop goes through its link, 0 at first."""
        n, K = self.of_bodies.space.size, {}
        pairs = [(body, joint) for body, joints in self.on.items() for joint in joints]
        sizes = n * self.rows[[joint for _, joint in pairs]]
        first = schedule.room(int(sizes.sum()))
        schedule.zero(first, int(sizes.sum()))
        for pair, begin, size in zip(pairs, (np.cumsum(sizes) - sizes).tolist(), sizes.tolist(), strict=True):
            K[pair] = first + begin + np.arange(size)
        return K

    def _carried(
        self, schedule: Schedule, places: Places, coupling: Coupling, group: LinkGroup, members: np.ndarray
    ) -> None:
        """One run of links, inwards: K of each joint there, E, and K of what carries them."""
        todo: dict[int, list[tuple[int, int, int]]] = {}
        for k in members.tolist():
            body = int(group.own[k])
            for joint in self.on.get(body, ()):
                todo.setdefault(int(self.rows[joint]), []).append((k, body, joint))
        d = group.of.freedoms
        for m, pairs in sorted(todo.items()):
            kernel = group.of.coupled(m)
            if kernel is None:
                continue
            target = schedule.room(len(pairs) * kernel.outputs)
            first = target + kernel.outputs * np.arange(len(pairs))
            if d:
                coupling.E |= {(b, joint): x + np.arange(d * m) for (_, b, joint), x in zip(pairs, first, strict=True)}
            which = np.array([k for k, _, _ in pairs], dtype=np.int64)
            K = np.array([coupling.K[body, joint] for _, body, joint in pairs], dtype=np.int64)
            columns = [
                K[:, e[1]] if e[0] == "coupling" else group.at(e, places, self.tables)[which] for e in kernel.gathered
            ]
            scatter = None
            if group.of.carried:
                scatter = np.array([coupling.K[int(self.tables.carrier[b]), joint] for _, b, joint in pairs])
            schedule.sweep(kernel, target, np.column_stack(columns), group.table[which], scatter)

    def _crossed(
        self, schedule: Schedule, places: Places, coupling: Coupling
    ) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """−Eᵀ D⁻¹ E, link by link: (front, place in it, place of the number)."""
        todo: dict[tuple[int, int, int], list[tuple[int, int, int]]] = {}
        for body, joints in self.on.items():
            d = self._freedoms(body)
            for a, first in enumerate(joints if d else []):
                for second in joints[a:]:
                    todo.setdefault((d, int(self.rows[first]), int(self.rows[second])), []).append(
                        (body, first, second)
                    )
        entries = []
        for key, crossings in todo.items():
            if key not in self._crossing:
                self._crossing[key] = crossing(*key)
            d, m, n = key
            inverse = np.array([places["inverse"][body, : d * (d + 1) // 2] for body, _, _ in crossings])
            E, F = (np.array([coupling.E[x[0], x[which]] for x in crossings]) for which in (1, 2))
            given = schedule.call(self._crossing[key], np.hstack([inverse, E, F]), np.zeros((len(crossings), 0)))
            for (_, first, second), numbers in zip(crossings, given, strict=True):
                entries.append(self._entered(first, second, numbers.reshape(n, m).T))
        return entries

    def _entered(self, first: int, second: int, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where −Eᵀ D⁻¹ E of two joints is in the front that eliminates either first; lower triangles only."""
        fronts = self.fronts
        front = int(min(fronts.of[first], fronts.of[second]))
        begin = {x: self._column(front, x) for x in (first, second)}
        rows = begin[first] + np.arange(numbers.shape[0])[:, None] + 0 * numbers
        columns = begin[second] + np.arange(numbers.shape[1])[None, :] + 0 * numbers
        kept = rows >= columns if first == second else np.ones(numbers.shape, dtype=bool)
        where = np.full(int(kept.sum()), front)
        return where, fronts.at(where, rows[kept], columns[kept]), numbers[kept]

    def _column(self, front: int, joint: int) -> int:
        fronts = self.fronts
        mine = fronts.index[fronts.first[front] : fronts.first[front] + fronts.order[front]]
        return int(np.flatnonzero(mine == self.first[joint])[0])

    # What multipliers do ---------------------------------------------------------------------------------------------

    def driven(self, schedule: Schedule, coupling: Coupling, drive: np.ndarray, multipliers: int) -> None:
        """drive, by body, less Eλ."""
        self._less(schedule, coupling.E, drive, multipliers)

    def loaded(self, schedule: Schedule, coupling: Coupling, load: np.ndarray, multipliers: int) -> None:
        """load, by body, less Kλ."""
        self._less(schedule, coupling.K, load, multipliers)

    def _less(
        self, schedule: Schedule, of: dict[tuple[int, int], np.ndarray], target: np.ndarray, multipliers: int
    ) -> None:
        where, entries, factors = [], [], []
        for (body, joint), places in of.items():
            m = int(self.rows[joint])
            size = places.size // m
            where.append(np.tile(target[body, :size], m))
            entries.append(places)
            factors.append(np.repeat(multipliers + self.first[joint] + np.arange(m), size))
        if entries:
            every = np.concatenate(entries)
            products = schedule.room(every.size)
            schedule.multiply(products, every, np.concatenate(factors))
            schedule.add(np.concatenate(where), products + np.arange(every.size), -1.0)

    def solve(self, schedule: Schedule, right: int, *, refined: bool) -> int:
        """→ the multipliers λ of A M⁻¹ Aᵀ λ = −right."""
        return schedule.solve(right, REFINEMENTS if refined else 0)
