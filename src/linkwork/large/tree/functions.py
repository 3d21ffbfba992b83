"""The functions of a Program in joint coordinates as schedules: rhs, project, outputs, events, margins."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

import numpy as np

from linkwork.algebra.proximal import REACH, REGULARISATION
from linkwork.large.channels import located, recorded
from linkwork.large.groups import Group, Places
from linkwork.large.kernel import Kernel
from linkwork.large.parts import FINE, Sizes, residuals
from linkwork.large.rates import Rates
from linkwork.large.schedule import Schedule, ScheduleFunction
from linkwork.large.tree.loops import Coupling, Loops
from linkwork.large.tree.sweeps import Sweeps
from linkwork.large.tree.tables import LinkGroup, TreeTables

Parts = list[tuple[Group, np.ndarray]]


class TreeFunctions(Sweeps):
    """Schedules over the tables of a tree."""

    def __init__(self, tables: TreeTables, sizes: Sizes, *, redundant: bool = False):
        super().__init__(tables)
        self.sizes, self.redundant = sizes, redundant
        self.loops = Loops(tables, sizes, self.of_bodies) if tables.m else None
        self.soft_rows = np.arange(tables.m)
        lengths = [np.array(g.of.chart.lengths()[1]) for g, _ in tables.ordered]
        along = np.concatenate([np.zeros(0, dtype=bool), *lengths]).astype(bool)
        self.steps = np.where(along, sizes.length, 1.0)
        """Natural unit of each speed of the tree, times a second."""

    def _run(
        self, schedule: Schedule, groups: Iterable[Group], pick: Callable[[Group], Kernel | None], places: Places
    ) -> Parts:
        calls = []
        for group in groups:
            kernel = pick(group)
            if kernel is not None:
                calls.append((group, schedule.call(kernel, group.gather(kernel, places, self.tables), group.table)))
        return calls

    @property
    def _others(self) -> list[Group]:
        """Groups that are written in the speeds of bodies and are none."""
        return [g for g in self.tables.cut if not g.kind.is_body]

    # Accelerations ---------------------------------------------------------------------------------------------------

    def _solved(self, schedule: Schedule, places: Places) -> tuple[Parts, Coupling | None]:
        """Accelerations of links and bodies, and multipliers; → what components gave on the way, and of the loops."""
        self.moving(schedule, places)
        if self.seen:
            self.placed(schedule, places)
        parts = self._run(schedule, self._others, lambda g: g.kind.dynamics, places)
        push = self._pushes(schedule, places, parts)
        self.inertias(schedule, places, push if self.seen else None)
        self.reduced(schedule, places)
        self.accelerated(schedule, places)
        if self.loops is None:
            return parts, None
        coupling = self.loops.coupled(
            schedule, places, parts, dynamics=True, off=self._off(schedule, residuals(parts, "position"))
        )
        self._close(schedule, places, parts, coupling)
        return parts, coupling

    def _off(self, schedule: Schedule, position: np.ndarray) -> int | None:
        """Where the distance from the constraints is, squared, if some are redundant."""
        if not self.redundant or not position.size:
            return None
        return schedule.squares(position[:, 0], 1 / self.sizes.rows[position[:, 1]])

    def _pushes(self, schedule: Schedule, places: Places, parts: Parts) -> int:
        """Efforts of laws along the tree, and generalised forces of all components on bodies."""
        tables, n = self.tables, self.space.size
        push = schedule.room(tables.nv)
        schedule.zero(push, tables.nv)
        self._efforts(schedule, places, push)
        for group, given in parts:
            kind = group.kind
            if kind.pushed:
                begin, speeds = kind.dynamics_parts()["force"], np.array(kind.pushed)
                where = push + n * group.bodies[:, speeds // n] + speeds % n
                schedule.add(where, given[:, begin : begin + speeds.size])
        return push

    def _efforts(self, schedule: Schedule, places: Places, push: int) -> None:
        """What laws do along the speeds of their links."""
        tables, n = self.tables, self.space.size
        none = schedule.room(1)
        schedule.zero(none, 1)
        widest = max((g.of.freedoms for g in tables.link_groups), default=0)
        places["effort"] = np.full((len(tables.bodies), widest), none, dtype=np.int64)
        for group in tables.link_groups:
            kernel, d = group.of.efforts, group.of.freedoms
            if kernel is None:
                continue
            given = schedule.call(kernel, group.gather(kernel, places, tables), group.table)
            places["effort"][group.own, :d] = given[:, :d]
            speeds = np.array(group.of.pushing, dtype=np.int64)
            where = push + n * group.bodies[:, speeds // n] + speeds % n
            schedule.add(where, given[:, d + speeds])

    def _close(self, schedule: Schedule, places: Places, parts: Parts, coupling: Coupling) -> None:
        """Multipliers that keep loops closed, and accelerations with them; once more where light bodies need it."""
        assert self.loops is not None
        tables = self.tables
        multipliers = schedule.room(tables.m)
        schedule.zero(multipliers, tables.m)
        for _ in range(2 if self.sizes.uneven else 1):
            self.rates_of_bodies(schedule, places)
            more = self.loops.solve(schedule, self._missing(schedule, places, parts), refined=True)
            schedule.add(multipliers + np.arange(tables.m), more + np.arange(tables.m))
            self.loops.driven(schedule, coupling, places["drive"], more)
            self.accelerated(schedule, places)
        places["multipliers"] = multipliers

    def _missing(self, schedule: Schedule, places: Places, parts: Parts) -> int:
        """γ − A v̇ of the joints that close loops."""
        tables, n = self.tables, self.space.size
        wanted = np.zeros(tables.m, dtype=np.int64)
        for group, given in parts:
            begin = group.kind.dynamics_parts()["gamma"]
            for k in range(len(group.kind.rows)):
                wanted[group.rows + k] = given[:, begin + k]
        missing = schedule.take(wanted)
        for group, given in parts:
            if group.kind.rows:
                i, j = group.kind.jacobian
                begin = group.kind.dynamics_parts()["jacobian"]
                entries = given[:, begin : begin + i.size]
                product = schedule.room(entries.size)
                schedule.multiply(product, entries, places["a"] + n * group.bodies[:, j // n] + j % n)
                schedule.add(missing + group.rows[:, None] + i, product + np.arange(entries.size), -1.0)
        return missing

    def _loads(self, schedule: Schedule, places: Places, coupling: Coupling | None) -> None:
        """What the joint of each link does to its body, at the mass centre, taken the other way."""
        bodies = len(self.tables.bodies)
        gather = np.hstack([places["articulated"], places["force"], places["acceleration"]])
        places["load"] = schedule.call(self.of_bodies.load, gather, np.zeros((bodies, 0)))
        if coupling is not None and self.loops is not None:
            self.loops.loaded(schedule, coupling, places["load"], places["multipliers"])

    # Functions -------------------------------------------------------------------------------------------------------

    def rhs(self) -> ScheduleFunction:
        schedule, places = self.begin()
        rates = self._state_rates(schedule, places, *self._solved(schedule, places))
        return schedule.function("rhs", [(rates, self.tables.ny)])

    def rhs_and_outputs(self) -> ScheduleFunction:
        """Both at once."""
        schedule, places = self.begin()
        parts, coupling = self._solved(schedule, places)
        rates = self._state_rates(schedule, places, parts, coupling)
        channels = self._channels(schedule, places, coupling)
        return schedule.function("rhs_and_outputs", [(rates, self.tables.ny), channels])

    def _state_rates(self, schedule: Schedule, places: Places, parts: Parts, coupling: Coupling | None) -> int:
        """ẏ, once accelerations and multipliers are known."""
        tables = self.tables
        late = [g for g in tables.groups if not g.kind.is_body and g.kind.late_rates is not None]
        if not all(isinstance(g, LinkGroup) for g in late):
            self.rates_of_bodies(schedule, places)
        if any(isinstance(g, LinkGroup) for g in late):
            self._loads(schedule, places, coupling)
        rates = Rates(schedule, tables)
        for group, given in parts:
            rates.put(group, group.kind.rates[0], given[:, group.kind.dynamics_parts()["rates"] :])
        for group, given in self._run(schedule, tables.link_groups, _early, places):
            rates.put(group, group.kind.rates[0], given)
        for group, given in self._run(schedule, late, lambda g: g.kind.late_rates, places):
            rates.put(group, group.kind.rates[1], given)
        qdot = [self._qdot(places, g, k) for g, k in tables.ordered]
        v̇ = places["link a"] + np.arange(tables.link_v)
        return schedule.take(np.concatenate([*qdot, v̇, rates.places]))

    def _qdot(self, places: Places, group: LinkGroup, k: int) -> np.ndarray:
        kind = group.of
        if kind.follows:
            return places["link v"] + group.first_v[k] + np.arange(kind.freedoms)
        return places["qdot"][group.own[k], : kind.chart.q.numel()]

    def outputs(self) -> ScheduleFunction:
        schedule, places = self.begin()
        _, coupling = self._solved(schedule, places)
        return schedule.function("outputs", [self._channels(schedule, places, coupling)])

    def _channels(self, schedule: Schedule, places: Places, coupling: Coupling | None) -> tuple[int, int]:
        """Where all channels are, and how many, once accelerations and multipliers are known."""
        if not self.seen:
            self.placed(schedule, places)
        self.rates_of_bodies(schedule, places)
        self._loads(schedule, places, coupling)
        parts = self._run(schedule, self.tables.groups, lambda g: g.kind.outputs, places)
        kept = recorded(schedule, self.tables, parts, places["z"])
        return schedule.take(kept), kept.size

    def events(self) -> ScheduleFunction:
        schedule, places = self.begin()
        self.moving(schedule, places)
        self.placed(schedule, places)
        parts = self._run(schedule, self.tables.groups, lambda g: g.kind.event_values, places)
        return schedule.function("events", located(schedule, self.tables, parts))

    def project(self) -> ScheduleFunction:
        """One Newton step back to closed loops, then the same for speeds; Euler parameters to their length."""
        schedule, places = self.begin()
        tables = self.tables
        step, ends = schedule.room(tables.link_v), schedule.room(2)
        schedule.zero(step, tables.link_v)
        schedule.zero(ends, 2)
        results = [ends, ends + 1]
        coupling = None
        if self.loops is not None:
            parts, coupling = self._factorised(schedule, places)
            position, velocity = residuals(parts, "positions"), residuals(parts, "velocities")
            weights = [(x[:, 0], 1 / self.sizes.rows[x[:, 1]]) for x in (position, velocity)]
            results = [schedule.largest(*x) for x in weights]
            step = self._nearest(schedule, places, coupling, position)
            schedule.limit(
                step, tables.link_v, schedule.largest(step + np.arange(tables.link_v), 1 / (REACH * self.steps))
            )
        q = self._moved(schedule, places | {"link a": step})
        v = schedule.take(places["link v"] + np.arange(tables.link_v))
        if coupling is not None:
            after = places | {"link q": q}
            self.moving(schedule, after)
            self.placed(schedule, after)
            faster = residuals(self._run(schedule, self._others, lambda g: g.kind.speeds, after), "velocities")
            change = self._nearest(schedule, places, coupling, faster)
            schedule.add(v + np.arange(tables.link_v), change + np.arange(tables.link_v))
        z = places["z"] + np.arange(tables.nz)
        out = schedule.take(np.concatenate([q + np.arange(tables.link_q), v + np.arange(tables.link_v), z]))
        last = schedule.take(np.array(results))
        return schedule.function("project", [(out, tables.ny), (last, 2)])

    def _factorised(self, schedule: Schedule, places: Places, least: float = REGULARISATION) -> tuple[Parts, Coupling]:
        """Constraints of loops, and A M⁻¹ Aᵀ where bodies are; least: how soft it is at least."""
        assert self.loops is not None
        self.moving(schedule, places)
        self.placed(schedule, places)
        parts = self._run(schedule, self._others, lambda g: g.kind.constraints, places)
        self.inertias(schedule, places, None)
        self.reduced(schedule, places, forces=False)
        off = self._off(schedule, residuals(parts, "positions"))
        return parts, self.loops.coupled(schedule, places, parts, dynamics=False, off=off, least=least)

    def _nearest(self, schedule: Schedule, places: Places, coupling: Coupling, residual: np.ndarray) -> int:
        """The smallest change of the tree's speeds, weighed by mass, that makes up for residuals."""
        assert self.loops is not None
        tables = self.tables
        right = schedule.room(tables.m)
        schedule.zero(right, tables.m)
        schedule.add(right + residual[:, 1], residual[:, 0], -1.0)
        multipliers = self.loops.solve(schedule, right, refined=False)
        drive = schedule.room(tables.link_v)
        schedule.zero(drive, tables.link_v)
        by_body = np.zeros((len(tables.bodies), max(g.of.freedoms for g in tables.link_groups)), dtype=np.int64)
        for group in tables.link_groups:
            by_body[group.own, : group.of.freedoms] = drive + group.first_v[:, None] + np.arange(group.of.freedoms)
        self.loops.driven(schedule, coupling, by_body, multipliers)
        answer = places | {"drive": by_body}
        self.accelerated(schedule, answer, falling=False)
        return int(answer["link a"])

    def _moved(self, schedule: Schedule, places: Places) -> int:
        tables = self.tables
        q = np.zeros(tables.link_q, dtype=np.int64)
        for group, given in self._run(schedule, tables.link_groups, _retracted, places):
            assert isinstance(group, LinkGroup)
            q[group.first_q[:, None] + np.arange(given.shape[1])] = given
        return schedule.take(q)

    def margins(self, least: float = REGULARISATION) -> ScheduleFunction:
        """Of the rows of joints that close loops, which are so soft."""
        schedule, places = self.begin()
        _, coupling = self._factorised(schedule, places, least)
        out = schedule.take(coupling.margin + np.arange(self.tables.m))
        return schedule.function("margins", [(out, self.tables.m)])

    @cached_property
    def fine_margins(self) -> ScheduleFunction:
        """Of the same rows, where they are hardly soft."""
        return self.margins(FINE)

    @cached_property
    def constraints(self) -> tuple[ScheduleFunction, np.ndarray, np.ndarray]:
        """(t, y, p) → [Φ of rows that have one, else 0; A v − b of all rows]."""
        schedule, places = self.begin()
        self.moving(schedule, places)
        self.placed(schedule, places)
        parts = self._run(schedule, self._others, lambda g: g.kind.constraints, places)
        both = schedule.room(2 * self.tables.m)
        schedule.zero(both, 2 * self.tables.m)
        for level, which in enumerate(("positions", "velocities")):
            pairs = residuals(parts, which)
            schedule.add(both + level * self.tables.m + pairs[:, 1], pairs[:, 0])
        none = np.zeros(0, dtype=np.int64)
        return schedule.function("constraints", [(both, 2 * self.tables.m)]), none, none

    @cached_property
    def coordinates(self) -> ScheduleFunction:
        """(t, y, p) → coordinates of all bodies, as in the absolute formulation."""
        schedule, places = self.begin()
        self.moving(schedule, places)
        self.placed(schedule, places)
        return schedule.function("coordinates", [(places["q"], self.tables.nq)])


def _early(group: Group) -> Kernel | None:
    return group.of.early_rates if isinstance(group, LinkGroup) else None


def _retracted(group: Group) -> Kernel | None:
    return group.of.moved if isinstance(group, LinkGroup) else None
