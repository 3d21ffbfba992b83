"""The signals of one model: the symbols by which inputs and tables, and their derivatives, enter the equations.

A signal u enters as u + u̇ (t − τ) + ü (t − τ)²/2 + …, where u, u̇, ü, … and τ are numbers that are set for each time at
which equations are evaluated, and τ is that time. So the value is u, and whatever differentiates by t finds u̇, ü, …:
no derivative of a signal can be forgotten. Before anything is compiled τ becomes t, and only the derivatives that are
truly used stay.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import casadi as ca

from linkwork.core.pieces import TIME, Lookup
from linkwork.core.plain_data import Record
from linkwork.core.signal import HIGHEST, Signal, Table, sharing
from linkwork.core.symbol import Symbol
from linkwork.geometry import SX

WORDS = ("", ".rate", ".acceleration", ".jerk")


@dataclass(frozen=True, eq=False)
class Taken:
    """One number that a signal sets: the derivative of that order of an input (by name) or a table."""

    symbol: SX
    name: str
    source: str | Table | None
    """None: the time itself, τ."""
    order: int = 0
    scale: float = 1.0
    shift: float = 0.0
    """A table is looked up at scale·t + shift."""

    def driver(self, given: Mapping[str, object]) -> float | Callable[[float], float]:
        """What sets it over time; given: what drives the inputs, by name; others do not change."""
        if self.source is None:
            return TIME
        signal = self.source if isinstance(self.source, Table) else given.get(self.source)
        if isinstance(signal, Table):
            return Lookup(signal.pieces.derivative(self.order, self.scale), self.scale, self.shift)
        if not isinstance(signal, Signal):
            return 0.0
        return signal.derivative(self.order) if self.order <= signal.order else math.nan


class Courses:
    """What varies over time in one model beside its inputs' own symbols. It only grows."""

    def __init__(self, t: SX):
        self.t = t
        self._time = Taken(SX.sym("time of signals"), "time of signals", None)
        self.taken: list[Taken] = []
        self.inputs: dict[str, SX] = {}
        """Inputs as they enter equations, by name."""
        self._tables: dict[tuple[int, float, float], tuple[Table, SX]] = {}
        self._named = 0
        """Tables that have names here."""
        self._sharing = sharing(self)

    def __getstate__(self) -> Record:
        """Tables are known by what they are here, and copies are others: their keys are made anew."""
        tables = [(table, *key[1:], course) for key, (table, course) in self._tables.items()]
        return {**self.__dict__, "_tables": tables, "_sharing": None}

    def __setstate__(self, state: Record) -> None:
        self.__dict__.update(state)
        self._tables = {(id(table), *key): (table, course) for table, *key, course in state["_tables"]}
        self._sharing = sharing(self)

    def twin(self) -> Courses:
        """The same, for a model with the same time: what either takes from now on the other has as well, but for tables
        of which it is told alone."""
        twin = copy.copy(self)
        twin.taken, twin._tables = list(self.taken), dict(self._tables)
        twin._sharing = sharing(twin)
        return twin

    @property
    def symbols(self) -> list[SX]:
        return [x.symbol for x in self.taken]

    @property
    def time(self) -> SX:
        """τ."""
        if not self.taken:
            self.taken.append(self._time)
        return self._time.symbol

    def input(self, name: str, symbol: SX) -> SX:
        """An input as it enters equations; symbol: its value."""
        self.time  # noqa: B018  it comes first
        rates = [SX.sym(name + WORDS[k]) for k in range(1, HIGHEST + 1)]
        self.taken += [Taken(s, s.name(), name, k + 1) for k, s in enumerate(rates)]
        self.inputs[name] = Symbol(self._course([symbol, *rates]))
        return self.inputs[name]

    def looked_up(self) -> list[tuple[Table, float, float, SX]]:
        """(table, scale, shift, course) of each table that follows scale·t + shift."""
        return [(table, *key[1:], course) for key, (table, course) in self._tables.items()]

    def table(self, table: Table, scale: float, shift: float, copies: Iterable[Courses] = ()) -> SX:
        """A table as it enters equations, looked up at scale·t + shift; copies: those that have the same time."""
        key = (id(table), scale, shift)
        everywhere = [self, *(other for other in copies if other is not self)]
        known = next((c._tables[key] for c in everywhere if key in c._tables), None)
        if known is None:
            number = max(c._named for c in everywhere) + 1
            name = f"table{number}"
            symbols = [SX.sym(name + word) for word in WORDS]
            known = table, self._course(symbols)
            for courses in everywhere:
                courses.time  # noqa: B018
                courses.taken += [Taken(s, s.name(), table, k, scale, shift) for k, s in enumerate(symbols)]
                courses._tables[key], courses._named = known, number
        return known[1]

    def _course(self, values: list[SX]) -> SX:
        since = self.t - self.time
        return sum((x * since**k / math.factorial(k) for k, x in enumerate(values)), SX(0))

    def values(
        self, t: float = 0.0, given: Mapping[str, object] | None = None, taken: list[Taken] | None = None
    ) -> dict[str, float]:
        """The numbers at time t [s], by name; given: what drives the inputs, else they do not change; taken: only
        these."""
        drivers = {x.name: x.driver(given or {}) for x in (self.taken if taken is None else taken)}
        return {name: float(d(t)) if callable(d) else 0.0 if math.isnan(d) else d for name, d in drivers.items()}


def in_time(expressions: list[SX], courses: Courses) -> list[SX]:
    """The same with τ = t: only the derivatives that are truly used are left."""
    if not courses.taken or not expressions:
        return expressions
    return ca.substitute(expressions, [courses.time], [courses.t])
