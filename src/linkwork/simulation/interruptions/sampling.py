"""When sampled controllers look, and what that changes in the state of a run."""

from __future__ import annotations

from typing import Self

import numpy as np

from linkwork.components.control.discrete import Periodic
from linkwork.core.errors import ModelError
from linkwork.core.units import long_time
from linkwork.integrate import Trajectory, evaluate
from linkwork.signals.inputs import Signals
from linkwork.simulation.interruptions.interruption import Interruption, Moment, Setting, Sides

SAMPLE_LIMIT = 10_000_000
"""Times that a controller may act in one run; each takes about 0.2 ms."""


class Sampling(Interruption):
    """The sampled controllers of one run. Each takes its k-th sample at offset + k·period."""

    def __init__(self, controllers: list[Periodic], signals: Signals):
        self._controllers, self._signals = controllers, signals
        self._taken = [0] * len(controllers)

    @classmethod
    def of(cls, setting: Setting) -> Self | None:
        controllers = setting.model.of_type(Periodic)
        for controller in controllers:
            check_samples(controller.name, setting.duration, controller.period)
        return cls(controllers, setting.signals) if controllers else None

    def begin(self, now: Moment) -> None:
        self._take(now)

    def next_time(self, now: Moment) -> float:
        """When anything is sampled; a requested time that differs by rounding only stands for it."""
        due = min(self._time(k) for k in range(len(self._controllers)))
        near = now.times[np.abs(now.times - due) <= rounding_at(due)]
        return float(near[0]) if near.size else due

    def resume(self, now: Moment, part: Trajectory) -> Sides:
        self._take(now)
        return Sides.AFTER

    def saved(self) -> list[int]:
        return list(self._taken)

    def restore(self, saved: object) -> None:
        assert isinstance(saved, list)
        self._taken = list(saved)

    def _time(self, k: int) -> float:
        c = self._controllers[k]
        return c.offset + self._taken[k] * c.period

    def _take(self, now: Moment) -> None:
        """All samples that are due; all look before any acts."""
        t = now.after
        acting = [k for k in range(len(self._controllers)) if self._time(k) <= t + rounding_at(t)]
        if not acting:
            return
        program, y = now.ready.program, now.y.copy()
        outputs, inputs = program.function("outputs"), len(program.inputs)
        row = evaluate(outputs, np.array([t]), y[None, :], now.ready.p, self._signals, inputs=inputs)[0]
        number = {channel.name: n for n, channel in enumerate(program.channels)}
        place = {name: n for n, name in enumerate(now.ready.equations.states.names)}
        for k in acting:
            self._taken[k] += 1
            for state, channel in self._controllers[k].updates.items():
                y[place[state]] = row[number[channel]]
        now.y = y


def rounding_at(t: float) -> float:
    """By how much [s] times may differ that are meant to be one."""
    return 1e-12 * max(1.0, abs(t))


def check_samples(name: str, duration: float, period: float) -> None:
    """ModelError for a controller that would act for hours."""
    if duration / period > SAMPLE_LIMIT:
        raise ModelError(
            f"it would act {duration / period:.2g} times, which takes about {long_time(2e-4 * duration / period)}.",
            component=name,
            remedy="Give a longer period or a shorter duration, or use a continuous block.",
        )
