"""Optimise: the parameters that make a scalar of a run smallest (or largest), by exact gradients."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.optimisation import ipopt
from linkwork.analyses.optimisation.optimum import Optimum
from linkwork.analyses.optimisation.search import METHODS, Interrupted, Task, search
from linkwork.analyses.optimisation.visits import CANCELLED, Visits
from linkwork.analyses.sensitivity.objectives import Scalar, scalar
from linkwork.analyses.sensitivity.question import Question
from linkwork.core import kinds
from linkwork.core.errors import LinkworkError, ModelError, UnknownName
from linkwork.core.interrupts import acknowledge
from linkwork.core.registry import verb
from linkwork.core.signal import Inputs
from linkwork.simulation.arguments import checked_tolerance, parameters_of

if TYPE_CHECKING:
    from linkwork.core.model import Model

Bounds = tuple[float | None, float | None]


@verb
def optimise(
    model: Model,
    objective: Scalar,
    over: Mapping[str, Bounds] | Sequence[str],
    duration: float,
    *,
    minimise: bool = True,
    constraints: Sequence[tuple[Scalar, float | None, float | None]] = (),
    start: Mapping[str, float] | None = None,
    method: str = "auto",
    gradient: str = "auto",
    formulation: str = "auto",
    solver: str = "auto",
    rtol: float = 1e-8,
    atol: float = 1e-10,
    tolerance: float = 1e-8,
    max_iterations: int = 200,
    parameters: Mapping[str, float] | None = None,
    inputs: Inputs | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> Optimum:
    """Find the parameters that make `objective` smallest, or largest with minimise=False.

    objective: `lw.Final(…)`, `lw.Integral(…)` or a weighted sum of them; over: name → (lower, upper), None where there
    is no bound; constraints: (scalar, lower, upper); start: where to begin (default: the model's values).
    method: "SLSQP", "L-BFGS-B", "trust-constr" (SciPy), "ipopt" (CasADi), "auto": SLSQP. gradient: "forward",
    "adjoint", "auto" (see `sensitivity`). tolerance: of the gradient, scaled by parameters and objective.
    parameters: values of the others; formulation, solver, rtol, atol, inputs: as in `sensitivity`.
    progress: called with the number of runs and the best objective so far.
    A local minimum is found, the one downhill from the start. Points that cannot be assembled or simulated are avoided;
    Ctrl-C ends the search. In both cases the best point found is returned.
    """
    goal = scalar(objective)
    checked_tolerance(model, tolerance=tolerance)
    if not isinstance(max_iterations, int) or max_iterations < 1:
        raise ModelError(f"max_iterations={max_iterations!r}.", component=model.name, remedy="Give 1 or more.")
    if method not in METHODS:
        raise UnknownName("method", str(method), METHODS)
    method = "SLSQP" if method == "auto" else method
    bounds = _bounds(model, over)
    known = kinds.several(kinds.anything, "Give a list of (scalar, lower, upper).")
    limits = [_limit(model, entry) for entry in known.taken("constraints", constraints, model.name)]
    fixed = parameters_of(model, parameters)
    for name in bounds.keys() & fixed.keys():
        raise ModelError("is both fixed and varied.", component=name, remedy="Name it in `over` or in `parameters`.")
    begin = _begin(model, bounds, start)
    question = Question(
        model, tuple(bounds), duration, scalars=[goal, *(s for s, _, _ in limits)], formulation=formulation,
        solver=solver, rtol=rtol, atol=atol, inputs=inputs,
    )  # fmt: skip
    visits = Visits(question, fixed, bounds, limits, begin, minimise, gradient, progress)
    visits.first()
    converged, words = _searched(_task(visits, begin, tolerance, max_iterations), method)
    visits.progress = None
    return visits.optimum(str(goal), method, converged, words)


def _task(visits: Visits, begin: np.ndarray, tolerance: float, iterations: int) -> Task:
    """The search in scaled parameters."""
    return Task(
        values=visits.values,
        slopes=visits.slopes,
        x0=visits.scaled(begin),
        lower=visits.scaled_bounds(0),
        upper=visits.scaled_bounds(1),
        low=visits.scaled_limits(0),
        high=visits.scaled_limits(1),
        tolerance=tolerance,
        iterations=iterations,
    )


def _searched(task: Task, method: str) -> tuple[bool, str]:
    """Whether it converged, and how it ended in words; Ctrl-C ends it with what there is."""
    try:
        return ipopt.search(task) if method == "ipopt" else search(task, method)
    except (Interrupted, KeyboardInterrupt) as end:
        cause = end.cause if isinstance(end, Interrupted) else end
        if not isinstance(cause, KeyboardInterrupt):
            raise cause or end from None
        acknowledge()
        return False, CANCELLED


def _bounds(model: Model, over: Mapping[str, Bounds] | Sequence[str]) -> dict[str, Bounds]:
    if not isinstance(over, Mapping):
        wanted = kinds.names.saying('Give over={"k": (1, 100)}.', "{word}={given} names none.")
        over = wanted.taken("over", over, model.name)
    if isinstance(over, str):
        over = [over]
    given: dict[str, Bounds] = dict(over) if isinstance(over, Mapping) else dict.fromkeys(over, (None, None))
    if not given:
        raise ModelError("there is nothing to vary.", component=model.name, remedy='Give over={"k": (1, 100)}.')
    for name, pair in given.items():
        if name not in model.parameters:
            raise UnknownName("parameter", name, model.parameters, component=model.name)
        try:
            lower, upper = pair
            wrong = any(b is not None and not kinds.is_number(b) for b in pair)
        except (TypeError, ValueError):
            wrong, lower, upper = True, None, None
        if wrong or (lower is not None and upper is not None and not lower < upper):
            raise ModelError(
                f"the bounds {kinds.shown(pair)} are none.",
                component=name,
                remedy="Give (lower, upper) with lower < upper, and None where there is no bound.",
            )
    return given


def _limit(model: Model, entry: Any) -> tuple[Scalar, float | None, float | None]:
    try:
        what, lower, upper = entry
        if any(b is not None and not kinds.is_number(b) for b in (lower, upper)):
            what = None
    except (TypeError, ValueError):
        what, lower, upper = None, None, None
    nothing = lower is None and upper is None
    if not isinstance(what, Scalar) or nothing or (lower is not None and upper is not None and lower > upper):
        raise ModelError(
            f"the constraint {kinds.shown(entry)} is none.",
            component=model.name,
            remedy="Give (lw.Final(…) or another scalar, lower, upper); None on one side where there is no bound.",
        )
    return what, lower, upper


def _begin(model: Model, bounds: Mapping[str, Bounds], start: Mapping[str, float] | None) -> np.ndarray:
    values = []
    for name in start or {}:
        if name not in bounds:
            raise UnknownName("varied parameter", name, bounds, component=model.name)
    for name, (lower, upper) in bounds.items():
        value = float(kinds.number.taken("start", (start or {}).get(name, model.parameters[name]), name))
        if (lower is not None and value < lower) or (upper is not None and value > upper) or not np.isfinite(value):
            low, high = ("-∞" if lower is None else f"{lower:g}"), ("∞" if upper is None else f"{upper:g}")
            raise LinkworkError(
                f"the search would start at {value:g}, outside its bounds {low} … {high}.",
                component=name,
                remedy=f"Give start={{{name!r}: …}} within them, or other bounds.",
            )
        values.append(value)
    return np.array(values)
