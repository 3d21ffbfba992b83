"""In which order a large constrained system is eliminated, found once: a front for every body.

A body is eliminated with rows of its joints. Rows that hold one body to others have full rank on that body alone, so
the first joint of a front is eliminated as it is; where a body hangs on one last joint, that is the recursion of
articulated bodies. Any other joint waits until all its bodies are gone: what it then feels is what it feels of the
bodies by themselves, so its rows are dependent there only if they are redundant. Such rows are soft (see
`algebra.proximal`). Bodies with one joint left come first, then the others in the order that takes the least work:
by levels, by dissection, or those first that couple least (minimum degree).
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.large.ordering import by_dissection, by_levels


@dataclass
class Front:
    """One step: a body, the joints eliminated with it, and what both are then coupled to (blocks, by number)."""

    body: int
    joints: list[int]
    left: list[int]
    parent: int = -1


@dataclass(frozen=True)
class Fronts:
    """Fronts in scalars, as the C library takes them; see schedule.h. Of each, the lower triangle is kept."""

    order: np.ndarray
    pivots: np.ndarray
    own: np.ndarray
    child: np.ndarray
    sibling: np.ndarray
    place: np.ndarray
    """Of each front, from the beginning of them all."""
    first: np.ndarray
    leads: np.ndarray
    index: np.ndarray
    into: np.ndarray
    behind: np.ndarray
    """Of the unknowns that each front leaves, where they are in the order of elimination."""
    exact: np.ndarray
    """By block of rows: whether it is the first joint of a front."""
    of: np.ndarray
    """By block: the front in which it is eliminated."""

    @property
    def area(self) -> int:
        return int(np.sum(_triangle(self.order)))

    def at(self, front: np.ndarray, row: np.ndarray, column: np.ndarray) -> np.ndarray:
        """Place of an entry in its front; row and column are those of the front."""
        low, high = np.minimum(row, column), np.maximum(row, column)
        return low * self.order[front] - low * (low + 1) // 2 + high

    def unknowns_at(self, front: np.ndarray, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which two unknowns an entry at this place of a front couples: the inverse of `at`."""
        order, first = self.order[front].astype(np.int64), self.first[front]
        twice = 2 * order + 1
        low = ((twice - np.sqrt(twice**2 - 8.0 * place)) / 2).astype(np.int64)
        low -= low * order - low * (low - 1) // 2 > place  # where the root was rounded up, or down
        low += (low + 1) * order - (low + 1) * low // 2 <= place
        return self.index[first + place - low * order + low * (low + 1) // 2], self.index[first + low]


def eliminated(bodies: int, ends: Sequence[tuple[int, ...]], sizes: np.ndarray) -> list[Front]:
    """Steps in their order. ends: bodies of each joint; blocks are numbered bodies first, then joints."""
    trunk = _Elimination(bodies, ends, sizes)
    trunk.strip()
    if all(trunk.gone):
        return trunk.fronts
    tried = [_Elimination(bodies, ends, sizes) for _ in (by_levels, by_dissection)]
    for elimination, ordered in zip(tried, (by_levels, by_dissection), strict=True):
        elimination.strip()
        for b in ordered(elimination.neighbours()):
            elimination.eliminate(b)
    best = min(tried, key=lambda x: x.work)
    return trunk.fronts if trunk.least_coupled(best.work) else best.fronts


class _Elimination:
    """Blocks that are left, and the fronts that couple them."""

    def __init__(self, bodies: int, ends: Sequence[tuple[int, ...]], sizes: np.ndarray):
        self.bodies, self.ends, self.sizes = bodies, ends, sizes
        self.open: list[set[int]] = [set() for _ in range(bodies)]
        """By body: joints that are not eliminated."""
        for k, pair in enumerate(ends):
            for b in pair:
                self.open[b].add(k)
        self.waiting = [len(pair) for pair in ends]
        """By joint: bodies that are left."""
        self.held: dict[int, list[int]] = {}
        """By block: fronts that are coupled to it."""
        self.gone = [False] * bodies
        self.fronts: list[Front] = []
        self.absorbed: list[bool] = []
        self.work = 0
        """Multiplications of all fronts, about."""

    def strip(self) -> None:
        """Bodies that hang on one joint, from the tips inwards."""
        stack = [b for b in range(self.bodies) if len(self.open[b]) <= 1]
        while stack:
            b = stack.pop()
            if self.gone[b]:
                continue
            others = [c for k in self.open[b] for c in self.ends[k] if c != b]
            self.eliminate(b)
            stack += [c for c in others if not self.gone[c] and len(self.open[c]) <= 1]

    def neighbours(self) -> dict[int, set[int]]:
        """Bodies that are left, and which of them each has joints with."""
        left: dict[int, set[int]] = {b: set() for b in range(self.bodies) if not self.gone[b]}
        for pair in self.ends:
            joined = [b for b in pair if b in left]
            for b in joined:
                left[b].update(c for c in joined if c != b)
        return left

    def least_coupled(self, limit: int) -> bool:
        """The others, by how much each would be coupled to; given up where it takes more work than the limit."""
        heap = [(self.coupling(b), b) for b in range(self.bodies) if not self.gone[b]]
        heapq.heapify(heap)
        while heap:
            degree, b = heapq.heappop(heap)
            if self.gone[b]:
                continue
            now = self.coupling(b)
            if now > degree:
                heapq.heappush(heap, (now, b))
                continue
            left = self.eliminate(b)
            if self.work >= limit:
                return False
            near = {c for x in left for c in ([x] if x < self.bodies else self.ends[x - self.bodies])}
            for c in near:
                if not self.gone[c]:
                    heapq.heappush(heap, (self.coupling(c), c))
        return True

    def coupling(self, b: int) -> int:
        joints, left = self.step(b)[:2]
        return int(sum(self.sizes[x] for x in left)) + int(sum(self.sizes[self.bodies + k] for k in joints))

    def step(self, b: int) -> tuple[list[int], set[int], list[int]]:
        """Joints that go with a body, what both are coupled to, and the fronts that are taken in."""
        joints = [k for k in sorted(self.open[b]) if self.waiting[k] == 1]
        if not joints and len(self.open[b]) == 1:
            joints = list(self.open[b])
        own = {b, *(self.bodies + k for k in joints)}
        taken = sorted({f for x in own for f in self.held.get(x, ()) if not self.absorbed[f]})
        left = {self.bodies + k for k in self.open[b]}.union(*(self.fronts[f].left for f in taken))
        left |= {c for k in joints for c in self.ends[k] if not self.gone[c]}
        return joints, left - own, taken

    def eliminate(self, b: int) -> list[int]:
        joints, left, taken = self.step(b)
        number = len(self.fronts)
        for f in taken:
            self.fronts[f].parent, self.absorbed[f] = number, True
        self.fronts.append(Front(b, joints, sorted(left)))
        self.absorbed.append(False)
        pivots, others = (sum(int(self.sizes[x]) for x in y) for y in ([b, *(self.bodies + k for k in joints)], left))
        self.work += pivots * (pivots + others) ** 2
        self.gone[b] = True
        for x in left:
            self.held[x] = [f for f in self.held.get(x, ()) if not self.absorbed[f]] + [number]
        for k in self.open[b]:
            self.waiting[k] -= 1
        for k in joints:
            for c in self.ends[k]:
                self.open[c].discard(k)
        return self.fronts[number].left


def fronts_of(
    bodies: int, ends: Sequence[tuple[int, ...]], sizes: np.ndarray, firm: Sequence[bool] | None = None
) -> Fronts:
    """sizes: scalars of each block, bodies first, then joints; unknowns are in this order. firm: by joint, whether its
    rows are independent on each of its bodies alone; None: all are."""
    steps = eliminated(bodies, ends, sizes)
    exact = np.zeros(len(ends), dtype=bool)
    first = [step.joints[0] for step in steps if step.joints]
    exact[[k for k in first if firm is None or firm[k]]] = True
    gone = [[step.body, *(bodies + k for k in step.joints)] for step in steps]
    own = np.array([sizes[step.body] for step in steps], dtype=np.int32)
    return in_scalars(sizes, gone, [step.left for step in steps], [step.parent for step in steps], own, exact)


def in_scalars(
    sizes: np.ndarray,
    gone: list[list[int]],
    left: list[list[int]],
    parents: list[int],
    own: np.ndarray,
    exact: np.ndarray,
) -> Fronts:
    """Fronts from blocks, front by front: those that it eliminates, those that it leaves, and who takes what it leaves.

    own: scalars of each that are not rows."""
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    columns = _columns(gone, left, parents)
    index = [np.concatenate([np.arange(starts[x], starts[x + 1]) for x in blocks]) for blocks in columns]
    of, into = np.zeros(len(sizes), dtype=np.int64), []
    child, sibling = (np.full(len(gone), -1, dtype=np.int32) for _ in range(2))
    for n, parent in enumerate(parents):
        of[gone[n]] = n
        if parent < 0:
            into.append(np.zeros(0, dtype=np.int64))
            continue
        above = columns[parent]
        begin = dict(zip(above, np.concatenate([[0], np.cumsum(sizes[above])]).tolist(), strict=False))
        into.append(np.concatenate([begin[x] + np.arange(sizes[x]) for x in columns[n][len(gone[n]) :]]))
        sibling[n], child[parent] = child[parent], n
    order = np.array([len(x) for x in index], dtype=np.int32)
    pivots = np.array([sum(sizes[x] for x in blocks) for blocks in gone], dtype=np.int32)
    none = np.zeros(0, dtype=np.int64)
    sequence = np.concatenate([none, *(x[:k] for x, k in zip(index, pivots.tolist(), strict=True))])
    turn = np.zeros(sequence.size, dtype=np.int32)
    turn[sequence] = np.arange(sequence.size)
    return Fronts(
        order=order,
        pivots=pivots,
        own=own,
        child=child,
        sibling=sibling,
        place=_begins(_triangle(order)),
        first=_begins(order.astype(np.int64)),
        leads=_begins(np.array([len(x) for x in into], dtype=np.int64)),
        index=np.concatenate([none, *index]).astype(np.int32),
        into=np.concatenate([none, *into]).astype(np.int32),
        behind=turn[np.concatenate([none, *(x[k:] for x, k in zip(index, pivots.tolist(), strict=True))])],
        exact=exact,
        of=of,
    )


def _columns(gone: list[list[int]], left: list[list[int]], parents: list[int]) -> list[list[int]]:
    """Blocks of each front: those that it eliminates, then those that it leaves, in the order of its parent."""
    columns: list[list[int]] = [[] for _ in gone]
    for n in reversed(range(len(gone))):
        place = {x: k for k, x in enumerate(columns[parents[n]])} if left[n] else {}
        columns[n] = [*gone[n], *sorted(left[n], key=lambda x: place[x])]
    return columns


def _triangle(order: np.ndarray) -> np.ndarray:
    wide = order.astype(np.int64)
    return wide * (wide + 1) // 2


def _begins(sizes: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
