"""What is differentiated: a run's equations with integrals added as states, and wanted quantities as outputs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from linkwork.core.program import Event, NativeFunction, Program

Kept = TypeVar("Kept")
KEPT = 8
"""Questions whose programs a model keeps."""
Chosen = tuple[int, ...]
"""Parameters, by their number in p."""


class Flow(ABC):
    """ẏ = f(t, y, p) with y = [q, v, z, integrals], and what is observed along it."""

    names: Sequence[str]
    """Whom each state belongs to."""
    integrals: int
    observed: int
    """How many quantities are observed, integrals last."""
    events: list[Event]
    """The model's own events that end or restart a run, and every comparison in the right-hand side."""
    parameters: dict[str, float]
    inputs: dict[str, float]

    def __init__(self, parameters: Mapping[str, float], inputs: Mapping[str, float]):
        self.parameters, self.inputs = dict(parameters), dict(inputs)
        self.programs: dict[Chosen, Program] = {}
        """Programs with sensitivities, by the parameters they are for."""
        self._ready: set[tuple[Chosen, str]] = set()

    @property
    def size(self) -> int:
        """Of y."""
        return len(self.names)

    @property
    @abstractmethod
    def at_once(self) -> int:
        """How many parameters one program is for at most; more are treated in groups."""

    def varied(self, chosen: Chosen) -> Program:
        """A program for Y = [y, S₁, S₂, …], one Sⱼ = ∂y/∂pⱼ per chosen parameter; kept."""
        if chosen not in self.programs:
            self.programs[chosen] = self.vary(chosen)
        return self.programs[chosen]

    @abstractmethod
    def vary(self, chosen: Chosen) -> Program:
        """The same, made anew."""

    @abstractmethod
    def compiled(self, name: str) -> NativeFunction:
        """Machine code of "rhs" or "events", (t, y, p)."""

    @abstractmethod
    def switch_slope(
        self, t: float, y: np.ndarray, p: np.ndarray, index: int, S: np.ndarray, chosen: Chosen
    ) -> np.ndarray:
        """g_y S + g_p of one event, by chosen parameter."""

    @abstractmethod
    def digest(self, t: float, y: np.ndarray, p: np.ndarray) -> str:
        """A text that is the same for the same equations and observed quantities, whichever process asks."""

    def settle(self, chosen: Chosen, solver: str) -> None:
        """A run by that solver has ended: all that it takes is compiled."""
        self._ready.add((chosen, solver))

    def is_ready(self, chosen: Chosen, solver: str) -> bool:
        """Whether runs need numbers only: all is compiled, and no switch has to be differentiated on the way."""
        return not self.events and (chosen, solver) in self._ready


def make_room(kept: dict[Hashable, Kept]) -> None:
    """For one more."""
    while len(kept) >= KEPT:
        kept.pop(next(iter(kept)))
