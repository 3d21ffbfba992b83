"""What a run will cost, told before it begins or early: nobody should wait for hours without knowing it."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

from linkwork.core.activity import telling
from linkwork.core.errors import LinkworkWarning, ModelError, callers_level
from linkwork.core.memory import free_memory
from linkwork.core.units import long_time
from linkwork.integrate import Solver, resolve_solver
from linkwork.integrate.problem import STEP_LIMIT
from linkwork.simulation.choice.solver import SolverChoice

LOOK = 20.0
"""s of wall time after which the pace of a run is known."""
QUIET_SECONDS = 2 * 3600.0
"""s that a run may still take without a word."""
ALWAYS = 2.0**24
"""Bytes that are free on any machine that has come this far: to ask takes longer than to use them."""
INTERRUPTED_STEPS = 100
"""Steps that a run takes at least where end stops or switches may interrupt it."""
COPIES = 3
"""How often the samples of a run are in memory at once: states, channels, and what is on the way between them."""


def check_memory(model: str, samples: int, columns: int, available: float | None = None) -> None:
    """ModelError where so many samples of so many states and channels do not fit into the memory that is free."""
    needed = 8.0 * samples * columns * COPIES
    if needed <= ALWAYS and available is None:
        return
    free = free_memory() if available is None else available
    if needed > free:
        raise ModelError(
            f"{samples} samples of {columns} numbers need about {needed / 2**30:.3g} GiB, {free / 2**30:.3g} are free.",
            component=model,
            remedy="Give a longer time between samples (output=…), or simulate in parts.",
        )


def check_steps(model: str, duration: float, solver: SolverChoice, step: float | None, max_step: float | None) -> None:
    """ModelError where the step (or the longest one) asks for more steps than will be made: it would end in nothing.

    solver: as in `integrate`; or one that chooses by itself, whose step is the first one only.
    """
    kind = getattr(resolve_solver(solver), "fixed_step", "never") if isinstance(solver, str | Solver) else "never"
    which, longest = ("step", step) if step and kind != "never" else ("max_step", max_step)
    count = duration / longest if longest and longest > 0 else 0.0
    if count > STEP_LIMIT:
        raise ModelError(
            f"{which}={longest:g} s asks for {count:.2g} steps; at 1 µs each, which few mechanisms reach, they take "
            f"{long_time(1e-6 * count)}, and {STEP_LIMIT:.0e} are made at most.",
            component=model,
            remedy=f"Give a larger {which} or a shorter duration, or a solver that chooses its steps.",
        )


class Pace:
    """Passes on what part of a run is done, and warns once where the rest would take very long."""

    def __init__(self, model: str, progress: Callable[[float], object] | None):
        self._model, self._tell = model, telling(progress)
        self._began, self._told = time.perf_counter(), False

    def __call__(self, share: float) -> None:
        self._tell(share)
        elapsed = time.perf_counter() - self._began
        if self._told or elapsed < LOOK or share >= 1:
            return
        self._told = True
        left = elapsed * (1 - share) / share if share > 0 else float("inf")
        if left > QUIET_SECONDS:
            warnings.warn(
                f"{self._model}: {100 * share:.2g} % of the run is done after {elapsed:.0f} s; at this pace the rest "
                f"takes about {long_time(left)}. Ctrl-C stops it and keeps what there is. Looser tolerances, another "
                "solver or formulation, or a shorter duration take less.",
                LinkworkWarning,
                stacklevel=callers_level(),
            )
