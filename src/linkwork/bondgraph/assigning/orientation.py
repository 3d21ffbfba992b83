"""Strokes as tokens: every bond gives one token to one of its ends, every junction must get a given number of them.

A 0-junction receives effort on one bond, a 1-junction on all but one, a transformer on one of two: so many strokes at
each. A gyrator has both or none; beyond a gyrator tokens stand at the end WITHOUT the stroke (dualisation), and it
needs one as well. An assignment that obeys all these rules is a flow in a network; moving a stroke and repairing the
rules is an augmenting path. So whether a wish can still be granted is decided exactly, without trial and error.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

POOL = -1
"""All ends that may have the token or not: elements with one port that have not been assigned."""


class Orientation:
    """ends: the two nodes of each bond. need: tokens each node must have, None where it does not matter (leaves)."""

    def __init__(self, ends: list[tuple[int, int]], need: list[int | None]):
        self.ends, self.need = ends, need
        self.bonds: list[list[int]] = [[] for _ in need]
        for b, pair in enumerate(ends):
            for node in pair:
                self.bonds[node].append(b)
        self.token = [0] * len(ends)
        """0 or 1: which of its two ends has the bond's token."""
        self.broken: set[int] = set()
        self.visited: set[int] = set()
        """Nodes that the last search reached."""
        self.release()

    def release(self) -> None:
        """Forget what is assigned; the tokens stay."""
        self.assigned = [False] * len(self.ends)
        self.held: set[int] = set()
        """Bonds that must not move, but do not count as causes yet."""
        self.reason: list[tuple[int, tuple[int, ...]] | None] = [None] * len(self.ends)
        """Why an assigned bond is as it is: the node whose rule leaves no choice, and the bonds that decide there."""
        self._there = [0] * len(self.need)
        self._away = [0] * len(self.need)
        self._done = [False] * len(self.need)

    # settling

    def assign(self, bond: int, reason: tuple[int, tuple[int, ...]] | None = None) -> None:
        """This bond stays as it is; so do all those that the rules of the nodes then leave no choice."""
        self.assigned[bond], self.reason[bond] = True, reason
        queue = deque([bond])
        while queue:
            b = queue.popleft()
            for k, node in enumerate(self.ends[b]):
                count = self._there if self.token[b] == k else self._away
                count[node] += 1
                queue.extend(self._follow(node))

    def _follow(self, node: int) -> list[int]:
        need = self.need[node]
        if need is None or self._done[node] or node in self.broken:
            return []
        if self._there[node] == need:
            there = False
        elif self._away[node] == len(self.bonds[node]) - need:
            there = True
        else:
            return []
        self._done[node] = True
        rest = [b for b in self.bonds[node] if not self.assigned[b]]
        causes = tuple(b for b in self.bonds[node] if self.assigned[b] and self.has(node, b) != there)
        for b in rest:
            self.token[b] = self._end(node, b) if there else 1 - self._end(node, b)
            self.assigned[b], self.reason[b] = True, (node, causes)
        return rest

    # moving tokens

    def flip(self, bond: int, *, dry: bool = False) -> bool:
        """Move this bond's token to its other end and repair the rules by moving others; False where that cannot be.

        dry: only ask.
        """
        source, target = (self._pooled(n) for n in (self.ends[bond][self.token[bond]], self._other_node(bond)))
        if source == target == POOL:
            path: list[int] | None = []
        elif target == POOL:  # a leaf takes the token: someone must give one to the node that loses it
            path = self._search(source, lambda n: n == POOL, backward=True, banned=bond)
        else:
            path = self._search(target, lambda n: n == source, backward=False, banned=bond)
        if path is None:
            return False
        if not dry:
            for b in [*path, bond]:
                self.token[b] = 1 - self.token[b]
        return True

    def repair(self) -> list[tuple[int, set[int]]]:
        """Move tokens until every node has what it needs. Nodes that cannot (with what was searched) are left alone."""
        count = [0] * len(self.need)
        for b, pair in enumerate(self.ends):
            count[pair[self.token[b]]] += 1
        failed = []
        for node, need in enumerate(self.need):
            while need is not None and count[node] != need and node not in self.broken:
                step = 1 if count[node] > need else -1  # this one has too many: find one with too few, and conversely

                def short(n: int, step: int = step) -> bool:
                    wanted = None if n == POOL else self.need[n]
                    return wanted is None or (count[n] - wanted) * step < 0

                path = self._search(node, short, backward=step < 0)
                if path is None:
                    failed.append((node, set(self.visited)))
                    self.broken.add(node)
                    break
                for b in path:
                    count[self.ends[b][self.token[b]]] -= 1
                    self.token[b] = 1 - self.token[b]
                    count[self.ends[b][self.token[b]]] += 1
        return failed

    def _search(
        self, start: int, goal: Callable[[int], bool], *, backward: bool, banned: int | None = None
    ) -> list[int] | None:
        """Bonds along which tokens can move from `start` to a goal (backward: from a goal to `start`)."""
        parent: dict[int, tuple[int, int]] = {}
        self.visited = {start}
        queue = deque([start])
        while queue:
            node = queue.popleft()
            for b, other in self._moves(node, backward):
                if other in self.visited or b == banned:
                    continue
                parent[other] = (node, b)
                if goal(other):
                    path = []
                    while other != start:
                        other, b = parent[other]
                        path.append(b)
                    return path
                self.visited.add(other)
                queue.append(other)
        return None

    def _moves(self, node: int, backward: bool) -> Iterable[tuple[int, int]]:
        """Bonds whose token can leave this node (backward: come to it), with the node at the other end."""
        if node == POOL:
            near = [(b, n) for b, pair in enumerate(self.ends) for n in pair if self._pooled(n) == POOL]
        else:
            near = [(b, node) for b in self.bonds[node]]
        for b, n in near:
            if not self.assigned[b] and b not in self.held and self.has(n, b) != backward:
                yield b, self._pooled(self.ends[b][1 - self._end(n, b)])

    def has(self, node: int, bond: int) -> bool:
        return self.ends[bond][self.token[bond]] == node

    def _end(self, node: int, bond: int) -> int:
        return 0 if self.ends[bond][0] == node else 1

    def _other_node(self, bond: int) -> int:
        return self.ends[bond][1 - self.token[bond]]

    def _pooled(self, node: int) -> int:
        return POOL if self.need[node] is None or node in self.broken else node
