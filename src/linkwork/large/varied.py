"""Schedules for a state and its derivatives with respect to parameters: Y = [y, S₁, S₂, …].

Behind the states of each block are its integrals. Every function of the program is put into a schedule once, and its
tangent once per parameter (see `tangent`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwork.core.program import NativeFunction, Program
from linkwork.geometry import SX
from linkwork.integrate.ordering import Structure
from linkwork.large.kernel import Kernel, kernel_of
from linkwork.large.large_model import LargeModel
from linkwork.large.schedule import Schedule, ScheduleFunction
from linkwork.large.tangent import Tangent, slope_of

Blocks = list[np.ndarray]
"""Places of numbers, then of how they move along each direction."""


@dataclass(frozen=True)
class Quantities:
    """Functions of channels, parameters and time, as one kernel; and which of [t, p, channels] it takes."""

    kernel: Kernel
    gathered: np.ndarray
    count: int


def quantities_of(expressions: Sequence[SX], symbols: SX) -> Quantities | None:
    """symbols: of t, all of p, and all channels."""
    if not expressions:
        return None
    value = ca.densify(ca.vertcat(*expressions))
    known = {s.element_hash(): k for k, s in enumerate(ca.vertsplit(symbols))}
    used = ca.symvar(value)
    f = ca.Function("quantities", [ca.vertcat(SX(0, 1), *used), SX(0, 1)], [value], {"cse": True})
    places = np.array([known[s.element_hash()] for s in used], dtype=np.int64)
    return Quantities(kernel_of(f), places, len(expressions))


class Varied:
    """Functions for one choice of parameters, by their number in p; for none of them, of the states alone."""

    def __init__(self, large: LargeModel, program: Program, chosen: Sequence[int], integrands: Quantities | None):
        self.large, self.program, self.chosen, self.integrands = large, program, tuple(chosen), integrands
        layout = program.layout
        self.ny, self.nv, self.m = layout.y, layout.v, layout.multipliers
        self.integrals = integrands.count if integrands else 0
        self.size, self.blocks = self.ny + self.integrals, 1 + len(self.chosen)

    # Arguments -------------------------------------------------------------------------------------------------------

    def _begin(self, *, implicit: bool = False) -> Schedule:
        """With arguments t, Y, p; implicit: accelerations and multipliers of all blocks follow their states in Y."""
        more = self.nv + self.m if implicit else 0
        schedule = Schedule([1, self.blocks * (self.size + more), self.program_p])
        self._none = schedule.room(1)
        schedule.zero(self._none, 1)
        self._one = schedule.set(np.ones(1))
        return schedule

    @property
    def program_p(self) -> int:
        return len(self.program.parameters) + len(self.program.inputs)

    def _numbers(self, block: int, *, implicit: bool = False) -> np.ndarray:
        """Which of Y are the states of a block, and its accelerations and multipliers."""
        states = block * self.size + np.arange(self.ny)
        if not implicit:
            return states
        behind = self.blocks * self.size
        a = behind + block * self.nv + np.arange(self.nv)
        multipliers = behind + self.blocks * self.nv + block * self.m + np.arange(self.m)
        return np.concatenate([states, a, multipliers])

    def _work(self, block: int) -> np.ndarray:
        """Which of Y are the integrals of a block."""
        return block * self.size + self.ny + np.arange(self.integrals)

    def _included(
        self, schedule: Schedule, function: ScheduleFunction, *, implicit: bool = False, blocks: int | None = None,
        switching: bool = False,
    ) -> Tangent:  # fmt: skip
        t, y, p = schedule.starts[:3]
        every, none = np.arange(self.program_p), np.array([self._none])
        arguments = [np.array([t]), y + self._numbers(0, implicit=implicit), p + every]
        directions = [
            [none, y + self._numbers(b, implicit=implicit), self._unit(k)]
            for b, k in enumerate(self.chosen[: None if blocks is None else blocks - 1], 1)
        ]
        return Tangent(schedule, function.schedule, arguments, directions, self._none, switching=switching)

    def _unit(self, number: int) -> np.ndarray:
        """How p moves."""
        return np.where(np.arange(self.program_p) == number, self._one, self._none)

    def _source(self, name: str) -> ScheduleFunction:
        function = self.program.function(name)
        assert isinstance(function, ScheduleFunction)
        return function

    def _of(self, quantities: Quantities, schedule: Schedule, channels: Blocks) -> Blocks:
        """Quantities, and how they move."""
        t, _, p = schedule.starts[:3]
        gather = np.concatenate([[t], p + np.arange(self.program_p), channels[0]])[quantities.gathered][None, :]
        kernel, table = quantities.kernel, np.zeros((1, 0))
        found = [schedule.call(kernel, gather, table)[0]]
        for k, moved in zip(self.chosen, channels[1:], strict=False):
            rates = np.concatenate([[self._none], self._unit(k), moved])[quantities.gathered][None, :]
            found.append(slope_of(schedule, kernel, gather, rates, table, self._none))
        return found

    def _results(self, tangent: Tangent, function: ScheduleFunction, number: int = 0) -> Blocks:
        values, moved = tangent.results(*function.results[number])
        return [values, *moved]

    def _function(self, name: str, schedule: Schedule, parts: Sequence[np.ndarray]) -> ScheduleFunction:
        out = np.concatenate([np.zeros(0, dtype=np.int64), *parts])
        return schedule.function(name, [(schedule.take(out), out.size)])

    # Functions -------------------------------------------------------------------------------------------------------

    def rhs(self) -> NativeFunction:
        schedule = self._begin()
        functions = self.large.functions
        source = self._source("rhs") if self.integrands is None else functions.rhs_and_outputs()
        tangent = self._included(schedule, source)
        rates = self._results(tangent, source)
        if self.integrands is not None:
            more = self._of(self.integrands, schedule, self._results(tangent, source, 1))
            rates = [np.concatenate(pair) for pair in zip(rates, more, strict=True)]
        return self._function("rhs", schedule, rates)

    def project(self) -> NativeFunction:
        schedule, source = self._begin(), self._source("project")
        tangent = self._included(schedule, source)
        states = self._results(tangent, source)
        begin = schedule.starts[1]
        parts = [np.concatenate([x, begin + self._work(b)]) for b, x in enumerate(states)]
        ends = schedule.take(tangent.results(*source.results[1])[0])
        out = np.concatenate(parts)
        return schedule.function("project", [(schedule.take(out), out.size), (ends, 2)])

    def outputs(self, columns: np.ndarray, finals: Quantities | None) -> NativeFunction:
        """Channels of these numbers, functions of channels, integrals; then the same of each direction."""
        schedule, source = self._begin(), self._source("outputs")
        channels = self._results(self._included(schedule, source), source)
        parts = [x[columns] for x in channels]
        if finals is not None:
            parts = [np.concatenate(pair) for pair in zip(parts, self._of(finals, schedule, channels), strict=True)]
        begin = schedule.starts[1]
        return self._function(
            "outputs", schedule, [np.concatenate([x, begin + self._work(b)]) for b, x in enumerate(parts)]
        )

    def events(self, own: np.ndarray, *, moving: bool = False) -> ScheduleFunction:
        """g of the program's own events of these numbers, then of every comparison in the rates; moving: then how
        they move along each direction."""
        schedule, blocks = self._begin(), self.blocks if moving else 1
        found: list[Blocks] = []
        if own.size:
            source = self._source("events")
            found.append([x[own] for x in self._results(self._included(schedule, source, blocks=blocks), source)])
        found += self._included(schedule, self._source("rhs"), blocks=blocks, switching=True).switches
        every = [np.concatenate(parts) for parts in zip(*found, strict=True)]
        return self._function("events", schedule, every)

    # Implicit methods ------------------------------------------------------------------------------------------------

    def dae(self) -> NativeFunction:
        schedule, source = self._begin(implicit=True), self._source("dae")
        rest = self._results(self._included(schedule, source, implicit=True), source)
        integrals: Blocks = [np.zeros(0, dtype=np.int64)] * self.blocks
        if self.integrands is not None:
            recorded = self._source("outputs")
            integrals = self._of(self.integrands, schedule, self._results(self._included(schedule, recorded), recorded))
        out = np.zeros(self.blocks * (self.size + self.nv + self.m), dtype=np.int64)
        for b in range(self.blocks):
            out[self._numbers(b, implicit=True)], out[self._work(b)] = rest[b], integrals[b]
        return self._function("dae", schedule, [out])

    def dae_jacobian(self) -> NativeFunction:
        """Without ∂Ṡ/∂y, and without rates of integrals: both follow y by one Newton iteration, and the matrix falls
        into equal blocks."""
        schedule, source = self._begin(implicit=True), self._source("dae_jacobian")
        known = source.structure
        assert known is not None
        entries = self._results(self._included(schedule, source, implicit=True, blocks=1), source)[0]
        columns = np.repeat(np.arange(known.column_start.size - 1), np.diff(known.column_start))
        n = schedule.arguments[1]
        numbers = [self._numbers(b, implicit=True) for b in range(self.blocks)]
        work = np.concatenate([self._work(b) for b in range(self.blocks)])
        keys = np.concatenate([*(x[columns] * n + x[known.row] for x in numbers), work * (n + 1)])
        places = np.concatenate([np.tile(entries, self.blocks), np.full(work.size, self._none)])
        turn = np.argsort(keys)
        column, row = np.divmod(keys[turn], max(n, 1))
        starts = np.concatenate([[0], np.cumsum(np.bincount(column, minlength=n))])
        order = np.concatenate([work, *(x[known.order] for x in numbers)])
        structure = Structure(
            starts.astype(np.int32), row.astype(np.int32), np.arange(keys.size, dtype=np.int32), order.astype(np.int32)
        )
        return schedule.function("dae_jacobian", [(schedule.take(places[turn]), keys.size)], structure)
