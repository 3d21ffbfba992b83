"""A large model as kernels, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import casadi as ca
import numpy as np

from linkwork.core.courses import Taken
from linkwork.core.errors import IntegrationError
from linkwork.core.result import Result
from linkwork.geometry import SX
from linkwork.integrate import Trajectory
from linkwork.large.groups import Group
from linkwork.large.large_model import LargeModel
from linkwork.large.natural_units import sizes_of
from linkwork.large.program import Large
from linkwork.large.slots import Unfit
from linkwork.large.stops import driving, stops_by_kinds
from linkwork.signals.breakpoints import time_switches, used
from linkwork.signals.inputs import Signals
from linkwork.simulation.by_kernels import (
    failure,
    interruptions_of,
    options_of,
    prepared,
    solver_of,
)
from linkwork.simulation.interruptions import Interruption, Moment, Setting
from linkwork.simulation.stepper.subject import Subject, settle
from linkwork.simulation.stepper.values import Values
from linkwork.simulation.task import Task


class ByKernels(Subject):
    def __init__(self, task: Task, formulation: str, reason: str):
        """reason: why this formulation; nobody asks for it."""
        model, duration = task.model, task.duration
        begun, ready, signals = prepared(task, formulation)
        solver = solver_of(task, ready, signals, presumed=bool(begun.large.softness))
        self._begun, first = begun, len(model.parameters)
        settle(signals, ready.p, first)
        self._driving = driving(begun.absolute, task.inputs)
        settle(self._driving, begun.p.copy(), first)
        self.setting = Setting(model, ready, signals, begun.stops, duration, solver, None)  # type: ignore[arg-type]
        self.options = options_of(task, ready, signals)
        self.values = ValuesOfKernels(begun.large, begun.absolute, ready.p, signals)
        self.switching = any(time_switches(group.kind.eq) for group in begun.absolute.tables.groups)
        self.followed = bool(begun.large.tables.taken)
        self._interruptions = interruptions_of(ready, solver)

    def interruptions(self) -> list[Interruption]:
        return self._interruptions

    def stops(self, now: Moment, y: np.ndarray, end: float) -> np.ndarray:
        begun = self._begun
        given = begun.absolute.tables.given
        p = np.concatenate([self.values.p[:given], begun.p[given:]])
        return stops_by_kinds(begun.absolute, p, self._driving, begun.start.state, end)

    def state_names(self, now: Moment) -> tuple[str, ...]:
        return tuple(self._begun.large.state_names)

    def failure(self, now: Moment, part: Trajectory, result: Result) -> IntegrationError:
        return failure(self._begun.large, now.ready.program, now.ready.p, part, result)


class ValuesOfKernels(Values):
    def __init__(self, large: LargeModel, absolute: Large, p: np.ndarray, signals: Signals):
        """absolute: where bodies are by themselves, and all that moves them is written as constraints."""
        super().__init__(large.model, p, signals)
        self._large, self._absolute = large, absolute

    def moved_by(self, name: str, k: int) -> str | None:
        tables = self._absolute.tables
        symbol = tables.p[k]
        lifted = [n for n, x in enumerate(tables.lifted) if ca.depends_on(x, symbol)]
        for group in tables.groups:
            eq = group.kind.eq
            rows = ca.vertcat(SX(0, 1), eq.constraints.position, eq.constraints.velocity)
            if ca.depends_on(rows, symbol):
                return group.members[0].name
            for slot, places in zip(group.kind.lifted, group.lifted.T, strict=True):
                if ca.depends_on(rows, slot):
                    for member in np.flatnonzero(np.isin(places, lifted)).tolist():
                        return group.members[member].name
            if any(x.source == name and x.order for x in _used(self._absolute, group)):
                return "what needs its rate"
        return None

    def fits(self, before: Mapping[str, float], values: Mapping[str, float]) -> bool:
        large = self._large
        try:
            sizes = sizes_of(large.tables, large.values_at(values))
        except Unfit:
            return False
        return (sizes.length, sizes.uneven) == (large.sizes.length, large.sizes.uneven)


def _used(large: Large, group: Group) -> Iterator[Taken]:
    """What the motion of components of a kind truly follows over time."""
    kind = group.kind
    symbols = {x.symbol.element_hash() for x in used(kind.eq)}
    for taken, numbers in zip(kind.taken, group.taken.T, strict=True):
        if taken.symbol.element_hash() in symbols:
            yield from (large.tables.taken[n] for n in set(numbers.tolist()))
