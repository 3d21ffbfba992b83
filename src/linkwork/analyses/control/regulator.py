"""Linear-quadratic regulators: `lin.lqr(Q, R)` and what is done with the gain."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from linkwork.algebra import lapack
from linkwork.analyses.control.checks import check_linear, check_period, check_resting
from linkwork.analyses.control.observer import Observer
from linkwork.analyses.control.riccati import first, grows, lingers, refuse, root, stabilizing, told
from linkwork.analyses.control.sampling import held, held_cost
from linkwork.analyses.control.weights import Weights, positive, weighed
from linkwork.analyses.linearization.linearization import Linearization
from linkwork.components.control.feedback import Feedback, LinearController, SampledFeedback
from linkwork.core.errors import ModelError, UnknownName
from linkwork.core.kinds import shown
from linkwork.core.model import Model


class Readable(Protocol):
    """What has channels by name: a stepper, a dictionary."""

    def __getitem__(self, name: str, /) -> float: ...


@dataclass(frozen=True, repr=False)
class Regulator:
    """u = u₀ − K (x − x₀): what to do with inputs so that a model stays at an operating point.

    K             shape (inputs, states); regulator["force"] is a row by names of states
    P             the cost of a deviation δx is δxᵀ P δx
    eigenvalues   of the closed loop [1/s]; sampled: log(z) / period
    period        [s] between two samples; None: continuous
    """

    linear: Linearization
    K: np.ndarray
    P: np.ndarray
    period: float | None = None

    @property
    def state_names(self) -> list[str]:
        return self.linear.state_names

    @property
    def input_names(self) -> list[str]:
        return self.linear.input_names

    @property
    def eigenvalues(self) -> np.ndarray:
        A, B = self.linear.A, self.linear.B
        if self.period is None:
            values = lapack.eigvals(A - B @ self.K)
        else:
            Ad, Bd = held(A, B, self.period)
            values = np.log(lapack.eigvals(Ad - Bd @ self.K).astype(complex)) / self.period
        return values[np.argsort(np.abs(values), kind="stable")]

    def __getitem__(self, name: str) -> dict[str, float]:
        """Gains of one input, by state."""
        if name not in self.input_names:
            raise UnknownName("input", name, self.input_names, component=self.linear.model)
        row = self.K[self.input_names.index(name)]
        return dict(zip(self.state_names, row.tolist(), strict=True))

    def __call__(self, seen: Readable) -> dict[str, float]:
        """Inputs for a stepper or whatever else has channels by name: `s.step(**regulator(s))`."""
        check_resting(self.linear)
        x = np.array([seen[name] for name in self.state_names], dtype=float)
        u = np.array(list(self.linear.inputs.values())) - self.K @ (x - self.linear.state)
        return dict(zip(self.input_names, u.tolist(), strict=True))

    def closed(self, model: Model, *, observer: Observer | None = None, name: str = "lqr") -> Model:
        """A copy of the model with the loop closed: it runs, is linearised and exported as any other.

        observer: what `lin.kalman(…)` gives, to act on its estimate; None: states are read as they are.
        name: of the feedback; its channels `lqr.force` are what it adds to inputs.
        """
        check_resting(self.linear)
        linear = self.linear
        if not isinstance(model, Model) or not (observer is None or isinstance(observer, Observer)):
            raise ModelError(
                f"closed({shown(model)}, observer={shown(observer)}).",
                component=linear.model,
                remedy="Give the model, and what lin.kalman(…) returns.",
            )
        closed = copy.deepcopy(model)
        for each, value in linear.inputs.items():
            if each not in model.inputs:
                raise UnknownName("input", each, model.inputs, component=model.name)
            closed.inputs[each] = value
        readings, controller = self._controller() if observer is None else self._with(observer)
        gains = dict(zip(self.input_names, controller.D, strict=True))
        memory = {word: getattr(controller, word) for word in "ABC"} if controller.A.size else {}
        if self.period is None:
            closed.add(Feedback(name, readings, gains, **memory))
        else:
            closed.add(SampledFeedback(name, readings, gains, period=self.period, **memory))
        return closed

    def _controller(self) -> tuple[Mapping[str, float], LinearController]:
        n, m = len(self.state_names), len(self.input_names)
        readings = dict(zip(self.state_names, self.linear.state.tolist(), strict=True))
        for name in self.state_names:
            if ".rotation_" in name:
                raise ModelError(
                    "it is a small rotation about the operating point, and no channel.",
                    component=name,
                    remedy="Name joint coordinates in m.linearize(coordinates=[…]), or use an observer.",
                )
        return readings, LinearController(np.zeros((0, 0)), np.zeros((0, n)), np.zeros((m, 0)), -self.K)

    def _with(self, observer: Observer) -> tuple[Mapping[str, float], LinearController]:
        mine, its = self.linear, observer.linear
        if observer.period != self.period or mine.state_names != its.state_names or mine.inputs != its.inputs:
            raise ModelError(
                "regulator and observer are not of the same linearisation and period.",
                component=mine.model,
                remedy="Make both from one m.linearize(…), with the same period.",
            )
        A, B = (its.A, its.B) if self.period is None else held(its.A, its.B, self.period)
        L, K = observer.L, self.K
        inner = A - B @ K - L @ (its.C - its.D @ K)
        none = np.zeros((len(K), len(its.C)))
        return its.outputs, LinearController(inner, L, -K, none)

    def __str__(self) -> str:
        when = "continuous" if self.period is None else f"every {self.period:g} s"
        lines = [f"{self.linear.model}: u = u₀ − K (x − x₀), {when}"]
        width = max(len(name) for name in self.state_names)
        lines.append(" " * width + "".join(f"{name:>14}" for name in self.input_names))
        for k, name in enumerate(self.state_names):
            lines.append(f"{name:<{width}}" + "".join(f"{gain:>14.6g}" for gain in self.K[:, k]))
        return "\n".join([*lines, f"closed loop: {told(self.eigenvalues)} 1/s"])

    __repr__ = __str__


def lqr(linear: Linearization, Q: Weights, R: Weights = 1.0, *, period: float | None = None) -> Regulator:
    """The regulator that minimises ∫ δxᵀQ δx + δuᵀR δu dt.

    Q: {state or output: weight}, one weight for all states, or a matrix; R: the same for inputs, each > 0;
    period [s]: of a sampled controller that holds inputs in between; the integral is the same.
    """
    model, names = linear.model, linear.state_names
    check_linear(linear, "input")
    check_period(period, model)
    rows = dict(zip(linear.output_names, linear.C, strict=True)) | dict(zip(names, np.eye(len(names)), strict=True))
    q = weighed("Q", Q, rows, names, model)
    columns = dict(zip(linear.input_names, np.eye(len(linear.inputs)), strict=True))
    r = positive("R", weighed("R", R, columns, linear.input_names, model), linear.input_names, model)
    A, B, S, sampled = linear.A, linear.B, None, period is not None
    _check(A, B, q, names, model, sampled=False)
    if period is not None:
        q, r, S = held_cost(A, B, q, r, period)
        A, B = held(A, B, period)
        _check(A, B, q, names, model, sampled=True)
    P, K = stabilizing(A, B, q, r, S, sampled)
    return Regulator(linear, K, P, period)


def _check(A: np.ndarray, B: np.ndarray, q: np.ndarray, names: list[str], model: str, *, sampled: bool) -> None:
    refuse(
        first(A, B, grows(sampled)),
        "no input reaches {states}: the mode with the eigenvalue {value} stays as it is.",
        "Give the model an input that acts on it" + (", or another period." if sampled else "."),
        names, model, sampled,
    )  # fmt: skip
    refuse(
        first(A, root(q), lingers(sampled), transposed=True),
        "Q asks nothing of {states}: the mode with the eigenvalue {value} would never come to rest.",
        "Give a weight in Q to one of these states.",
        names, model, sampled,
    )  # fmt: skip


Linearization.register("lqr", lqr)
