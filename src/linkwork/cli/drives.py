"""`--drive NAME=EXPRESSION` or `--drive NAME=FILE.csv:COLUMN`: what the command line can make a coordinate do."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.cli.expressions import function_of_time
from linkwork.core.errors import LinkworkError, UnknownName


def drives(texts: Sequence[str]) -> dict[object, Any]:
    """{coordinate: function of t or table} of all `--drive` options."""
    by_name: dict[object, Any] = {}
    for text in texts:
        name, equals, what = (part.strip() for part in text.partition("="))
        if not equals or not name or not what:
            raise LinkworkError(
                f"{text!r} is not a drive.", component="--drive", remedy='Write, for instance, --drive "O.angle=2*t".'
            )
        if name in by_name:
            raise LinkworkError("is driven twice.", component=name, remedy="Give one --drive for it.")
        file, colon, column = what.rpartition(":")
        by_name[name] = table(Path(file), column.strip()) if colon else function_of_time(what, name)
    return by_name


def table(path: Path, column: str) -> tuple[np.ndarray, np.ndarray]:
    """(times, values) from a file of comma-separated numbers: a row of names, the time in the first column [s].

    Lines that begin with # and a row of units after the names are skipped, so that saved results can be read too.
    """
    try:
        lines = [line for line in path.read_text(encoding="utf-8-sig").splitlines() if line and line[0] != "#"]
    except (OSError, UnicodeDecodeError) as error:
        raise LinkworkError(f"cannot be read: {error}.", component=str(path), remedy="Check the file.") from None
    rows = list(csv.reader(lines))
    names = [name.strip() for name in rows[0]] if rows else []
    if len(names) < 2:
        remedy = "Separate columns by commas: the time first, then values."
        raise LinkworkError("has a single column.", component=str(path), remedy=remedy)
    if column not in names[1:]:
        raise UnknownName("column", column, names[1:], component=str(path))
    k, numbers = names.index(column), []
    for count, row in enumerate(rows[1:]):
        try:
            numbers.append((float(row[0]), float(row[k])))
        except (ValueError, IndexError):
            if count:  # the first one may be the units
                raise LinkworkError(
                    f"row {count + 2} holds no numbers.", component=str(path), remedy="Give a time and a value per row."
                ) from None
    times, values = np.array(numbers).reshape(-1, 2).T
    return times, values
