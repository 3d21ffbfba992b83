"""Start states of episodes: assembled, or written directly where what is drawn are states and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import casadi as ca
import numpy as np

from linkwork.core.equations import Equations
from linkwork.core.errors import ModelError
from linkwork.core.model import Model, acceptable
from linkwork.environments.episode import Episode, one_of
from linkwork.formulations.order import Structure, structure_depends, structure_of
from linkwork.simulation.simulate import Begun, begin, choice_of
from linkwork.simulation.stepper.stepper import Stepper
from linkwork.simulation.task import Task
from linkwork.sweeps.batch.cases import numbers_of
from linkwork.sweeps.starts import VERIFIED

ALIKE = 1e-12
"""Natural units by which a start that is written may differ from one that is assembled."""


def begun_of(episode: Episode) -> Begun:
    """The first episode as a run that is ready to go."""
    model, options = episode.model, episode.options
    choice = choice_of(model, options["formulation"], "projection", None, "multipliers", None)
    task = Task(
        model, episode.steps * episode.dt, np.array([episode.dt]), choice, options["solver"], options["rtol"],
        options["atol"], options["step"], None, episode.parameters, episode.inputs, None, True, None, None,
    )  # fmt: skip
    return begin(task)


class Beginnings:
    """(state, p) of an episode with its drawn values."""

    def __init__(self, episode: Episode, begun: Begun):
        self._episode, self._begun = episode, begun
        self._y, self._p = begun.ready.state, numbers_of(begun)
        model, ready = episode.model, begun.ready
        self._columns = {name: k for k, name in enumerate([*model.parameters, *model.inputs])}
        drawn = list(episode.random)
        self._states = _places(ready.equations, drawn)
        self._direct = not ready.program.constrained
        self._structure = _structure(model, self._begun.task.parameters)
        self._varies = structure_depends(model, drawn)
        self._looks = 0

    @property
    def written(self) -> bool:
        """Whether the next one is written: it was found to be the same as an assembled one."""
        return self._direct and self._looks >= VERIFIED

    @property
    def plain(self) -> bool:
        """Whether many can be written at once."""
        return self.written and not self._varies

    def all(self, drawn: Mapping[str, np.ndarray], count: int) -> tuple[np.ndarray, np.ndarray]:
        """As many as were drawn, written."""
        model = self._episode.model
        y, p = np.repeat(self._y[None], count, axis=0), np.repeat(self._p[None], count, axis=0)
        for name, values in drawn.items():
            p[:, self._columns[name]] = values
            if name in self._states:
                y[:, self._states[name]] = values
        refused = np.flatnonzero(~acceptable(model, p[:, : len(model.parameters)]))
        if refused.size:
            self._written(one_of(drawn, int(refused[0])))  # which says why
        return y, p

    def __call__(self, drawn: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
        if not drawn:
            return self._y, self._p
        if self.written:
            return self._written(drawn)
        start = self._assembled(drawn)
        if self._direct:
            self._looks += 1
            scale = self._begun.ready.program.scale
            unit = np.ones(start[0].size) if scale is None else scale
            near = np.abs(start[0] - self._written(drawn)[0]) <= ALIKE * unit * np.maximum(1.0, np.abs(start[0]))
            self._direct = bool(near.all()) and np.array_equal(start[1], self._written(drawn)[1])
        return start

    def _written(self, drawn: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
        """What could be refused is looked at as before a run."""
        model, task = self._episode.model, self._begun.task
        parameters = dict(task.parameters or {}) | {n: x for n, x in drawn.items() if n in model.parameters}
        model.parameter_values(parameters)
        if self._varies and _structure(model, parameters) != self._structure:
            raise _other_equations(model)
        y, p = self._y.copy(), self._p.copy()
        for name, value in drawn.items():
            p[self._columns[name]] = value
            if name in self._states:
                y[self._states[name]] = value
        return y, p

    def _assembled(self, drawn: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
        task, model = self._begun.task, self._episode.model
        parameters = dict(task.parameters or {}) | {n: x for n, x in drawn.items() if n in model.parameters}
        inputs = dict(task.inputs or {}) | {n: x for n, x in drawn.items() if n in model.inputs}
        begun = begin(replace(task, parameters=parameters, inputs=inputs))
        if begun.ready.program is not self._begun.ready.program:
            raise _other_equations(model)
        return begun.ready.state, numbers_of(begun)


def _structure(model: Model, parameters: Mapping[str, float] | None) -> Structure:
    with model.prepared_for(parameters):
        return structure_of(model)


def _other_equations(model: Model) -> ModelError:
    return ModelError(
        "what was drawn changes its equations.",
        component=model.name,
        remedy="Draw from a range in which nothing vanishes.",
    )


def _places(eq: Equations, names: Sequence[str]) -> dict[str, int]:
    """Numbers of the states that are channels of these names."""
    states = {symbol.element_hash(): k for k, symbol in enumerate(ca.vertsplit(eq.y))}
    channels = {name: ca.simplify(eq.observation.outputs[name][1]) for name in names if name in eq.observation.outputs}
    return {n: states[x.element_hash()] for n, x in channels.items() if x.is_symbolic() and x.element_hash() in states}


class Resets:
    """Brings one stepper back to the start of an episode: from a moment that was saved, where starts can be written."""

    def __init__(self, episode: Episode, stepper: Stepper):
        self._episode, self._stepper = episode, stepper
        self._beginnings: Beginnings | None = None
        self._saved = stepper.save()
        if stepper.plain:
            self._beginnings = Beginnings(episode, begun_of(episode))

    def __call__(self, drawn: Mapping[str, float]) -> None:
        known = self._beginnings
        if known is not None and (known.written or not drawn):
            self._stepper.begin_at(self._saved, *known(drawn))
            return
        if known is not None:
            known(drawn)  # which sees whether it can be written next time
        self._episode.begin(self._stepper, drawn)
