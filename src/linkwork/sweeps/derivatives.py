"""Derivatives: how what is kept of every case changes with parameters, exactly, on whatever runs the cases."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from linkwork.analyses.sensitivity.forward import Observation
from linkwork.analyses.sensitivity.objectives import Scalar
from linkwork.analyses.sensitivity.question import METHODS, Question
from linkwork.analyses.sensitivity.sensitivities import derivative_unit
from linkwork.core.errors import LinkworkError, ModelError, UnknownName
from linkwork.core.kinds import names_in, shown
from linkwork.core.plain_data import Record
from linkwork.core.program import Channel
from linkwork.core.result import Result
from linkwork.sweeps.keeping import SERIES, SLOPES, Keeping
from linkwork.sweeps.outcome import EVENT, FINISHED, SINGLE, Outcome, Quantity
from linkwork.sweeps.runs import TRIED, matching
from linkwork.sweeps.study import Lock, Study, leave
from linkwork.sweeps.variables import label

if TYPE_CHECKING:
    from linkwork.core.model import Model

T = TypeVar("T")
BY = " by "
"""Between what is differentiated and the parameter: "piston.x.end by L"."""


@dataclass
class Derivatives(Study):
    """Channels and scalars of every case, each with its derivative with respect to every parameter of `to`.

    to: parameters, and what each is called in the Dataset; asked: what a Question takes beside parameters and inputs;
    keeping: with patterns in place of channels until `settle`; scalars: by name; gradient: how theirs is computed.
    """

    to: Mapping[str, str] = field(kw_only=True)
    asked: Record = field(kw_only=True)
    keeping: Keeping = field(kw_only=True)
    scalars: Mapping[str, Scalar] = field(kw_only=True)
    gradient: str = field(default="auto", kw_only=True)
    together = "derivatives are integrated along with single cases."
    _units: dict[str, str] = field(default_factory=dict)
    _equations: str = ""

    def settle(self) -> None:
        """Find out which channels there are from the first case that can be assembled."""
        error: LinkworkError | None = None
        for case in range(min(TRIED, self.design.cases)):
            try:
                self._settle(*self._given(case))
                return
            except LinkworkError as refused:
                error = error or refused
        assert error is not None
        raise error

    def _settle(self, values: Mapping[str, float], options: Record) -> None:
        known = Question(**options).units(values)
        self.keeping = replace(self.keeping, channels=matching(self.keeping.channels, known, self.model.name))
        self._units = {name: known[name] for name in self.keeping.channels}
        parts = ({"channels": self.keeping.channels}, {"scalars": list(self.scalars.values())})
        texts = [Question(**options, **part).equations(values) for part in parts if any(part.values())]
        self._equations = "".join(texts)

    def _given(self, case: int) -> tuple[dict[str, float], Record]:
        """Values of all parameters, and what a Question takes."""
        parameters, inputs = self.values(case)
        values = dict(zip(self.model.parameters, self.model.parameter_values(parameters).tolist(), strict=True))
        return values, {"model": self.model, "to": tuple(self.to), "inputs": inputs or None, **self.asked}

    @property
    def layout(self) -> tuple[Quantity, ...]:
        """Values first, as without derivatives; then the derivatives of each by all parameters."""
        plain = self.keeping.layout(self._units) + tuple(Quantity(name, "", meaning="own") for name in self.scalars)
        return plain + tuple(
            replace(q, name=f"{q.name}{BY}{label}", unit=derivative_unit(q.unit, self.model.units.get(name, "")))
            if q.meaning != "own"
            else replace(q, name=f"{q.name}{BY}{label}")
            for q in plain
            for name, label in self.to.items()
        )

    @property
    def dimensions(self) -> dict[str, tuple[np.ndarray, str]]:
        return {"t": (self.keeping.times, "s")} if any(q.dimension for q in self.layout) else {}

    def settings(self) -> Record:
        return {
            "of": "derivatives", "model": self.model.name, "equations": self._equations, "to": list(self.to),
            "times": self.keeping.times.tolist(), "channels": self.keeping.channels, "keep": self.keeping.ways,
            "scalars": {name: str(s) for name, s in self.scalars.items()}, "gradient": self.gradient,
            "parameters": dict(self.parameters), "inputs": {name: repr(x) for name, x in self.inputs.items()},
            **{name: str(x) for name, x in self.asked.items()},
        }  # fmt: skip

    def answer(self, case: int, stop: Callable[[], bool], lock: Lock) -> Outcome:
        with lock:
            values, options = self._given(case)
            options["progress"] = lambda _: leave(stop)
            question = Question(channels=self.keeping.channels, **options)
            numbers = Question(scalars=list(self.scalars.values()), **options)
        plain, slopes, event, end = np.zeros(0), np.zeros(0), "", float(self.asked["duration"])
        if self.keeping.channels:
            observation = self._timed(lambda: question.observe(values, self.keeping.times, lock))
            plain, slopes, event = *self._kept(observation), observation.stopped
            end = float(observation.t[-1]) if event and observation.t.size else end
        if self.scalars:
            gradients, by, _ = self._timed(lambda: numbers.gradients(values, self.gradient, lock))
            plain, slopes = np.concatenate([plain, gradients]), np.concatenate([slopes, by.ravel()])
        kept = np.concatenate([plain, slopes])
        return Outcome(EVENT if event else FINISHED, event, end, "", kept, SINGLE)

    def _timed(self, ask: Callable[[], T]) -> T:
        clock = time.perf_counter()
        try:
            return ask()
        finally:
            self.integrating += time.perf_counter() - clock

    def _kept(self, observation: Observation) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of the channels, and their derivatives by all parameters; both in the order of the layout."""
        names = self.keeping.channels
        result = Result(observation.t, observation.values, [Channel(name, self._units[name]) for name in names])
        place = np.searchsorted(observation.t, self.keeping.times, side="right") - 1
        there = (place >= 0) & (observation.t[place] == self.keeping.times)
        parts = []
        if SERIES in self.keeping.ways:
            parts = [np.where(there[:, None], observation.derivatives[place, k], np.nan).T for k in range(len(names))]
        for way in self.keeping.ways:
            if way != SERIES:
                parts += [self._slope(way, observation, k)[:, None] for k in range(len(names))]
        return self.keeping.values(result, whole=True), np.concatenate([part.ravel() for part in parts])

    def _slope(self, way: str, observation: Observation, k: int) -> np.ndarray:
        """Derivatives of a number made of channel k; where an event ends the run, its end moves: there is none."""
        if observation.stopped:
            return np.full(len(self.to), np.nan)
        return SLOPES[way](observation.t, observation.values[:, k], observation.derivatives[:, k])


def parameters_in(model: Model, given: object) -> tuple[str, ...]:
    """Names of parameters and start values to differentiate by, each once."""
    names = names_in(given)
    if not names:
        raise ModelError(
            "there is no parameter to differentiate by.", component=model.name, remedy='Give sensitivities=["L"].'
        )
    for name in names:
        if name in model.inputs:
            raise ModelError(
                "is an input, by which nothing is differentiated.", component=name,
                remedy=f"Make it a parameter: m.parameter({name!r}, …).",
            )  # fmt: skip
    if len(set(names)) < len(names):
        raise ModelError("a parameter is named twice.", component=model.name, remedy="Name each one once.")
    return tuple(map(str, names))


def labels(original: Model, names: tuple[str, ...]) -> dict[str, str]:
    """What each parameter is called in the Dataset."""
    return {name: label(original, name) for name in names}


def scalars_in(model: Model, reduce: object) -> dict[str, Scalar]:
    """{name: scalar}; functions of a Result have no exact derivative."""
    given = {} if reduce is None else reduce
    if not isinstance(given, Mapping) or not all(isinstance(s, Scalar) for s in given.values()):
        raise ModelError(
            f"reduce={shown(reduce)}: functions of a Result have no exact derivative.", component=model.name,
            remedy='Give scalars: reduce={"effort": lw.Integral("O.angle.rate"), "last": lw.Final("piston.x")}.',
        )  # fmt: skip
    return {str(name): s for name, s in given.items()}


def gradient_in(model: Model, gradient: object, channels: bool) -> str:
    """The method for scalars; channels: whether channels are differentiated, too."""
    if not isinstance(gradient, str) or gradient not in METHODS:
        raise UnknownName("method", str(gradient), METHODS)
    if gradient == "adjoint" and channels:
        raise ModelError(
            "the adjoint method gives derivatives of scalars, not of channels.", component=model.name,
            remedy='Leave gradient out; or keep scalars only: channels=[], reduce={"last": lw.Final("piston.x")}.',
        )  # fmt: skip
    return gradient
