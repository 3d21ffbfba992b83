"""Kalman filters: `lin.kalman(Q, R)`, the states of a model from what is measured of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from linkwork.algebra import lapack
from linkwork.analyses.control.checks import check_linear, check_period, check_resting
from linkwork.analyses.control.riccati import first, grows, lingers, refuse, root, stabilizing, told
from linkwork.analyses.control.sampling import held, integral
from linkwork.analyses.control.weights import Weights, positive, weighed
from linkwork.analyses.linearization.linearization import Linearization
from linkwork.core.errors import ModelError


class Readable(Protocol):
    """What has channels by name: a stepper, a dictionary."""

    def __getitem__(self, name: str, /) -> float: ...


@dataclass(frozen=True, repr=False)
class Observer:
    """x̂' = A x̂ + B u + L (y − C x̂ − D u), in deviations; sampled: x̂ of the next sample in place of x̂'.

    L             shape (states, outputs)
    P             covariance of the error of the estimate; sampled: before the sample is seen
    eigenvalues   of the error [1/s]; sampled: log(z) / period
    period        [s] between two samples; None: continuous
    """

    linear: Linearization
    L: np.ndarray
    P: np.ndarray
    R: np.ndarray
    period: float | None = None

    @property
    def state_names(self) -> list[str]:
        return self.linear.state_names

    @property
    def output_names(self) -> list[str]:
        return self.linear.output_names

    @property
    def eigenvalues(self) -> np.ndarray:
        A, C = self.linear.A, self.linear.C
        if self.period is None:
            values = lapack.eigvals(A - self.L @ C)
        else:
            Ad, _ = held(A, self.linear.B, self.period)
            values = np.log(lapack.eigvals(Ad - self.L @ C).astype(complex)) / self.period
        return values[np.argsort(np.abs(values), kind="stable")]

    def filter(self) -> Estimate:
        """The sampled filter at its start: call it with what is measured, once a period."""
        check_resting(self.linear)
        if self.period is None:
            raise ModelError(
                "the filter is continuous.",
                component=self.linear.model,
                remedy="Give lin.kalman(…, period=…) for samples, or use regulator.closed(m, observer=…).",
            )
        return Estimate(self, self.period)

    def __str__(self) -> str:
        when = "continuous" if self.period is None else f"every {self.period:g} s"
        width = max(len(name) for name in self.state_names)
        lines = [f"{self.linear.model}: gains of a Kalman filter, {when}"]
        lines.append(" " * width + "".join(f"{name:>16}" for name in self.output_names))
        for name, row in zip(self.state_names, self.L, strict=True):
            lines.append(f"{name:<{width}}" + "".join(f"{gain:>16.6g}" for gain in row))
        return "\n".join([*lines, f"error: {told(self.eigenvalues)} 1/s"])

    __repr__ = __str__


class Estimate:
    """A filter at work. `estimate = f(s)` takes one sample and gives the states by name, as a regulator reads them."""

    def __init__(self, observer: Observer, period: float):
        linear = observer.linear
        self._linear = linear
        self._A, self._B = held(linear.A, linear.B, period)
        P, C = observer.P, linear.C
        self._M = np.linalg.solve(observer.R + C @ P @ C.T, C @ P).T
        self._x: np.ndarray | None = None
        """Deviation, with all samples so far seen."""

    def __call__(self, seen: Readable, inputs: Mapping[str, float] | None = None) -> dict[str, float]:
        """seen: what has the outputs by name; inputs: as they were since the last sample (those of a stepper are read
        from it)."""
        linear = self._linear
        given = getattr(seen, "inputs", {}) if inputs is None else inputs
        u = np.array([given.get(name, rest) - rest for name, rest in linear.inputs.items()], dtype=float)
        y = np.array([seen[name] - rest for name, rest in linear.outputs.items()], dtype=float)
        x = np.zeros(len(linear.A)) if self._x is None else self._A @ self._x + self._B @ u
        self._x = x + self._M @ (y - linear.C @ x - linear.D @ u)
        return dict(zip(linear.state_names, (linear.state + self._x).tolist(), strict=True))


def kalman(linear: Linearization, Q: Weights, R: Weights, *, period: float | None = None) -> Observer:
    """The filter that estimates all states from the outputs with the least variance.

    Q: intensity of white noise, {input: noise that comes in with it, state: on its rate}, one number for all states, or
    a matrix; R: {output: of the noise on it}, one number or a matrix: its intensity, or with a period, the variance of
    a sample; period [s]: between two samples.
    """
    model, names = linear.model, linear.state_names
    check_linear(linear, "output")
    check_period(period, model)
    columns = dict(zip(linear.input_names, linear.B.T, strict=True))
    q = weighed("Q", Q, columns | dict(zip(names, np.eye(len(names)), strict=True)), names, model)
    rows = dict(zip(linear.output_names, np.eye(len(linear.outputs)), strict=True))
    r = positive("R", weighed("R", R, rows, linear.output_names, model), linear.output_names, model)
    A, C, sampled = linear.A, linear.C, period is not None
    _check(A, C, q, names, model, sampled=False)
    if period is not None:
        q = integral(A, q, period)
        A, _ = held(A, linear.B, period)
        _check(A, C, q, names, model, sampled=True)
    P, K = stabilizing(A.T, C.T, q, r, None, sampled)
    return Observer(linear, K.T, P, r, period)


def _check(A: np.ndarray, C: np.ndarray, q: np.ndarray, names: list[str], model: str, *, sampled: bool) -> None:
    refuse(
        first(A, C, grows(sampled), transposed=True),
        "no output shows {states}: the mode with the eigenvalue {value} cannot be estimated.",
        "Measure more: name outputs=[…] in m.linearize(…)" + (", or give another period." if sampled else "."),
        names, model, sampled,
    )  # fmt: skip
    refuse(
        first(A, root(q).T, lingers(sampled)),
        "Q disturbs {states} not at all: an error in the mode with the eigenvalue {value} would never be corrected.",
        "Give noise in Q to an input or a state that moves it.",
        names, model, sampled,
    )  # fmt: skip


Linearization.register("kalman", kalman)
