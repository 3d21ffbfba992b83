"""Program → Trajectory."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from linkwork.core.pieces import Driver
from linkwork.core.program import Program
from linkwork.integrate.problem import make_problem
from linkwork.integrate.registry import resolve_solver
from linkwork.integrate.solver import Solver
from linkwork.integrate.trajectory import Trajectory


def integrate(
    program: Program,
    y0: np.ndarray,
    t_span: tuple[float, float],
    *,
    times: np.ndarray | None = None,
    parameters: np.ndarray | None = None,
    signals: Mapping[int, Driver] | None = None,
    solver: str | Solver = "dopri5",
    rtol: float = 1e-8,
    atol: float | np.ndarray = 1e-10,
    step: float | None = None,
    max_step: float | None = None,
    min_step: float | None = None,
    max_steps: int | None = None,
    stiff_after: int = 0,
    projection: bool = True,
    progress: Callable[[float], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    watch: Callable[[np.ndarray, np.ndarray], None] | None = None,
    stops: np.ndarray | None = None,
) -> Trajectory:
    """Integrates from y0 over t_span (s) and records at `times` (s), or at every accepted step.

    parameters: values of the program's parameters, or all of p = [parameters, inputs]; None: the program's own.
    signals: by input number, a constant, a table (times, values), or a function of time; others keep their value.
    atol: in natural units of the states (`program.scale`), or one for each state.
    step: the step of a fixed-step method, the first step of the others. max_steps counts attempts;
    stiff_after: steps in a row that a fast mode holds back, after which dopri5 ends as if they were used up (0: never).
    projection: move states onto the constraints (switch off where the equations stabilise themselves).
    progress: called about twenty times a second with the fraction done. should_stop: asked as often; True cancels.
    watch: called as often by native solvers, with the times and states recorded so far.
    stops: pairs of times [s] in rising order, around what jumps or bends: a step ends at the first of a pair, the next
    begins at the second, with the same state. What is recorded in between is the state afterwards.
    A numerical failure, Ctrl-C or a stop returns what there is, with a status; wrong arguments raise.
    """
    problem = make_problem(
        program,
        y0,
        t_span,
        times=times,
        parameters=parameters,
        signals=signals,
        rtol=rtol,
        atol=atol,
        step=step,
        max_step=max_step,
        min_step=min_step,
        max_steps=max_steps,
        stiff_after=stiff_after,
        projection=projection,
        progress=progress,
        should_stop=should_stop,
        watch=watch,
        stops=stops,
    )
    return resolve_solver(solver).run(problem)
