"""What an optimisation returns."""

from __future__ import annotations

from dataclasses import dataclass, field

from linkwork.analyses.sensitivity.sensitivities import aligned
from linkwork.core.result import Result

SAME = 1e-6
"""Difference of two objectives, relative to the best or the first one, up to which two searches have ended in the same
place."""


@dataclass(frozen=True)
class Visit:
    """One point that was tried; objective None: it could not be simulated."""

    parameters: dict[str, float]
    objective: float | None
    feasible: bool = True


@dataclass(frozen=True)
class Attempt:
    """A search from one start; objective None: it came to no point that could be run."""

    start: dict[str, float]
    parameters: dict[str, float]
    objective: float | None
    feasible: bool
    """Whether the constraints are met there."""
    status: str
    """"converged", "ended early", "failed", "cancelled" (by Ctrl-C) or "pending" (not begun)."""
    message: str


@dataclass(repr=False)
class Optimum:
    """The best parameters that were found, and how.

    parameters   {name: value}
    objective    there; `start` is what it was at the beginning
    gradient     {name: derivative} of the objective there
    constraints  (description, value, lower, upper) of each constraint there
    improved     whether the objective is better than at the start (or the constraints are met and were not)
    converged    whether the search ended because there is nothing left to gain; cancelled: or by Ctrl-C
    message      how it ended, in words
    history      every point that was tried
    attempts     every search, where there were several: where it began, where and how it ended
    result       a run with the best parameters
    """

    name: str
    method: str
    parameters: dict[str, float]
    before: dict[str, float]
    bounds: dict[str, tuple[float | None, float | None]]
    objective: float
    start: float
    gradient: dict[str, float]
    improved: bool
    converged: bool
    cancelled: bool
    message: str
    result: Result
    history: list[Visit] = field(default_factory=list)
    constraints: list[tuple[str, float, float | None, float | None]] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)

    @property
    def evaluations(self) -> int:
        """Simulations with derivatives that the search took."""
        return len(self.history)

    def table(self) -> str:
        """One line per parameter, then per constraint."""
        lines = [("parameter", "start", "best", "lower", "upper", "derivative")]
        for name, value in self.parameters.items():
            lower, upper = self.bounds[name]
            numbers = f"{self.before[name]:.6g}", f"{value:.6g}"
            lines.append((name, *numbers, _bound(lower), _bound(upper), f"{self.gradient[name]:.3g}"))
        for text, value, lower, upper in self.constraints:
            lines.append((text, "", f"{value:.6g}", _bound(lower), _bound(upper), ""))
        return aligned(lines)

    def __str__(self) -> str:
        runs = f"{self.evaluations} run{'' if self.evaluations == 1 else 's'}"
        head = f"{self.name}: {self.start:.6g} → {self.objective:.6g} ({self.method}, {runs})"
        return f"{head}\n{self.table()}\n{self.message}{self._others()}"

    def _others(self) -> str:
        """How many of several searches ended here."""
        if not self.attempts:
            return ""
        size = max(abs(self.objective), abs(self.start), 1e-300)
        ends = [a for a in self.attempts if a.objective is not None and a.feasible]
        here = sum(abs(a.objective - self.objective) <= SAME * size for a in ends if a.objective is not None)
        return f" {here} of {len(self.attempts)} searches ended here."

    __repr__ = __str__


def _bound(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
