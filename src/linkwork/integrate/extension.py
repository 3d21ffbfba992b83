"""A run whose end is not known yet: it is extended step by step, and p may change in between."""

from __future__ import annotations

import ctypes

import numpy as np

from linkwork.compile.tiers import improve
from linkwork.core.errors import LinkworkError
from linkwork.integrate.handover import pointer
from linkwork.integrate.native import binding
from linkwork.integrate.native._native import extend
from linkwork.integrate.native_run import Session
from linkwork.integrate.problem import Problem
from linkwork.integrate.registry import resolve_solver
from linkwork.integrate.solver import NativeSolver, Solver
from linkwork.integrate.trajectory import EventRecord, Trajectory

EXPECTED = 60.0
"""s that a run is expected to take whose end is not known: better code is worth its making."""
DONE = binding.STATUS.index("done")


def extendable(solver: str | Solver) -> NativeSolver:
    """A solver whose runs can be extended; others are refused by name."""
    method = resolve_solver(solver)
    if not isinstance(method, NativeSolver):
        raise LinkworkError(
            f"the solver {method.name!r} cannot go step by step.",
            remedy='Use "auto", "dopri5", "dop853", "rk4", "radau" or "generalized_alpha".',
        )
    return method


class Extension(Session):
    """One run from the start of a problem on; its p is read where it is.

    y: the state that was reached, as it would be recorded, always in the same memory.
    """

    def __init__(self, solver: str | Solver, problem: Problem, *, counted: bool = False):
        """counted: whether `max_steps` of the problem counts all steps, or those of each call."""
        super().__init__(extendable(solver), problem, shared=True)
        improve(self.functions.values(), 0.0, EXPECTED)
        self.y = problem.y0.copy()
        self._counted = counted
        self._stops = problem.stops

    def to(self, t: float, renewed: bool = False) -> int:
        """Go on to t [s]; renewed: whether p has changed. Returns the number of a status, `DONE` where t is reached."""
        status: int = extend(self._handle, t, self.y, renewed, self._counted)
        if self._signals.error is not None:
            raise self._signals.error
        return status

    @property
    def t(self) -> float:
        return float(self._library.lw_run_time(self._handle))

    @property
    def step(self) -> float:
        """The solver's step [s]."""
        return float(self._library.lw_run_step(self._handle))

    def stop_at(self, stops: np.ndarray) -> None:
        """Other stops than before: pairs of times [s] in rising order."""
        self._stops = np.ascontiguousarray(stops, dtype=float).reshape(-1, 2)
        self._library.lw_run_stops(self._handle, pointer(self._stops, ctypes.c_double), len(self._stops))

    def events(self) -> list[EventRecord]:
        """Those since the last look."""
        events = [EventRecord(float(row[0]), int(row[1]), row[2:].copy()) for row in self._table("lw_run_events")]
        self._library.lw_run_forget_events(self._handle)
        return events

    def part(self, status: int) -> Trajectory:
        """What was reached, as a trajectory of one sample."""
        word = binding.STATUS[status]
        culprit = self._library.lw_run_culprit(self._handle)
        t = self.t
        return Trajectory(
            t=np.array([t]),
            y=self.y[None].copy(),
            step=np.array([self.step]),
            events=self.events(),
            status=word,
            message=self.message(word),
            culprit=culprit if culprit >= 0 else None,
        )

    def __del__(self) -> None:
        self.close()
