"""When sampled controllers look, and what that changes in the state of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.cost import check_samplings
from linkwork.components.control.sampled import Sampled
from linkwork.core.errors import ModelError
from linkwork.integrate import evaluate

if TYPE_CHECKING:
    from linkwork.core.model import Model


def refuse_sampling(model: Model, what: str) -> None:
    """Raise if the model has sampled controllers: `what` knows no jumps."""
    found = model.of_type(Sampled)
    if found:
        raise ModelError(
            f"it acts at single times, which {what} does not cover.",
            component=found[0].name,
            remedy="Use m.simulate(…), or a continuous block: m.pid, m.transfer_function, m.state_space.",
        )


class Sampler:
    """The sampled controllers of one run. Each takes its k-th sample at offset + k·period."""

    def __init__(self, controllers: list[Sampled], signals: Any):
        self._controllers, self._signals = controllers, signals
        self._taken = [0] * len(controllers)

    @property
    def _next(self) -> float:
        return min((self._time(k) for k in range(len(self._controllers))), default=np.inf)

    def stop(self, times: np.ndarray) -> float:
        """The next time [s] when anything is sampled; a requested time that differs by rounding only stands for it."""
        due = self._next
        near = times[np.abs(times - due) <= _rounding(due)]
        return float(near[0]) if near.size else due

    def is_due(self, t: float) -> bool:
        return self._next <= t + _rounding(t)

    def _time(self, k: int) -> float:
        c = self._controllers[k]
        return c.offset + self._taken[k] * c.period

    def take(self, ready: Any, t: float, y: np.ndarray) -> np.ndarray:
        """The state after all samples that are due at t; all look before any acts."""
        acting = [k for k in range(len(self._controllers)) if self._time(k) <= t + _rounding(t)]
        if not acting:
            return y
        program = ready.program
        row = evaluate(
            program.function("outputs"), np.array([t]), y[None, :], ready.p, self._signals, inputs=len(program.inputs)
        )[0]
        number = {channel.name: n for n, channel in enumerate(program.channels)}
        place = {name: n for n, name in enumerate(ready.equations.state_names)}
        y = y.copy()
        for k in acting:
            self._taken[k] += 1
            for state, channel in self._controllers[k].updates.items():
                y[place[state]] = row[number[channel]]
        return y


def _rounding(t: float) -> float:
    return 1e-12 * max(1.0, abs(t))


def sampler_of(model: Model, signals: Any, duration: float) -> Sampler | None:
    """The sampler of a run, if there is anything to sample."""
    controllers = model.of_type(Sampled)
    for controller in controllers:
        check_samplings(controller.name, duration, controller.period)
    return Sampler(controllers, signals) if controllers else None
