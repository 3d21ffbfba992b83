"""Cutting a stream into functions of bounded size.

LLVM's time grows faster than linearly with the length of a function, so a long stream becomes many short ones. A value
needed beyond its own chunk passes through a work array; constants and inputs do not, they are read again.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from linkwork.compile.stream import CONST, INPUT, OUTPUT, Stream


@dataclass(frozen=True)
class Plan:
    """bounds: chunk i holds instructions bounds[i]:bounds[i+1]; slot: place of each value in the work array, or -1."""

    bounds: tuple[int, ...]
    slot: np.ndarray
    work_size: int


def plan(stream: Stream, size: int) -> Plan:
    """Chunks of about `size` instructions, and the smallest work array a first-fit allocation finds."""
    last = np.arange(len(stream))
    reader, value = stream.uses()
    np.maximum.at(last, value, reader)
    last[np.isin(stream.op, (CONST, INPUT, OUTPUT))] = -1
    bounds = _cuts(last, size)
    slot, work_size = _slots(last, bounds)
    return Plan(bounds, slot, work_size)


def _cuts(last: np.ndarray, size: int) -> tuple[int, ...]:
    """Cut near every multiple of `size`, where the fewest values are alive.

    last[k]: the last instruction that reads value k; smaller than k where k never needs a place.
    """
    count = len(last)
    carried = np.flatnonzero(last > np.arange(count))
    change = np.zeros(count + 2, dtype=np.int64)
    np.add.at(change, carried + 1, 1)
    np.add.at(change, last[carried] + 1, -1)
    alive = np.cumsum(change)  # alive[b]: values that would cross a cut between instructions b-1 and b
    bounds = [0]
    reach = max(size // 4, 1)
    while count - bounds[-1] > size + reach:
        low = bounds[-1] + max(size - reach, 1)
        bounds.append(low + int(np.argmin(alive[low : low + 2 * reach])))
    return (*bounds, count)


def _slots(last: np.ndarray, bounds: tuple[int, ...]) -> tuple[np.ndarray, int]:
    """A place is free again only after the chunk of the last read, so the order of loads and stores inside a chunk is
    of no consequence."""
    edges = np.array(bounds[1:])
    home = np.searchsorted(edges, np.arange(len(last)), side="right")
    final = np.where(last >= 0, np.searchsorted(edges, last, side="right"), -1)
    slot = np.full(len(last), -1, dtype=np.int32)
    free: list[int] = []
    busy: list[tuple[int, int]] = []  # (chunk of the last read, place)
    used = 0
    for k in np.flatnonzero(final > home):
        while busy and busy[0][0] < home[k]:
            heapq.heappush(free, heapq.heappop(busy)[1])
        if free:
            place = heapq.heappop(free)
        else:
            place, used = used, used + 1
        slot[k] = place
        heapq.heappush(busy, (int(final[k]), place))
    return slot, used
