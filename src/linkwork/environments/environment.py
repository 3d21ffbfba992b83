"""One copy of a model as gymnasium.Env."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from linkwork.environments.beginnings import Resets
from linkwork.environments.episode import TIME, Episode, one_of
from linkwork.environments.judging import Observed


class Environment(gymnasium.Env[np.ndarray, np.ndarray]):
    """A model that an agent acts on; made by `lw.gym(m, …)`. `env.stepper` is the model in progress, `env.drawn` what
    was drawn at the last reset."""

    def __init__(self, episode: Episode):
        self.episode, self.stepper = episode, episode.stepper
        size = (len(episode.observations),)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, size, np.float64)
        self.action_space = gymnasium.spaces.Box(episode.low, episode.high, dtype=np.float64)
        self.drawn: dict[str, float] = {}
        self._step = 0
        self._begin = Resets(episode, self.stepper)
        self._channels = {channel.name for channel in episode.stepper.channels}
        self._readings = Observed(self._read, episode.known)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        self.drawn, self._step = one_of(self.episode.draw([self.np_random]), 0), 0
        self._begin(self.drawn)
        return self._observed(), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """An integration that fails raises, as `s.step` of a stepper does."""
        episode, stepper = self.episode, self.stepper
        given = episode.checked(action, (len(episode.actions),))
        stepper.set(dict(zip(episode.actions, given.tolist(), strict=True)))
        stepper.step()
        self._step += 1
        reward, ended = episode.reward.of_one(self._readings), bool(episode.terminated.of_one(self._readings))
        return self._observed(), reward, ended or bool(stepper.ended), self._step >= episode.steps, {}

    def _observed(self) -> np.ndarray:
        return np.array([self._read(name) for name in self.episode.observations])

    def _read(self, name: str) -> float:
        """A channel; else an input, a parameter or the time. A start value that is drawn has the name of a channel."""
        model, stepper = self.episode.model, self.stepper
        if name in self._channels:
            return stepper[name]
        if name == TIME:
            return stepper.t
        if name in model.inputs:
            return stepper.inputs[name]
        return stepper.parameters[name] if name in model.parameters else stepper[name]
