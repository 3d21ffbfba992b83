"""In which order bodies of a net with loops are eliminated: by levels from one end, or halves before what parts them.

Levels (Cuthill and McKee) suit bands: fronts are as wide as the band, however long it is. Dissection (George)
suits nets as wide as long.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Set

Neighbours = Mapping[int, Set[int]]

LEAF = 8
"""Bodies that are not dissected further."""
TURNS = 4
"""From one end to the other, until the levels are no more."""


def by_levels(neighbours: Neighbours) -> list[int]:
    """From the last level to the first; in a level, those first that were reached last."""
    order: list[int] = []
    rest = set(neighbours)
    while rest:
        reached = [b for level in _most_levels(neighbours, rest) for b in level]
        rest.difference_update(reached)
        order += reached
    return order[::-1]


def by_dissection(neighbours: Neighbours) -> list[int]:
    """Both sides of a thin level near the middle, each likewise, then that level."""
    order: list[int] = []
    open_parts: list[tuple[bool, list[int]]] = [(False, list(neighbours))]
    while open_parts:  # the last part is taken first, so orders are written backwards
        is_last, part = open_parts.pop()
        if is_last:
            order += part
            continue
        rest = set(part)
        while rest:
            levels = _most_levels(neighbours, rest)
            rest.difference_update(*levels)
            cut = _thin_level(levels)
            if cut is None:
                open_parts.append((True, [b for level in levels for b in level]))
            else:
                sides = levels[:cut], levels[cut + 1 :]
                open_parts += [(False, [b for level in side for b in level]) for side in sides]
                open_parts.append((True, levels[cut]))
    return order[::-1]


def _most_levels(neighbours: Neighbours, among: set[int]) -> list[list[int]]:
    """From a body at one end of those that hang together with the first."""
    levels = _levels(neighbours, among, min(among))
    for _ in range(TURNS):
        turned = _levels(neighbours, among, min(levels[-1], key=lambda b: (len(neighbours[b]), b)))
        if len(turned) <= len(levels):
            break
        levels = turned
    return levels


def _levels(neighbours: Neighbours, among: set[int], root: int) -> list[list[int]]:
    """Bodies by their distance from the root, each level in the order of the one before."""
    reached, levels = {root}, [[root]]
    while True:
        level: list[int] = []
        for b in levels[-1]:
            fresh = (neighbours[b] & among) - reached
            reached |= fresh
            level += sorted(fresh, key=lambda c: (len(neighbours[c]), c))
        if not level:
            return levels
        levels.append(level)


def _thin_level(levels: list[list[int]]) -> int | None:
    """Between the first and the last, at most a sixth of all levels from the middle one; None: nothing to dissect."""
    count = sum(map(len, levels))
    if count <= LEAF or len(levels) < 3:
        return None
    passed = itertools.accumulate(map(len, levels))
    middle = next(k for k, bodies in enumerate(passed) if 2 * bodies >= count)
    about = max(1, len(levels) // 6)
    first, last = max(1, min(middle, len(levels) - 2) - about), min(len(levels) - 2, max(middle, 1) + about)
    return min(range(first, last + 1), key=lambda k: (len(levels[k]), abs(k - middle)))
