"""What is done in every case of a sweep, and what is kept of it."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.core.interrupts import interrupted
from linkwork.core.plain_data import Record
from linkwork.core.signal import Inputs
from linkwork.sweeps.design import Design
from linkwork.sweeps.outcome import FAILED, Outcome, Quantity
from linkwork.sweeps.variables import label

if TYPE_CHECKING:
    from linkwork.core.model import Model

Lock = AbstractContextManager[object]


class Abandoned(BaseException):
    """A case was left because the sweep is over; it is no error, and nobody but a backend catches it."""


def leave(stop: Callable[[], bool]) -> None:
    """Called from within a run: end it where nobody waits for it any more."""
    if stop():
        raise Abandoned


@dataclass
class Study(ABC):
    """A question that is asked of every case.

    To add one: a subclass with `layout`, `dimensions`, `settings` and `answer`; `sweep` makes it from its arguments.
    """

    model: Model
    """Start values that vary are parameters of it."""
    design: Design
    parameters: Mapping[str, float] = field(default_factory=dict)
    """Those that are the same in all cases."""
    inputs: Inputs = field(default_factory=dict)
    integrating: float = 0.0
    """s that were spent where the interpreter is not needed."""
    together: ClassVar[str] = "nothing is integrated."
    """Why many cases cannot be computed by the same instructions; nothing where they can."""

    @abstractmethod
    def settle(self) -> None:
        """Whatever has to be known before anything can be kept."""

    def warm(self) -> bool:
        """Have everything compiled, so that processes begin with it; False: only a case that is run does that."""
        return False

    @property
    @abstractmethod
    def layout(self) -> tuple[Quantity, ...]:
        """What is kept of a case."""

    @property
    @abstractmethod
    def dimensions(self) -> dict[str, tuple[np.ndarray, str]]:
        """Beside the cases: values along each dimension, and their unit."""

    @abstractmethod
    def settings(self) -> Record:
        """All that makes the answers what they are, but the design; JSON-able."""

    @abstractmethod
    def answer(self, case: int, stop: Callable[[], bool], lock: Lock) -> Outcome:
        """Of one case. `Abandoned` where `stop()` says so; `lock`: for all that the model is needed for."""

    def run(self, case: int, stop: Callable[[], bool] = lambda: False, lock: Lock | None = None) -> Outcome:
        """What became of a case, whatever that is: an error is an outcome, too."""
        return self.outcome_of(lambda: self.answer(case, stop, nullcontext() if lock is None else lock))

    def outcome_of(self, answer: Callable[[], Outcome]) -> Outcome:
        """An answer, or why there is none."""
        try:
            return answer()
        except LinkworkError as error:
            return self.failed(str(error))
        except Exception as error:  # whatever a user's function does
            if interrupted():
                raise KeyboardInterrupt from error
            return self.failed(f"{type(error).__name__}: {error}")

    def failed(self, reason: str, end: float = 0.0) -> Outcome:
        """Nothing came of it."""
        return Outcome(FAILED, reason, end, "", np.full(sum(q.size for q in self.layout), np.nan))

    def values(self, case: int) -> tuple[dict[str, float], Inputs]:
        """Parameters and inputs of a case."""
        row = self.design.table[case].tolist()
        parameters, inputs = dict(self.parameters), dict(self.inputs)
        for name, value in zip(self.design.names, row, strict=True):
            if name in self.design.signals:
                inputs[name] = self.design.signals[name][int(value)]  # type: ignore[assignment]
            elif name in self.model.inputs:
                inputs[name] = value
            else:
                parameters[name] = value
        return parameters, inputs

    def columns(self, original: Model) -> dict[str, tuple[np.ndarray, str]]:
        """What varies, as it is called beside channels: values of all cases, and unit."""
        units = self.model.units
        return {
            label(original, name): (self.design.table[:, k], "" if name in self.design.signals else units.get(name, ""))
            for k, name in enumerate(self.design.names)
        }

    def fingerprint(self) -> str:
        """The same for the same question, whichever process asks it."""
        text = json.dumps(self.settings(), sort_keys=True, default=str) + self.design.digest()
        return hashlib.sha256(text.encode()).hexdigest()
