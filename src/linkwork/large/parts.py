"""What schedules are made of: kernels that run, the matrix in its fronts, and how soft its rows are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwork.algebra.proximal import REDUNDANT, REGULARISATION, SOFTEST
from linkwork.geometry import SX
from linkwork.large.elimination import Fronts, fronts_of
from linkwork.large.groups import Group, Tables
from linkwork.large.kernel import Kernel, kernel_of
from linkwork.large.kernels import Kind
from linkwork.large.schedule import Schedule

FINE = 1e-14
"""Softness, relative as that of runs, where rows that follow from others are told from those that nearly do: what is
left of such a row is its softness, many times over where many rows share in it."""
LIGHT = 1e-3
"""Share of the heaviest body's mass below which one leaves rounding errors that a second solution takes out."""


@dataclass
class Sizes:
    """Natural units, and what rows feel, in numbers for the parameters the functions are made for."""

    length: float
    rows: np.ndarray
    """Natural unit of each row: the length [m], or 1."""
    felt: np.ndarray
    """By row, what it would feel of free bodies [1/kg, 1/(kg·m²)]."""
    uneven: bool


class Parts:
    """What the schedules of a model are made of."""

    def __init__(self, tables: Tables, sizes: Sizes, *, redundant: bool = False):
        self.tables, self.sizes, self.redundant = tables, sizes, redundant
        blocks = np.array([tables.speeds] * len(tables.bodies) + tables.sizes, dtype=np.int64)
        self.fronts: Fronts = fronts_of(len(tables.bodies), tables.ends, blocks, tables.firm)
        self.felt, self.soft_rows = self._softness()
        self.steps = np.tile(
            np.where(np.arange(tables.speeds) < tables.model.dimension, sizes.length, 1.0), len(tables.bodies)
        )
        lifted = ca.vertcat(SX(0, 1), *tables.lifted)
        self._lift: Kernel | None = None
        if lifted.numel():
            p = ca.vertcat(*tables.p)
            f = ca.Function("lifted", [p, SX(0, 1)], [ca.densify(lifted)], {"cse": True})
            self._lift = kernel_of(f)

    def _softness(self) -> tuple[np.ndarray, np.ndarray]:
        """felt by unknown (below 0: not soft), and the rows that are soft.

        Exact are the rows of the first joint of a front, by its own equations; those of its motions are not."""
        tables = self.tables
        felt = np.full(tables.unknowns, -1.0)
        for group in tables.groups:
            rows = group.kind.rows
            if not rows:
                continue
            own = np.array([row.owner == "#" for row in rows])
            exact = self.fronts.exact[group.blocks][:, None] & own[None, :]
            at = group.rows[:, None] + np.arange(len(rows))
            felt[tables.nv + at] = np.where(exact, -1.0, self.sizes.felt[at])
        return felt, np.flatnonzero(felt[tables.nv :] >= 0)

    # Parts of schedules ----------------------------------------------------------------------------------------------

    def _begin(self, *more: int) -> tuple[Schedule, dict[str, int]]:
        """With arguments t, y, p, and more of these sizes."""
        sizes = {"t": 1, "y": self.tables.ny, "p": len(self.tables.p)}
        return self.begin_with(sizes | {f"argument {k}": size for k, size in enumerate(more, 3)})

    def begin_with(self, sizes: Mapping[str, int]) -> tuple[Schedule, dict[str, int]]:
        """With arguments of these names and sizes, t, y and p among them. → where they begin, and what is in y."""
        tables = self.tables
        schedule = Schedule(list(sizes.values()))
        places = dict(zip(sizes, schedule.starts, strict=False))
        y = places["y"]
        places |= {"q": y, "v": y + tables.nq, "z": y + tables.nq + tables.nv}
        if self._lift is not None:
            gather = places["p"] + np.arange(len(tables.p))[None, :]
            places["lifted"] = int(schedule.call(self._lift, gather, np.zeros((1, 0)))[0, 0])
        return schedule, places

    def _run(
        self, schedule: Schedule, pick: Callable[[Kind], Kernel | None], places: dict[str, int]
    ) -> list[tuple[Group, np.ndarray]]:
        """A kernel of every kind that has it; → places of what it gives."""
        calls = []
        for group in self.tables.groups:
            kernel = pick(group.kind)
            if kernel is not None:
                gather = group.gather(kernel, places, self.tables)
                calls.append((group, schedule.call(kernel, gather, group.table)))
        return calls

    def _assembled(
        self, schedule: Schedule, parts: list[tuple[Group, np.ndarray]], mass: Callable[[Kind], tuple[int, int]]
    ) -> tuple[int, int]:
        """Fronts filled from kernels; mass: where M and A begin in what they give. → places of softness and margins."""
        fronts, filled = self.fronts, []
        for group, given in parts:
            kind = group.kind
            M, A = mass(kind)
            if kind.inertia[0].size:
                rows, columns = kind.inertia
                front = fronts.of[group.bodies[:, :1]]
                filled.append((front, fronts.at(front, rows, columns), given[:, M : M + rows.size]))
            if kind.rows:
                rows, columns = kind.jacobian
                filled.append((*self._coupled(group, rows, columns), given[:, A : A + rows.size]))
        return schedule.factor(fronts, self.felt, filled)

    def _offsets(self) -> dict[tuple[int, int], int]:
        """(front, block) → column at which the block begins."""
        if not hasattr(self, "_offset"):
            fronts, starts = self.fronts, self._starts()
            offsets: dict[tuple[int, int], int] = {}
            block_at = np.repeat(np.arange(starts.size - 1), np.diff(starts))
            blocks = block_at[fronts.index]
            begins = starts[blocks] == fronts.index
            front = np.repeat(np.arange(fronts.order.size), fronts.order)
            column = np.arange(fronts.index.size) - np.repeat(fronts.first, fronts.order)
            for f, b, c in zip(front[begins].tolist(), blocks[begins].tolist(), column[begins].tolist(), strict=True):
                offsets[f, b] = c
            self._offset = offsets
        return self._offset

    def _starts(self) -> np.ndarray:
        """Where blocks begin among the unknowns."""
        tables = self.tables
        return np.concatenate([[0], np.cumsum([tables.speeds] * len(tables.bodies) + tables.sizes)]).astype(np.int64)

    def _coupled(self, group: Group, rows: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Front and place in it of the entries of A, (members, entries): the front that eliminates either first."""
        fronts, count, size = self.fronts, len(self.tables.bodies), self.tables.speeds
        offset = self._offsets()
        shape = len(group.members), rows.size
        where, places = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        for side in range(group.bodies.shape[1]):
            mine = np.flatnonzero(columns // size == side)
            body, joint = group.bodies[:, side], count + group.blocks
            front = np.minimum(fronts.of[body], fronts.of[joint])
            pairs = zip(front.tolist(), body.tolist(), joint.tolist(), strict=True)
            at = np.array([(offset[f, b], offset[f, j]) for f, b, j in pairs], dtype=np.int64)
            column = at[:, :1] + columns[mine] % size
            row = at[:, 1:] + rows[mine]
            where[:, mine] = front[:, None]
            places[:, mine] = fronts.at(front[:, None], row, column)
        return where, places

    def _soften(self, schedule: Schedule, softness: int, position: np.ndarray, least: float = REGULARISATION) -> None:
        """How soft rows are: more, off the constraints, where some are redundant (see `algebra.proximal`)."""
        if not self.redundant or not position.size:
            schedule.soften(softness, 0, least, 0.0, least)
            return
        off = schedule.squares(*self._weighted(position))
        schedule.soften(softness, off, REGULARISATION, REDUNDANT, SOFTEST)

    def _weighted(self, residuals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Residuals, pairs of (place, row), and 1 / natural unit of each."""
        return residuals[:, 0], 1 / self.sizes.rows[residuals[:, 1]]


def in_dynamics(kind: Kind) -> tuple[int, int]:
    at = kind.dynamics_parts()
    return at["mass"], at["jacobian"]


def in_constraints(kind: Kind) -> tuple[int, int]:
    return 0, kind.inertia[0].size


def residuals(parts: list[tuple[Group, np.ndarray]], which: str) -> np.ndarray:
    """Pairs (place, row) of residuals in what kernels give."""
    pairs = [np.zeros((0, 2), dtype=np.int64)]
    for group, given in parts:
        kind = group.kind
        if not kind.rows:
            continue
        entries = kind.inertia[0].size + kind.jacobian[0].size
        begin, count = {
            "position": (kind.dynamics_parts()["position"], kind.positions),
            "positions": (entries, kind.positions),
            "velocities": (given.shape[1] - len(kind.rows), len(kind.rows)),
        }[which]
        rows = group.rows[:, None] + np.arange(count)
        pairs.append(np.column_stack([given[:, begin : begin + count].ravel(), rows.ravel()]))
    return np.vstack(pairs)
