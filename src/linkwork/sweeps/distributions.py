"""Random numbers for designs: each is a text that says what it is, and its quantile function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from linkwork.core.errors import ModelError
from linkwork.core.kinds import is_number, shown

Quantile = Callable[[np.ndarray], np.ndarray]
"""Probability, between 0 and 1 → the value that is not exceeded with it."""


class HasQuantile(Protocol):
    """What a frozen distribution of scipy.stats has."""

    def ppf(self, q: np.ndarray) -> np.ndarray: ...


@dataclass(frozen=True)
class Distribution:
    """A random number, drawn anew in every case of a sweep. Made by `lw.normal(…)`, `lw.uniform(…)` and so on."""

    text: str
    quantile: Quantile = field(repr=False, compare=False)

    def __str__(self) -> str:
        return self.text


def normal(mean: float, deviation: float, *, low: float | None = None, high: float | None = None) -> Distribution:
    """Gauss's distribution, by its mean and standard deviation; low, high: values beyond them do not occur."""
    mean, deviation = _numbers("normal", mean=mean, deviation=deviation)
    _require("normal", deviation > 0, f"deviation={deviation:g}", "Give a standard deviation > 0.")
    ends = [None if x is None else _numbers("normal", **{name: x})[0] for name, x in (("low", low), ("high", high))]
    lower, upper = ends
    _require(
        "normal", lower is None or upper is None or lower < upper, f"low={low} and high={high}", "Give low < high."
    )

    def quantile(u: np.ndarray) -> np.ndarray:
        from scipy.special import ndtr, ndtri

        first = 0.0 if lower is None else float(ndtr((lower - mean) / deviation))
        last = 1.0 if upper is None else float(ndtr((upper - mean) / deviation))
        return np.clip(
            mean + deviation * ndtri(first + (last - first) * u),
            -np.inf if lower is None else lower,
            np.inf if upper is None else upper,
        )

    bounds = "".join(f", {n}={x:g}" for n, x in (("low", lower), ("high", upper)) if x is not None)
    return Distribution(f"normal({mean!r}, {deviation!r}{bounds})", quantile)


def uniform(low: float, high: float) -> Distribution:
    """Every value between two is as likely as the others."""
    low, high = _numbers("uniform", low=low, high=high)
    _require("uniform", low < high, f"low={low:g} and high={high:g}", "Give low < high.")
    return Distribution(f"uniform({low!r}, {high!r})", lambda u: low + (high - low) * u)


def loguniform(low: float, high: float) -> Distribution:
    """Its logarithm is uniform: every order of magnitude between two values > 0 is as likely as the others."""
    low, high = _numbers("loguniform", low=low, high=high)
    _require("loguniform", 0 < low < high, f"low={low:g} and high={high:g}", "Give 0 < low < high.")
    return Distribution(f"loguniform({low!r}, {high!r})", lambda u: low * (high / low) ** u)


def lognormal(mean: float, deviation: float) -> Distribution:
    """Its logarithm is normal; mean and standard deviation are those of the number itself, which is > 0."""
    mean, deviation = _numbers("lognormal", mean=mean, deviation=deviation)
    _require("lognormal", mean > 0 and deviation > 0, f"mean={mean:g} and deviation={deviation:g}", "Both must be > 0.")
    spread = np.sqrt(np.log1p((deviation / mean) ** 2))

    def quantile(u: np.ndarray) -> np.ndarray:
        from scipy.special import ndtri

        return mean * np.exp(spread * ndtri(u) - spread**2 / 2)

    return Distribution(f"lognormal({mean!r}, {deviation!r})", quantile)


def triangular(low: float, mode: float, high: float) -> Distribution:
    """Between two values, most often near a third, the mode."""
    low, mode, high = _numbers("triangular", low=low, mode=mode, high=high)
    _require(
        "triangular", low < high and low <= mode <= high, f"low={low:g}, mode={mode:g}, high={high:g}",
        "Give low ≤ mode ≤ high, low < high.",
    )  # fmt: skip
    share = (mode - low) / (high - low)

    def quantile(u: np.ndarray) -> np.ndarray:
        rising = low + np.sqrt(u * (high - low) * (mode - low))
        return np.where(u < share, rising, high - np.sqrt((1 - u) * (high - low) * (high - mode)))

    return Distribution(f"triangular({low!r}, {mode!r}, {high!r})", quantile)


WORDS: dict[str, Callable[..., Distribution]] = {
    f.__name__: f for f in (normal, uniform, loguniform, lognormal, triangular)
}
"""By the name that a command line gives."""


def distribution_in(name: str, given: object) -> Distribution | None:
    """One of ours, or a frozen one of scipy.stats; None: it is something else."""
    if isinstance(given, Distribution):
        return given
    quantile: Quantile | None = getattr(given, "ppf", None)
    if quantile is None or not hasattr(given, "kwds"):
        return None
    median = np.asarray(quantile(np.array([0.5])), dtype=float)
    if not np.all(np.isfinite(median)):
        raise ModelError(
            "its distribution gives no numbers.", component=name, remedy="Check the arguments that it was made with."
        )
    kind = getattr(getattr(given, "dist", None), "name", type(given).__name__)
    arguments = [*map(repr, getattr(given, "args", ())), *(f"{k}={v!r}" for k, v in getattr(given, "kwds", {}).items())]
    return Distribution(f"{kind}({', '.join(arguments)})", quantile)


def _numbers(word: str, **given: object) -> list[float]:
    for name, value in given.items():
        if not is_number(value):
            raise ModelError(f"{name}={shown(value)}.", component=f"lw.{word}", remedy="Give a finite number.")
    return [float(value) for value in given.values()]  # type: ignore[arg-type]


def _require(word: str, holds: bool, said: str, remedy: str) -> None:
    if not holds:
        raise ModelError(f"{said}.", component=f"lw.{word}", remedy=remedy)
