"""Inputs and parameters of a run in progress by name, and which of them may change between two steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, MutableSequence
from typing import TYPE_CHECKING, cast

import casadi as ca
import numpy as np

from linkwork.components.bodies import Body
from linkwork.core.equations import Equations
from linkwork.core.errors import ModelError, UnknownName
from linkwork.core.kinds import is_number, shown
from linkwork.formulations.order import structure_of
from linkwork.geometry import SX
from linkwork.signals.breakpoints import used
from linkwork.signals.continuity import asked
from linkwork.signals.inputs import Signals

if TYPE_CHECKING:
    from linkwork.core.model import Model


PLACE = ("x", "y", "z", "angle", "q0", "q1", "q2", "q3")
"""Channels of where a body is."""


def numbers_of(array: np.ndarray) -> MutableSequence[float]:
    """The same numbers, one by one: NumPy takes twice as long to hand one out."""
    return cast("MutableSequence[float]", array.data)


class Values(ABC):
    """p = [parameters, inputs, …], written in place: everything that runs reads it where it is."""

    def __init__(self, model: Model, p: np.ndarray, signals: Signals):
        self._model, self._signals = model, signals
        self.p = p
        self.numbers = numbers_of(p)
        names = [*model.parameters, *model.inputs]
        self.place = {name: k for k, name in enumerate(names)}
        """Of each name in p."""
        self.free: dict[str, int] = {}
        """Of inputs that are known to be free to change."""
        self._parameters = len(model.parameters)

    def changed(self, name: str, value: object) -> bool:
        """Set a value; whether it is another than before. What must not change during a run raises ModelError."""
        if not is_number(value):
            raise ModelError(f"it was set to {shown(value)}.", component=name, remedy="Give a finite number.")
        if name not in self.place:
            raise UnknownName("input or parameter", name, self.place, component=self._model.name)
        k, number = self.place[name], float(value)
        if number == self.numbers[k]:
            return False
        self._check(name, k)
        if k < self._parameters:
            self._check_parameter(name, number)
        else:
            self.free[name] = k
        self.numbers[k] = number
        return True

    def _check(self, name: str, k: int) -> None:
        """No finite force could follow a constraint that jumps."""
        if k - self._parameters in self._signals:
            raise ModelError(
                "a signal drives it.",
                component=name,
                remedy="Give a number instead of it to reset(inputs=…).",
            )
        moved = self.moved_by(name, k)
        if moved is not None:
            raise ModelError(
                f"it moves {moved}, which cannot jump between two steps: no finite force could follow.",
                component=name,
                remedy="Give it to reset(…), drive it by a signal (inputs=…), or apply a force instead.",
            )

    @abstractmethod
    def moved_by(self, name: str, k: int) -> str | None:
        """What would jump with the k-th number of p, called so; None: nothing."""

    @abstractmethod
    def fits(self, before: Mapping[str, float], values: Mapping[str, float]) -> bool:
        """Whether equations for these parameters are those for the ones before."""

    def _check_parameter(self, name: str, number: float) -> None:
        model = self._model
        values = {n: self.numbers[k] for n, k in self.place.items() if n in model.parameters}
        before = dict(values)
        values[name] = number
        model.parameter_values(values)
        if self.fits(before, values):
            return
        raise ModelError(
            f"with {number:g} the equations have another structure.", component=name, remedy="Give it to reset(…)."
        )


class ValuesOfEquations(Values):
    def __init__(self, model: Model, eq: Equations, p: np.ndarray, signals: Signals):
        super().__init__(model, p, signals)
        self._eq = eq

    def moved_by(self, name: str, k: int) -> str | None:
        symbol = self._eq.p[k]
        held = next((owner for owner, x in self._held() if ca.depends_on(x, symbol)), None)
        if held is None and any(x.source == name and x.order for x in used(self._eq)):
            return "what needs its rate"
        return held

    def _held(self) -> list[tuple[str, SX]]:
        """(owner, expression) of all that must not jump: constraints, and where bodies are by their coordinates."""
        eq, held = self._eq, [(owner, x) for owner, _, x in asked(self._eq)]
        outputs = eq.observation.outputs
        for body in self._model.of_type(Body):
            places = (outputs.get(f"{body.name}.{word}") for word in PLACE)
            held += [(body.name, place[1]) for place in places if place is not None]
        return held + [(c.name, c.gap) for c in eq.contacts.places]

    def fits(self, before: Mapping[str, float], values: Mapping[str, float]) -> bool:
        model = self._model
        with model.prepared_for(before):
            structure = structure_of(model)
        with model.prepared_for(values):
            return structure_of(model) == structure
