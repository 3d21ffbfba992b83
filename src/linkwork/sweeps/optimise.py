"""Optimise: the parameters that make a scalar of a run smallest (or largest), by exact gradients."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.optimisation.descent import descended
from linkwork.analyses.optimisation.optimum import Optimum
from linkwork.analyses.optimisation.search import METHODS
from linkwork.analyses.optimisation.visits import CANCELLED, Visits
from linkwork.analyses.sensitivity.objectives import Scalar, scalar
from linkwork.analyses.sensitivity.question import Question
from linkwork.core import kinds
from linkwork.core.activity import openended
from linkwork.core.errors import LinkworkError, ModelError, UnknownName
from linkwork.core.interrupts import acknowledge
from linkwork.core.registry import verb_with
from linkwork.core.signal import Inputs
from linkwork.simulation.arguments import checked_tolerance, parameters_of
from linkwork.sweeps.backends import Backend
from linkwork.sweeps.backends.threads import Threads
from linkwork.sweeps.descents import Descent, Descents
from linkwork.sweeps.design import LARGEST_SEED, Design
from linkwork.sweeps.outcome import Outcome
from linkwork.sweeps.searches import conducted, conductor, evenly

if TYPE_CHECKING:
    from linkwork.core.model import Model

Bounds = tuple[float | None, float | None]


@verb_with(starts=kinds.count, seed=kinds.counted(0, LARGEST_SEED), workers=kinds.count)
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
    starts: int = 1,
    seed: int = 0,
    backend: str | object = "auto",
    workers: int | None = None,
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
    A local minimum is found, the one downhill from the start. starts: search from so many points, the first and others
    that are spread evenly between the bounds by `seed`, and take the best; `optimum.attempts` tells of all. backend,
    workers: who makes these searches, as in `sweep`.
    Points that cannot be assembled or simulated are avoided; Ctrl-C ends the search. In both cases the best point found
    is returned.
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
    points, runner = _points(begin, bounds, starts, seed), conductor(backend, workers, starts)
    if starts == 1:
        visits = Visits(question, fixed, bounds, limits, begin, minimise, gradient, progress)
        return _alone(visits, str(goal), method, tolerance, max_iterations)
    study = Descents(
        model, Design(tuple(bounds), points), fixed, inputs or {}, question=question, bounds=bounds, limits=limits,
        minimise=minimise, gradient=gradient, method=method, tolerance=tolerance, iterations=max_iterations,
    )  # fmt: skip
    return _several(study, str(goal), runner, progress)


def _alone(visits: Visits, name: str, method: str, tolerance: float, iterations: int) -> Optimum:
    """One search; Ctrl-C ends it with what there is."""
    visits.first()
    try:
        with openended():
            converged, words = descended(visits, method, tolerance, iterations)
    except KeyboardInterrupt:
        acknowledge()
        converged, words = False, CANCELLED
    visits.progress = None
    return visits.optimum(name, method, converged, words)


def _several(study: Descents, name: str, runner: Backend, progress: Callable[[int, float], None] | None) -> Optimum:
    """The best of several searches."""
    if study.method == "ipopt" and isinstance(runner, Threads):
        raise LinkworkError(
            "IPOPT makes one search at a time in a process.", component=study.model.name,
            remedy='Take backend="processes", or method="SLSQP".',
        )  # fmt: skip
    sign = 1.0 if study.minimise else -1.0

    def tell(ended: Mapping[int, Outcome]) -> None:
        courses = [o.course for o in ended.values() if isinstance(o, Descent) and o.course is not None]
        if progress is not None and courses:
            best = min(c.best[:2] for c in courses if c.best is not None)
            progress(sum(len(c.history) for c in courses), sign * best[1])

    runs = conducted(study, runner, tell)
    best = runs.winner(study)
    if best is None:
        raise LinkworkError(
            f"no search came to a result: {runs.reason}",
            component=study.model.name,
            remedy="Give other bounds, or start={…}.",
        )
    return study.optimum(name, runs, best)


def _points(begin: np.ndarray, bounds: Mapping[str, Bounds], count: int, seed: int) -> np.ndarray:
    """Where searches begin: the first as it was said, the others evenly spread between the bounds."""
    for name, pair in bounds.items() if count > 1 else ():
        if None in pair:
            raise ModelError(
                f"has no two bounds, between which {count} searches could begin.", component=name,
                remedy=f"Give over={{{name!r}: (lower, upper)}}, or leave starts out.",
            )  # fmt: skip
    if count == 1:
        return begin[None]
    low, high = np.array(list(bounds.values()), dtype=float).T
    return np.vstack([begin, low + (high - low) * evenly(count - 1, begin.size, seed)])


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
