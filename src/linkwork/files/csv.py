"""A result as text: comment lines with a checksum and the record, a row of names, a row of units, then the numbers.

Every number is written with as many digits as it takes to read the same number back. A reader that knows nothing of
this skips the lines that begin with `#` and the row of units.
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.core.program import Channel
from linkwork.core.result import Result
from linkwork.files import checksum
from linkwork.files.damage import Damaged

_HEADING = "# linkwork result, format 2"


def write(result: Result, path: Path) -> None:
    """Write `result` as UTF-8 text."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(f"{_HEADING}; samples: {result.t.size}\n")
        file.write(f"# checksum: {json.dumps(checksum.of_result(result))}\n")
        for note in checksum.NOTES:
            file.write(f"# {note}: {json.dumps(getattr(result, note))}\n")
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["t", *(channel.name for channel in result.channels)])
        rows.writerow(["s", *(channel.unit for channel in result.channels)])
        for time, values in zip(result.t.tolist(), result.data.tolist(), strict=True):
            file.write(",".join(map(repr, (time, *values))) + "\n")


def read(path: Path) -> Result:
    """Read what `write` wrote."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            samples = _samples(file.readline())
            stored = _note(file.readline(), "checksum")
            notes = {note: _note(file.readline(), note) for note in checksum.NOTES}
            rows = csv.reader(file)
            names, units = next(rows, []), next(rows, [])
            numbers = _numbers(file.read(), samples, len(names))
    except (UnicodeDecodeError, csv.Error) as error:
        raise Damaged("it is not text") from error
    if names[:1] != ["t"] or len(units) != len(names):
        raise Damaged("the rows of names and units are missing or do not match")
    channels = [Channel(name, unit) for name, unit in zip(names[1:], units[1:], strict=True)]
    try:
        result = Result(numbers[:, 0], numbers[:, 1:], channels, **notes)
    except (TypeError, ValueError) as error:
        raise Damaged(str(error)) from error
    checksum.compare(stored, checksum.of_result(result))
    return result


def _samples(line: str) -> int:
    heading, _, count = line.rstrip("\n").partition("; samples: ")
    if heading != _HEADING or not count.isdigit():
        raise Damaged(f"its first line does not begin with {_HEADING!r}")
    return int(count)


def _note(line: str, note: str) -> Any:
    start = f"# {note}: "
    if not line.startswith(start):
        raise Damaged(f"the line {start!r} is missing")
    try:
        return json.loads(line[len(start) :])
    except json.JSONDecodeError as error:
        raise Damaged(f"the line {start!r} is not JSON") from error


def _numbers(text: str, samples: int, columns: int) -> np.ndarray:
    """The table, shape (samples, columns); a file cut short anywhere is found out by the count or the last line end."""
    if samples == 0 and not text:
        return np.empty((0, columns))
    try:
        numbers = np.loadtxt(io.StringIO(text), delimiter=",", ndmin=2) if text else np.empty((0, columns))
    except ValueError as error:
        raise Damaged(str(error)) from error
    if numbers.shape != (samples, columns) or not text.endswith("\n"):
        raise Damaged(f"it holds {numbers.shape[0]} rows of {numbers.shape[1]}, not {samples} of {columns}")
    return numbers
