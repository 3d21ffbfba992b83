"""What an integrator is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from linkwork.core.program import StateLayout
from linkwork.integrate.native import binding
from linkwork.integrate.native_run import run_native
from linkwork.integrate.problem import Problem
from linkwork.integrate.trajectory import Trajectory


@dataclass(frozen=True)
class Solver(ABC):
    """An integrator with its options; tolerances, steps and output times come with the problem.

    To add an integrator:
      1. Write it. In C: a file in native/ that fills an `lw_method` (start, attempt, interpolate, commit; see run.h),
         listed in driver.c and in `METHODS` of native/binding.py. Or in Python: override `run`.
      2. Declare it: a frozen dataclass derived from `NativeSolver` (or from this class), with a `name`, its options as
         fields, and the Program functions it calls.
      3. Register it in registry.py. The tests then run it like every other: order, dense output, events, constraints.
    """

    name: ClassVar[str]

    @property
    def implicit(self) -> bool:
        """Whether it solves equations in each step, with a Jacobian."""
        return True

    @abstractmethod
    def run(self, problem: Problem) -> Trajectory:
        """Integrates; never raises on a numerical failure, but returns what there is with a status."""


@dataclass(frozen=True)
class NativeSolver(Solver):
    """An integrator of the C library."""

    method: ClassVar[str]
    """Its key in `binding.METHODS`."""
    functions: ClassVar[tuple[str, ...]]
    """The Program functions it always needs."""
    jacobian: ClassVar[str | None] = None
    """The Program function whose pattern the Newton matrix has."""
    fixed_step: ClassVar[str] = "never"
    """"always": `step` is required; "given": fixed if `step` is given; "never": `step` is only the first one."""
    projects_steps: ClassVar[bool] = True
    """Whether states are moved onto the constraints after each step; else only where the step varies."""

    @property
    def implicit(self) -> bool:
        return self.jacobian is not None

    def coefficients(self) -> tuple[float, ...]:
        """Numbers the method is tuned by, in the order its C source expects."""
        return ()

    def error_scale(self, problem: Problem) -> np.ndarray | None:
        """One per speed and first-order state, where the method measures its error by them."""
        return None

    def multipliers(self, layout: StateLayout) -> range:
        """Which unknowns of the Newton matrix are multipliers."""
        return range(0)

    def run(self, problem: Problem) -> Trajectory:
        assert self.method in binding.METHODS
        return run_native(self, problem)
