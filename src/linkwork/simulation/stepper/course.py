"""A run that goes on step by step, through whatever interrupts it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linkwork.compile.tiers import improve
from linkwork.core.errors import IntegrationError, LinkworkError
from linkwork.core.result import Result
from linkwork.integrate import EventRecord, Trajectory
from linkwork.integrate.extension import DONE, EXPECTED, Extension, extendable
from linkwork.integrate.problem import make_problem
from linkwork.signals.sides import channels_at, sides_at
from linkwork.simulation.choice.solver import Automatic, suspicion
from linkwork.simulation.interruptions import Interruption, Moment, Sides, SolverChange
from linkwork.simulation.interruptions.interruption import Runnable
from linkwork.simulation.run import stopping
from linkwork.simulation.stepper.subject import Subject


@dataclass(frozen=True)
class Snapshot:
    """A moment of a run, to come back to."""

    course: Course
    count: int
    now: Moment
    p: np.ndarray
    kept: list[object]
    """By interruption."""
    horizon: float
    ended: str | None


class Course:
    """One run, from a reset on. Between two calls it rests at t = count · dt, or where it was stopped for good."""

    def __init__(self, subject: Subject, dt: float, step: float | None):
        """step [s]: of the solver."""
        self._subject, self._dt = subject, dt
        setting = self.setting = subject.setting
        self.values = subject.values
        self._options = {name: subject.options[name] for name in ("signals", "rtol", "atol", "max_step", "projection")}
        ready = setting.ready
        at_first = setting.solver.solver if isinstance(setting.solver, Automatic) else setting.solver
        self.now = Moment(0.0, ready.state, ready, at_first, step, np.zeros(0), setting.stops)
        self.count, self.ended = 0, ""
        self._horizon = setting.duration
        self._run: Extension | None = None
        self._interruptions = subject.interruptions()
        self._counted = any(each.patience is not None for each in self._interruptions)
        self._quiet = all(isinstance(each, SolverChange) for each in self._interruptions)
        self._switching = subject.switching
        self._timed = subject.switching or subject.followed or bool(len(setting.stops) or setting.signals)
        self._watched = bool(ready.program.events)
        improve([ready.program.function("outputs")], 0.0, EXPECTED)
        self.events: list[tuple[float, str]] = []
        """(s, what) of those since the last step began."""
        for each in self._interruptions:
            each.begin(self.now)
        self.events = self._noted()

    @property
    def t(self) -> float:
        """s"""
        return self.now.t

    @property
    def plain(self) -> bool:
        """Whether nothing but the solver itself interrupts it, and time alone changes nothing."""
        return self._quiet and not self._timed

    @property
    def y(self) -> np.ndarray:
        return self.now.y if self._run is None else self._run.y

    @property
    def ready(self) -> Runnable:
        return self.now.ready

    @property
    def state_names(self) -> tuple[str, ...]:
        return self._subject.state_names(self.now)

    def step(self, renewed: bool) -> None:
        """On by one step; renewed: whether p has changed since the last one."""
        if self.ended:
            raise LinkworkError(self.ended, component=self.setting.model.name, remedy="Call reset() to begin again.")
        now, run = self.now, self._run
        self.count += 1
        target = self.count * self._dt
        if self._timed and (target >= self._horizon or (renewed and self._switching)):
            self._look_ahead(target)
        if self._quiet and run is not None and not self._watched:
            status = self._to(run, target, renewed)
            if status == DONE:
                now.t = target
                return
            self._interrupted(status, target, [])
            renewed = False
        self._reach(target, renewed)

    def _reach(self, target: float, renewed: bool) -> None:
        """The same, whatever may happen on the way."""
        now = self.now
        self.events, now.times = [], np.array([target])
        if renewed and not self._quiet:
            self._renew()
        while not self.ended:
            due = [each.next_time(now) for each in self._interruptions]
            end = min([target, *due])
            if self._run is None:
                self._run = self._extension(end)
            status = self._to(self._run, end, renewed)
            renewed = False
            now.t = max(end, self._run.t) if status == DONE else self._run.t
            if status != DONE or any(time <= end for time in due):
                self._interrupted(status, end, due)
            elif end >= target:
                break
        if self._watched and self._run is not None:
            self._tell(self._run.events())
        if not self._quiet and not self.ended:
            self._look_back()

    def _to(self, run: Extension, end: float, renewed: bool) -> int:
        try:
            return run.to(end, renewed)
        except BaseException:  # Ctrl-C, or what a signal of the user's has raised: the next step goes on from there
            self.now.t = run.t
            self.count -= 1
            raise

    def _look_back(self) -> None:
        """Whether what was reached is a result."""
        now = replace(self.now, y=self.y)
        try:
            for each in self._interruptions:
                each.watch(now)
        except LinkworkError as error:
            t, y = np.array([now.t]), now.y[None].copy()
            raise self._failed(Trajectory(t, y, np.zeros(1), status="failed", failure=error)) from error

    def _interrupted(self, status: int, end: float, due: list[float]) -> None:
        """How it goes on: as in `simulation.run`, from a part of one sample."""
        assert self._run is not None
        now, part = self.now, self._run.part(status)
        if part.status == "stopped":
            event = now.ready.program.events[part.events[-1].index]
            mine = [each for each in self._interruptions if each.owns(event)]
            if not mine:
                self.ended = f"the event {event.name!r} has stopped it at t = {part.t[-1]:.9g} s."
        elif part.status == "max_steps":
            mine = [each for each in self._interruptions if each.patience is not None]
        else:
            mine = [each for each, time in zip(self._interruptions, due, strict=False) if time <= end]
        now.t, now.y = float(part.t[-1]), part.y[-1]
        if not mine and not self.ended:
            raise self._failed(part)
        if mine:
            self._resume(mine, part)
        self._tell(part.events)

    def _resume(self, mine: list[Interruption], part: Trajectory) -> None:
        now = self.now
        self._rest()
        if isinstance(self.setting.solver, Automatic):
            self.setting.solver.duration = now.t + self.setting.duration
        try:
            sides = mine[0].resume(now, part)
            for each in self._interruptions if sides is not Sides.ONE else mine:
                if each is not mine[0]:
                    each.look_again(now)
        except LinkworkError as error:
            part.status, part.failure = "failed", error
            raise self._failed(part) from error

    def _renew(self) -> None:
        """p has changed: what holds may hold no more, and what equations determine is found anew."""
        now = self.now
        now.y = self.y.copy()
        before = now.y
        for each in self._interruptions:
            each.look_again(now)
        self.events += self._noted()
        if not np.array_equal(before, now.y):
            self._rest(keep=now.y)

    def _rest(self, keep: np.ndarray | None = None) -> None:
        """Let go of the solver's own memory: it begins anew from `now`, with the step that it has come to."""
        run, now = self._run, self.now
        if run is None:
            return
        if extendable(now.solver).fixed_step == "never" and run.step > 0:
            now.step = run.step
        now.y = run.y.copy() if keep is None else keep
        self._run = None

    def _extension(self, end: float) -> Extension:
        now = self.now
        patience = min((each.patience for each in self._interruptions if each.patience is not None), default=None)
        problem = make_problem(
            stopping(now.ready.program, self._interruptions),
            now.y,
            (now.t, max(end, now.t)),
            times=np.zeros(0),
            parameters=self.values.p,
            step=now.step,
            max_steps=patience,
            stiff_after=suspicion(patience),
            min_step=None,
            progress=None,
            should_stop=None,
            **self._options | {"stops": now.stops},
        )
        return Extension(now.solver, replace(problem, parameters=self.values.p), counted=patience is not None)

    def _look_ahead(self, target: float) -> None:
        """Find all that jumps by time alone, up to a time well after the next step."""
        while self._horizon <= target:
            self._horizon *= 2
        now = self.now
        now.stops = self._subject.stops(now, self.y, self._horizon)
        for each in self._interruptions:
            each.expect(now.stops)
        if self._run is not None:
            self._run.stop_at(now.stops)

    def outputs(self, out: np.ndarray) -> None:
        """Write all channels of the present state; where they jump now, as they are afterwards."""
        program, p, t, y = self.ready.program, self.values.p, self.now.t, self.y
        function = program.function("outputs")
        if not self._timed:
            function(t, y, p, out=out)  # type: ignore[call-arg]
            return
        here, stops = np.array([t]), self.now.stops
        sides, inputs = sides_at(here, stops, np.inf), len(program.inputs)
        out[:] = channels_at(function, here, sides, y[None], p, self.setting.signals, inputs=inputs)[0]

    def save(self) -> Snapshot:
        """The present moment. The solver begins anew here, so that what follows is the same after each `restore`."""
        self._rest()
        now = replace(self.now, y=self.now.y.copy(), notes=[])
        kept = [each.saved() for each in self._interruptions]
        return Snapshot(self, self.count, now, self.values.p.copy(), kept, self._horizon, self.ended)

    def restore(self, snapshot: Snapshot) -> None:
        self._run = None
        self.count, self.ended, self._horizon = snapshot.count, snapshot.ended or "", snapshot.horizon
        self.now = replace(snapshot.now, y=snapshot.now.y.copy(), notes=[])
        self.values.p[:] = snapshot.p
        self.events = []
        for each, kept in zip(self._interruptions, snapshot.kept, strict=True):
            each.restore(kept)
            each.expect(self.now.stops)

    def _tell(self, events: list[EventRecord]) -> None:
        names = self.now.ready.program.events
        self.events += [(t, names[k].name) for t, k, _ in events] + self._noted()

    def _noted(self) -> list[tuple[float, str]]:
        notes, self.now.notes = self.now.notes, []
        return notes

    def _failed(self, part: Trajectory) -> IntegrationError:
        """What to raise; nothing more can be done until a reset or a restore."""
        self.ended = f"it has failed at t = {part.t[-1]:.9g} s."
        setting, program, p = self.setting, self.ready.program, self.values.p
        function, inputs = program.function("outputs"), len(program.inputs)
        data = channels_at(function, part.t, part.t, part.y, p, setting.signals, inputs=inputs)
        record = {"model": setting.model.name, "status": "failed"}
        result = Result(part.t, data, program.channels, record=record)
        return self._subject.failure(self.now, part, result)
