"""What an environment is asked for: read once, and shared by one copy or many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from linkwork.core.errors import ModelError, UnknownName
from linkwork.core.kinds import is_number, shown
from linkwork.core.plain_data import Record
from linkwork.core.signal import Inputs
from linkwork.environments.judging import Judged, Judgement
from linkwork.simulation.stepper.stepper import Stepper
from linkwork.sweeps.distributions import Distribution, uniform
from linkwork.sweeps.variables import coordinate_names, with_starts

if TYPE_CHECKING:
    from linkwork.core.model import Model

Bounds: TypeAlias = Mapping[str, tuple[float, float]]
Random: TypeAlias = Mapping[str, Distribution | tuple[float, float]]
TIME = "t"


@dataclass(frozen=True)
class Episode:
    """A model at its start, and what to see, to do, to draw and to reward."""

    model: Model
    """With start values that are drawn as parameters."""
    dt: float
    steps: int
    """After which an episode is cut off."""
    observations: list[str]
    actions: list[str]
    low: np.ndarray
    high: np.ndarray
    random: dict[str, Distribution]
    reward: Judgement
    terminated: Judgement
    stepper: Stepper
    """At the start of the model as it is."""
    parameters: dict[str, float]
    inputs: Record
    options: Record

    @property
    def known(self) -> list[str]:
        return known_names(self.model, self.stepper)

    def draw(self, generators: Sequence[np.random.Generator]) -> dict[str, np.ndarray]:
        """Random values of as many episodes as there are generators."""
        if not self.random:
            return {}
        chances = np.array([generator.random(len(self.random)) for generator in generators])
        return {name: d.quantile(u) for (name, d), u in zip(self.random.items(), chances.T, strict=True)}

    def begin(self, stepper: Stepper, drawn: Mapping[str, float]) -> None:
        """Reset a stepper to the start of an episode."""
        model = self.model
        parameters = self.parameters | {n: x for n, x in drawn.items() if n in model.parameters}
        inputs = self.inputs | {n: x for n, x in drawn.items() if n in model.inputs}
        stepper.reset(parameters=parameters, inputs=inputs)

    def checked(self, action: object, shape: tuple[int, ...]) -> np.ndarray:
        """Within the bounds; ModelError for what is no finite number."""
        try:
            values = np.asarray(action, dtype=float).reshape(shape)
        except (TypeError, ValueError):
            values = np.full(shape, np.nan)
        if not np.isfinite(values).all():
            raise ModelError(
                f"the action {shown(action)}.",
                component=self.model.name,
                remedy=f"Give finite numbers for {', '.join(self.actions)}, shape {shape}.",
            )
        return np.clip(values, self.low, self.high)


def known_names(model: Model, stepper: Stepper) -> list[str]:
    return [*(c.name for c in stepper.channels), *model.inputs, *model.parameters, TIME]


def episode_of(
    model: Model,
    dt: float,
    duration: float,
    observations: Sequence[str] | None,
    actions: Bounds,
    reward: Judged,
    terminated: Judged,
    random: Random,
    parameters: Mapping[str, float],
    inputs: Inputs,
    options: Record,
) -> Episode:
    drawn = {name: _distribution(name, given) for name, given in random.items()}
    low, high = _bounds(model, actions)
    for name in drawn:
        if name in actions or name in parameters or name in inputs:
            raise ModelError("is both drawn and given.", component=name, remedy="Name it once.")
    twin = with_starts(model, list(drawn))
    stepper = twin.stepper(dt, parameters=dict(parameters), inputs=dict(inputs), **options)
    known = known_names(twin, stepper)
    return Episode(
        twin, dt, _steps(model, dt, duration), _observed(model, observations, known), list(actions), low, high, drawn,
        Judgement("reward", reward, known, model.name), Judgement("terminated", terminated, known, model.name),
        stepper, dict(parameters), dict(inputs), options,
    )  # fmt: skip


def _steps(model: Model, dt: float, duration: float) -> int:
    steps = duration / dt if is_number(duration) and is_number(dt) and dt > 0 else 0
    if steps < 0.5:
        raise ModelError(
            f"an episode of {shown(duration)} s in steps of {shown(dt)} s.",
            component=model.name,
            remedy="Give positive numbers of seconds, duration not shorter than dt.",
        )
    return int(np.ceil(steps * (1 - 1e-9)))


def _bounds(model: Model, actions: Bounds) -> tuple[np.ndarray, np.ndarray]:
    if not actions:
        raise ModelError("there is nothing to do.", component=model.name, remedy="Give actions={input: (low, high)}.")
    for name, pair in actions.items():
        if name not in model.inputs:
            raise UnknownName("input", name, model.inputs, component=model.name)
        fine = isinstance(pair, (tuple, list)) and len(pair) == 2 and all(is_number(x) for x in pair)
        if not fine or not pair[0] < pair[1]:
            raise ModelError(f"its bounds are {shown(pair)}.", component=name, remedy="Give (low, high), low < high.")
    low, high = np.array(list(actions.values()), dtype=float).T
    return low, high


def _observed(model: Model, observations: Sequence[str] | None, known: Sequence[str]) -> list[str]:
    if observations is None:
        wanted = [name for c in coordinate_names(model) for name in (c, f"{c}.rate")]
    else:
        wanted = [observations] if isinstance(observations, str) else list(observations)
    for name in wanted:
        if name not in known:
            raise UnknownName("channel", str(name), known, component=model.name)
    if not wanted:
        raise ModelError("there is nothing to see.", component=model.name, remedy="Give observations=[channel, …].")
    return wanted


def _distribution(name: str, given: object) -> Distribution:
    if isinstance(given, Distribution):
        return given
    if isinstance(given, (tuple, list)) and len(given) == 2:
        return uniform(*given)
    raise ModelError(
        f"is drawn from {shown(given)}.", component=name, remedy="Give lw.uniform(…), lw.normal(…), …, or (low, high)."
    )


def one_of(drawn: Mapping[str, np.ndarray], k: int) -> dict[str, float]:
    """What was drawn for one of them."""
    return {name: float(values[k]) for name, values in drawn.items()}
