"""Closing of mechanisms in the C library as Python sees it (closing.h)."""

from __future__ import annotations

import ctypes
import functools
from ctypes import POINTER, c_double, c_int32, c_int64, c_void_p

from linkwork.core.errors import LinkworkError
from linkwork.integrate.native.binding import library

CLEAR, DOUBTFUL, NO_MEMORY = range(3)


class SparseRows(ctypes.Structure):
    """Mirrors `lw_sparse_rows`."""

    _fields_ = [
        *((name, c_int32) for name in ("rows", "columns", "nonzeros")),
        *((name, POINTER(c_int32)) for name in ("row_start", "column", "place")),
    ]


class Closing(ctypes.Structure):
    """Mirrors `lw_closing`."""

    _fields_ = [
        *((name, c_int32) for name in ("q", "v")),
        ("pattern", SparseRows),
        *((name, c_void_p) for name in ("residual", "retract")),
        ("work_size", c_int64),
        *((name, POINTER(c_double)) for name in ("weights", "unit")),
    ]


@functools.cache
def closing_library() -> ctypes.CDLL:
    """The library with these functions declared; arrays are handed over by their addresses."""
    lib = library()
    signatures = {
        "lw_least_norm": [POINTER(SparseRows), *[c_void_p] * 4],
        "lw_close": [POINTER(Closing), *[c_void_p] * 7],
        "lw_branch": [POINTER(SparseRows), *[c_void_p] * 2],
    }
    for name, arguments in signatures.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = c_int32, arguments
    lib.lw_closing_bytes.restype, lib.lw_closing_bytes.argtypes = c_int64, []
    if lib.lw_closing_bytes() != ctypes.sizeof(Closing):
        raise LinkworkError("the compiled integrators are of another version.", remedy="Install linkwork again.")
    return lib
