"""When FMUs and the model exchange what they hold for each other (co-simulation, all at the same time)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from linkwork.components.control.discrete import Discrete
from linkwork.core.errors import UnknownName
from linkwork.integrate import Trajectory, evaluate
from linkwork.signals.inputs import Signals
from linkwork.simulation.interruptions.interruption import Interruption, Moment, Setting, Sides
from linkwork.simulation.interruptions.sampling import check_samples, rounding_at

if TYPE_CHECKING:
    from linkwork.components.cosimulation.cosimulation import Cosimulation as Part
    from linkwork.simulation.cosimulation.instance import Instance


class Cosimulation(Interruption):
    """The FMUs of one run. Each goes from k·step to (k + 1)·step with the inputs of k·step, and its outputs of
    k·step are held until then."""

    def __init__(self, parts: list[Part], signals: Signals):
        self._parts, self._signals = parts, signals
        self._instances: list[Instance] = []
        self._done = [0] * len(parts)
        """Steps that each has done."""

    @classmethod
    def of(cls, setting: Setting) -> Self | None:
        if not setting.model.of_type(Discrete):
            return None
        from linkwork.components.cosimulation.cosimulation import Cosimulation as Part

        parts = setting.model.of_type(Part)
        for part in parts:
            check_samples(part.name, setting.duration, part.step)
        return cls(parts, setting.signals) if parts else None

    def begin(self, now: Moment) -> None:
        """Start all of them. What they are given at t = 0 may depend on what they give: twice around."""
        channels = self._channels(now)
        for part in self._parts:
            if unknown := [name for name in part.channel_inputs.values() if name not in channels]:
                raise UnknownName("channel", unknown[0], channels, component=part.name)
        from linkwork.components.cosimulation.description import EXCHANGE
        from linkwork.simulation.cosimulation.exchange import Exchange
        from linkwork.simulation.cosimulation.instance import Instance

        for part in self._parts:
            instance = (Exchange if part.description.kind == EXCHANGE else Instance)(part)
            self._instances.append(instance)
            instance.initialise(part.starts_from(channels), self._inputs(part, channels))
        self._take(now, range(len(self._parts)))
        self._give(now, range(len(self._parts)))

    def next_time(self, now: Moment) -> float:
        due = min(self._due(k) for k in range(len(self._parts)))
        near = now.times[np.abs(now.times - due) <= rounding_at(due)]
        return float(near[0]) if near.size else due

    def resume(self, now: Moment, part: Trajectory) -> Sides:
        self._advance(now)
        return Sides.AFTER

    def look_again(self, now: Moment) -> None:
        """What another one has changed at a time of exchange is what the next step is given."""
        if not self._advance(now):
            self._give(now, [k for k in range(len(self._parts)) if self._is_now(self._time(k), now)])

    def finish(self, path: Trajectory) -> None:
        for instance in self._instances:
            instance.end()

    def saved(self) -> tuple[list[int], list[object]]:
        return list(self._done), [instance.state() for instance in self._instances]

    def restore(self, saved: object) -> None:
        assert isinstance(saved, tuple)
        self._done = list(saved[0])
        for instance, state in zip(self._instances, saved[1], strict=True):
            instance.restore(state)

    def _advance(self, now: Moment) -> bool:
        """Do all steps that are due; all have done theirs before any is given anew. Whether there were some."""
        acting = [k for k in range(len(self._parts)) if self._due(k) <= now.t + rounding_at(now.t)]
        for k in acting:
            self._instances[k].step(self._time(k), self._parts[k].step)
            self._done[k] += 1
        if acting:
            self._take(now, acting)
            self._give(now, acting)
        return bool(acting)

    def _take(self, now: Moment, acting: range | list[int]) -> None:
        place = {name: n for n, name in enumerate(now.ready.equations.states.names)}
        y = now.y.copy()
        for k in acting:
            part = self._parts[k]
            for label, value in self._instances[k].outputs(now.t).items():
                y[place[f"{part.name}.{label}_held"]] = value
        now.y = y

    def _give(self, now: Moment, acting: range | list[int]) -> None:
        if not acting:
            return
        channels = self._channels(now)
        for k in acting:
            self._instances[k].give(self._inputs(self._parts[k], channels), now.t)

    def _inputs(self, part: Part, channels: dict[str, float]) -> dict[str, float]:
        return {name: channels[channel] for name, channel in part.fed_by.items()}

    def _channels(self, now: Moment) -> dict[str, float]:
        program = now.ready.program
        t, outputs = np.array([now.after]), program.function("outputs")
        row = evaluate(outputs, t, now.y[None, :], now.ready.p, self._signals, inputs=len(program.inputs))[0]
        return {channel.name: float(x) for channel, x in zip(program.channels, row, strict=True)}

    def _time(self, k: int) -> float:
        return self._done[k] * self._parts[k].step

    def _due(self, k: int) -> float:
        return (self._done[k] + 1) * self._parts[k].step

    def _is_now(self, time: float, now: Moment) -> bool:
        return abs(time - now.t) <= rounding_at(now.t)
