"""Runs: the question that `simulate` answers, asked of every case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property

import numpy as np

from linkwork.core.errors import IntegrationError, LinkworkError, UnknownName
from linkwork.core.plain_data import Record
from linkwork.core.result import Result
from linkwork.integrate import Trajectory
from linkwork.simulation.live import since_start
from linkwork.simulation.record import sampled
from linkwork.simulation.simulate import Begun, begin, finish, follow
from linkwork.simulation.task import Task
from linkwork.simulation.watch.samples import asked_for
from linkwork.sweeps.keeping import Keeping
from linkwork.sweeps.outcome import EVENT, FAILED, FINISHED, SINGLE, Outcome, Quantity
from linkwork.sweeps.starts import CommonStart, at_values
from linkwork.sweeps.study import Lock, Study, leave

OPEN = 1e-7
"""Lengths of the mechanism by which joints may be open without a run being looked at."""
TRIED = 20
"""Cases that are tried, one after the other, until one can be assembled and says which channels there are."""


@dataclass
class Runs(Study):
    """task: as `simulate` takes it, of the defaults; keeping: with patterns in place of channels until `settle`."""

    task: Task = field(kw_only=True)
    keeping: Keeping = field(kw_only=True)
    judge: bool = field(default=True, kw_only=True)
    """Whether the watch looks at every run."""
    together = ""
    _units: dict[str, str] = field(default_factory=dict)
    _equations: str = ""

    def settle(self) -> None:
        """Find out which channels there are, and compile, from the first case that can be assembled."""
        begun = self.first()
        known = {c.name: c.unit for c in begun.ready.program.channels} | {"solver.step": "s"}
        self.keeping = replace(self.keeping, channels=matching(self.keeping.channels, known, self.model.name))
        self._units = {name: known[name] for name in self.keeping.channels}
        program = begun.ready.program
        texts = [program.symbolic(name).serialize() for name in ("rhs", "outputs")] if program.symbolic else []
        self._equations = "".join(texts) + " ".join(f"{x:.6g}" for x in begun.ready.state)

    def first(self) -> Begun:
        """A run that can begin."""
        error: LinkworkError | None = None
        for case in range(min(TRIED, self.design.cases)):
            try:
                return begin(self.case(case))
            except LinkworkError as refused:
                error = error or refused
        try:
            return begin(replace(self.task, parameters=dict(self.parameters), inputs=dict(self.inputs)))
        except LinkworkError:
            assert error is not None
            raise error from None

    def case(self, number: int) -> Task:
        """What `simulate` would be asked for one case."""
        parameters, inputs = self.values(number)
        return replace(self.task, parameters=parameters, inputs=inputs or None)

    @cached_property
    def _start(self) -> CommonStart:
        return CommonStart(self.model, self.design.names)

    @cached_property
    def layout(self) -> tuple[Quantity, ...]:
        return self.keeping.layout(self._units)

    @property
    def dimensions(self) -> dict[str, tuple[np.ndarray, str]]:
        return {"t": (self.keeping.times, "s")} if any(q.dimension for q in self.layout) else {}

    def settings(self) -> Record:
        task, choice = self.task, self.task.choice
        return {
            "of": "simulate", "model": self.model.name, "equations": self._equations, "duration": task.duration,
            "times": task.times.tolist(), "channels": self.keeping.channels, "keep": self.keeping.ways,
            "own": list(self.keeping.own), "solver": str(task.solver), "rtol": task.rtol, "atol": task.atol,
            "step": task.step, "max_step": task.max_step, "formulation": choice.formulation,
            "stabilisation": repr(choice.stabilisation), "compliance": repr(choice.compliance), "loops": choice.loops,
            "independent": choice.independent, "judge": self.judge, "parameters": dict(self.parameters),
            "inputs": {name: repr(x) for name, x in self.inputs.items()},
        }  # fmt: skip

    def answer(self, case: int, stop: Callable[[], bool], lock: Lock) -> Outcome:
        with lock:
            begun = self.begin(replace(self.case(case), progress=lambda _: leave(stop)))
        path = follow(begun)
        self.integrating += begun.clock.timings["run"]
        if path.status == "cancelled":  # nobody else will know that it is not whole
            raise KeyboardInterrupt
        with lock:
            return self.conclude(begun, path, SINGLE)

    def conclude(self, begun: Begun, path: Trajectory, engine: str) -> Outcome:
        """What became of a run that was integrated by that engine."""
        try:
            return self._told(begun, path, self._finish(begun, path), engine)
        except IntegrationError as error:
            partial: Result | None = error.partial
            if partial is None or not partial.t.size:
                return self.failed(str(error))
            kept = self.keeping.values(partial, whole=False)
            return Outcome(FAILED, _short(error), float(partial.t[-1]), "", kept, engine)

    @property
    def starts_shared(self) -> bool:
        """Whether all cases begin where those did that were assembled so far."""
        return self._start.known() is not None

    @property
    def starts_apart(self) -> bool:
        """Whether cases may begin in different places; while neither is known, they are looked at one by one."""
        return self._start.apart

    def begin(self, task: Task) -> Begun:
        """From a start that is known, where all cases have the same."""
        known = self._start.known()
        if known is None:
            begun = begin(task)
            self._start.learn(begun.ready.assembly)
            return begun
        return begin(task, at_values(self.model, known, dict(task.parameters or {}), task.inputs))

    def _finish(self, begun: Begun, path: Trajectory) -> Result:
        """Judged, if that is wanted, or if it looks as if there was something to be said."""
        if self.judge or not path.ok:
            return finish(begun, path)
        ready, setting = begun.ready, begun.setting
        channels, data = sampled(ready.program, path, ready.p, setting.signals, setting.stops, begun.task.duration)
        names = [c.name for c in channels]
        told = [name != "solver.step" for name in names]  # not every solver tells it
        open_ = data[:, names.index("residual.position")] if "residual.position" in names else np.zeros(1)
        if not np.isfinite(data[:, told]).all() or open_.max(initial=0.0) > OPEN * ready.equations.states.length:
            return finish(begun, path)
        record = {"model": self.model.name, "parameters": begun.task.parameters, "status": "finished"}
        result = Result(path.t, since_start(data, channels), channels, record=record)
        return asked_for(result, path, begun.task.times)[0]

    def _told(self, begun: Begun, path: Trajectory, result: Result, engine: str) -> Outcome:
        """Of a run that ended as it should."""
        end = float(result.t[-1]) if result.t.size else 0.0
        warnings = "; ".join(str(finding) for finding in result.warnings)
        values = self.keeping.values(result, whole=True)
        if path.status == "stopped" and path.events:
            last = path.events[-1]
            return Outcome(EVENT, begun.ready.program.events[last.index].name, float(last.t), warnings, values, engine)
        return Outcome(FINISHED, "", end, warnings, values, engine)


def _short(error: IntegrationError) -> str:
    """Without what only the caller of `simulate` can use."""
    text = str(error)
    return text.partition(" The ")[0] if "error.partial" in text else text


def matching(patterns: tuple[str, ...], known: dict[str, str], name: str) -> tuple[str, ...]:
    """Channels that match any of the patterns, as in `Result.select`."""
    names: dict[str, None] = {}
    for pattern in patterns:
        matches = [pattern] if pattern in known else [channel for channel in known if fnmatchcase(channel, pattern)]
        if not matches:
            raise UnknownName("channel", pattern, known, component=name)
        names.update(dict.fromkeys(matches))
    return tuple(names)
