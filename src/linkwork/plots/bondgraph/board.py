"""Nodes on a grid, joined by straight lines: move them until lines are short, level or upright, and cross nothing.

The cost of a picture is the sum of what a reader stumbles over. A Gibbs sampler with a falling temperature finds a good
one: each node in turn looks at every free cell of its region and takes one, cheap cells being likelier. The random
numbers have a fixed seed, so the same graph always gives the same picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

SLANTED, CROSSING, COVERED, CROWDED = 1.2, 2.5, 5.0, 1.5
"""What a slanted line, two crossing lines, a line across a node, and two lines that leave a node side by side cost, in
lengths of a cell."""
_SIDE_BY_SIDE = 0.9  # cosine of the angle below which two lines are
# Lines that come nearer to a node than 1/2.25 of a column or 1/3 of a row hit its text. Both numbers are exact in
# binary, so that a line that just touches another is judged the same from all its ends.
_REACH = 2.25, 3.0
_CODE = np.array([1.0, 1e6])  # makes one number of a cell
_FEW = 50  # nodes up to which all of them are looked at each time
_SWAPPED, _PAIRED = 160, 30  # nodes, and nodes of a block, up to which turning over and exchanging take little time


@dataclass
class Board:
    """position: (nodes, 2) column and row; lines: (lines, 2) nodes; region of each node, cells of each region (n, 2);
    block of each node: what is turned over together, and shares its cells with no other block;
    flat: (lines,) extra cost per row of height (backbones should lie level); upright: (lines,) extra cost of a line
    that is not upright (what hangs on a backbone should hang)."""

    position: np.ndarray
    lines: np.ndarray
    region: Sequence[int]
    cells: Sequence[np.ndarray]
    block: Sequence[int]
    flat: np.ndarray
    upright: np.ndarray

    def __post_init__(self) -> None:
        self.position = np.asarray(self.position, dtype=float)
        self.lines = np.asarray(self.lines, dtype=int).reshape(-1, 2)
        self.members: dict[int, list[int]] = {}
        for i, k in enumerate(self.block):
            self.members.setdefault(k, []).append(i)
        self.at = [np.flatnonzero((self.lines == i).any(axis=1)) for i in range(len(self.position))]
        self.others = [self.lines[at].sum(axis=1) - i for i, at in enumerate(self.at)]

    def anneal(self, sweeps: int, seed: int = 0, hot: float = 2.0, cold: float = 0.1) -> None:
        """Move every node `sweeps` times, less and less at random."""
        generator = np.random.default_rng(seed)
        for temperature in np.geomspace(hot, cold, sweeps) if sweeps else ():
            for i in generator.permutation(len(self.position)):
                cells, cost = self._free(int(i))
                weight = np.exp((cost.min() - cost) / temperature).cumsum()
                self.position[i] = cells[int(np.searchsorted(weight, generator.random() * weight[-1]))]

    def settle(self) -> float:
        """Move, turn over and exchange nodes as long as that helps; returns the cost reached."""
        reached = self.total()
        for _ in range(6 if len(self.position) <= 2 * _SWAPPED else 2):
            for i in range(len(self.position)):
                cells, cost = self._free(i)
                if cost.min() < self.costs(i, self.position[[i]])[0] - 1e-9:
                    self.position[i] = cells[int(cost.argmin())]
            if len(self.position) <= _SWAPPED:
                self._mirror()
                self._exchange()
            before, reached = reached, self.total()
            if reached > before - 1e-9:
                break
        return reached

    def total(self) -> float:
        """The cost of the whole picture."""
        cost = 0.0
        for i, here in enumerate(self.position[:, None]):
            lines, _, under, _, own = self._stumbles(here, i)
            # each line is met at both of its ends, each crossing at all four, crowding as an own matter of one node
            cost += 0.5 * self._lengths(here, i)[0] + 0.25 * CROSSING * lines[0] + COVERED * under[0] + CROWDED * own[0]
        return float(cost)

    def costs(self, i: int, cells: np.ndarray) -> np.ndarray:
        """What node i adds to the picture in each of the cells (n, 2)."""
        lines, nodes, under, close, own = self._stumbles(cells, i)
        return self._lengths(cells, i) + CROSSING * lines + COVERED * (nodes + under) + CROWDED * (close + own)

    def _free(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        """The cells node i may move to, its own among them, and their costs."""
        cells = self.cells[self.region[i]]
        taken = self.position[[j for j in self.members[self.block[i]] if j != i]] @ _CODE
        free = cells[~np.isin(cells @ _CODE, taken)]
        return free, self.costs(i, free)

    def _lengths(self, cells: np.ndarray, i: int) -> np.ndarray:
        at, q = self.at[i], self.position[self.others[i]]
        dx, dy = np.abs(cells[:, :1] - q[:, 0]), np.abs(cells[:, 1:] - q[:, 1])
        level = dx > 0
        return (dx + dy + SLANTED * (level & (dy > 0)) + self.flat[at] * dy + self.upright[at] * level).sum(axis=1)

    def _stumbles(self, cells: np.ndarray, i: int) -> tuple[np.ndarray, ...]:
        """For node i in each of the cells: lines its lines cross, nodes they cover, lines that cover it, lines that
        leave its neighbours beside its own, pairs of its own that leave it side by side."""
        others = self.others[i]
        q = self.position[others]
        around = np.concatenate([cells, q])
        low, high = around.min(axis=0) - 1, around.max(axis=0) + 1
        a, b = self.lines[:, 0], self.lines[:, 1]
        pa, pb = self.position[a], self.position[b]
        here = (np.minimum(pa, pb) <= high).all(axis=1) & (np.maximum(pa, pb) >= low).all(axis=1)
        foreign = np.flatnonzero(here & (a != i) & (b != i))
        a, b = a[foreign], b[foreign]
        p, i, others, a, b = self._nearby(i, others, a, b, low, high)
        cx, cy = cells[:, :1] * _REACH[0], cells[:, 1:] * _REACH[1]
        x, y = p[:, 0] * _REACH[0], p[:, 1] * _REACH[1]
        # foreign lines: from a along (u, v); how far each cell lies along them and aside of them
        u, v = x[b] - x[a], y[b] - y[a]
        aside = u * (cy - y[a]) - v * (cx - x[a])
        along = u * (cx - x[a]) + v * (cy - y[a])
        square = u * u + v * v
        under = ((along > 0) & (along < square) & (aside * aside < square)).sum(axis=1)
        if not len(others):
            nothing = np.zeros(len(cells), dtype=int)
            return nothing, nothing, under, nothing, nothing
        # own lines: from the cell along (u', v'); how far every node lies along them and aside of them
        own_u, own_v = x[others] - cx, y[others] - cy
        own_square = own_u * own_u + own_v * own_v
        dx, dy = (x - cx)[:, None, :], (y - cy)[:, None, :]
        side = own_u[:, :, None] * dy - own_v[:, :, None] * dx
        on = own_u[:, :, None] * dx + own_v[:, :, None] * dy
        hit = (on > 0) & (on < own_square[:, :, None]) & (side * side < own_square[:, :, None])
        hit[:, np.arange(len(others)), others] = False
        hit[:, :, i] = False
        length = np.sqrt(own_square)
        beside = on[:, :, others] > _SIDE_BY_SIDE * length[:, :, None] * length[:, None, :]
        own = (beside.sum(axis=(1, 2)) - len(others)) // 2
        end = u * (y[others, None] - y[a]) - v * (x[others, None] - x[a])
        mine, theirs = side[:, :, a] * side[:, :, b], aside[:, None, :] * end
        crossed = (mine <= 0) & (theirs <= 0) & (mine + theirs < 0)
        k, f = np.nonzero((others[:, None] == a) | (others[:, None] == b))
        crossed[:, k, f] = False
        away = np.where(others[k] == a[f], 1.0, -1.0)  # the foreign line seen from the neighbour it shares
        level = -own_u[:, k] * (away * u[f]) - own_v[:, k] * (away * v[f])
        close = (level > _SIDE_BY_SIDE * length[:, k] * np.sqrt(square[f])).sum(axis=1)
        return crossed.sum(axis=(1, 2)), hit.sum(axis=(1, 2)), under, close, own

    def _nearby(
        self, i: int, others: np.ndarray, a: np.ndarray, b: np.ndarray, low: np.ndarray, high: np.ndarray
    ) -> tuple[np.ndarray, int, np.ndarray, np.ndarray, np.ndarray]:
        """Positions of the nodes that matter between two corners, and i, others, a and b counted among them."""
        p = self.position
        if len(p) <= _FEW:
            return p, i, others, a, b
        near = np.asarray(((p >= low) & (p <= high)).all(axis=1))
        near[a] = near[b] = near[others] = near[i] = True
        number = near.cumsum() - 1
        return p[near], int(number[i]), number[others], number[a], number[b]

    def _mirror(self) -> None:
        """Turn over one block, left for right or upside down, where that helps and everything stays in its region."""
        allowed = [set(map(tuple, cells.tolist())) for cells in self.cells]
        for members in self.members.values():
            before = self._together(members)
            for axis in (0, 1):
                old = self.position[members].copy()
                self.position[members, axis] = old[:, axis].min() + old[:, axis].max() - old[:, axis]
                kept = all(tuple(self.position[i].tolist()) in allowed[self.region[i]] for i in members)
                if kept and (reached := self._together(members)) < before - 1e-9:
                    before = reached
                else:
                    self.position[members] = old

    def _exchange(self) -> None:
        """Let two nodes of one region change places where that helps."""
        for members in self.members.values():
            for k, i in enumerate(members if len(members) <= _PAIRED else ()):
                for j in (j for j in members[k + 1 :] if self.region[i] == self.region[j]):
                    before = self._together([i, j])
                    self.position[[i, j]] = self.position[[j, i]]
                    least = self._lengths(self.position[[i]], i)[0] + self._lengths(self.position[[j]], j)[0]
                    if least > before - 1e-9 or self._together([i, j]) > before - 1e-9:
                        self.position[[i, j]] = self.position[[j, i]]

    def _together(self, nodes: Sequence[int]) -> float:
        """What some nodes add to the picture; what they do to each other is counted twice, before and after alike."""
        return sum(float(self.costs(i, self.position[[i]])[0]) for i in nodes)
