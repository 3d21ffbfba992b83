"""Save and load a Result; the suffix chooses the format.

To add a format: 1. a module here with `write(result, path)` and `read(path)`, 2. a line in `_formats`,
3. it is then covered by the round-trip tests, which run over every suffix.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from linkwork.core.errors import LinkworkError
from linkwork.core.result import Result
from linkwork.files import csv, netcdf
from linkwork.files.atomic import replacing
from linkwork.files.damage import Damaged


class Format(NamedTuple):
    write: Callable[[Result, Path], None]
    read: Callable[[Path], Result]


_formats = {".nc": Format(netcdf.write, netcdf.read), ".csv": Format(csv.write, csv.read)}
SUFFIXES = tuple(_formats)


def save(result: Result, path: str | os.PathLike[str]) -> None:
    """Write the result to `path`: .nc (NetCDF, compact) or .csv (text). Nothing is lost in either."""
    path = Path(path)
    write = _format(path).write
    with replacing(path) as draft:
        write(result, draft)


def load(path: str | os.PathLike[str]) -> Result:
    """Read a result that `save` wrote."""
    path = Path(path)
    read = _format(path).read
    try:
        return read(path)
    except OSError as error:
        raise LinkworkError(f"cannot be read: {error.strerror or error}.", component=str(path)) from error
    except Damaged as error:
        raise LinkworkError(
            f"is not a whole result file: {error}.", component=str(path), remedy="Save the result again."
        ) from error


def _format(path: Path) -> Format:
    try:
        return _formats[path.suffix.lower()]
    except KeyError:
        raise LinkworkError(
            f"no result format has the suffix {path.suffix!r}.",
            component=str(path),
            remedy=f"Use one of: {', '.join(SUFFIXES)}.",
        ) from None


Result.register("save", save)
Result.register("load", staticmethod(load))
