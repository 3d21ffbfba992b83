"""Designs: which values the cases of a sweep have. A table with a row per case, however it was described."""

from __future__ import annotations

import csv
import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from linkwork.core.errors import LinkworkError, ModelError, UnknownName
from linkwork.core.kinds import is_number, number_in, shown
from linkwork.sweeps.distributions import Distribution, distribution_in
from linkwork.sweeps.statistics import saltelli

CASE_LIMIT = 10**8
"""More would not end; their numbers alone would fill the memory."""
LARGEST_SEED = 2**32 - 1
"""That generators of random numbers take."""
SAMPLINGS = ("random", "sobol", "halton", "latin", "saltelli")
"""How distributions are drawn from: independently, evenly by one of SciPy's sequences, as Sobol's indices need it."""

Given: TypeAlias = object
"""{name: list, range of numbers, or distribution}, a list of {name: value}, a table (DataFrame) or a CSV file."""


@dataclass(frozen=True)
class Design:
    """The values of all cases."""

    names: tuple[str, ...]
    table: np.ndarray
    """(cases, names); of an input that is given as signals, the number of the signal."""
    axes: dict[str, np.ndarray] = field(default_factory=dict)
    """Where the cases are the points of a grid, in order: the values along each axis."""
    signals: dict[str, tuple[object, ...]] = field(default_factory=dict)
    """Of inputs that are not numbers: what may drive them."""
    said: dict[str, str] = field(default_factory=dict)
    """What each was said to be, for the record."""

    @property
    def cases(self) -> int:
        return len(self.table)

    def digest(self) -> str:
        """The same for the same values."""
        parts = [repr(self.names).encode(), np.ascontiguousarray(self.table).tobytes(), _signals_text(self.signals)]
        return hashlib.sha256(b"\0".join(parts)).hexdigest()


def design_of(given: Given, *, cases: int | None, sampling: str, seed: int, name: str = "sweep") -> Design:
    """Read a design; cases: how many, where something is random; name: whom a message is about."""
    if not isinstance(sampling, str) or sampling not in SAMPLINGS:
        raise UnknownName("way of sampling", str(sampling), SAMPLINGS)
    if isinstance(given, Mapping):
        design = _crossed(given, cases, sampling, seed, name)
    elif isinstance(given, Iterable) or isinstance(given, os.PathLike):
        design = _tabled(_columns(given, name), name)
        _check_count(cases, design.cases, name)
    else:
        raise ModelError(
            f"the design {shown(given)} names nothing to vary.",
            component=name,
            remedy='Give {"L": [0.1, 0.2], "k": lw.normal(1e4, 500)}, a table or a CSV file.',
        )
    if not design.names or not design.cases:
        raise _empty(name)
    if design.cases > CASE_LIMIT:
        raise ModelError(f"{design.cases} cases.", component=name, remedy=f"At most {CASE_LIMIT} are run.")
    return design


def _empty(name: str) -> ModelError:
    return ModelError(
        "the design is empty: there is no case to run.",
        component=name,
        remedy='Name at least one parameter with at least one value: {"L": [0.1, 0.2]}.',
    )


def _crossed(given: Mapping[object, object], cases: int | None, sampling: str, seed: int, name: str) -> Design:
    """Lists span a grid; distributions are drawn anew at each of its points, by the same numbers."""
    axes: list[tuple[tuple[str, ...], list[tuple[object, ...]]]] = []
    random: dict[str, Distribution] = {}
    for key, values in given.items():
        names = tuple(map(str, key)) if isinstance(key, tuple) else (str(key),)
        drawn = distribution_in(str(key), values)
        if drawn is not None:
            random[str(key)] = drawn
        else:
            axes.append((names, _values(names, values)))
    if not axes and not random:
        raise _empty(name)
    points = int(np.prod([len(values) for _, values in axes])) if axes else 1
    if not random:
        _check_count(cases, points, name)
    draws = _draws(cases, points, random, name)
    if sampling == "saltelli" and (axes or not random):
        raise ModelError(
            "Sobol's indices are of random parameters only.", component=name, remedy="Give distributions for all."
        )
    grid, signals = _grid(axes, points)
    drawn_table = _drawn(random, draws, sampling, seed)
    columns = [np.repeat(column, draws) for column in grid.values()]
    columns += [np.tile(column, points) for column in drawn_table.T]
    names = (*grid, *random)
    if len(set(names)) < len([n for words, _ in axes for n in words]) + len(random):
        raise ModelError("something is varied twice.", component=name, remedy="Name it once.")
    single = all(len(words) == 1 for words, _ in axes)
    plain = {w[0]: np.array([number_in(v[0]) for v in x]) for w, x in axes if w[0] not in signals} if single else {}
    full = plain if not random and not signals and single else {}
    said = {w: f"{len(x)} values" for words, x in axes for w in words} | {n: str(d) for n, d in random.items()}
    return Design(names, np.column_stack(columns), full, signals, said)


def _draws(cases: int | None, points: int, random: Mapping[str, Distribution], name: str) -> int:
    """How often each point of the grid is drawn."""
    if not random:
        return 1
    if cases is None:
        raise ModelError(
            f"how many cases are to be drawn from {next(iter(random.values()))}?", component=name,
            remedy="Give cases=1000.",
        )  # fmt: skip
    if cases % points or cases < points:
        nearest = max(round(cases / points), 1) * points
        raise ModelError(
            f"{cases} cases cannot be shared evenly among the {points} points of the grid.",
            component=name,
            remedy=f"Give cases={nearest}, or another multiple of {points}.",
        )
    return cases // points


def _check_count(cases: int | None, points: int, name: str) -> None:
    if cases is not None and cases != points:
        raise ModelError(
            f"cases={cases}, but the design has {points}, and nothing in it is random.",
            component=name,
            remedy="Leave cases out, or give a distribution, such as lw.uniform(0.1, 0.5).",
        )


def _values(names: tuple[str, ...], values: object) -> list[tuple[object, ...]]:
    """Along one axis of a grid: for each of its points, a value of each name."""
    said = ", ".join(names)
    if is_number(values):
        values = [values]
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise ModelError(
            f"is varied by {shown(values)}.", component=said,
            remedy="Give a list of values, or a distribution, such as lw.normal(1e4, 500).",
        )  # fmt: skip
    points = [tuple(v) if len(names) > 1 and isinstance(v, Iterable) else (v,) for v in values]
    if not points:
        raise ModelError("has no values: the design is empty.", component=said, remedy="Give at least one.")
    wrong = next((v for v in points if len(v) != len(names)), None)
    if wrong is not None:
        raise ModelError(f"has the values {shown(wrong)}.", component=said, remedy=f"Give {len(names)} each time.")
    return points


def _grid(
    axes: Sequence[tuple[tuple[str, ...], list[tuple[object, ...]]]], points: int
) -> tuple[dict[str, np.ndarray], dict[str, tuple[object, ...]]]:
    """A column per name, the last axis fastest; and the signals that columns hold the numbers of."""
    columns: dict[str, np.ndarray] = {}
    signals: dict[str, tuple[object, ...]] = {}
    places = np.indices([len(values) for _, values in axes]).reshape(len(axes), points) if axes else np.zeros((0, 1))
    for place, (names, values) in zip(places, axes, strict=True):
        for k, name in enumerate(names):
            column = [row[k] for row in values]
            numbers = [number_in(x) for x in column]
            if all(x is None for x in numbers) and all(_is_signal(x) for x in column):
                signals[name] = tuple(column)
                numbers = list(map(float, range(len(column))))
            columns[name] = _column(name, column, numbers)[place]
    return columns, signals


def _column(name: str, given: Sequence[object], numbers: Sequence[float | None]) -> np.ndarray:
    for value, number in zip(given, numbers, strict=True):
        if number is None or not np.isfinite(number):
            raise ModelError(f"has the value {shown(value)}.", component=name, remedy="Give finite numbers.")
    return np.array(numbers, dtype=float)


def _is_signal(given: object) -> bool:
    """What may drive an input over time."""
    return callable(given) or (isinstance(given, (tuple, list)) and len(given) == 2)


def _drawn(random: Mapping[str, Distribution], draws: int, sampling: str, seed: int) -> np.ndarray:
    """(draws, names): the same numbers for the same seed, whatever computes them."""
    if not random:
        return np.zeros((draws, 0))
    u = np.clip(_uniform(len(random), draws, sampling, seed), 2.0**-54, 1 - 2.0**-53)
    columns = [np.asarray(d.quantile(u[:, k]), dtype=float) for k, d in enumerate(random.values())]
    for (name, d), column in zip(random.items(), columns, strict=True):
        if column.shape != (draws,) or not np.all(np.isfinite(column)):
            raise ModelError(f"{d} gives values that are not finite.", component=name, remedy="Check its arguments.")
    return np.column_stack(columns)


def _uniform(dimensions: int, draws: int, sampling: str, seed: int) -> np.ndarray:
    """Numbers between 0 and 1, (draws, dimensions)."""
    if sampling == "random":
        return np.random.default_rng(seed).random((draws, dimensions))
    if sampling == "saltelli":
        return saltelli(dimensions, draws, seed)
    from scipy.stats import qmc

    if sampling == "sobol":
        sequence = qmc.Sobol(dimensions, scramble=True, seed=seed)
        # Whole powers of two are even; of what is left over, the first are as good as any.
        return sequence.random_base2(int(np.ceil(np.log2(draws))))[:draws] if draws > 1 else sequence.random(1)
    kind = qmc.Halton if sampling == "halton" else qmc.LatinHypercube
    return np.asarray(kind(dimensions, seed=seed).random(draws))


def is_frame(given: object) -> bool:
    """Whether it is a table with named columns, of pandas, Polars or their like; matrices have methods of that name."""
    return hasattr(given, "to_numpy") and not callable(getattr(given, "columns", len))


def _columns(given: Iterable[object] | os.PathLike[str], name: str) -> dict[str, list[object]]:
    """Of a CSV file, a DataFrame, or cases one by one: a dictionary each, all with the same names."""
    if isinstance(given, (str, os.PathLike)):
        return _from_csv(Path(given))
    frame: Any = given
    if is_frame(frame):
        return {str(word): frame[word].tolist() for word in frame.columns}
    rows = list(given)
    first = rows[0] if rows else {}
    if not isinstance(first, Mapping):
        raise ModelError(f"the first case is {shown(first)}.", component=name, remedy="Give {name: value} for each.")
    columns: dict[str, list[object]] = {str(word): [] for word in first}
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping) or set(map(str, row)) != set(columns):
            raise ModelError(
                f"case {number} is {shown(row)}.", component=name,
                remedy=f"Every case must name the same as the first one: {', '.join(columns)}.",
            )  # fmt: skip
        for word, value in row.items():
            columns[str(word)].append(value)
    return columns


def _tabled(columns: Mapping[str, list[object]], name: str) -> Design:
    """A row per case."""
    if not columns or not next(iter(columns.values())):
        raise _empty(name)
    table = np.column_stack([_column(word, x, [number_in(v) for v in x]) for word, x in columns.items()])
    return Design(tuple(columns), table, {}, {}, dict.fromkeys(columns, f"a table of {len(table)} rows"))


def _from_csv(path: Path) -> dict[str, list[object]]:
    """A row of names, then a row of numbers per case."""
    remedy = "Give a CSV file with a row of names and a row of numbers per case."
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file) if row and not row[0].startswith("#")]
    except (OSError, UnicodeDecodeError) as error:
        said = getattr(error, "strerror", None) or error
        raise LinkworkError(f"cannot be read: {said}.", component=str(path), remedy=remedy) from error
    names = [word.strip() for word in rows[0]] if rows else []
    columns: dict[str, list[object]] = {word: [] for word in names}
    if len(columns) < len(names):
        raise LinkworkError("names a column twice.", component=str(path), remedy="Name each one once.")
    for number, row in enumerate(rows[1:]):
        try:
            for word, text in zip(names, row, strict=True):
                columns[word].append(float(text))
        except ValueError:
            raise LinkworkError(
                f"case {number} reads {', '.join(row)}.", component=str(path),
                remedy=f"Give {len(names)} numbers in each row: {', '.join(names)}.",
            ) from None  # fmt: skip
    return columns


def _signals_text(signals: Mapping[str, tuple[object, ...]]) -> bytes:
    """What tells signals apart: their numbers, or the code of their functions."""
    parts = []
    for name, each in signals.items():
        for signal in each:
            held = {**vars(signal)} if hasattr(signal, "__dict__") else {}
            numbers = [x.tobytes() for x in held.values() if isinstance(x, np.ndarray)]
            if isinstance(signal, (tuple, list)):
                numbers = [np.asarray(x, dtype=float).tobytes() for x in signal]
            code = getattr(signal, "__code__", None)
            own = b"" if code is None else code.co_code + repr(code.co_consts).encode()
            parts.append(b"|".join([name.encode(), type(signal).__name__.encode(), *numbers, own]))
    return b"\0".join(parts)
