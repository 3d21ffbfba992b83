"""Many copies of a model as gymnasium.vector.VectorEnv."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector.utils import batch_space

from linkwork.core.errors import ModelError
from linkwork.environments.episode import Episode
from linkwork.environments.judging import Observed
from linkwork.environments.lanes import engine_of

MODES = {
    "next_step": gymnasium.vector.AutoresetMode.NEXT_STEP,
    "same_step": gymnasium.vector.AutoresetMode.SAME_STEP,
    "disabled": gymnasium.vector.AutoresetMode.DISABLED,
}


class VectorEnvironment(gymnasium.vector.VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """Copies of a model that an agent acts on together; made by `lw.gym(m, …, count=N)`.

    Copy k of `reset(seed=s)` draws what a single environment draws after `reset(seed=s + k)`.
    """

    def __init__(self, episode: Episode, count: int, autoreset: str):
        self.episode, self.num_envs = episode, int(count)
        size = (len(episode.observations),)
        self.single_observation_space = gymnasium.spaces.Box(-np.inf, np.inf, size, np.float64)
        self.single_action_space = gymnasium.spaces.Box(episode.low, episode.high, dtype=np.float64)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.metadata = {"autoreset_mode": MODES[autoreset], "render_modes": []}
        self._mode = MODES[autoreset]
        self._engine = engine_of(episode, self.num_envs)
        self._readings = Observed(self._engine.read, episode.known)
        self._generators = [seeding.np_random(None)[0] for _ in range(self.num_envs)]
        self._steps = np.zeros(self.num_envs, dtype=int)
        self._over = np.zeros(self.num_envs, dtype=bool)
        self.drawn = {name: np.full(self.num_envs, np.nan) for name in episode.random}

    @property
    def engine(self) -> str:
        """Who computes the steps: lanes, or steppers, and then why."""
        return self._engine.text

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        count = self.num_envs
        seeds = [None if seed is None else seed + k for k in range(count)] if not isinstance(seed, Sequence) else seed
        mask = np.asarray((options or {}).get("reset_mask", np.ones(count, dtype=bool)))
        if len(seeds) != count or mask.shape != (count,) or mask.dtype != bool:
            raise ModelError(
                f"{len(seeds)} seeds and a mask of the shape {mask.shape}.",
                component=self.episode.model.name,
                remedy=f"Give one seed or {count}, and a mask of {count} truth values.",
            )
        which = np.flatnonzero(mask)
        for k in which.tolist():
            if seeds[k] is not None:
                self._generators[k] = seeding.np_random(seeds[k])[0]
        self._begin(which)
        return self._observed(), {}

    def _begin(self, which: np.ndarray) -> None:
        if not which.size:
            return
        drawn = self.episode.draw([self._generators[k] for k in which.tolist()])
        for name, values in drawn.items():
            self.drawn[name][which] = values
        self._engine.begin(which, drawn)
        self._steps[which], self._over[which] = 0, False

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        episode, count = self.episode, self.num_envs
        given = episode.checked(actions, (count, len(episode.actions)))
        resting = self._over.copy()
        if resting.any() and self._mode is MODES["disabled"]:
            raise ModelError(
                f"copies {np.flatnonzero(resting)[:5].tolist()} are at their end.",
                component=episode.model.name,
                remedy="Reset them: env.reset(options={'reset_mask': terminated | truncated}).",
            )
        self._begin(np.flatnonzero(resting))
        going = np.flatnonzero(~resting)
        stopped = np.zeros(count, dtype=bool)
        stopped[going] = self._engine.advance(going, given[going])
        self._steps[going] += 1
        reward = np.where(resting, 0.0, episode.reward.of_all(self._readings, count))
        ended = ((episode.terminated.of_all(self._readings, count) != 0) | stopped) & ~resting
        cut = (self._steps >= episode.steps) & ~resting
        self._over, infos = ended | cut, {}
        observed = self._observed()
        if self._mode is MODES["same_step"] and self._over.any():
            infos = self._final(observed)
            self._begin(np.flatnonzero(self._over))
            observed = self._observed()
        return observed, reward, ended, cut, infos

    def _final(self, observed: np.ndarray) -> dict[str, Any]:
        """What Gymnasium tells of copies that are reset within the step."""
        infos: dict[str, Any] = {}
        for k in np.flatnonzero(self._over).tolist():
            infos = self._add_info(infos, {"final_obs": observed[k].copy(), "final_info": {}}, k)
        return infos

    def _observed(self) -> np.ndarray:
        return np.stack([self._engine.read(name) for name in self.episode.observations], axis=1)
