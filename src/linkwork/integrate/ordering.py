"""The order in which a sparse Newton matrix is eliminated: minimum degree on the pattern of A + Aᵀ."""

from __future__ import annotations

import functools
import heapq
from typing import NamedTuple

import numpy as np


class Structure(NamedTuple):
    """A pattern with its whole diagonal, in compressed columns (int32), ready for the C library."""

    column_start: np.ndarray
    row: np.ndarray
    place: np.ndarray
    """Where each nonzero of the original pattern went."""
    order: np.ndarray


def minimum_degree(neighbours: list[set[int]], late: range = range(0)) -> list[int]:
    """An elimination order with little fill. Changes `neighbours`.

    late: unknowns with a zero on the diagonal (multipliers). They wait until one of their neighbours is gone, because
    only then does elimination put a pivot there.
    """
    n = len(neighbours)
    heap = [(len(neighbours[i]), i) for i in range(n) if i not in late or not neighbours[i]]
    heapq.heapify(heap)
    done = [False] * n
    order: list[int] = []
    while heap:
        degree, node = heapq.heappop(heap)
        if done[node] or degree != len(neighbours[node]):
            continue  # an outdated entry
        if degree >= n - len(order) - 1:
            break  # what remains is dense: any order will do
        done[node] = True
        order.append(node)
        around = neighbours[node]
        for other in around:
            neighbours[other] |= around
            neighbours[other] -= {node, other}
            heapq.heappush(heap, (len(neighbours[other]), other))
        neighbours[node] = set()
    # In the dense rest, or if only unknowns without a pivot remain, multipliers come last.
    return order + sorted((i for i in range(n) if not done[i]), key=lambda i: (i in late, i))


def structure(n: int, column_start: np.ndarray, row: np.ndarray, late: range = range(0)) -> Structure:
    """Adds the diagonal to a compressed-column pattern of order n and finds an elimination order."""
    return _structure(
        n, np.asarray(column_start, dtype=np.int32).tobytes(), np.asarray(row, dtype=np.int32).tobytes(), late
    )


@functools.lru_cache(maxsize=32)
def _structure(n: int, column_start: bytes, row: bytes, late: range) -> Structure:
    starts, rows = np.frombuffer(column_start, dtype=np.int32), np.frombuffer(row, dtype=np.int32)
    columns = np.repeat(np.arange(n, dtype=np.int64), np.diff(starts))
    keys, place = np.unique(
        np.concatenate([columns * n + rows, np.arange(n, dtype=np.int64) * (n + 1)]), return_inverse=True
    )
    full_column, full_row = np.divmod(keys, max(n, 1))
    neighbours: list[set[int]] = [set() for _ in range(n)]
    for i, j in zip(full_row.tolist(), full_column.tolist(), strict=True):
        if i != j:
            neighbours[i].add(j)
            neighbours[j].add(i)
    return Structure(
        np.concatenate([[0], np.cumsum(np.bincount(full_column, minlength=n))]).astype(np.int32),
        full_row.astype(np.int32),
        place[: rows.size].astype(np.int32),
        np.array(minimum_degree(neighbours, late), dtype=np.int32),
    )
