"""A result as NetCDF (classic, 64-bit offsets): one variable per channel over the dimension `t`.

xarray, MATLAB, Octave, Julia and ncdump read it. SciPy writes it, so that no further package is needed.
"""

from __future__ import annotations

import io
import json
from collections.abc import Container
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.core.program import Channel
from linkwork.core.result import Result
from linkwork.files import checksum
from linkwork.files.damage import Damaged

_FORMAT = "linkwork result, format 2"


def write(result: Result, path: Path) -> None:
    """Write `result`; the record and the exact channel names travel as JSON in global attributes."""
    from scipy.io import netcdf_file  # 0.3 s of start-up that only those who save should pay

    columns = {"t": ("t", "s", result.t)}
    for channel in result.channels:
        columns[_variable(channel.name, columns)] = (channel.name, channel.unit, result[channel.name])
    names = [[variable, name, unit] for variable, (name, unit, _) in columns.items()]
    with netcdf_file(str(path), "w", version=2) as file:
        file.format = _bytes(_FORMAT)
        file.samples = result.t.size
        file.channels = _bytes(json.dumps(names[1:]))
        file.checksum = _bytes(checksum.of_result(result))
        for note in checksum.NOTES:
            setattr(file, note, _bytes(json.dumps(getattr(result, note))))
        if result.t.size:  # a dimension of length 0 would be taken for an unlimited one
            file.createDimension("t", result.t.size)
            for variable, (name, unit, values) in columns.items():
                stored = file.createVariable(variable, "f8", ("t",))
                stored.units, stored.long_name = _bytes(unit or "1"), _bytes(name)
                stored[:] = values


def read(path: Path) -> Result:
    """Read what `write` wrote."""
    from scipy.io import netcdf_file

    content = io.BytesIO(path.read_bytes())
    try:
        with netcdf_file(content, "r", mmap=False) as file:
            if _text(file, "format") != _FORMAT:
                raise Damaged("it is a NetCDF file, but not one of a result")
            samples = int(file.samples)
            names = json.loads(_text(file, "channels"))
            notes = {note: json.loads(_text(file, note)) for note in checksum.NOTES}
            stored = _text(file, "checksum")
            columns = [_values(file, variable, samples) for variable in ("t", *(name[0] for name in names))]
        channels = [Channel(name, unit) for _, name, unit in names]
        result = Result(columns[0], np.array(columns[1:]).reshape(len(names), samples).T, channels, **notes)
        checksum.compare(stored, checksum.of_result(result))
        return result
    except Damaged:
        raise
    except Exception as error:  # SciPy's reader trusts the file: a damaged one fails in almost any way
        raise Damaged(f"{type(error).__name__}: {error}") from error


def _variable(name: str, taken: Container[str]) -> str:
    """A name that NetCDF allows: ASCII, no `/`; where that makes two the same, a number keeps them apart."""
    safe = "".join(c if c.isascii() and c.isprintable() and c != "/" else "_" for c in name).strip() or "_"
    variable, count = safe, 1
    while variable in taken:
        count += 1
        variable = f"{safe}_{count}"
    return variable


def _values(file: Any, variable: str, samples: int) -> np.ndarray:
    if samples == 0:
        return np.empty(0)
    return np.array(file.variables[variable][:], dtype=np.float64)  # stored big-endian


def _bytes(text: str) -> bytes:
    return text.encode("utf-8")


def _text(file: object, attribute: str) -> str:
    value = getattr(file, attribute, b"")
    return bytes(value).decode("utf-8")
