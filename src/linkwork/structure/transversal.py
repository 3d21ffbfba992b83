"""Matching equations with unknowns: as many as possible, and of all such matchings the heaviest."""

from __future__ import annotations

from heapq import heappop, heappush


def heaviest(weights: list[dict[int, float]], columns: int) -> list[int]:
    """The column of each row, −1 where none is left; weights[i][j]: what it is worth to give j to i."""
    return heaviest_with_prices(weights, columns)[0]


def heaviest_with_prices(weights: list[dict[int, float]], columns: int) -> tuple[list[int], list[float], list[float]]:
    """The same, with prices of rows and columns: weight + both prices ≤ 0, and = 0 for the pairs that are matched.

    One shortest augmenting path per row, with prices that keep all costs positive (Jonker and Volgenant).
    """
    top = max((w for row in weights for w in row.values()), default=0.0)
    match, owner = [-1] * len(weights), [-1] * columns
    row_price, price = [0.0] * len(weights), [0.0] * columns
    for start in range(len(weights)):
        far: dict[int, float] = {}
        before: dict[int, int] = {}
        done: dict[int, float] = {}
        heap: list[tuple[float, int]] = []
        row, length, end = start, 0.0, -1
        while end < 0:
            for j, w in weights[row].items():
                cost = length + (top - w) - row_price[row] - price[j]
                if j not in done and cost < far.get(j, float("inf")):
                    far[j], before[j] = cost, row
                    heappush(heap, (cost, j))
            while heap and heap[0][1] in done:
                heappop(heap)
            if not heap:
                break  # this row finds nothing: it is left over
            length, j = heappop(heap)
            done[j] = length
            if owner[j] < 0:
                end = j
            row = owner[j]
        if end < 0:
            continue
        row_price[start] += length
        for j, reached in done.items():
            price[j] += reached - length
            if owner[j] >= 0:
                row_price[owner[j]] += length - reached
        while end >= 0:
            row = before[end]
            owner[end] = row
            match[row], end = end, match[row]
    return match, [x - top for x in row_price], price
