"""Symbolic function → machine code that treats several cases at a time."""

from __future__ import annotations

import ctypes
import struct
import time
from typing import Final

import casadi as ca
import numpy as np

from linkwork.compile import cache as objects
from linkwork.compile.linking import loaded
from linkwork.compile.llvm import CHUNK, emit_object, generator, lower
from linkwork.compile.stream import stream_of

SYMBOL: Final = "linkwork_lanes"
RECORD: Final = struct.Struct("<QQ")
"""What precedes the object code in a cached payload: rows of work, number of instructions."""
_SIGNATURE: Final = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class LaneFunction:
    """Machine code `void f(const double *const *arg, double *const *res, double *work)` for `lanes` cases at a time.

    Satisfies `NativeFunction`, but each number of arguments, results and work is a row, one of each case; sizes count
    rows. The code stays loaded as long as this object lives, so whoever keeps `address` must keep the object too.
    """

    def __init__(self, f: ca.Function, name: str, payload: bytes, lanes: int):
        self.name, self.lanes = name, lanes
        self.work_size, self.instructions = RECORD.unpack_from(payload)
        self._code = loaded(payload[RECORD.size :], [SYMBOL])
        self.address = self._code.address(SYMBOL)
        self.in_sizes: tuple[int, ...] = tuple(f.nnz_in(i) for i in range(f.n_in()))
        self.out_sizes: tuple[int, ...] = tuple(f.nnz_out(i) for i in range(f.n_out()))
        self.out_patterns: tuple[tuple[np.ndarray, np.ndarray], ...] = ()
        self.seconds = 0.0
        """Wall time from the symbolic function to callable code."""

    def __call__(self, *args: object) -> list[np.ndarray]:
        """Evaluate: arguments (lanes, in_sizes[i]) → results (lanes, out_sizes[i])."""
        given = [
            np.ascontiguousarray(np.asarray(a, dtype=float).reshape(self.lanes, size).T)
            for a, size in zip(args, self.in_sizes, strict=True)
        ]
        results = [np.zeros((size, self.lanes)) for size in self.out_sizes]
        work = np.empty(self.work_size * self.lanes)
        pointers = [(ctypes.c_void_p * len(x))(*(a.ctypes.data for a in x)) for x in (given, results)]
        _SIGNATURE(self.address)(*(ctypes.addressof(p) for p in pointers), work.ctypes.data)
        return [result.T.copy() for result in results]


def compile_lanes(f: ca.Function, lanes: int, *, name: str | None = None, cache: bool = True) -> LaneFunction:
    """Machine code of an SX function; with `cache`, that made earlier is loaded from disk where it fits."""
    start = time.perf_counter()
    text = f.serialize()
    facts = f"{generator()} in {lanes} lanes"
    key = objects.key_of(text, facts) if cache and objects.directory() is not None else None
    payload = objects.load(key) if key is not None else None
    if payload is None:
        stream = stream_of(f, text)
        lines, work_size = lower(stream, SYMBOL, chunk=CHUNK, lanes=lanes)
        payload = RECORD.pack(work_size, len(stream)) + emit_object(lines)
        if key is not None:
            objects.store(key, payload)
    compiled = LaneFunction(f, name or f.name(), payload, lanes)
    compiled.seconds = time.perf_counter() - start
    return compiled
