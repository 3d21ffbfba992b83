"""What is kept of each run: channels over time, numbers made of them, and whatever a user's functions give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from linkwork.core.errors import ModelError, UnknownName
from linkwork.core.kinds import shown
from linkwork.core.result import Result
from linkwork.sweeps.outcome import Quantity

SERIES = "series"
Reduction = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""(times [s], values, the last axis over time) → one number for each series."""


def _mean(t: np.ndarray, x: np.ndarray) -> np.ndarray:
    span = t[-1] - t[0]
    return np.asarray(np.trapezoid(x, t) / span if span > 0 else x[..., -1])


REDUCTIONS: dict[str, Reduction] = {
    "end": lambda t, x: x[..., -1],
    "min": lambda t, x: x.min(axis=-1),
    "max": lambda t, x: x.max(axis=-1),
    "mean": _mean,
    "rms": lambda t, x: np.sqrt(_mean(t, x * x)),
    "integral": lambda t, x: np.asarray(np.trapezoid(x, t)),
}
"""Over the samples of a run: the trapezoidal rule for what is an integral."""

Slope = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""(times [s], values, their derivatives, (times, parameters)) → the derivatives of a number made of the values."""


def _rms_slope(t: np.ndarray, x: np.ndarray, dx: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):  # where all is zero, there is none
        return _mean(t, x * dx.T) / REDUCTIONS["rms"](t, x)


SLOPES: dict[str, Slope] = {
    "end": lambda t, x, dx: dx[-1],
    "min": lambda t, x, dx: dx[x.argmin()],
    "max": lambda t, x, dx: dx[x.argmax()],
    "mean": lambda t, x, dx: _mean(t, dx.T),
    "rms": _rms_slope,
    "integral": lambda t, x, dx: np.asarray(np.trapezoid(dx.T, t)),
}
"""Of each reduction, exactly: the sample that is the largest stays it for small changes."""


@dataclass(frozen=True)
class Keeping:
    """What is kept: channels, in which ways, at which times [s], and functions of the Result."""

    channels: tuple[str, ...]
    ways: tuple[str, ...]
    times: np.ndarray
    own: Mapping[str, Callable[[Result], float]] = field(default_factory=dict)

    def layout(self, units: Mapping[str, str]) -> tuple[Quantity, ...]:
        """units: by channel."""
        quantities = [Quantity(c, units[c], "t", self.times.size) for c in self.channels if SERIES in self.ways]
        for way in self.ways:
            if way != SERIES:
                quantities += [Quantity(f"{c}.{way}", _unit(units[c], way), meaning=way) for c in self.channels]
        return (*quantities, *(Quantity(name, "", meaning="own") for name in self.own))

    def values(self, result: Result, whole: bool) -> np.ndarray:
        """All numbers of a run; whole: whether it came to its end, else there is nothing to be reduced."""
        parts: list[np.ndarray] = []
        if SERIES in self.ways:
            place = np.searchsorted(result.t, self.times, side="right") - 1  # where it jumps, what holds afterwards
            there = (place >= 0) & (result.t[place] == self.times) if result.t.size else np.zeros(place.size, bool)
            parts += [np.where(there, result[c][place], np.nan) if there.any() else self._none for c in self.channels]
        for way in self.ways:
            if way != SERIES:
                reduce = REDUCTIONS[way]
                parts += [np.array([float(reduce(result.t, result[c])) if whole else np.nan]) for c in self.channels]
        parts += [np.array([_called(name, f, result) if whole else np.nan]) for name, f in self.own.items()]
        return np.concatenate(parts) if parts else np.zeros(0)

    def many(self, data: Mapping[str, np.ndarray]) -> np.ndarray:
        """Numbers of runs that came to their end, a row each, but those of own functions; data: by channel, (cases,
        times)."""
        parts = [data[c] for c in self.channels if SERIES in self.ways]
        for way in self.ways:
            if way != SERIES:
                parts += [REDUCTIONS[way](self.times, data[c])[:, None] for c in self.channels]
        return np.concatenate(parts, axis=1) if parts else np.zeros((0, 0))

    def nothing(self) -> np.ndarray:
        """The values of a case that did not begin."""
        series = self.times.size * len(self.channels) if SERIES in self.ways else 0
        return np.full(series + len(self.channels) * sum(w != SERIES for w in self.ways) + len(self.own), np.nan)

    @property
    def _none(self) -> np.ndarray:
        return np.full(self.times.size, np.nan)


def ways_in(keep: str | Sequence[str], name: str) -> tuple[str, ...]:
    """Names of ways to keep a channel, each once."""
    if not isinstance(keep, (str, Sequence)):
        raise ModelError(
            f"keep={shown(keep)}.", component=name, remedy=f"Give some of: {SERIES}, {', '.join(REDUCTIONS)}."
        )
    asked = (keep,) if isinstance(keep, str) else tuple(keep)
    for way in asked:
        if not isinstance(way, str) or (way != SERIES and way not in REDUCTIONS):
            raise UnknownName("way to keep a channel", str(way), [SERIES, *REDUCTIONS], component=name)
    return tuple(dict.fromkeys(asked))


def own_in(given: object, name: str) -> dict[str, Callable[[Result], float]]:
    """{name: function of the Result}."""
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(k, str) and callable(f) for k, f in given.items()):
        raise ModelError(
            f"reduce={shown(given)}.", component=name,
            remedy='Give {name: function}: {"overshoot": lambda r: r["piston.x"].max() - 1}; '
            "lw.Final(…) and lw.Integral(…) are for sensitivities=[…].",
        )  # fmt: skip
    return dict(given)


def _called(name: str, function: Callable[[Result], float], result: Result) -> float:
    value = function(result)
    try:
        return float(np.asarray(value, dtype=float).item())
    except (TypeError, ValueError):
        raise ModelError(f"gives {shown(value)}.", component=name, remedy="Let it return one number.") from None


def _unit(unit: str, way: str) -> str:
    if way != "integral":
        return unit
    return f"{unit}·s" if unit else "s"
