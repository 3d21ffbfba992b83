"""Initial-value problems that differ in numbers only, checked and in arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.core.pieces import Driver, Lookup, lines
from linkwork.core.program import Program
from linkwork.integrate.problem import Problem, make_problem, parameter_vector

METHODS = ("rk4", "dopri5")
"""Solvers that treat several cases at once."""


@dataclass(frozen=True, eq=False)
class CaseTable:
    """An input over time that differs by case: straight lines between points, the end values held."""

    times: np.ndarray
    """(points,) s, rising"""
    values: np.ndarray
    """(cases, points)"""

    def of(self, case: int) -> Lookup:
        return Lookup(lines(self.times, self.values[case]))


CaseDriver: TypeAlias = Driver | CaseTable
"""What drives an input: the same for all cases, or a table of each."""


@dataclass(frozen=True)
class BatchProblem:
    """Cases of one program; made by `make_batch`, not by hand."""

    common: Problem
    """What they have in common: span, times, tolerances, steps, stops; start and parameters are the first case's."""
    solver: str
    starts: np.ndarray
    """(cases, states)"""
    p: np.ndarray
    """(cases, parameters then inputs)"""
    signals: Mapping[int, Lookup | CaseTable]
    """By input number, what varies with time."""

    @property
    def program(self) -> Program:
        return self.common.program

    @property
    def times(self) -> np.ndarray:
        assert self.common.times is not None
        return self.common.times

    @property
    def cases(self) -> int:
        return len(self.starts)

    @property
    def adaptive(self) -> bool:
        return self.solver != "rk4"

    @property
    def projects(self) -> bool:
        return self.program.constrained and self.common.projection

    @property
    def projects_steps(self) -> int:
        """0: no; 1: yes, and what is left says whether constraints can be met; 2: yes, but it says more than that."""
        return (2 if self.program.settling else 1) if self.projects else 0

    def chosen(self, which: slice | np.ndarray) -> BatchProblem:
        """Some of the cases, by their numbers."""
        tables = {
            k: replace(s, values=s.values[which]) if isinstance(s, CaseTable) else s for k, s in self.signals.items()
        }
        return replace(self, starts=self.starts[which], p=self.p[which], signals=tables)

    def inputs_at(self, times: np.ndarray) -> np.ndarray | None:
        """Inputs at times, (cases or 1, times, inputs), the constant ones too; None: nothing varies."""
        if not self.signals:
            return None
        first = len(self.program.parameters)
        count = self.cases if self._differs else 1
        values = np.repeat(self.p[:count, None, first:], times.size, axis=1)
        for k, signal in self.signals.items():
            if isinstance(signal, CaseTable):
                values[:, :, k] = [signal.of(case)(times) for case in range(self.cases)]
            else:
                values[:, :, k] = signal(times)
        return np.ascontiguousarray(values)

    @property
    def _differs(self) -> bool:
        constant = np.delete(self.p[:, len(self.program.parameters) :], list(self.signals), axis=1)
        tables = any(isinstance(s, CaseTable) for s in self.signals.values())
        return tables or bool(np.any(constant != constant[:1]))


def refusal(program: Program, solver: str, signals: Mapping[int, CaseDriver] | None = None) -> str | None:
    """Why cases of this program must be run one by one; None: they need not."""
    if solver not in METHODS:
        return f"the solver {solver!r} treats one case at a time; {' and '.join(METHODS)} treat several."
    if program.build_lanes is None or program.symbolic is None:
        return "the program is not made of symbolic functions."
    for event in program.events:
        if event.about is not None or event.action == "restart":
            return f"{event.name!r} changes the equations while they run (contacts, sampling, switching)."
    for index, signal in (signals or {}).items():
        if callable(signal) and not isinstance(signal, Lookup):
            return f"input {index} is a Python function, which is called once for each case and step."
    return None


def make_batch(
    program: Program,
    starts: np.ndarray,
    times: np.ndarray,
    *,
    parameters: np.ndarray | None = None,
    signals: Mapping[int, CaseDriver] | None = None,
    solver: str = "dopri5",
    t_span: tuple[float, float] | None = None,
    rtol: float = 1e-8,
    atol: float | np.ndarray = 1e-10,
    step: float | None = None,
    max_step: float | None = None,
    max_steps: int | None = None,
    stiff_after: int = 0,
    stops: np.ndarray | None = None,
    projection: bool = True,
) -> BatchProblem:
    """Check and complete.

    starts: (cases, states), or one state for all. parameters: (cases, …) of parameters, or of parameters and inputs;
    one row for all; None: the program's own. t_span [s]: from the first of `times` to the last unless given.
    Everything else as in `integrate`.
    """
    if reason := refusal(program, solver, signals):
        raise LinkworkError(f"these cases cannot be run side by side: {reason}", remedy="Run them one by one.")
    if solver == "rk4" and step is None:
        raise LinkworkError("the solver 'rk4' needs a fixed step.", remedy="Give step=… in s.")
    given = np.atleast_2d(np.asarray(starts, dtype=float))
    rows = [None] if parameters is None else list(np.atleast_2d(np.asarray(parameters, dtype=float)))
    p = np.array([parameter_vector(program, row) for row in rows])
    tables = [s.values.shape[0] for s in (signals or {}).values() if isinstance(s, CaseTable)]
    cases = max([len(given), len(p), *tables])
    for what, count in (("starts", len(given)), ("parameters", len(p)), *(("tables", n) for n in tables)):
        if count not in (1, cases) or (what == "tables" and count != cases):
            raise LinkworkError(f"there are {count} rows of {what} for {cases} cases.")
    times = np.asarray(times, dtype=float).ravel()
    if not times.size:
        raise LinkworkError("there are no times to record.", remedy="Give at least the end of the run.")
    span = (float(times[0]), float(times[-1])) if t_span is None else t_span
    common = make_problem(
        program, given[0], span, times=times, parameters=p[0], signals={}, rtol=rtol, atol=atol, step=step,
        max_step=max_step, min_step=None, max_steps=max_steps, stops=stops, projection=projection, progress=None,
        should_stop=None, stiff_after=stiff_after,
    )  # fmt: skip
    if not common.t1 > common.t0:
        raise LinkworkError(f"the cases end at {common.t1} s, where they begin.")
    p = np.ascontiguousarray(np.broadcast_to(p, (cases, p.shape[1])))
    varying = _varying(program, signals or {}, p)
    return BatchProblem(
        common, solver, np.ascontiguousarray(np.broadcast_to(given, (cases, given.shape[1]))), p, varying
    )


def _varying(program: Program, signals: Mapping[int, CaseDriver], p: np.ndarray) -> dict[int, Lookup | CaseTable]:
    """Signals that vary; constants are written into p."""
    varying: dict[int, Lookup | CaseTable] = {}
    for index, signal in signals.items():
        if not 0 <= index < len(program.inputs):
            raise LinkworkError(f"there is no input number {index}; the program has {len(program.inputs)}.")
        if isinstance(signal, (Lookup, CaseTable)):
            varying[index] = signal
        elif isinstance(signal, tuple):
            varying[index] = Lookup(lines(*(np.array(part, dtype=float).ravel() for part in signal)))
        elif not callable(signal):
            p[:, len(program.parameters) + index] = float(signal)
    return varying
