"""Copies of a model side by side, in the vector lanes of the processor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import casadi as ca
import numpy as np

from linkwork.core.errors import IntegrationError, UnknownName
from linkwork.environments.beginnings import Beginnings, begun_of
from linkwork.environments.engine import Engine, OneByOne
from linkwork.environments.episode import TIME, Episode, one_of
from linkwork.simulation.simulate import Begun
from linkwork.sweeps.batch.cases import begun_refusal, numbers_of, solver_of
from linkwork.sweeps.batch.problem import BatchProblem, make_batch
from linkwork.sweeps.lanes.run import channel_function, mapped, run_batch, width

SUPPLIED = "energy.supplied"
"""Counted from the start of an episode."""


def engine_of(episode: Episode, count: int) -> Engine:
    """Lanes, or steppers where the model cannot be run in lanes."""
    begun = begun_of(episode)
    reason = begun_refusal(begun)
    return OneByOne(episode, count, reason) if reason else Lanes(episode, count, begun)


class Lanes:
    """States and numbers of all copies in arrays; each step is a batch."""

    def __init__(self, episode: Episode, count: int, begun: Begun):
        self._episode, self._begun, self._lanes = episode, begun, width(None)
        self.text = f"{self._lanes} lanes"
        self._beginnings = Beginnings(episode, begun)
        self._y = np.repeat(begun.ready.state[None], count, axis=0)
        self._p = np.repeat(numbers_of(begun)[None], count, axis=0)
        self._steps = np.zeros(count, dtype=int)
        self._t = np.zeros(count)
        self._y_first, self._p_first = self._y.copy(), self._p.copy()
        model = episode.model
        self._columns = {name: k for k, name in enumerate([*model.parameters, *model.inputs])}
        self._acting = np.array([self._columns[name] for name in episode.actions])
        self._problem = self._batch()
        self._clocked = _depends_on_time(begun)
        self._names = [c.name for c in begun.ready.program.channels]
        read = [*episode.observations, *episode.reward.names, *episode.terminated.names]
        self._wanted = [name for name in dict.fromkeys(read) if name in self._names]
        self._function = channel_function(begun.ready.program, self._wanted, self._lanes)
        self._values: np.ndarray | None = None
        self._supplied: np.ndarray | None = None

    def _batch(self) -> BatchProblem:
        begun, dt = self._begun, self._episode.dt
        task, setting, options = begun.task, begun.setting, begun.options
        step = task.step or dt
        return make_batch(
            begun.ready.program, self._y, np.array([dt]), parameters=self._p[:1], t_span=(0.0, dt),
            signals={k: s for k, s in setting.signals.items() if callable(s)}, solver=solver_of(setting.solver),
            rtol=task.rtol, atol=task.atol, step=step, max_step=options["max_step"],
            projection=options["projection"],
        )  # fmt: skip

    def begin(self, which: np.ndarray, drawn: Mapping[str, np.ndarray]) -> None:
        if self._beginnings.plain:
            self._y[which], self._p[which] = self._beginnings.all(drawn, len(which))
        else:
            for j, k in enumerate(which.tolist()):
                self._y[k], self._p[k] = self._beginnings(one_of(drawn, j))
        self._steps[which], self._t[which] = 0, 0.0
        self._y_first[which], self._p_first[which] = self._y[which], self._p[which]
        self._values = self._supplied = None

    def advance(self, which: np.ndarray, actions: np.ndarray) -> np.ndarray:
        self._p[np.ix_(which, self._acting)] = actions
        ended = np.zeros(len(self._y), dtype=bool)
        for group in self._together(which):
            self._advance(group, ended)
        self._values = None
        return ended[which]

    def _together(self, which: np.ndarray) -> list[np.ndarray]:
        """Copies that can be one batch: all, or where time matters, those of one time."""
        if not self._clocked or not which.size:
            return [which] if which.size else []
        steps = self._steps[which]
        return [which[steps == step] for step in np.unique(steps)]

    def _advance(self, group: np.ndarray, ended: np.ndarray) -> None:
        dt, first = self._episode.dt, int(self._steps[group[0]]) if self._clocked else 0
        problem = self._at(self._y[group], self._p[group], first * dt, (first + 1) * dt)
        batch = run_batch(problem)
        self._steps[group] += 1
        self._y[group], self._t[group] = batch.y[:, 0], self._steps[group] * dt
        for k in np.flatnonzero(np.array(batch.status) != "done").tolist():
            status = batch.status[k]
            if status == "stopped":
                last = batch.events[k][-1]
                self._y[group[k]], ended[group[k]] = last.y, True
                self._t[group[k]] += last.t - problem.common.t1
            else:
                raise IntegrationError(
                    f"copy {group[k]}: {batch.message[k]}",
                    component=self._episode.model.name,
                    remedy="Bound what is drawn and done, or take another solver.",
                )

    def _at(self, y: np.ndarray, p: np.ndarray, begin: float, end: float) -> BatchProblem:
        """A batch from one time to another; stops are pairs of times, before and after a jump."""
        stops = self._begun.setting.stops
        near = stops[(stops[:, 1] > begin) & (stops[:, 0] < end)] if len(stops) else stops
        common = replace(self._problem.common, t0=begin, t1=end, times=np.array([end]), stops=near)
        return replace(self._problem, starts=y, p=p, common=common)

    def read(self, name: str) -> np.ndarray:
        if name in self._names:
            return self._channel(name)
        if name == TIME:
            return self._t.copy()
        if name not in self._columns:
            raise UnknownName(
                "channel, input or parameter", name, self._episode.known, component=self._episode.model.name
            )
        return self._p[:, self._columns[name]].copy()

    def _channel(self, name: str) -> np.ndarray:
        if name not in self._wanted:
            self._wanted.append(name)
            self._function = channel_function(self._begun.ready.program, self._wanted, self._lanes)
            self._values = self._supplied = None
        if self._values is None:
            self._values = self._looked(self._y, self._p, self._t)
        k = self._wanted.index(name)
        if name != SUPPLIED:
            return self._values[:, k].copy()
        if self._supplied is None:
            self._supplied = self._looked(self._y_first, self._p_first, np.zeros(len(self._y)))[:, k]
        return self._values[:, k] - self._supplied

    def _looked(self, y: np.ndarray, p: np.ndarray, t: np.ndarray) -> np.ndarray:
        """(copies, channels that are wanted)"""
        if not self._clocked:
            problem = self._at(y, p, 0.0, self._episode.dt)
            return mapped(problem, y[:, None], self._function, self._lanes)[:, 0]
        values = np.empty((len(y), len(self._wanted)))
        for now in np.unique(t):
            group = np.flatnonzero(t == now)
            problem = self._at(y[group], p[group], now - self._episode.dt, now)
            values[group] = mapped(problem, y[group][:, None], self._function, self._lanes)[:, 0]
        return values


def _depends_on_time(begun: Begun) -> bool:
    program = begun.ready.program
    if len(begun.setting.stops) or any(callable(s) for s in begun.setting.signals.values()):
        return True
    assert program.symbolic is not None
    for name in (
        "rhs",
        "outputs",
        *(["events"] if program.events else []),
        *(["project"] if program.constrained else []),
    ):
        function = program.symbolic(name)
        arguments = function.sx_in()
        if any(ca.depends_on(x, arguments[0]) for x in function.call(arguments, True, False)):
            return True
    return False
