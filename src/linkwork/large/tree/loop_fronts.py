"""In which order the multipliers of loops are eliminated: one front for the rows of each joint that closes one.

Rows of two loops are coupled where the loops share links that move. Those that couple least come first.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable

import numpy as np

from linkwork.large.elimination import Fronts, in_scalars


def loop_fronts(sizes: np.ndarray, together: Iterable[Iterable[int]]) -> Fronts:
    """sizes: rows of each joint; together: joints that are coupled with each other, set by set."""
    near: list[set[int]] = [set() for _ in sizes]
    for joints in {frozenset(x) for x in together}:
        for k in joints:
            near[k].update(joints)
    for k, others in enumerate(near):
        others.discard(k)
    order, left = _eliminated(sizes, near)
    number = {k: n for n, k in enumerate(order)}
    parents = [min((number[x] for x in left[k]), default=-1) for k in order]
    none = np.zeros(len(order))
    return in_scalars(
        sizes, [[k] for k in order], [left[k] for k in order], parents, none.astype(np.int32), none.astype(bool)
    )


def _eliminated(sizes: np.ndarray, near: list[set[int]]) -> tuple[list[int], dict[int, list[int]]]:
    """The order, and what each is then coupled to."""

    def degree(k: int) -> int:
        return int(sum(sizes[x] for x in near[k]))

    heap = [(degree(k), k) for k in range(len(near))]
    heapq.heapify(heap)
    order: list[int] = []
    left: dict[int, list[int]] = {}
    while heap:
        was, k = heapq.heappop(heap)
        if k in left:
            continue
        now = degree(k)
        if now != was:
            heapq.heappush(heap, (now, k))
            continue
        left[k] = sorted(near[k])
        order.append(k)
        for x in near[k]:
            near[x] |= near[k]
            near[x] -= {x, k}
        for x in near[k]:
            heapq.heappush(heap, (degree(x), x))
    return order, left
