"""The points an optimisation visits: scaled for the search, remembered, and summed up at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

import numpy as np

from linkwork.analyses.optimisation.optimum import Optimum, Visit
from linkwork.analyses.optimisation.search import Interrupted
from linkwork.analyses.sensitivity.objectives import Scalar
from linkwork.analyses.sensitivity.question import NO_LOCK, Question
from linkwork.core.activity import begin as announce
from linkwork.core.errors import AssemblyError, IntegrationError, LinkworkError, ModelError

UNBOUNDED_GROWTH = 1e6
"""Times its size at the start that a parameter without bound may grow before the objective counts as unbounded."""
FEASIBLE = 1e-6
"""Violation of a constraint that counts as none, relative to its size."""
GAIN = 10.0, 100.0
"""Improvement that counts as one: shares of rtol and atol, which leave as much noise after some hundred steps."""

CANCELLED = "Cancelled"

Limit = tuple[Scalar, float | None, float | None]


@dataclass(frozen=True)
class Course:
    """What a search has seen, without the model: other processes can send it."""

    history: list[Visit]
    known: dict[bytes, tuple[np.ndarray, np.ndarray] | None]
    best: tuple[float, float, np.ndarray, np.ndarray, np.ndarray] | None
    failure: LinkworkError | None
    weights: np.ndarray
    before: np.ndarray
    """Objective and constraints where it began."""


class Visits:
    """Evaluates scaled points; failed ones look like a hill around the best point, so that searches turn back."""

    def __init__(
        self,
        question: Question,
        fixed: Mapping[str, float],
        bounds: Mapping[str, tuple[float | None, float | None]],
        limits: Sequence[Limit],
        begin: np.ndarray,
        minimise: bool,
        gradient: str,
        progress: Callable[[int, float], None] | None,
        lock: AbstractContextManager[object] = NO_LOCK,
    ):
        self.question, self.fixed, self.bounds, self.limits = question, dict(fixed), dict(bounds), list(limits)
        self.begin, self.sign, self.gradient, self.progress = begin, 1.0 if minimise else -1.0, gradient, progress
        self.lock = lock
        self.names = list(bounds)
        self.unit = np.array([_size(b, x) for b, x in zip(bounds.values(), begin, strict=True)])
        self.history: list[Visit] = []
        self.known: dict[bytes, tuple[np.ndarray, np.ndarray] | None] = {}
        self.best: tuple[float, float, np.ndarray, np.ndarray, np.ndarray] | None = None
        """(violation, objective to minimise, point, values, slopes), unscaled."""
        self.failure: LinkworkError | None = None

    # Scaling ---------------------------------------------------------------------------------------------------------

    def scaled(self, p: np.ndarray) -> np.ndarray:
        return p / self.unit

    def scaled_bounds(self, side: int) -> np.ndarray:
        missing = (-np.inf, np.inf)[side]
        given = [missing if b[side] is None else float(b[side]) for b in self.bounds.values()]  # type: ignore[arg-type]
        return np.array(given) / self.unit

    def scaled_limits(self, side: int) -> np.ndarray:
        missing = (-np.inf, np.inf)[side]
        given = [(lower, upper)[side] for _, lower, upper in self.limits]
        return np.array([missing if b is None else float(b) for b in given]) / self.weights[1:]

    # Evaluation ------------------------------------------------------------------------------------------------------

    def first(self) -> None:
        """The start must work: what is wrong there is told as it is. Its values set the scales."""
        self.weights = np.ones(1 + len(self.limits))
        start = self._inside(self.scaled(self.begin) * self.unit)  # as the search will ask for it, to the last bit
        values, slopes = self._answer(start)
        steep = np.abs(slopes * self.unit).max(axis=1)
        bound = [max(abs(lower or 0.0), abs(upper or 0.0)) for _, lower, upper in self.limits]
        sizes = np.maximum(np.maximum(np.abs(values), steep), [0.0, *bound])
        self.weights = np.maximum(sizes, 10 * self.question.atol)  # smaller ones are noise of the integration
        self.weights[0] *= self.sign
        self._remember(start, values, slopes)
        self.before = values

    def values(self, x: np.ndarray) -> np.ndarray:
        """[objective, constraints…], scaled."""
        visit = self._at(x)
        return self._hill(x)[0] if visit is None else visit[0] / self.weights

    def slopes(self, x: np.ndarray) -> np.ndarray:
        """Their gradients by the scaled parameters."""
        visit = self._at(x)
        return self._hill(x)[1] if visit is None else visit[1] * self.unit / self.weights[:, None]

    def _at(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        p = self._inside(x * self.unit)
        key = p.tobytes()
        if key not in self.known:
            self._check_far(p)
            try:
                values, slopes = self._answer(p)
            except (AssemblyError, IntegrationError, ModelError) as error:
                self.failure = error
                self.known[key] = None
                self.history.append(Visit(dict(zip(self.names, p.tolist(), strict=True)), None, False))
            else:
                self._remember(p, values, slopes)
        return self.known[key]

    def _inside(self, p: np.ndarray) -> np.ndarray:
        """Rounding must not carry a point over its bounds."""
        return np.clip(p, self.scaled_bounds(0) * self.unit, self.scaled_bounds(1) * self.unit)

    def _answer(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        chosen = self.fixed | dict(zip(self.names, p.tolist(), strict=True))
        values, slopes, _ = self.question.gradients(chosen, self.gradient, self.lock)
        if not np.all(np.isfinite(values)) or not np.all(np.isfinite(slopes)):
            raise IntegrationError("the objective or its gradient is not finite.", component=self.question.model.name)
        return values, slopes

    def _remember(self, p: np.ndarray, values: np.ndarray, slopes: np.ndarray) -> None:
        self.known[p.tobytes()] = values, slopes
        violation = self._violation(values)
        feasible = violation <= FEASIBLE
        self.history.append(Visit(dict(zip(self.names, p.tolist(), strict=True)), float(values[0]), feasible))
        rank = (0.0 if feasible else violation, self.sign * float(values[0]))
        if self.best is None or rank < self.best[:2]:
            self.best = (*rank, p.copy(), values, slopes)
        announce(f"{len(self.history)} runs, best {float(self.best[3][0]):.5g}")
        if self.progress is not None:
            self.progress(len(self.history), float(self.best[3][0]))

    def _violation(self, values: np.ndarray) -> float:
        low, high = self.scaled_limits(0), self.scaled_limits(1)
        x = values[1:] / self.weights[1:]
        return float(np.maximum(np.maximum(low - x, x - high), 0.0).max(initial=0.0))

    def _hill(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        assert self.best is not None
        away = x - self.scaled(self.best[2])
        values, slopes = self.best[3] / self.weights, self.best[4] * self.unit / self.weights[:, None]
        values, slopes = values.copy(), slopes.copy()
        values[0] += 10 * (1 + abs(values[0])) * (1 + away @ away)
        slopes[0] = 20 * (1 + abs(values[0])) * away
        return values, slopes

    def _check_far(self, p: np.ndarray) -> None:
        for name, value, size in zip(self.names, p, self.unit, strict=True):
            if abs(value) > UNBOUNDED_GROWTH * size:
                way = "grows" if self.sign < 0 else "falls"
                raise Interrupted(
                    LinkworkError(
                        f"the objective {way} without end as {name} goes to {value:.3g}.",
                        component=name,
                        remedy=f"Bound it: over={{{name!r}: (…, …)}}, or add what it costs to the objective.",
                    )
                )

    @property
    def course(self) -> Course:
        return Course(self.history, self.known, self.best, self.failure, self.weights, self.before)

    def recall(self, course: Course) -> None:
        """Go on with what the same search has seen elsewhere."""
        self.history, self.known, self.best = course.history, course.known, course.best
        self.failure, self.weights, self.before = course.failure, course.weights, course.before

    # The end ---------------------------------------------------------------------------------------------------------

    def optimum(self, name: str, method: str, converged: bool, words: str) -> Optimum:
        assert self.best is not None
        violation, _, p, values, slopes = self.best
        question, parameters = self.question, dict(zip(self.names, p.tolist(), strict=True))
        improved = self._improved()
        result = question.model.simulate(
            question.duration, formulation=question.formulation, solver=question.solver, rtol=question.rtol,
            atol=question.atol, parameters=self.fixed | parameters, inputs=question.inputs,
        )  # fmt: skip
        return Optimum(
            name=name,
            method=method,
            parameters=parameters,
            before=dict(zip(self.names, self.begin.tolist(), strict=True)),
            bounds=self.bounds,
            objective=float(values[0]),
            start=float(self.before[0]),
            gradient=dict(zip(self.names, slopes[0].tolist(), strict=True)),
            improved=improved,
            converged=converged,
            cancelled=words == CANCELLED,
            message=self._message(converged, words, improved, violation),
            result=result,
            history=self.history,
            constraints=[(str(s), float(x), a, b) for (s, a, b), x in zip(self.limits, values[1:], strict=True)],
        )

    def _improved(self) -> bool:
        assert self.best is not None
        violation, rank = self.best[:2]
        before = self._violation(self.before)
        if before > FEASIBLE:
            return violation < before
        noise = GAIN[0] * self.question.rtol * abs(float(self.weights[0])) + GAIN[1] * self.question.atol
        return self.sign * float(self.before[0]) - rank > noise

    def _message(self, converged: bool, words: str, improved: bool, violation: float) -> str:
        parts = ["Converged." if converged else f"Ended early ({words.rstrip('.')}): the best point found is given."]
        idle = [name for k, name in enumerate(self.names) if self._idle(k)]
        if idle:
            parts.append(f"Without influence on the objective: {', '.join(idle)}.")
        if not improved and len(idle) < len(self.names):
            parts.append(self._why_not([n for n in self.names if n not in idle], converged))
        for name in [] if converged else self._running():
            parts.append(f"The objective may have no end along {name}: bound it, or add what it costs.")
        if violation > 0:
            parts.append(f"The constraints are not met: the largest violation is {violation:.3g}, relative.")
        failed = sum(v.objective is None for v in self.history)
        if failed:
            parts.append(f"{failed} of {len(self.history)} points could not be run, the last because: {self.failure}")
        return " ".join(parts)

    def _running(self) -> list[str]:
        """Parameters that have gone far in a direction without bound, and would go on."""
        assert self.best is not None
        names = []
        for k, name in enumerate(self.names):
            downhill = -self.sign * self.best[4][0, k]
            bound = self.bounds[name][1 if downhill > 0 else 0]
            if bound is None and (self.best[2][k] - self.begin[k]) * np.sign(downhill) > 10 * self.unit[k]:
                names.append(name)
        return names

    def _why_not(self, names: list[str], converged: bool) -> str:
        """Why the start could not be improved."""
        assert self.best is not None
        p, slopes = self.best[2], self.sign * self.best[4][0] * self.unit
        small = max(1e-4 * abs(float(self.weights[0])), 1e3 * self.question.atol)
        held: list[str] = []
        steep: list[str] = []
        for k, name in enumerate(self.names):
            lower, upper = self.bounds[name]
            down = lower is not None and p[k] - lower <= 1e-9 * self.unit[k] and slopes[k] > 0
            up = upper is not None and upper - p[k] <= 1e-9 * self.unit[k] and slopes[k] < 0
            if name in names and abs(slopes[k]) > small:
                (held if down or up else steep).append(name)
        if held and not steep:
            return f"The start cannot be improved: {', '.join(held)} would have to leave the bounds."
        if converged or not steep:
            return "The start is already optimal, as far as the tolerances tell."
        return f"No better point than the start was found, though {', '.join(steep)} should lead to one."

    def _idle(self, k: int) -> bool:
        """Whether the objective does not notice parameter k: neither its slopes nor a value elsewhere."""
        visits = [visit for visit in self.known.values() if visit is not None]
        if any(abs(slopes[0, k]) * self.unit[k] > 1e-9 * abs(self.weights[0]) for _, slopes in visits):
            return False
        assert self.best is not None
        p, (lower, upper) = self.best[2].copy(), self.bounds[self.names[k]]
        step = 0.05 * self.unit[k]
        p[k] += step if upper is None or p[k] + step <= upper else -step
        if lower is not None and p[k] < lower:
            return False
        try:
            values, _ = self._answer(p)
        except LinkworkError:
            return False
        return bool(abs(values[0] - self.best[3][0]) <= 1e-9 * abs(self.weights[0]))


def _size(bounds: tuple[float | None, float | None], value: float) -> float:
    """What counts as a large change of a parameter."""
    lower, upper = bounds
    if lower is not None and upper is not None:
        return upper - lower
    return abs(value) or max(abs(lower or 0.0), abs(upper or 0.0)) or 1.0
