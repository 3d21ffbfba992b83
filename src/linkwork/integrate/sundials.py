"""SUNDIALS through CasADi: reference solvers, independent of our own. They need the symbolic functions of a Program."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.core.pieces import Lookup, lines
from linkwork.integrate.evaluation import evaluate
from linkwork.integrate.problem import Problem
from linkwork.integrate.solver import Solver
from linkwork.integrate.trajectory import MESSAGES, Trajectory

if TYPE_CHECKING:
    from types import ModuleType

    from casadi import MX, Function


POINTS = 201
"""Rows recorded when no output times are asked for: SUNDIALS does not show its own steps through CasADi."""


@dataclass(frozen=True)
class Sundials(Solver):
    """What both share. No events, no input functions: those are errors, not ignored."""

    function: ClassVar[str]

    @abstractmethod
    def equations(self, f: Function, t: MX, p: MX, problem: Problem) -> dict[str, MX]:
        """The `dae` dictionary of casadi.integrator, without t and u."""

    def run(self, problem: Problem) -> Trajectory:
        import casadi

        program = problem.program
        symbolic = getattr(program, "symbolic", None)
        if symbolic is None:
            raise LinkworkError(f"the solver {self.name!r} needs symbolic equations; this program has none.")
        if program.events:
            raise LinkworkError(f"the solver {self.name!r} does not locate events.", remedy="Use another solver.")
        grid = np.linspace(problem.t0, problem.t1, POINTS) if problem.times is None else problem.times
        t = casadi.MX.sym("t")
        equations = self.equations(symbolic(self.function), t, _inputs(casadi, t, problem), problem)
        options = {"reltol": problem.rtol, "abstol": float(problem.atol.min()), "max_num_steps": problem.max_steps}
        if np.isfinite(problem.max_step):
            options["max_step_size"] = problem.max_step

        def solved(begin: float, times: np.ndarray, start: np.ndarray) -> np.ndarray:
            run = casadi.integrator("run", self.name, {"t": t, **equations}, begin, times, options)
            return np.array(run(x0=start)["xf"]).T

        try:
            y = _between_stops(solved, problem, grid)
        except RuntimeError as error:
            return Trajectory(
                t=np.array([problem.t0]),
                y=problem.y0[None, :].copy(),
                step=np.full(1, np.nan),
                status="failed",
                message=f"{MESSAGES['failed'].format(t=problem.t0)} {str(error).strip().splitlines()[-1]}",
            )
        if program.constrained and problem.projection:
            y = evaluate(
                program.function("project"), grid, y, problem.parameters, problem.signals, inputs=len(program.inputs)
            )
        return Trajectory(t=np.array(grid), y=y, step=np.full(len(grid), np.nan), message=MESSAGES["done"])


@dataclass(frozen=True)
class CVODES(Sundials):
    """BDF of variable order on the explicit equations."""

    name: ClassVar[str] = "cvodes"
    function: ClassVar[str] = "rhs"

    def equations(self, f: Function, t: MX, p: MX, problem: Problem) -> dict[str, MX]:
        import casadi

        y = casadi.MX.sym("y", problem.program.layout.y)
        return {"x": y, "ode": f(t, y, p)}


@dataclass(frozen=True)
class IDAS(Sundials):
    """BDF of variable order on the index-1 equations."""

    name: ClassVar[str] = "idas"
    function: ClassVar[str] = "dae"

    def equations(self, f: Function, t: MX, p: MX, problem: Problem) -> dict[str, MX]:
        import casadi

        n = problem.program.layout.y
        y, x = casadi.MX.sym("y", n), casadi.MX.sym("x", problem.program.layout.x)
        F = f(t, casadi.vertcat(y, x), p)
        return {"x": y, "z": x, "ode": F[:n], "alg": F[n:]}


def _between_stops(
    solved: Callable[[float, np.ndarray, np.ndarray], np.ndarray], problem: Problem, grid: np.ndarray
) -> np.ndarray:
    """States at the times of the grid, each span between stops by itself; at a stop, those that are reached there."""
    inner = np.zeros((0, 2)) if problem.stops is None else problem.stops
    inner = inner[(inner[:, 0] > problem.t0) & (inner[:, 1] < problem.t1)]
    begins, ends = np.append(problem.t0, inner[:, 1]), np.append(inner[:, 0], problem.t1)
    parts, y = [], problem.y0
    for k, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        after = begins[k + 1] if k + 1 < begins.size else np.inf
        wanted = grid[(grid >= begin) & (grid < after)] if k else grid[grid < after]
        times = np.unique(np.append(np.clip(wanted, begin, end), end))
        rows = solved(begin, times, y)
        parts.append(rows[np.searchsorted(times, np.clip(wanted, begin, end))])
        y = rows[-1]
    return np.concatenate(parts)


def _inputs(casadi: ModuleType, t: MX, problem: Problem) -> MX:
    """p as an expression of time: numbers and tables."""
    first = len(problem.program.parameters)
    p: list[MX] = [casadi.MX(float(value)) for value in problem.parameters]
    for index, signal in problem.signals.items():
        if isinstance(signal, Lookup):
            p[first + index] = _looked_up(casadi, signal, t)
        elif callable(signal):
            raise LinkworkError(
                f"input {index} is a Python function, which SUNDIALS cannot take.", remedy="Give a table."
            )
        elif isinstance(signal, tuple):
            times, values = (np.array(part, dtype=float).ravel() for part in signal)
            p[first + index] = _looked_up(casadi, Lookup(lines(times, values)), t)
        else:
            p[first + index] = casadi.MX(float(signal))
    return casadi.vertcat(*p)


def _looked_up(casadi: ModuleType, lookup: Lookup, t: MX) -> MX:
    """A piecewise polynomial as an expression that looks its coefficients up."""
    pieces = lookup.pieces
    x = lookup.scale * t + lookup.shift
    if pieces.period:
        x -= pieces.period * casadi.floor((x - pieces.times[0]) / pieces.period)
    far = 1e12 * (1 + abs(pieces.times[[0, -1]]).max())
    borders = np.concatenate([[-far], pieces.times, [far]])
    begin = np.concatenate([pieces.times[:1], pieces.times])
    at = casadi.low(casadi.MX(casadi.DM(borders)), x)
    local, value = x - casadi.MX(casadi.DM(begin))[at], casadi.MX(0)
    for column in pieces.coefficients.T[::-1]:
        value = value * local + casadi.MX(casadi.DM(column))[at]
    return value
