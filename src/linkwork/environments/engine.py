"""Who computes the steps of many copies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from linkwork.environments.episode import TIME, Episode, one_of


class Engine(Protocol):
    """Copies of a model, by number."""

    text: str
    """What it is, for `env.engine`."""

    def begin(self, which: np.ndarray, drawn: Mapping[str, np.ndarray]) -> None:
        """Put copies at the start of an episode."""
        ...

    def advance(self, which: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """On by one step; whether each of them was stopped by an event."""
        ...

    def read(self, name: str) -> np.ndarray:
        """A channel, input or parameter, or the time, of all copies."""
        ...


class OneByOne:
    """Every copy is a stepper."""

    def __init__(self, episode: Episode, count: int, reason: str):
        self.text = f"steppers, one after the other: {reason}"
        self._episode = episode
        model, options = episode.model, episode.options
        self._steppers = [
            model.stepper(episode.dt, parameters=episode.parameters, inputs=episode.inputs, **options)
            for _ in range(count)
        ]
        self._channels = {channel.name for channel in episode.stepper.channels}

    def begin(self, which: np.ndarray, drawn: Mapping[str, np.ndarray]) -> None:
        for j, k in enumerate(which.tolist()):
            self._episode.begin(self._steppers[k], one_of(drawn, j))

    def advance(self, which: np.ndarray, actions: np.ndarray) -> np.ndarray:
        names = self._episode.actions
        for k, row in zip(which.tolist(), actions.tolist(), strict=True):
            self._steppers[k].set(dict(zip(names, row, strict=True)))
            self._steppers[k].step()
        return np.array([bool(self._steppers[k].ended) for k in which.tolist()], dtype=bool)

    def read(self, name: str) -> np.ndarray:
        model = self._episode.model
        if name in self._channels:
            values = [s[name] for s in self._steppers]
        elif name == TIME:
            values = [s.t for s in self._steppers]
        elif name in model.inputs or name in model.parameters:
            values = [(s.inputs | s.parameters)[name] for s in self._steppers]
        else:
            values = [s[name] for s in self._steppers]  # which says that there is none
        return np.array(values)
