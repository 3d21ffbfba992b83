"""A linear controller that acts on the inputs of a model, from what its channels say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias

import casadi as ca
import numpy as np

from linkwork.components.control.discrete import Periodic
from linkwork.core.component import Element, State, View
from linkwork.core.errors import ModelError
from linkwork.core.kinds import mapping, number, numbers, positive_number, text
from linkwork.core.registry import component
from linkwork.geometry import SX

Rows: TypeAlias = Sequence[Sequence[float]] | np.ndarray | None
Readings: TypeAlias = Annotated[Mapping[str, float], mapping, "channel → its value where the model is to rest"]
Gains: TypeAlias = Annotated[
    Mapping[str, Sequence[float]], mapping, "input → D: what is added to it per deviation of each reading"
]
FIXED = ("readings", "gains", "A", "B", "C", "period")
"""Arguments from which its states are made."""


@dataclass(frozen=True, eq=False)
class LinearController:
    """ẋ = A x + B δy, δu = C x + D δy; sampled: x of the next sample in place of ẋ."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray


@component
class Feedback(Element):
    """A linear controller: adds δu = C x + D δy to inputs, dx/dt = A x + B δy; δy is what channels are off their rest.

    Inputs keep their meaning: what is given for one is what the feedback is added to.
    """

    # Channels are known only when a formulation has been written, so here they are symbols; `formulations.fed_back`
    # puts the channels in.

    def __init__(
        self,
        name: str,
        readings: Readings,
        gains: Gains,
        *,
        A: Annotated[Rows, numbers, "n×n; None: it remembers nothing"] = None,
        B: Annotated[Rows, numbers, "n×(readings)"] = None,
        C: Annotated[Rows, numbers, "(inputs)×n"] = None,
    ):
        super().__init__(name)
        self.readings = {
            text.taken("readings", channel, name): number.taken(f"readings[{channel!r}]", x, name)
            for channel, x in readings.items()
        }
        self.gains = {
            text.taken("gains", each, name): numbers.taken(f"gains[{each!r}]", row, name) for each, row in gains.items()
        }
        self.A, self.B, self.C = A, B, C
        self.inputs = list(self.gains)
        self.controller = _controller(name, len(self.readings), self.gains, A, B, C)
        self.measured = SX.sym(f"{name}.measured", len(self.readings))
        self.memory = SX.sym(f"{name}.memory", len(self.controller.A))

    def __setattr__(self, name: str, value: object) -> None:
        if name in FIXED and self.__dict__.get("model") is not None:
            raise ModelError(
                "cannot be changed any more.",
                component=f"{self.name}.{name}",
                remedy="Give it where the component is made.",
            )
        super().__setattr__(name, value)

    @property
    def _deviation(self) -> SX:
        return self.measured - ca.DM(list(self.readings.values()))

    def _matrices(self) -> list[SX]:
        return [_thin(getattr(self.controller, name)) for name in "ABCD"]

    def _next_memory(self) -> SX:
        A, B, _, _ = self._matrices()
        return A @ self.memory + B @ self._deviation

    def _answer(self) -> SX:
        _, _, C, D = self._matrices()
        return C @ self.memory + D @ self._deviation

    def _memory_names(self) -> list[str]:
        return [f"{self.name}.memory{k + 1}" for k in range(self.memory.numel())]

    def states(self, view: View) -> list[State]:
        rates = self._next_memory()
        return [State(name, self.memory[k], rates[k]) for k, name in enumerate(self._memory_names())]

    def added(self) -> dict[str, SX]:
        """To each input, by name."""
        answer = self._answer()
        return {name: answer[k] for k, name in enumerate(self.inputs)}

    def channels(self, view: View) -> dict[str, tuple[str, SX]]:
        assert self.model is not None
        return {name: (self.model.units.get(name, ""), value) for name, value in self.added().items()}


@component
class SampledFeedback(Feedback, Periodic):
    """The same every `period` [s]: x is that of the next sample in place of dx/dt; what is added is held in between."""

    def __init__(
        self,
        name: str,
        readings: Readings,
        gains: Gains,
        *,
        period: Annotated[float, positive_number["s"], "between two samples"],
        A: Annotated[Rows, numbers, "n×n; None: it remembers nothing"] = None,
        B: Annotated[Rows, numbers, "n×(readings)"] = None,
        C: Annotated[Rows, numbers, "(inputs)×n"] = None,
    ):
        super().__init__(name, readings, gains, A=A, B=B, C=C)
        self.period, self.offset = float(period), 0.0
        self.held = SX.sym(f"{name}.held", len(self.inputs))

    def states(self, view: View) -> list[State]:
        assert self.model is not None
        units = [self.model.units.get(name, "") for name in self.inputs]
        kept = [State(name, self.memory[k], SX(0)) for k, name in enumerate(self._memory_names())]
        held = [f"{self.name}.{name}" for name in self.inputs]
        return kept + [State(name, self.held[k], SX(0), 0.0, units[k]) for k, name in enumerate(held)]

    def added(self) -> dict[str, SX]:
        return {name: self.held[k] for k, name in enumerate(self.inputs)}

    @property
    def updates(self) -> dict[str, str]:
        names = [*self._memory_names(), *(f"{self.name}.{name}" for name in self.inputs)]
        return {name: f"{self.name}.next_{name.removeprefix(f'{self.name}.')}" for name in names}

    def channels(self, view: View) -> dict[str, tuple[str, SX]]:
        values = ca.vertsplit(ca.vertcat(self._next_memory(), self._answer()))
        own = (channel.removeprefix(f"{self.name}.") for channel in self.updates.values())
        return {name: ("", value) for name, value in zip(own, values, strict=True)}


def _controller(
    name: str, readings: int, gains: Mapping[str, np.ndarray], A: Rows, B: Rows, C: Rows
) -> LinearController:
    """Its matrices; ModelError where they do not fit each other."""
    memory = [x is not None for x in (A, B, C)]
    if any(memory) and not all(memory):
        raise ModelError("A, B and C belong together.", component=name, remedy="Give all of them, or none.")
    n, m = 0 if A is None else len(np.atleast_2d(A)), len(gains)
    if not m or not readings:
        raise ModelError("it reads or moves nothing.", component=name, remedy="Name channels to read, and inputs.")
    shapes = {"A": (n, n), "B": (n, readings), "C": (m, n)}
    given = {word: np.zeros(shapes[word]) if x is None else np.atleast_2d(np.array(x, dtype=float))
             for word, x in zip(shapes, (A, B, C), strict=True)}  # fmt: skip
    given |= {f"gains[{each!r}]": np.atleast_2d(row) for each, row in gains.items()}
    for word, x in given.items():
        shape = shapes.get(word, (1, readings))
        if x.shape != shape:
            raise ModelError(
                f"{word} is {'×'.join(map(str, x.shape))} instead of {shape[0]}×{shape[1]}.",
                component=name,
                remedy="A is n×n, B n×(readings), C (inputs)×n; gains have a number for each reading.",
            )
    return LinearController(given["A"], given["B"], given["C"], np.vstack(list(gains.values())))


def _thin(matrix: np.ndarray) -> SX:
    """Without its zeros, which would be computed with."""
    return SX(ca.sparsify(ca.DM(matrix)))


def check_inputs(name: str, inputs: Sequence[str], model_inputs: Mapping[str, float]) -> None:
    """Raise where an input is gone."""
    for each in inputs:
        if each not in model_inputs:
            raise ModelError(f"the model has no input {each!r}.", component=name, remedy="Make it with m.input(…).")
