"""Measured channels: times, values, and how uncertain they are, from whatever a user has."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.core.errors import LinkworkError, ModelError
from linkwork.core.kinds import shown
from linkwork.core.result import Result
from linkwork.sweeps.design import is_frame


@dataclass(frozen=True)
class Measured:
    """One channel: times [s] in rising order, values, and their standard deviation, where it is known."""

    channel: str
    t: np.ndarray
    values: np.ndarray
    deviation: np.ndarray | None = None

    @property
    def scale(self) -> np.ndarray:
        """What a residual is divided by: the deviation; else how much the values vary, the same for all."""
        if self.deviation is not None:
            return self.deviation
        size = float(np.std(self.values)) or float(np.abs(self.values).max(initial=0.0)) or 1.0
        return np.full(self.t.size, size)


def measured_in(given: object, name: str) -> tuple[Measured, ...]:
    """{channel: (times, values) or (times, values, deviation)}, a Result, a DataFrame or CSV file with times first."""
    if isinstance(given, (str, os.PathLike)):
        columns = _from_csv(Path(given))
    elif isinstance(given, Result):
        columns = {"t": given.t, **{channel: given[channel] for channel in given}}
    elif is_frame(given):
        columns = _from_frame(given)
    elif isinstance(given, Mapping):
        measured = tuple(_measured(str(channel), each) for channel, each in given.items())
        if not measured:
            raise _nothing(name)
        return measured
    else:
        raise ModelError(f"data={shown(given)} holds no measurement.", component=name, remedy=REMEDY)
    times, *channels = columns.items()
    if not channels:
        raise _nothing(name)
    return tuple(_measured(channel, (times[1], values)) for channel, values in channels)


REMEDY = 'Give {"piston.x": (times, values)}, a DataFrame, or a CSV file with times in its first column.'


def _nothing(name: str) -> ModelError:
    return ModelError("there is no measurement to fit.", component=name, remedy=REMEDY)


def _measured(channel: str, given: Any) -> Measured:
    """Values that are missing (NaN) are left out."""
    remedy = "Give (times, values) or (times, values, deviation): times in rising order from 0 s on, as many values."
    try:
        times, values, *rest = given
        t, x = np.array(times, dtype=float).ravel(), np.array(values, dtype=float).ravel()
        deviation = np.broadcast_to(np.array(rest[0], dtype=float), t.shape).copy() if rest else None
    except (TypeError, ValueError):
        raise ModelError(f"is measured as {shown(given)}.", component=channel, remedy=remedy) from None
    there = np.isfinite(x)
    fine = t.shape == there.shape and len(rest) < 2 and np.all(np.isfinite(t)) and np.all(np.diff(t) > 0)
    if not fine or not there.any() or t[0] < 0:
        raise ModelError("is not measured at rising times.", component=channel, remedy=remedy)
    if deviation is not None and not np.all(deviation > 0):
        raise ModelError("has a deviation that is not positive.", component=channel, remedy="Give deviations > 0.")
    return Measured(channel, t[there], x[there], None if deviation is None else deviation[there])


def _from_frame(frame: Any) -> dict[str, np.ndarray]:
    """The column "t" or "time", else the index, are times."""
    names = list(map(str, frame.columns))
    own = next((word for word in ("t", "time") if word in names), None)
    times = np.asarray(frame.index if own is None else frame[own], dtype=float)
    return {"t": times, **{n: np.asarray(frame[c], dtype=float) for n, c in zip(names, frame.columns, strict=True)
                           if n != own}}  # fmt: skip


def _from_csv(path: Path) -> dict[str, np.ndarray]:
    """A row of names, then rows of numbers; what is empty was not measured. A row of units may follow the names."""
    remedy = "Give a CSV file with a row of names, and times in its first column."
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file) if row and not row[0].startswith("#")]
    except (OSError, UnicodeDecodeError) as error:
        said = getattr(error, "strerror", None) or error
        raise LinkworkError(f"cannot be read: {said}.", component=str(path), remedy=remedy) from error
    if rows[1:] and not _are_numbers(rows[1]):
        del rows[1]
    names = [word.strip() for word in rows[0]] if rows else []
    if len(names) < 2 or len(rows) < 2 or not all(_are_numbers(row) and len(row) == len(names) for row in rows[1:]):
        raise LinkworkError("is no table of measurements.", component=str(path), remedy=remedy)
    table = np.array([[float(cell) if cell.strip() else np.nan for cell in row] for row in rows[1:]])
    return dict(zip(names, table.T, strict=True))


def _are_numbers(row: Iterable[str]) -> bool:
    try:
        return [float(cell) for cell in row if cell.strip()] != []
    except ValueError:
        return False


def times_of(data: Sequence[Measured]) -> np.ndarray:
    """All times at which something was measured."""
    return np.unique(np.concatenate([each.t for each in data]))
