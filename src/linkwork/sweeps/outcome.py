"""What became of one case."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

FINISHED, EVENT, FAILED, PENDING = "finished", "event", "failed", "pending"
STATUSES = (PENDING, FINISHED, EVENT, FAILED)
"""Of a case: not run yet; run to the end; ended by an event that stops; not to be simulated to the end."""

SINGLE = "single"
"""The engine that integrates one case at a time."""


@dataclass(frozen=True)
class Outcome:
    """status: one of `STATUSES`; reason: the error, or the event that ended it; end: until when it was run [s].

    values: all numbers that are kept of it, in the order of the layout; NaN where there are none.
    """

    status: str
    reason: str
    end: float
    warnings: str
    """What the watch found, if anything."""
    values: np.ndarray
    engine: str = ""
    """What integrated it: `SINGLE`, an engine that treats many cases at once, or both; nothing where nothing did."""


@dataclass(frozen=True)
class Quantity:
    """Something that is kept of every case: one number, or one for each point of a dimension."""

    name: str
    unit: str
    dimension: str = ""
    """"" for one number."""
    size: int = 1
    meaning: str = ""


def places(layout: tuple[Quantity, ...]) -> dict[str, slice]:
    """Where each quantity is among the values of an outcome."""
    ends = np.cumsum([0, *(q.size for q in layout)])
    return {q.name: slice(int(a), int(b)) for q, a, b in zip(layout, ends[:-1], ends[1:], strict=True)}
