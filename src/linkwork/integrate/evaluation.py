"""Evaluates a compiled function along a trajectory."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Mapping

import numpy as np

from linkwork.compile._machine_code import MachineCode
from linkwork.compile.tiers import improve
from linkwork.core.errors import LinkworkError
from linkwork.core.pieces import Driver
from linkwork.core.program import NativeFunction
from linkwork.integrate.handover import pointer
from linkwork.integrate.native import binding
from linkwork.integrate.signals import InputSignals

EXTRA_RESULTS = 7
"""Results beside the first that the C library has room for."""


def evaluate(
    function: NativeFunction,
    t: np.ndarray,
    Y: np.ndarray,
    p: np.ndarray,
    signals: Mapping[int, Driver] | None = None,
    *,
    inputs: int = 0,
    more: int = 0,
) -> np.ndarray:
    """First result of function(t, y, p) for every row: (nt,) s, (nt, n) → (nt, m).

    p: [parameters, inputs]; inputs: how many of its last values are inputs, which `signals` then drive; more: further
    columns of the result, left as they come.
    """
    t = np.ascontiguousarray(t, dtype=float).ravel()
    Y = np.ascontiguousarray(Y, dtype=float)
    p = np.array(p, dtype=float).ravel()
    expected, given = function.in_sizes, (1, Y.size // max(t.size, 1) if t.size else function.in_sizes[1], p.size)
    if tuple(expected) != given or Y.size != t.size * given[1]:
        raise LinkworkError(f"{function.name} takes {expected[1:]} states and parameters, not {given[1:]}.")
    if not 1 <= len(function.out_sizes) <= 1 + EXTRA_RESULTS or not 0 <= inputs <= p.size:
        raise LinkworkError(
            f"{function.name} has {len(function.out_sizes)} results; it must have 1 to {1 + EXTRA_RESULTS}."
        )
    Y = Y.reshape(t.size, given[1])
    given_over_time = any(not isinstance(signal, (int, float)) for signal in (signals or {}).values())
    out = np.empty((t.size, function.out_sizes[0] + more))
    if isinstance(function, MachineCode) and not given_over_time:
        if signals:
            InputSignals(signals, p, p.size - inputs)  # numbers go into p
        before = time.perf_counter()
        function.rows(t, Y, p, out)
        improve([function], time.perf_counter() - before, 0.0)
        return out
    drive = InputSignals(signals or {}, p, p.size - inputs)
    system = binding.System(parameters=p.size - inputs, p=pointer(p, ctypes.c_double), signals=drive.native)
    drive.system = system
    further = [np.empty(max(size, 1)) for size in function.out_sizes[1:]]
    pointers = (ctypes.POINTER(ctypes.c_double) * EXTRA_RESULTS)(*(pointer(part, ctypes.c_double) for part in further))
    work = np.empty(max(function.work_size, 1))
    binding.library().lw_evaluate(
        system,
        function.address,
        t.size,
        Y.shape[1],
        out.shape[1],
        *(pointer(array, ctypes.c_double) for array in (t, Y, out)),
        pointers,
        len(further),
        pointer(work, ctypes.c_double),
    )
    if drive.error is not None:
        raise drive.error
    return out
