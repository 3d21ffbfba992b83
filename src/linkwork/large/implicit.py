"""Functions of implicit methods as schedules: residuals, and Newton matrices that are added up from the kinds' own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from linkwork.algebra.proximal import REGULARISATION
from linkwork.core.component import Element
from linkwork.integrate.ordering import Structure, minimum_degree
from linkwork.large.groups import Group
from linkwork.large.newton import ACCOUNT, Method, Share, generalized_alpha, index1
from linkwork.large.parts import Parts
from linkwork.large.schedule import Schedule, ScheduleFunction


class Implicit(Parts):
    """For `radau`, and for the methods of the family of generalized-α."""

    def dae(self) -> ScheduleFunction:
        schedule, places = self._begin_index1()
        return self._residual("dae", schedule, places, index1)

    def dae_jacobian(self) -> ScheduleFunction:
        schedule, places = self._begin_index1()
        matrix = self._matrix(schedule, places, index1)
        rows = self._unknowns(index1)["multipliers"] + self.soft_rows
        matrix.add(rows, rows, schedule.set(-self._soft()) + np.arange(rows.size))
        return matrix.function("dae_jacobian", self._order(index1))

    def alpha_residual(self) -> ScheduleFunction:
        schedule, places = self._begin_alpha()
        return self._residual("alpha_residual", schedule, places, generalized_alpha, places["zdot"])

    def alpha_jacobian(self) -> ScheduleFunction:
        schedule, places = self._begin_alpha()
        matrix = self._matrix(schedule, places, generalized_alpha)
        shared = self._shared(generalized_alpha)
        matrix.add(shared, shared, schedule.set(np.ones(shared.size)) + np.arange(shared.size))
        rows = self._unknowns(generalized_alpha)["multipliers"] + self.soft_rows
        soft, softened = schedule.set(-self._soft()), schedule.room(rows.size)
        schedule.multiply(softened, soft + np.arange(rows.size), places["chain"] + self._levels())
        matrix.add(rows, rows, softened + np.arange(rows.size))
        return matrix.function("alpha_jacobian", self._order(generalized_alpha))

    def retract(self) -> ScheduleFunction:
        tables = self.tables
        schedule = Schedule([tables.nq, tables.nv])
        q, a = schedule.starts[:2]
        moved = np.zeros((len(tables.bodies), tables.coordinates), dtype=np.int64)
        for group, given in self._run(schedule, lambda kind: kind.retract, {"q": q, "a": a}):
            moved[group.bodies[:, 0]] = given
        return schedule.function("retract", [(schedule.take(moved), tables.nq)])

    # Where things are -------------------------------------------------------------------------------------------------

    def _begin_index1(self) -> tuple[Schedule, dict[str, int]]:
        tables = self.tables
        schedule, places = self.begin_with({"t": 1, "y": tables.ny + tables.unknowns, "p": len(tables.p)})
        x = places["y"] + tables.ny
        return schedule, places | {"a": x, "multipliers": x + tables.nv}

    def _begin_alpha(self) -> tuple[Schedule, dict[str, int]]:
        tables = self.tables
        sizes = {"t": 1, "y": tables.ny, "x": tables.unknowns, "zdot": tables.nz, "p": len(tables.p), "chain": 4}
        schedule, places = self.begin_with(sizes)
        return schedule, places | {"a": places["x"], "multipliers": places["x"] + tables.nv}

    def _unknowns(self, method: Method) -> dict[str, int]:
        """Where each sort of unknowns begins among those of a method; "": how many there are."""
        tables = self.tables
        sorts = {"q": tables.nq, "v": tables.nv, "z": tables.nz, "a": tables.nv, "multipliers": tables.m, "": 0}
        if method is generalized_alpha:
            sorts = {"a": tables.nv, "z": tables.nz, "multipliers": tables.m, "": 0}
        return dict(zip(sorts, np.cumsum([0, *sorts.values()]).tolist(), strict=False))

    def _shared(self, method: Method) -> np.ndarray:
        """Unknowns that belong to all components."""
        n = len(self.tables.accounts)
        return self._unknowns(method)["z"] + self.tables.nz - n + np.arange(n)

    def _numbers(self, group: Group, share: Share, method: Method) -> np.ndarray:
        """Which unknowns of the method are those of each component, (members, unknowns)."""
        begins, shared = self._unknowns(method), self._shared(method)
        names = {k: name for name, k in group.kind.accounts.items()}
        columns = [np.zeros((len(group.members), 0), dtype=np.int64)]
        for what, k in share.unknowns:
            if what == ACCOUNT:
                columns.append(np.full(len(group.members), shared[self.tables.accounts.index(names[k])]))
            else:
                columns.append(group.at((what, k), begins, self.tables))
        return np.column_stack(columns)

    def _soft(self) -> np.ndarray:
        """By how much rows that may depend on others are softened; Newton's residual stays exact."""
        return REGULARISATION * self.felt[self.tables.nv + self.soft_rows]

    def _levels(self) -> np.ndarray:
        """By soft row, which entry of the chain its residual is multiplied with: of positions, or of speeds."""
        level = np.ones(self.tables.m, dtype=np.int64)
        for group in self.tables.groups:
            level[group.rows[:, None] + np.arange(group.kind.positions)] = 2
        return level[self.soft_rows]

    # Added up ---------------------------------------------------------------------------------------------------------

    def _shares(self, method: Method) -> Iterator[tuple[Group, Share, np.ndarray]]:
        for group in self.tables.groups:
            share = method(group.kind)
            yield group, share, self._numbers(group, share, method)

    def _residual(
        self, name: str, schedule: Schedule, places: dict[str, int], method: Method, rates: int | None = None
    ) -> ScheduleFunction:
        """rates: where those of first-order states are, which what all components share is compared with."""
        n = self._unknowns(method)[""]
        out = schedule.room(n)
        schedule.zero(out, n)
        for group, share, numbers in self._shares(method):
            if share.residual is not None:
                given = schedule.call(share.residual, group.gather(share.residual, places, self.tables), group.table)
                schedule.add(out + numbers[:, share.rows], given)
        if rates is not None:
            shared = self._shared(method)
            schedule.add(out + shared, rates + shared - self._unknowns(method)["z"])
        return schedule.function(name, [(out, n)])

    def _matrix(self, schedule: Schedule, places: dict[str, int], method: Method) -> _Matrix:
        matrix = _Matrix(schedule, self._unknowns(method)[""])
        for group, share, numbers in self._shares(method):
            if share.derivative is not None:
                kernel = share.derivative
                given = schedule.call(kernel, group.gather(kernel, places, self.tables), group.table)
                rows, columns = share.entries
                matrix.add(numbers[:, rows], numbers[:, columns], given)
        return matrix

    def _order(self, method: Method) -> np.ndarray:
        """First-order states, positions and speeds first, which couple nothing new; then accelerations and multipliers
        by bodies and joints, those first that couple least. Joints wait until one of their bodies is gone."""
        tables = self.tables
        count, begins = len(tables.bodies), self._unknowns(method)
        neighbours: list[set[int]] = [set() for _ in range(count + len(tables.ends))]
        joined = [(*ends, count + k) for k, ends in enumerate(tables.ends)]
        forces = (
            g.bodies.tolist()
            for g in tables.groups
            if isinstance(g.members[0], Element) or g.kind.eq.constraints.softness
        )
        for block in [*joined, *(tuple(bodies) for group in forces for bodies in group)]:
            for x in block:
                neighbours[x].update(y for y in block if y != x)
        starts = self._starts()
        states = {"z": tables.nz, "q": tables.nq, "v": tables.nv}
        first = [np.arange(begins[x], begins[x] + n) for x, n in states.items() if x in begins]
        spans = [
            np.arange(starts[x], starts[x + 1]) + (begins["a"] if x < count else begins["multipliers"] - tables.nv)
            for x in minimum_degree(neighbours, range(count, len(neighbours)))
        ]
        return np.concatenate([*first, *spans]).astype(np.int32)


class _Matrix:
    """A sparse matrix as a sum of entries."""

    def __init__(self, schedule: Schedule, n: int):
        self._schedule, self._n = schedule, n
        self._keys: list[np.ndarray] = []
        self._sources: list[np.ndarray] = []

    def add(self, rows: np.ndarray, columns: np.ndarray, sources: np.ndarray) -> None:
        """sources: where the numbers are."""
        self._keys.append((columns * self._n + rows).ravel())
        self._sources.append(np.ravel(sources))

    def function(self, name: str, order: np.ndarray) -> ScheduleFunction:
        """With its whole diagonal."""
        n, schedule = self._n, self._schedule
        keys, place = np.unique(
            np.concatenate([np.arange(n, dtype=np.int64) * (n + 1), *self._keys]), return_inverse=True
        )
        column, row = np.divmod(keys, max(n, 1))
        out = schedule.room(keys.size)
        schedule.zero(out, keys.size)
        schedule.add(out + place[n:], np.concatenate([np.zeros(0, dtype=np.int64), *self._sources]))
        starts = np.concatenate([[0], np.cumsum(np.bincount(column, minlength=n))])
        structure = Structure(
            starts.astype(np.int32), row.astype(np.int32), np.arange(keys.size, dtype=np.int32), order
        )
        return schedule.function(name, [(out, keys.size)], structure)
