"""What a user asks of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.equations import Placed
from linkwork.core.plain_data import Record
from linkwork.core.program import AUTO
from linkwork.core.result import Result
from linkwork.core.signal import Inputs
from linkwork.integrate.solver import Solver
from linkwork.simulation.prepare import Choice

if TYPE_CHECKING:
    from linkwork.core.model import Model


@dataclass(frozen=True)
class Task:
    """The arguments of `simulate`, checked: see there."""

    model: Model
    duration: float
    times: np.ndarray
    """Of the samples [s]."""
    choice: Choice
    solver: str | Solver
    rtol: float
    atol: float
    step: float | None
    max_step: float | None
    parameters: Mapping[str, float] | None
    inputs: Inputs | None
    start: Placed | None
    assemble: bool
    progress: Callable[[float], None] | None
    watch: Callable[[Result], None] | None
    tier: str = AUTO
    """Of the code."""
    kernels: bool | None = None
    """Whether kernels in loops are taken instead of straight-line code; None: by size."""

    @property
    def again(self) -> Record:
        """Arguments of another run of the same in another formulation."""
        names = ("solver", "rtol", "atol", "step", "max_step", "parameters", "inputs", "start", "assemble", "kernels")
        return {"compliance": self.choice.compliance} | {name: getattr(self, name) for name in names}
