"""Fit: the parameters with which a model follows measurements best, by exact sensitivities."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.sensitivity.question import NO_LOCK, Question
from linkwork.core import kinds
from linkwork.core.activity import openended
from linkwork.core.errors import LinkworkError, LinkworkWarning, ModelError
from linkwork.core.kinds import is_number, names_in, number_in, shown
from linkwork.core.plain_data import Record
from linkwork.core.registry import verb_with
from linkwork.core.signal import Inputs
from linkwork.simulation.description.describe import versions
from linkwork.sweeps.design import LARGEST_SEED, Design
from linkwork.sweeps.fitted import Attempt, Fit
from linkwork.sweeps.measured import Measured, measured_in, times_of
from linkwork.sweeps.outcome import FAILED, FINISHED, PENDING, Outcome
from linkwork.sweeps.searches import CANCELLED, CONVERGED, EARLY, Conducted, Searches, conducted, conductor, evenly
from linkwork.sweeps.study import Lock, leave
from linkwork.sweeps.variables import with_starts

if TYPE_CHECKING:
    from linkwork.core.model import Model

Bounds = tuple[float | None, float | None]
SPREAD = 3.0
"""Factor by which further searches begin away from the first, where there are no bounds to begin between."""
FAR = 1e6
"""Scaled residual of a point that cannot be assembled or simulated."""
TOLERANCE = 1e-10
RUN_LIMIT = 200


@verb_with(
    parameters=kinds.names | kinds.mapping,
    start=kinds.mapping,
    fixed=kinds.mapping,
    starts=kinds.count,
    seed=kinds.counted(0, LARGEST_SEED),
    workers=kinds.count,
)
def fit(
    model: Model,
    data: object,
    *,
    parameters: str | Sequence[str] | Mapping[str, Bounds] | None = None,
    start: Mapping[str, float] | None = None,
    starts: int = 1,
    seed: int = 0,
    fixed: Mapping[str, float] | None = None,
    inputs: Inputs | None = None,
    formulation: str = "auto",
    solver: str = "auto",
    rtol: float = 1e-8,
    atol: float = 1e-10,
    backend: str | object = "auto",
    workers: int | None = None,
    progress: Callable[[float], None] | None = None,
) -> Fit:
    """Find the parameters with which channels of the model are nearest to what was measured (least squares).

    data: {channel: (times [s], values) or (times, values, deviation)}, a DataFrame or a CSV file with times in its
    first column; values that are missing may be NaN. Without deviations, channels count alike, by how much each varies.
    parameters: names, or {name: (lower, upper)} with None where there is no bound (default: all); start values count as
    parameters: "O.angle", "O.angle.rate". start: where to begin (default: the model's values); fixed: values of others.
    starts: searches from so many points, the others spread between the bounds (or within a factor 3) by `seed`; the
    best is taken; backend, workers: who runs them, as in `sweep`. Ctrl-C ends them; the best so far is returned.
    formulation, solver, rtol, atol, inputs: as in `sensitivity`, whose derivatives it uses.
    """
    measured = measured_in(data, model.name)
    bounds = _bounds(model, parameters)
    twin = with_starts(model, list(bounds))
    others = dict(fixed or {})
    for name in bounds.keys() & others.keys():
        raise ModelError("is both fixed and fitted.", component=name, remedy="Name it once.")
    values = dict(zip(twin.parameters, twin.parameter_values(others).tolist(), strict=True))
    first = _first(twin, bounds, values, start)
    question = Question(
        twin, tuple(bounds), max(float(each.t[-1]) for each in measured) or 1e-9,
        channels=[each.channel for each in measured], formulation=formulation, solver=solver, rtol=rtol, atol=atol,
        inputs=inputs,
    )  # fmt: skip
    plan = Design(tuple(bounds), _starts(first, bounds, int(starts), seed))
    search = Search(twin, plan, others, inputs or {}, question=question, data=measured, bounds=bounds)
    runner = conductor(backend, workers, int(starts))
    with warnings.catch_warnings(), openended():
        warnings.simplefilter("ignore", LinkworkWarning)
        attempts = conducted(search, runner, lambda ended: _tell(progress, len(ended) / plan.cases))
        best = attempts.winner(search)
        if best is None:
            raise LinkworkError(
                f"no search came to a result: {attempts.reason}",
                component=model.name,
                remedy="Begin elsewhere: start={…}.",
            )
        record = {"backend": str(runner), "seed": int(seed), "versions": versions()}
        return search.fit(search.attempts(attempts), best, attempts.cancelled, record)


def _tell(progress: Callable[[float], None] | None, share: float) -> None:
    if progress is not None:
        progress(share)


@dataclass
class Search(Searches):
    """Levenberg and Marquardt's method from the point of each case, by SciPy."""

    question: Question = field(kw_only=True)
    data: tuple[Measured, ...] = field(kw_only=True)
    bounds: Mapping[str, tuple[float, float]] = field(kw_only=True)

    def look(self, point: np.ndarray) -> None:
        self.residuals(point)

    def answer(self, case: int, stop: Callable[[], bool], lock: Lock) -> Outcome:
        from scipy.optimize import least_squares

        kept: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}
        with lock:
            question = replace(self.question, progress=lambda _: leave(stop))

        def at(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            key = x.tobytes()
            if key not in kept:
                kept.clear()  # the one before is not asked for again
                try:
                    kept[key] = r, _ = self.residuals(x, question, lock)
                    self.board.note(case, 0.0, float(r @ r), x)
                except LinkworkError:
                    if not visited:
                        raise
                    kept[key] = np.full(self.count, FAR), np.zeros((self.count, x.size))
            visited.append(1)
            return kept[key]

        visited: list[int] = []
        x0 = self.design.table[case]
        low, high = np.array(list(self.bounds.values())).T
        solution = least_squares(
            lambda x: at(x)[0], x0, jac=lambda x: at(x)[1], bounds=(low, high), x_scale=_sizes(x0, low, high),
            ftol=TOLERANCE, xtol=TOLERANCE, gtol=TOLERANCE, max_nfev=RUN_LIMIT,
        )  # fmt: skip
        words = CONVERGED if solution.status > 0 else f"{EARLY}: not converged within {RUN_LIMIT} runs"
        return Outcome(FINISHED, words, 0.0, "", np.array([0.0, 2 * solution.cost, *solution.x]))

    @property
    def count(self) -> int:
        return sum(each.t.size for each in self.data)

    def residuals(
        self, x: np.ndarray, question: Question | None = None, lock: Lock = NO_LOCK
    ) -> tuple[np.ndarray, np.ndarray]:
        """Scaled (model − measured) of all channels, and their derivatives with respect to the parameters."""
        return self._scaled(*self.observed(x, question, lock))

    def _scaled(self, observed: list[np.ndarray], slopes: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        r = [(x - each.values) / each.scale for x, each in zip(observed, self.data, strict=True)]
        J = [s / each.scale[:, None] for s, each in zip(slopes, self.data, strict=True)]
        return np.concatenate(r), np.concatenate(J)

    def observed(
        self, x: np.ndarray, question: Question | None = None, lock: Lock = NO_LOCK
    ) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """What the model gives where something was measured, and its derivatives, for each channel."""
        given = {**dict(self.model.parameters), **self.parameters}
        given |= dict(zip(self.design.names, x.tolist(), strict=True))
        times = times_of(self.data)
        observation = (question or self.question).observe(given, times, lock)
        if observation.stopped:
            raise LinkworkError(f"the event {observation.stopped!r} ends the run before the last measurement.")
        places = [np.searchsorted(observation.t, each.t, side="right") - 1 for each in self.data]
        return (
            [observation.values[place, k] for k, place in enumerate(places)],
            [observation.derivatives[place, k] for k, place in enumerate(places)],
        )

    def attempts(self, searches: Conducted) -> list[Attempt]:
        """Of all searches, whatever became of them."""
        names, told = self.design.names, []
        for case, begin in enumerate(self.design.table.tolist()):
            row, outcome = searches.row(self, case), searches.outcomes.get(case)
            if outcome is None:
                status, words = (PENDING, "Not begun.") if row is None else (CANCELLED, "Cancelled.")
            elif row is None:
                status, words = FAILED, outcome.reason
            else:
                status, words = outcome.reason.partition(":")[0], f"{outcome.reason.capitalize()}."
            point = [np.nan] * len(names) if row is None else row[2:].tolist()
            misfit = np.inf if row is None else float(row[1])
            starts, ends = (dict(zip(names, x, strict=True)) for x in (begin, point))
            told.append(Attempt(starts, ends, misfit, words, status))
        return told

    def fit(self, attempts: Sequence[Attempt], best: int, cancelled: bool, record: Record) -> Fit:
        """What the best of the searches found."""
        chosen = attempts[best]
        observed, slopes = self.observed(np.array(list(chosen.parameters.values())))
        r, jacobian = self._scaled(observed, slopes)
        units = {name: self.model.units.get(name, "") for name in self.design.names}
        units |= self.question.channel_units({**self.model.parameters, **self.parameters, **chosen.parameters})
        words = "Cancelled: the best that was found is given." if cancelled else chosen.message
        return Fit(
            self.model.name, dict(chosen.parameters), float(r @ r), self.data, tuple(observed), jacobian,
            chosen.status == CONVERGED and not cancelled, words, self.bounds, units, tuple(attempts), record, cancelled,
        )  # fmt: skip


def _bounds(model: Model, given: object) -> dict[str, tuple[float, float]]:
    if isinstance(given, Mapping):
        return {str(name): _pair(str(name), pair) for name, pair in given.items()} or _none(model)
    names = tuple(model.parameters) if given is None else names_in(given)
    if len(set(names)) < len(names):
        raise ModelError("a parameter is named twice.", component=model.name, remedy="Name each one once.")
    return {str(name): (-np.inf, np.inf) for name in names} or _none(model)


def _none(model: Model) -> dict[str, tuple[float, float]]:
    raise ModelError(
        "there is no parameter to fit.", component=model.name, remedy='Name one: parameters=["k"], or make one first.'
    )


def _pair(name: str, given: Any) -> tuple[float, float]:
    try:
        low, high = given
        ends = -np.inf if low is None else float(low), np.inf if high is None else float(high)
    except (TypeError, ValueError):
        raise ModelError(f"has the bounds {shown(given)}.", component=name, remedy="Give (lower, upper).") from None
    if not ends[0] < ends[1]:
        raise ModelError(f"has the bounds {shown(given)}.", component=name, remedy="Give lower < upper.")
    return ends


def _first(
    model: Model, bounds: Mapping[str, tuple[float, float]], values: Mapping[str, float], start: object
) -> np.ndarray:
    """Where the first search begins: inside the bounds."""
    given = dict(start) if isinstance(start, Mapping) else {}
    for name, value in given.items():
        if name not in bounds:
            raise ModelError("is not fitted, but has a start.", component=str(name), remedy="Name it in parameters.")
        if not is_number(value):
            raise ModelError(f"starts at {shown(value)}.", component=str(name), remedy="Give a finite number.")
    x = np.array([number_in(given.get(name, values[name])) for name in bounds], dtype=float)
    low, high = np.array(list(bounds.values())).T
    return np.clip(x, _inside(low, high, x), -_inside(-high, -low, -x))


def _inside(low: np.ndarray, high: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A little above the lower bounds."""
    size = np.where(np.isfinite(high - low), high - low, np.maximum(np.abs(x), 1e-12))
    return np.where(np.isfinite(low), low + 1e-6 * size, -np.inf)


def _sizes(x: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Of the parameters, for steps to be measured by."""
    span = np.where(np.isfinite(high - low), high - low, 0.0)
    return np.where(x != 0, np.abs(x), np.where(span > 0, span, 1.0))


def _starts(first: np.ndarray, bounds: Mapping[str, tuple[float, float]], count: int, seed: int) -> np.ndarray:
    """The first point, then others, evenly spread between the bounds, or within a factor."""
    u = evenly(count - 1, first.size, int(seed))
    low, high = np.array(list(bounds.values())).T
    with np.errstate(invalid="ignore"):
        between = low + (high - low) * u
    around = np.where(first != 0, first * SPREAD ** (2 * u - 1), 2 * u - 1)
    drawn = np.where(np.isfinite(high - low), between, np.clip(around, low, high))
    return np.vstack([first, drawn])
