"""Schedules of the C library as Python sees them (schedule.h)."""

from __future__ import annotations

import ctypes
import functools
from ctypes import POINTER, c_double, c_int32, c_int64, c_void_p

from linkwork.core.errors import LinkworkError
from linkwork.integrate.native.binding import library

CALL, ZERO, ADD, TAKE, LARGEST, SQUARES, LIMIT, SOFTEN, FACTOR, SOLVE, MULTIPLY, SET, SWEEP, LARGEST_SLOPE = range(14)


class Fronts(ctypes.Structure):
    """Mirrors `lw_fronts`."""

    _fields_ = [
        *((name, c_int64) for name in ("count", "unknowns", "area", "widest")),
        *((name, POINTER(c_int32)) for name in ("order", "pivots", "own", "child", "sibling")),
        *((name, POINTER(c_int64)) for name in ("place", "first", "leads", "entries")),
        *((name, POINTER(c_int32)) for name in ("index", "into", "behind", "at", "entry")),
        ("felt", POINTER(c_double)),
        *((name, c_int64) for name in ("softness", "soft", "margin")),
    ]


class Stage(ctypes.Structure):
    """Mirrors `lw_stage`."""

    _fields_ = [
        *((name, c_int32) for name in ("kind", "inputs", "outputs", "table_width")),
        ("kernel", c_void_p),
        *((name, c_int64) for name in ("count", "target", "source")),
        *((name, POINTER(c_int32)) for name in ("gather", "scatter")),
        ("table", POINTER(c_double)),
        ("factor", c_double),
    ]


class Schedule(ctypes.Structure):
    """Mirrors `lw_schedule`."""

    _fields_ = [
        *((name, c_int32) for name in ("arguments", "results")),
        *((name, c_int64) for name in ("stages", "size", "kernel_work")),
        *((name, POINTER(c_int64)) for name in ("argument_size", "result_place", "result_size")),
        ("stage", POINTER(Stage)),
        ("fronts", POINTER(Fronts)),
        ("widest", c_int64),
    ]


@functools.cache
def runner() -> int:
    """Address of `lw_schedule_run`."""
    lib = library()
    lib.lw_schedule_bytes.restype, lib.lw_schedule_bytes.argtypes = c_int64, [ctypes.c_int]
    for which, kind in enumerate((Schedule, Stage, Fronts)):
        if lib.lw_schedule_bytes(which) != ctypes.sizeof(kind):
            raise LinkworkError("the compiled integrators are of another version.", remedy="Install linkwork again.")
    return int(ctypes.cast(lib.lw_schedule_run, c_void_p).value or 0)
