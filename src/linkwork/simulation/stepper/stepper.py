"""Step by step: `m.stepper(dt)`, for control loops, games, and programs that call this one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, overload

import numpy as np

from linkwork.core.activity import begin as announce
from linkwork.core.compliance import Compliance
from linkwork.core.errors import LinkworkError, ModelError, UnknownName
from linkwork.core.kinds import is_number, shown
from linkwork.core.program import TIERS, Channel, Program
from linkwork.core.registry import verb
from linkwork.core.signal import Inputs
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.integrate.extension import extendable
from linkwork.integrate.solver import Solver
from linkwork.large.size import LARGE, count_bodies
from linkwork.simulation.choice.solver import AUTOMATIC
from linkwork.simulation.going_on import Beginning, begun_at
from linkwork.simulation.simulate import choice_of
from linkwork.simulation.stepper.by_equations import ByEquations
from linkwork.simulation.stepper.course import Course, Snapshot
from linkwork.simulation.stepper.pacing import Pace
from linkwork.simulation.stepper.subject import Subject
from linkwork.simulation.stepper.values import numbers_of
from linkwork.simulation.task import Task

if TYPE_CHECKING:
    from linkwork.core.model import Model

NOMINAL_STEPS = 1000
"""Of dt: what counts as the length of a run where something must be small or large next to it."""


class Stepper:
    """A model that is taken from step to step by whoever has it; `m.stepper(dt)` makes one.

    s.step(torque=1.0) sets inputs and goes on by dt, s.step(n) by n of them; s["O.angle"] reads a channel, s.state the
    state, s.t the time [s]; s.set(…) sets inputs and parameters, s.reset(…) begins again, s.save() and s.restore(…)
    come back to a moment: what follows is the same to the last bit.
    """

    def __init__(self, task: Task, dt: float, pace: Pace | None):
        self._task, self._dt, self._pace = task, dt, pace
        self.reset()

    def reset(
        self,
        *,
        parameters: Mapping[str, float] | None = None,
        inputs: Inputs | None = None,
        start: Beginning | None = None,
    ) -> None:
        """Begin again at t = 0; what is not given here is as it was given to `m.stepper`."""
        task, model = self._task, self._task.model
        task = replace(
            task,
            parameters=task.parameters if parameters is None else parameters,
            inputs=task.inputs if inputs is None else inputs,
            start=task.start,
        )
        if start is not None:
            task = replace(task, start=begun_at(model, start, task.parameters, task.inputs))
        self._course = Course(_subject(task), self._dt, _step(task, self._dt))
        self._renewed = False
        self._program: Program | None = None
        self._supplied = 0.0
        self._look()
        if self._supply is not None:  # counted from the start on, as in a Result
            self._supplied = self._values[self._supply]
        self._stale = True
        if self._pace is not None:
            self._pace.restart()

    @property
    def plain(self) -> bool:
        """Whether nothing but the solver itself interrupts it, and time alone changes nothing."""
        return self._course.plain

    def begin_at(self, saved: Snapshot, y: np.ndarray, p: np.ndarray) -> None:
        """A start that was saved, with another state and other numbers, which must go together: `reset` without
        assembling."""
        self.restore(replace(saved, now=replace(saved.now, y=y), p=p))
        self._supplied = 0.0
        self._look()
        self._supplied = 0.0 if self._supply is None else self._values[self._supply]
        self._stale = True

    def step(self, steps: int = 1, /, **inputs: float) -> None:
        """Go on by dt, or by several; inputs (and parameters) are set before and hold from then on."""
        course = self._course
        if inputs:
            self.set(inputs)
        if steps != 1:
            self._several(steps)
            return
        pace = self._pace
        if pace is not None:
            pace.begin(course.now.t)
        renewed, self._renewed, self._stale = self._renewed, False, True
        course.step(renewed)
        if pace is not None:
            pace.wait(course.now.t)

    def _several(self, steps: int) -> None:
        if not is_number(steps) or steps != int(steps) or steps < 0:
            raise ModelError(
                f"{shown(steps)} steps.", component=self._task.model.name, remedy="Give a whole number, 0 or more."
            )
        events: list[tuple[float, str]] = []
        for k in range(int(steps)):
            if k and self._course.ended:  # by an event on the way
                break
            self.step()
            events += self._course.events
        self._course.events = events

    def set(self, values: Mapping[str, float] | None = None, /, **named: float) -> None:
        """Set inputs and parameters from the next step on, by keyword or in a dictionary.

        What would make a joint or a motion jump is refused: such a value is given to `reset`.
        """
        known = self._course.values
        free, numbers = known.free, known.numbers
        if values is not None and not isinstance(values, Mapping):
            raise ModelError(
                f"values to set {shown(values)}.",
                component=self._task.model.name,
                remedy="Give {name: value}, or s.set(name=value).",
            )
        for name, value in (named if values is None else {**values, **named}).items():
            if name in free and type(value) is float and value - value == 0.0:
                k = free[name]
                if numbers[k] != value:
                    numbers[k] = value
                    self._renewed = self._stale = True
            elif known.changed(name, value):
                self._renewed = self._stale = True

    @overload
    def __getitem__(self, channel: str) -> float: ...
    @overload
    def __getitem__(self, channel: list[str] | tuple[str, ...]) -> np.ndarray: ...
    def __getitem__(self, channel: str | list[str] | tuple[str, ...]) -> float | np.ndarray:
        """A channel now, or several as an array."""
        if self._stale:
            self._look()
        try:
            if isinstance(channel, str):
                return self._numbers[self._place[channel]]
            return self._values[[self._place[name] for name in channel]]
        except (KeyError, TypeError):
            names = channel if isinstance(channel, (list, tuple)) else [channel]
            wrong = next(name for name in names if not isinstance(name, str) or name not in self._place)
            raise UnknownName("channel", str(wrong), self._place, component=self._task.model.name) from None

    def _look(self) -> None:
        """All channels of the present state."""
        course = self._course
        program = course.ready.program
        if program is not self._program:
            self._program = program
            self._place = {c.name: k for k, c in enumerate(program.channels)}
            self._supply = self._place.get("energy.supplied")
            self._values = np.zeros(len(program.channels))
            self._numbers = numbers_of(self._values)
        course.outputs(self._values)
        if self._supply is not None:
            self._values[self._supply] -= self._supplied
        self._stale = False

    @property
    def t(self) -> float:
        """s"""
        return self._course.now.t

    @property
    def dt(self) -> float:
        """s"""
        return self._dt

    @property
    def state(self) -> np.ndarray:
        """y = [q, v, z] now, as `state_names` says."""
        return self._course.y.copy()

    @property
    def state_names(self) -> tuple[str, ...]:
        return self._course.state_names

    @property
    def channels(self) -> tuple[Channel, ...]:
        """All that can be read, with units."""
        return self._course.ready.program.channels

    @property
    def inputs(self) -> dict[str, float]:
        """As they are set now; those that a signal drives, at the time that was evaluated last."""
        return self._named(self._task.model.inputs)

    @property
    def parameters(self) -> dict[str, float]:
        return self._named(self._task.model.parameters)

    def _named(self, names: Mapping[str, float]) -> dict[str, float]:
        values = self._course.values
        return {name: values.numbers[values.place[name]] for name in names}

    @property
    def events(self) -> list[tuple[float, str]]:
        """(s, what) of all that happened in the last call of `step`."""
        return list(self._course.events)

    @property
    def ended(self) -> str:
        """Why it cannot go on without a reset; empty: it can."""
        return self._course.ended

    @property
    def late(self) -> float:
        """s by which the last step came too late for `realtime`; 0: it was in time."""
        return self._pace.late if self._pace is not None else 0.0

    def save(self) -> Snapshot:
        """This moment, for `restore`."""
        return self._course.save()

    def restore(self, saved: Snapshot) -> None:
        """Go back to a moment that was saved, also from before a reset."""
        if not isinstance(saved, Snapshot) or saved.course.setting.model is not self._task.model:
            raise LinkworkError(
                f"{shown(saved)} is not a moment of this stepper.",
                component=self._task.model.name,
                remedy="Give what its own save() has returned.",
            )
        self._course = saved.course
        self._course.restore(saved)
        self._renewed, self._stale, self._program = False, True, None
        if self._pace is not None:
            self._pace.restart()

    def __repr__(self) -> str:
        return f"<Stepper of {self._task.model.name!r}: t = {self.t:g} s, dt = {self._dt:g} s>"


@verb
def stepper(
    model: Model,
    dt: float,
    *,
    formulation: str | None = None,
    solver: str | Solver = "auto",
    rtol: float = 1e-8,
    atol: float = 1e-10,
    step: float | None = None,
    max_step: float | None = None,
    stabilisation: Projection | Baumgarte | str = "projection",
    compliance: Compliance | None = None,
    loops: str = "multipliers",
    independent: Sequence[str] | None = None,
    parameters: Mapping[str, float] | None = None,
    inputs: Inputs | None = None,
    start: Beginning | None = None,
    realtime: bool = False,
    compile: str = "auto",
    kernels: bool | None = None,
) -> Stepper:
    """The model at its start, to be taken on in steps of `dt` seconds, with inputs that may change at each.

    formulation, solver, rtol, atol, max_step, stabilisation, compliance, loops, independent, parameters, inputs, start,
    compile, kernels: as for `simulate`; the solver takes as many steps of its own within one as it needs;
    step: of fixed-step solvers (default: dt), first step of the others;
    realtime: each step waits until as much time has passed on the wall.
    Rigid contacts, switches and sampled controllers act as in `simulate`, at the price of slower steps.
    """
    if compile not in TIERS:
        raise UnknownName("way to compile", compile, TIERS, component=model.name)
    choice = choice_of(model, formulation, stabilisation, compliance, loops, independent)
    duration = NOMINAL_STEPS * dt
    start = None if start is None else begun_at(model, start, parameters, inputs)
    task = Task(model, duration, np.zeros(0), choice, solver, rtol, atol, step, max_step, parameters, inputs, start,
                True, None, None, compile, kernels)  # fmt: skip
    return Stepper(task, dt, Pace() if realtime else None)


def _subject(task: Task) -> Subject:
    if task.kernels or count_bodies(task.model) >= LARGE:
        from linkwork.simulation.by_kernels import attempt  # few models need what makes kernels
        from linkwork.simulation.stepper.by_kernels import ByKernels

        looped = attempt(task, ByKernels)
        if looped.result is not None:
            return looped.result
        if looped.reason:
            announce(f"deriving straight-line code: {looped.reason}")
    return ByEquations(task)


def _step(task: Task, dt: float) -> float | None:
    """Of the solver, where nothing else is asked for."""
    if isinstance(task.solver, str) and task.solver == AUTOMATIC:
        return task.step
    always = extendable(task.solver).fixed_step == "always"
    return dt if always and task.step is None else task.step
