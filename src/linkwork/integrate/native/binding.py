"""The C library as Python sees it: where it is, its structures, its functions."""

from __future__ import annotations

import ctypes
import functools
import importlib.machinery
from ctypes import POINTER, c_double, c_int32, c_int64, c_uint8, c_void_p
from pathlib import Path

from linkwork.core.errors import LinkworkError

SignalCallback = ctypes.CFUNCTYPE(None, c_double, POINTER(c_double))

METHODS = {"rk4": 0, "dopri5": 1, "dop853": 2, "generalized_alpha": 3, "radau": 4}
STATUS = ("running", "done", "stopped", "nonfinite", "underflow", "newton", "max_steps", "memory", "open", "coarse")
COUNTERS = ("accepted", "rejected", "rhs", "jacobians", "factorisations", "newton", "projections")
ACTIONS = {"record": 0, "restart": 1, "stop": 2}
FUNCTIONS = (
    "rhs", "project", "events", "dae", "dae_jacobian", "alpha_residual", "alpha_jacobian", "retract", "margins",
)  # fmt: skip


class Signal(ctypes.Structure):
    """Mirrors `lw_signal` of system.h."""

    _fields_ = [
        *((name, c_int32) for name in ("input", "count", "width")),
        *((name, c_double) for name in ("scale", "shift", "period")),
        ("times", POINTER(c_double)),
        ("coefficients", POINTER(c_double)),
    ]


class Signals(ctypes.Structure):
    """Mirrors `lw_signals` of system.h."""

    _fields_ = [
        ("count", c_int32),
        ("all", POINTER(Signal)),
        ("cursor", POINTER(c_int32)),
        ("callback", SignalCallback),
    ]


class System(ctypes.Structure):
    """Mirrors `lw_system` of system.h."""

    _fields_ = [
        *((name, c_int32) for name in ("q", "v", "z", "multipliers", "parameters", "inputs", "event_count")),
        *((name, c_int32) for name in ("margin_count", "cancel")),
        ("work_size", c_int64),
        ("p", POINTER(c_double)),
        ("weighted", POINTER(c_uint8)),
        ("unit", POINTER(c_double)),
        ("event_direction", POINTER(c_int32)),
        ("event_action", POINTER(c_int32)),
        ("signals", Signals),
        *((name, c_void_p) for name in FUNCTIONS),
    ]


class Rows(ctypes.Structure):
    """Mirrors `lw_rows` of batch.h."""

    _fields_ = [("data", c_void_p), *((name, c_int64) for name in ("case_stride", "time_stride", "stride"))]


class BatchSignal(ctypes.Structure):
    """Mirrors `lw_batch_signal` of batch.h."""

    _fields_ = [
        *((name, c_int32) for name in ("input", "count", "width", "unused")),
        *((name, c_double) for name in ("scale", "shift", "period")),
        ("times", c_void_p),
        ("coefficients", c_void_p),
        ("case_stride", c_int64),
    ]


class Batch(ctypes.Structure):
    """Mirrors `lw_batch` of batch.h; addresses are of this machine or of a graphics card."""

    _fields_ = [
        *((name, c_int64) for name in ("cases", "max_steps", "times_count", "stops_count", "log_room")),
        *((name, c_int32) for name in ("states", "parameters", "inputs", "events", "margins", "adaptive")),
        *((name, c_int32) for name in ("project_steps", "project_start", "signals_count", "weighted")),
        *((name, c_int32) for name in ("first_speed", "speeds")),
        *((name, c_double) for name in ("t0", "t1", "rtol", "step", "max_step")),
        *((name, c_void_p) for name in ("atol", "weight", "unit", "times", "stops", "signals", "event_stops")),
        *((name, Rows) for name in ("start", "p", "samples", "reached")),
        *((name, c_void_p) for name in ("reached_time", "reached_step", "status", "counters", "log_count", "log")),
        *((name, c_void_p) for name in ("rhs", "project", "event_values", "margin_values")),
        ("work_size", c_int64),
    ]


class Pattern(ctypes.Structure):
    """Mirrors `lw_pattern` of run.h."""

    _fields_ = [
        ("n", c_int32),
        ("source_nonzeros", c_int32),
        *((name, POINTER(c_int32)) for name in ("column_start", "row", "place", "order")),
    ]


class Options(ctypes.Structure):
    """Mirrors `lw_options` of run.h."""

    _fields_ = [
        *((name, c_int32) for name in ("method", "fixed", "project_steps", "project_outputs")),
        *((name, c_double) for name in ("t0", "t1", "rtol")),
        ("atol", POINTER(c_double)),
        *((name, c_double) for name in ("step", "max_step", "min_step")),
        ("max_steps", c_int64),
        ("stiff_after", c_int64),
        ("stops", POINTER(c_double)),
        ("stops_count", c_int64),
        ("times", POINTER(c_double)),
        ("times_count", c_int64),
        ("coefficient", c_double * 6),
        ("scale", POINTER(c_double)),
        ("pattern", Pattern),
    ]


def _path() -> Path:
    folder = Path(__file__).parent
    for suffix in importlib.machinery.EXTENSION_SUFFIXES:
        if (candidate := folder / f"_native{suffix}").exists():
            return candidate
    raise LinkworkError(
        "the compiled integrators are missing from this installation.",
        remedy="Install linkwork from a wheel, or with a C compiler at hand.",
    )


@functools.cache
def library() -> ctypes.CDLL:
    """The library, loaded once. Its calls release the interpreter lock."""
    lib = ctypes.CDLL(str(_path()))
    doubles, rows = POINTER(c_double), POINTER(c_int64)
    signatures = {
        "lw_run_create": (c_void_p, [POINTER(System), POINTER(Options), doubles]),
        "lw_run_destroy": (None, [c_void_p]),
        "lw_run_advance": (ctypes.c_int, [c_void_p, c_double]),
        "lw_run_close": (ctypes.c_int, [c_void_p]),
        "lw_run_time": (c_double, [c_void_p]),
        "lw_run_step": (c_double, [c_void_p]),
        "lw_run_stops": (None, [c_void_p, doubles, c_int64]),
        "lw_run_forget_events": (None, [c_void_p]),
        "lw_run_state": (doubles, [c_void_p]),
        "lw_run_culprit": (c_int32, [c_void_p]),
        "lw_run_counters": (POINTER(c_int64), [c_void_p]),
        "lw_run_outputs": (doubles, [c_void_p, rows]),
        "lw_run_events": (doubles, [c_void_p, rows]),
        "lw_many_create": (
            c_void_p,
            [POINTER(System), POINTER(Options), c_int64, *[c_void_p] * 5],
        ),
        "lw_many_advance": (c_int64, [c_void_p, c_double]),
        "lw_many_destroy": (None, [c_void_p]),
        "lw_system_bytes": (c_int64, []),
        "lw_options_bytes": (c_int64, []),
        "lw_evaluate": (
            c_int64,
            [POINTER(System), c_void_p, c_int64, c_int32, c_int32, *[doubles] * 3, POINTER(doubles), c_int32, doubles],
        ),
        "lw_batch_room": (c_int64, [POINTER(Batch), c_int32]),
        "lw_batch_run": (None, [POINTER(Batch), c_int32, c_void_p]),
        "lw_batch_bytes": (c_int64, []),
        "lw_batch_signal_bytes": (c_int64, []),
        "lw_batch_map": (
            None,
            [
                *[POINTER(Batch), c_void_p, c_int32, *[c_int64] * 2, *[c_int32] * 4],
                *[*[c_void_p] * 4, c_int64, c_int32, *[c_void_p] * 2],
            ],
        ),
        "lw_solve_real": (c_int64, [c_int32, *[POINTER(c_int32)] * 3, *[doubles] * 3]),
        "lw_solve_complex": (c_int64, [c_int32, *[POINTER(c_int32)] * 3, *[doubles] * 3]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    sizes = lib.lw_system_bytes(), lib.lw_options_bytes(), lib.lw_batch_bytes(), lib.lw_batch_signal_bytes()
    if sizes != tuple(ctypes.sizeof(each) for each in (System, Options, Batch, BatchSignal)):
        raise LinkworkError("the compiled integrators are of another version.", remedy="Install linkwork again.")
    return lib
