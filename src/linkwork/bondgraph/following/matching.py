"""Which opened flow source could determine which store, so that nothing determines itself."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Generic, TypeVar

A = TypeVar("A", bound=Hashable)
B = TypeVar("B", bound=Hashable)


def matched(
    choices: Mapping[A, Sequence[B]], depends: Mapping[A, Collection[B]], size: Mapping[A, int], room: Mapping[B, int]
) -> dict[A, B]:
    """What each is given, one of its choices, as far as possible; those with few choices are asked first.

    depends: what an asker depends on. What it is given then depends on that in turn, and must not come round to itself.
    size: components an asker takes up; room: components of what is given. An earlier one moves where that helps.
    """
    table = _Table(choices, depends, size, room)
    for a in sorted(choices, key=lambda a: len(choices[a])):
        table.place(a)
    return table.given


class _Table(Generic[A, B]):
    def __init__(
        self,
        choices: Mapping[A, Sequence[B]],
        depends: Mapping[A, Collection[B]],
        size: Mapping[A, int],
        room: Mapping[B, int],
    ):
        self.choices, self.depends, self.size, self.room = choices, depends, size, room
        self.given: dict[A, B] = {}

    def place(self, a: A) -> bool:
        if self._simply(a):
            return True
        for b in self.choices[a]:
            for guest in [g for g, at in self.given.items() if at == b]:
                del self.given[guest]
                if self._fits(a, b):
                    self.given[a] = b
                    if self._simply(guest):
                        return True
                    del self.given[a]
                self.given[guest] = b
        return False

    def _simply(self, a: A) -> bool:
        fitting = next((b for b in self.choices[a] if self._fits(a, b)), None)
        if fitting is not None:
            self.given[a] = fitting
        return fitting is not None

    def _fits(self, a: A, b: B) -> bool:
        taken = sum(self.size[g] for g, at in self.given.items() if at == b)
        return self.room[b] - taken >= self.size[a] and not self._comes_round(a, b)

    def _comes_round(self, a: A, b: B) -> bool:
        """Whether b, once given to a, would depend on itself."""
        visited: set[B] = set()
        rest = [x for x in self.depends[a] if x != b]
        while rest:
            here = rest.pop()
            if here == b:
                return True
            if here not in visited:
                visited.add(here)
                rest += [x for g, at in self.given.items() if at == here for x in self.depends[g] if x != here]
        return False
