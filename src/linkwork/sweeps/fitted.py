"""What `fit` returns: values, how certain they are, which of them the data cannot tell, and what is left over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from linkwork.algebra import lapack
from linkwork.analyses.sensitivity.sensitivities import aligned
from linkwork.core.face import FitFace
from linkwork.core.plain_data import Data
from linkwork.sweeps.measured import Measured

BLIND = 1e-7
"""Share of the largest singular value below which a direction of the parameters does not show in the data."""
TAKES_PART = 0.05
"""Share of a parameter in a direction from which on it is named."""
VAGUE = 0.5
"""Relative standard deviation from which on a parameter is told to be hardly determined."""


@dataclass(frozen=True)
class Direction:
    """Relative changes of parameters that hardly show in the data: by one part of each, all together."""

    shares: Mapping[str, float]
    strength: float
    """How much it shows, relative to what shows most."""

    def __str__(self) -> str:
        return " ".join(f"{'+' if x >= 0 else '−'} {abs(x):.2f} {name}" for name, x in self.shares.items())


@dataclass(frozen=True)
class Attempt:
    """A search from one start."""

    start: Mapping[str, float]
    parameters: Mapping[str, float]
    misfit: float
    message: str
    status: str = "converged"
    """Or "ended early", "failed", "cancelled" (by Ctrl-C), "pending" (not begun)."""


@dataclass(frozen=True, repr=False)
class Fit(FitFace):
    """Parameters that make a model follow measurements.

    parameters   {name: value}; `fit["k"]` reads one
    deviation    {name: standard deviation}; infinite where the data do not tell
    covariance   of the parameters, in their order
    misfit       sum of the squared residuals, each divided by its deviation (or by how much its channel varies)
    data         what was measured; values: what the model gives there, one array for each
    jacobian     derivative of all scaled residuals with respect to the parameters
    attempts     every search: where it began, where and how it ended
    """

    model: str
    parameters: dict[str, float]
    misfit: float
    data: tuple[Measured, ...]
    values: tuple[np.ndarray, ...]
    jacobian: np.ndarray
    converged: bool
    message: str
    bounds: Mapping[str, tuple[float, float]]
    units: Mapping[str, str]
    """Of parameters and channels."""
    attempts: Sequence[Attempt] = ()
    record: Data = field(default_factory=dict)
    cancelled: bool = False
    """By Ctrl-C."""

    def __getitem__(self, name: str) -> float:
        return self.parameters[name]

    @property
    def residuals(self) -> tuple[np.ndarray, ...]:
        """Measured minus model, for each channel, in its unit."""
        return tuple(each.values - x for each, x in zip(self.data, self.values, strict=True))

    @cached_property
    def _directions(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Sizes of the parameters, singular values and directions of relative changes."""
        x = np.array(list(self.parameters.values()))
        size = np.where(x != 0, np.abs(x), 1.0)
        _, s, V = lapack.svd(self.jacobian * size, full_matrices=True)
        return size, np.concatenate([s, np.zeros(len(V) - s.size)]), V

    @property
    def variance(self) -> float:
        """Of scaled residuals: 1 if all deviations were known and the model is right; else estimated."""
        count = sum(each.t.size for each in self.data)
        return self.misfit / max(count - len(self.parameters), 1)

    @property
    def known_noise(self) -> bool:
        """Whether the deviation of every measurement was given."""
        return all(each.deviation is not None for each in self.data)

    @cached_property
    def covariance(self) -> np.ndarray:
        """Infinite on the diagonal of parameters that the data do not tell."""
        size, s, V = self._directions
        told = s > BLIND * max(s.max(initial=0.0), 1e-300)
        V_told = V[told]
        relative = (V_told.T / s[told] ** 2) @ V_told * (1.0 if self.known_noise else self.variance)
        covariance = relative * np.outer(size, size)
        blind = np.abs(V[~told]).max(axis=0, initial=0.0) > TAKES_PART
        covariance[blind, blind] = np.inf
        return covariance

    @property
    def deviation(self) -> dict[str, float]:
        return dict(zip(self.parameters, np.sqrt(np.diag(self.covariance)).tolist(), strict=True))

    @property
    def correlation(self) -> np.ndarray:
        """Of the errors of the parameters; 0 where one of them is not told."""
        d = np.sqrt(np.diag(self.covariance))
        with np.errstate(invalid="ignore"):
            correlation = self.covariance / np.outer(d, d)
        correlation[~np.isfinite(correlation)] = 0.0
        np.fill_diagonal(correlation, 1.0)
        return correlation

    @property
    def unseen(self) -> list[Direction]:
        """Changes of the parameters that the data do not tell at all, or hardly."""
        _, s, V = self._directions
        names, largest = list(self.parameters), max(s.max(initial=0.0), 1e-300)
        noise = 1.0 if self.known_noise else np.sqrt(self.variance)
        weak = [k for k, x in enumerate(s) if x <= BLIND * largest or noise / x > VAGUE]
        directions = []
        for k in weak:
            shares = {n: float(x) for n, x in zip(names, V[k], strict=True) if abs(x) > TAKES_PART}
            sign = np.sign(next(iter(shares.values()), 1.0))
            directions.append(Direction({n: sign * x for n, x in shares.items()}, float(s[k] / largest)))
        return directions

    @property
    def at_bounds(self) -> list[str]:
        """Parameters that would leave their bounds."""
        return [
            name
            for name, x in self.parameters.items()
            if any(np.isfinite(end) and abs(x - end) <= 1e-6 * max(abs(end), 1e-12) for end in self.bounds[name])
        ]

    def report(self) -> str:
        """What the data tell of each parameter, and what they do not."""
        lines = [f"{self.model}: {self.message}"]
        rows = [("parameter", "value", "deviation", "relative", "unit")]
        for name, x in self.parameters.items():
            d = self.deviation[name]
            share = f"{100 * d / abs(x):.2g} %" if x and np.isfinite(d) else ""
            rows.append((name, f"{x:.6g}", f"{d:.2g}" if np.isfinite(d) else "not told", share, self.units[name]))
        lines += [aligned(rows)]
        fits = [("channel", "samples", "rms residual", "largest")]
        for each, r in zip(self.data, self.residuals, strict=True):
            fits.append((each.channel, str(r.size), f"{np.sqrt(np.mean(r**2)):.3g}", f"{np.abs(r).max():.3g}"))
        lines += [aligned(fits)]
        if self.known_noise:
            lines.append(f"Misfit per measurement: {self.variance:.3g} (1: residuals are as large as was said).")
        for direction in self.unseen:
            what = "not at all" if direction.strength <= BLIND else "hardly"
            lines.append(f"The data tell {what}: relative changes {direction}.")
        if self.at_bounds:
            lines.append(f"At a bound: {', '.join(self.at_bounds)}.")
        if len(self.attempts) > 1:
            good = sum(a.misfit <= 1.01 * self.misfit + 1e-300 for a in self.attempts)
            lines.append(f"{good} of {len(self.attempts)} searches ended here.")
        return "\n".join(lines)

    __str__ = __repr__ = report
