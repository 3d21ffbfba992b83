"""The functions of a Program as schedules: rhs, project, outputs, margins (see core/program.py for their arguments)."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from linkwork.algebra.proximal import REACH, REFINEMENTS, REGULARISATION
from linkwork.components.joint import Joint
from linkwork.large.channels import located, recorded
from linkwork.large.groups import Group
from linkwork.large.implicit import Implicit
from linkwork.large.parts import FINE, in_constraints, in_dynamics, residuals
from linkwork.large.rates import Rates
from linkwork.large.schedule import Schedule, ScheduleFunction


class Functions(Implicit):
    """Schedules over the tables of a model."""

    def _solved(self, schedule: Schedule, places: dict[str, int]) -> list[tuple[Group, np.ndarray]]:
        """Accelerations and multipliers, whose places are then known."""
        tables = self.tables
        parts = self._run(schedule, lambda kind: kind.dynamics, places)
        softness, _ = self._assembled(schedule, parts, in_dynamics)
        self._soften(schedule, softness, residuals(parts, "position"))
        schedule.factorise()
        right = schedule.room(tables.unknowns)
        schedule.zero(right, tables.unknowns)
        for group, given in parts:
            kind, at = group.kind, group.kind.dynamics_parts()
            if kind.pushed:
                pushed = np.array(kind.pushed)
                size = tables.speeds
                where = right + size * group.bodies[:, pushed // size] + pushed % size
                schedule.add(where, given[:, at["force"] : at["force"] + pushed.size])
            if kind.rows:
                where = right + tables.nv + group.rows[:, None] + np.arange(len(kind.rows))
                schedule.add(where, given[:, at["gamma"] : at["gamma"] + len(kind.rows)])
        solution = schedule.solve(right, REFINEMENTS if self.soft_rows.size else 0)
        if self.sizes.uneven:
            solution = self._improved(schedule, parts, right, solution)
        places |= {"a": solution, "multipliers": solution + tables.nv}
        return parts

    def _improved(self, schedule: Schedule, parts: list[tuple[Group, np.ndarray]], right: int, solution: int) -> int:
        """One more solution, for what is left of the equations."""
        n = self.tables.unknowns
        left = schedule.take(right + np.arange(n))
        for group, given in parts:
            for entries, rows, columns in self._entries(group, given):
                product = schedule.room(entries.size)
                schedule.multiply(product, entries, solution + columns)
                schedule.add(left + rows, product + np.arange(entries.size), -1.0)
        again = schedule.solve(left, REFINEMENTS if self.soft_rows.size else 0)
        schedule.add(solution + np.arange(n), again + np.arange(n))
        return solution

    def _entries(self, group: Group, given: np.ndarray) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """(place, row, column) of what one group has in the matrix, both triangles."""
        tables, kind, triplets = self.tables, group.kind, []
        M, A = in_dynamics(kind)
        if kind.inertia[0].size:
            rows, columns = (tables.speeds * group.bodies[:, :1] + x for x in kind.inertia)
            entries = given[:, M : M + kind.inertia[0].size]
            below = kind.inertia[0] != kind.inertia[1]
            triplets += [(entries, rows, columns), (entries[:, below], columns[:, below], rows[:, below])]
        if kind.rows:
            size = tables.speeds
            rows = tables.nv + group.rows[:, None] + kind.jacobian[0]
            columns = size * group.bodies[:, kind.jacobian[1] // size] + kind.jacobian[1] % size
            entries = given[:, A : A + kind.jacobian[0].size]
            triplets += [(entries, rows, columns), (entries, columns, rows)]
        return [(e.ravel(), r.ravel(), c.ravel()) for e, r, c in triplets]

    def rhs(self) -> ScheduleFunction:
        schedule, places = self._begin()
        rates = self._state_rates(schedule, places, self._solved(schedule, places))
        return schedule.function("rhs", [(rates, self.tables.ny)])

    def rhs_and_outputs(self) -> ScheduleFunction:
        """Both at once."""
        schedule, places = self._begin()
        rates = self._state_rates(schedule, places, self._solved(schedule, places))
        return schedule.function("rhs_and_outputs", [(rates, self.tables.ny), self._channels(schedule, places)])

    def _state_rates(self, schedule: Schedule, places: dict[str, int], parts: list[tuple[Group, np.ndarray]]) -> int:
        """ẏ, once accelerations and multipliers are known."""
        tables = self.tables
        late = self._run(schedule, lambda kind: kind.late_rates, places)
        rates = Rates(schedule, tables)
        for group, given in parts:
            rates.put(group, group.kind.rates[0], given[:, group.kind.dynamics_parts()["rates"] :])
        for group, given in late:
            rates.put(group, group.kind.rates[1], given)
        qdot = np.zeros((len(tables.bodies), tables.coordinates), dtype=np.int64)
        for group, given in parts:
            if group.kind.is_body:
                qdot[group.bodies[:, 0]] = given[:, : tables.coordinates]
        return schedule.take(np.concatenate([qdot.ravel(), places["a"] + np.arange(tables.nv), rates.places]))

    def project(self) -> ScheduleFunction:
        """One Newton step back to Φ = 0, then A v = b, as straight-line code does it."""
        schedule, places = self._begin()
        tables = self.tables
        n, nv, y = tables.unknowns, tables.nv, schedule.starts[1]
        parts = self._run(schedule, lambda kind: kind.constraints, places)
        softness, _ = self._assembled(schedule, parts, in_constraints)
        position, velocity = residuals(parts, "positions"), residuals(parts, "velocities")
        self._soften(schedule, softness, position)
        schedule.factorise()
        largest = [schedule.largest(*self._weighted(x)) for x in (position, velocity)]
        right = schedule.room(n)
        schedule.zero(right, n)
        schedule.add(right + nv + position[:, 1], position[:, 0], -1.0)
        step = schedule.solve(right, 0)
        reach = schedule.largest(step + np.arange(nv), 1 / (REACH * self.steps))
        schedule.limit(step, nv, reach)
        moved = np.zeros((len(tables.bodies), tables.coordinates), dtype=np.int64)
        for group, given in self._run(schedule, lambda kind: kind.retract, places | {"a": step}):
            moved[group.bodies[:, 0]] = given
        q = schedule.take(moved)
        faster = residuals(self._run(schedule, lambda kind: kind.speeds, places | {"q": q}), "velocities")
        schedule.zero(right, n)
        schedule.add(right + nv + faster[:, 1], faster[:, 0], -1.0)
        change = schedule.solve(right, 0)
        v = schedule.take(places["v"] + np.arange(nv))
        schedule.add(v + np.arange(nv), change + np.arange(nv))
        z = y + tables.nq + nv + np.arange(tables.nz)
        out = schedule.take(np.concatenate([q + np.arange(tables.nq), v + np.arange(nv), z]))
        ends = schedule.take(np.array(largest))
        return schedule.function("project", [(out, tables.ny), (ends, 2)])

    def events(self) -> ScheduleFunction:
        """g of every event; then, where some are known, all paces, all grains, all holds."""
        schedule, places = self._begin()
        parts = self._run(schedule, lambda kind: kind.event_values, places)
        return schedule.function("events", located(schedule, self.tables, parts))

    def margins(self, least: float = REGULARISATION) -> ScheduleFunction:
        """Of the rows that may depend on others, which are so soft."""
        schedule, places = self._begin()
        parts = self._run(schedule, lambda kind: kind.constraints, places)
        softness, margin = self._assembled(schedule, parts, in_constraints)
        self._soften(schedule, softness, np.zeros((0, 2), dtype=np.int64), least)
        schedule.factorise()
        out = schedule.take(margin + self.tables.nv + self.soft_rows)
        return schedule.function("margins", [(out, self.soft_rows.size)])

    @cached_property
    def fine_margins(self) -> ScheduleFunction:
        """Of the same rows, where they are hardly soft."""
        return self.margins(FINE)

    def response(self) -> ScheduleFunction:
        """(t, y, p, right side) → solution of the softened system, as for projections."""
        tables = self.tables
        schedule, places = self._begin(tables.unknowns)
        parts = self._run(schedule, lambda kind: kind.constraints, places)
        softness, _ = self._assembled(schedule, parts, in_constraints)
        self._soften(schedule, softness, np.zeros((0, 2), dtype=np.int64))
        schedule.factorise()
        solution = schedule.solve(schedule.starts[3], 0)
        return schedule.function("response", [(solution, tables.unknowns)])

    @cached_property
    def constraints(self) -> tuple[ScheduleFunction, np.ndarray, np.ndarray]:
        """(t, y, p) → [Φ of rows that have one; A v − b of all rows; entries of A]; rows and columns of these.

        Rows without Φ have 0 in its place."""
        schedule, places = self._begin()
        tables = self.tables
        parts = self._run(schedule, lambda kind: kind.constraints, places)
        none = schedule.room(1)
        schedule.zero(none, 1)
        position, velocity = np.full(tables.m, none), np.full(tables.m, none)
        for target, which in ((position, "positions"), (velocity, "velocities")):
            pairs = residuals(parts, which)
            target[pairs[:, 1]] = pairs[:, 0]
        entries, rows, columns = [np.zeros(0, dtype=np.int64)], [], []
        size = tables.speeds
        for group, given in parts:
            if group.kind.rows:
                i, j = group.kind.jacobian
                begin = in_constraints(group.kind)[1]
                entries.append(given[:, begin : begin + i.size].ravel())
                rows.append((group.rows[:, None] + i).ravel())
                columns.append((size * group.bodies[:, j // size] + j % size).ravel())
        every = np.concatenate(entries)
        out = schedule.take(np.concatenate([position, velocity, every]))
        f = schedule.function("constraints", [(out, 2 * tables.m + every.size)])
        empty = np.zeros(0, dtype=np.int64)
        return f, np.concatenate([empty, *rows]), np.concatenate([empty, *columns])

    @cached_property
    def measures(self) -> tuple[ScheduleFunction, np.ndarray, np.ndarray] | None:
        """(t, y, p) → [coordinates; rates; entries of ∂rates/∂v] in the model's order; rows and columns of these."""
        schedule, places = self._begin()
        tables, count = self.tables, 0
        first = {g.kind: np.zeros(len(g.members), dtype=np.int64) for g in tables.groups}
        for group, k in tables.in_order(Joint):
            first[group.kind][k] = count
            count += len(getattr(group.members[k], "coordinates", ()))
        parts = self._run(schedule, lambda kind: kind.measures, places)
        if not count:
            return None
        values, rates = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
        entries, rows, columns = [], [], []
        size = tables.speeds
        for group, given in parts:
            n = len(getattr(group.members[0], "coordinates", ()))
            at = first[group.kind][:, None] + np.arange(n)
            values[at], rates[at] = given[:, :n], given[:, n : 2 * n]
            width = group.bodies.shape[1] * size
            i, j = np.tile(np.arange(n), width), np.repeat(np.arange(width), n)
            entries.append(given[:, 2 * n :].ravel())
            rows.append((first[group.kind][:, None] + i).ravel())
            columns.append((size * group.bodies[:, j // size] + j % size).ravel())
        out = schedule.take(np.concatenate([values, rates, *entries]))
        total = 2 * count + sum(e.size for e in entries)
        f = schedule.function("measures", [(out, total)])
        return f, np.concatenate(rows), np.concatenate(columns)

    def outputs(self) -> ScheduleFunction:
        schedule, places = self._begin()
        self._solved(schedule, places)
        return schedule.function("outputs", [self._channels(schedule, places)])

    def _channels(self, schedule: Schedule, places: dict[str, int]) -> tuple[int, int]:
        """Where all channels are, and how many, once accelerations and multipliers are known."""
        parts = self._run(schedule, lambda kind: kind.outputs, places)
        kept = recorded(schedule, self.tables, parts, places["z"])
        return schedule.take(kept), kept.size
