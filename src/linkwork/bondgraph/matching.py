"""Which opened flow source could determine which store: each store as often as it has components."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

A = TypeVar("A", bound=Hashable)
B = TypeVar("B", bound=Hashable)


def matched(choices: Mapping[A, Sequence[B]], size: Mapping[A, int], room: Mapping[B, int]) -> dict[A, B]:
    """As many as can be served, each by one of its choices; those with few choices are asked first.

    size: what one takes up; room: what a choice has. Earlier ones move to another of their choices where that helps.
    """
    given: dict[A, B] = {}

    def left(b: B) -> int:
        return room[b] - sum(size[a] for a, at in given.items() if at == b)

    def place(a: A, asked: set[B]) -> bool:
        for b in choices[a]:
            if b in asked:
                continue
            asked.add(b)
            for guest in [None, *(g for g, at in given.items() if at == b)]:
                if left(b) >= size[a]:
                    break
                if guest is not None:
                    place(guest, asked)  # it keeps its place where it finds no other
            if left(b) >= size[a]:
                given[a] = b
                return True
        return False

    for a in sorted(choices, key=lambda a: len(choices[a])):
        place(a, set())
    return given
