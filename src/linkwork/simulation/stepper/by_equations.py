"""A model as equations in one piece, step by step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwork.core.equations import Equations
from linkwork.core.errors import IntegrationError
from linkwork.core.result import Result
from linkwork.integrate import Trajectory
from linkwork.signals.breakpoints import stops_of, time_switches
from linkwork.signals.continuity import check_continuity
from linkwork.simulation.arguments import parameters_of
from linkwork.simulation.failure import explain
from linkwork.simulation.interruptions import Interruption, Moment, interruptions_of
from linkwork.simulation.prepare import prepare, starting_at
from linkwork.simulation.simulate import setting_of
from linkwork.simulation.stepper.subject import Subject, settle
from linkwork.simulation.stepper.values import ValuesOfEquations
from linkwork.simulation.task import Task
from linkwork.simulation.timing import Stopwatch


class ByEquations(Subject):
    def __init__(self, task: Task):
        model = task.model
        ready = prepare(model, task.choice, parameters_of(model, task.parameters), contacts=True, inputs=task.inputs)
        ready = ready if task.start is None else starting_at(ready, task.start)
        ready = replace(ready, p=np.array(ready.p, dtype=float))
        ready.program.tier = task.tier
        clock = Stopwatch()
        clock.prepared(ready.program)
        clock.started()
        self.setting, self.options = setting_of(task, ready, clock)
        eq: Equations = ready.equations
        settle(self.setting.signals, ready.p, eq.symbols.parameters.numel())
        self.values = ValuesOfEquations(model, eq, ready.p, self.setting.signals)
        self.switching, self.followed = bool(time_switches(eq)), bool(eq.signals.taken)

    def interruptions(self) -> list[Interruption]:
        return interruptions_of(self.setting)

    def stops(self, now: Moment, y: np.ndarray, end: float) -> np.ndarray:
        eq, p, signals = now.ready.equations, self.values.p, self.setting.signals
        stops = stops_of(eq, p, signals, end)
        check_continuity(eq, p, signals, stops, y, end)
        return stops

    def state_names(self, now: Moment) -> tuple[str, ...]:
        return tuple(now.ready.equations.states.names)

    def failure(self, now: Moment, part: Trajectory, result: Result) -> IntegrationError:
        return explain(self.setting.model, now.ready.equations, now.ready.program, part, self.values.p, result)
