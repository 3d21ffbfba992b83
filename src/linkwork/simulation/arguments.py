"""Arguments that several verbs share, checked once: duration, sample times, tolerance, parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from linkwork.core.errors import ModelError
from linkwork.core.kinds import is_number, number_in, shown
from linkwork.geometry import is_scalar


class Named(Protocol):
    """A model or a bond graph."""

    name: str


SAMPLE_LIMIT = 1e7
"""More would fill the memory."""
SAMPLES = 501
"""Unless the user says otherwise."""


def checked_duration(model: Named, duration: object) -> float:
    """A positive number of seconds."""
    if not is_number(duration) or duration <= 0:
        plain = isinstance(duration, (float, np.number)) or is_number(duration)
        raise ModelError(
            f"duration {shown(duration)}{' s' if plain else ''}.",
            component=model.name,
            remedy="Give a positive number of seconds.",
        )
    return float(duration)


def checked_tolerance(model: Named, **given: object) -> None:
    """Tolerances are positive numbers."""
    for name, value in given.items():
        if not is_number(value) or value <= 0:
            raise ModelError(
                f"{name}={shown(value)}.", component=model.name, remedy="Give a positive number, such as 1e-8."
            )


def sample_times(duration: float, output: float | np.ndarray | None) -> np.ndarray:
    """Times of the samples [s]; output: the time between them, the times themselves, or None."""
    if output is None:
        return np.linspace(0.0, duration, SAMPLES)
    remedy = "Give a positive time or an array of times."
    output = number_in(output) if is_number(output) else output
    if is_scalar(output):
        if not is_number(output) or output <= 0:
            raise ModelError(f"output={shown(output)} s between samples.", remedy=remedy)
        if duration / output > SAMPLE_LIMIT:
            raise ModelError(
                f"output={output} s asks for {duration / output:.2g} samples.",
                remedy="Give a longer time between them.",
            )
        n = int(np.floor(duration / output * (1 + 1e-12)))
        times = np.arange(n + 1) * float(output)
        if duration - times[-1] < 1e-9 * duration:
            times[-1] = duration  # 3 · 0.1 is more than 0.3, and would never be reached
            return times
        return np.append(times, duration)
    try:
        times = np.asarray(output, dtype=float)
    except Exception:  # whatever numpy meets in there
        raise ModelError("output is neither a time nor an array of times.", remedy=remedy) from None
    inside = times.ndim == 1 and times.size and np.all(np.isfinite(times))
    if not inside or np.any(np.diff(times) <= 0) or times[0] < 0 or times[-1] > duration * (1 + 1e-12):
        raise ModelError("output times must increase and lie within the duration.", remedy="Sort them.")
    return np.minimum(times, duration)


def parameters_of(model: Named, given: object) -> dict[str, float]:
    """{name: value} as a user gives it; the model checks names and values."""
    if given is not None and not isinstance(given, Mapping):
        raise ModelError(
            f"parameters={shown(given)} names none.", component=model.name, remedy="Give {name: value}, a dictionary."
        )
    return dict(given or {})
