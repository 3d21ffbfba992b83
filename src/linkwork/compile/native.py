"""Symbolic function → callable machine code."""

from __future__ import annotations

import ctypes
import struct
import sys
import threading
import time
from typing import Any, Final

import casadi as ca
import llvmlite.binding as llvm
import numpy as np

from linkwork.compile import cache as objects
from linkwork.compile.llvm import CHUNK, emit_object, generator, initialise, lower
from linkwork.compile.stream import stream_of
from linkwork.core.errors import LinkworkError

SYMBOL: Final = "linkwork_evaluate"
RECORD: Final = struct.Struct("<QQ")
"""What precedes the object code in a cached payload: doubles of work, number of instructions."""

_SIGNATURE: Final = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
SHARE: Final = 32
"""Functions per loader: making one costs 0.7 ms, loading a function 0.4 ms."""


class _Room:
    """Arguments, results and work of one thread's calls: pointers are taken once, a call only copies numbers."""

    def __init__(self, in_sizes: tuple[int, ...], out_sizes: tuple[int, ...], work_size: int):
        self.arguments = [np.zeros(size) for size in in_sizes]
        self.results = [np.zeros(size) for size in out_sizes]
        self.work = np.empty(work_size)
        self._pointers = _pointers(self.arguments), _pointers(self.results)
        self.addresses = *(ctypes.addressof(p) for p in self._pointers), self.work.ctypes.data


class CompiledFunction:
    """Machine code `void f(const double *const *arg, double *const *res, double *work)`, loaded and callable.

    Satisfies `NativeFunction`. Arguments, results and work must not overlap in memory. The code stays loaded as long
    as this object lives, so whoever keeps `address` must keep the object too.
    """

    def __init__(self, f: ca.Function, name: str, payload: bytes, *, cached: bool):
        self.name = name
        self.work_size, self.instructions = RECORD.unpack_from(payload)
        builder = llvm.JITLibraryBuilder().add_object_img(payload[RECORD.size :]).add_current_process()
        self._code, self._engine = _loaded(builder.export_symbol(SYMBOL))
        self.address: int = self._code[SYMBOL]
        self._entry = _SIGNATURE(self.address)
        self._rooms = threading.local()
        self.in_sizes: tuple[int, ...] = tuple(f.nnz_in(i) for i in range(f.n_in()))
        self.out_sizes: tuple[int, ...] = tuple(f.nnz_out(i) for i in range(f.n_out()))
        self.out_patterns: tuple[tuple[np.ndarray, np.ndarray], ...] = tuple(
            (np.array(s.colind(), dtype=np.int32), np.array(s.row(), dtype=np.int32))
            for s in (f.sparsity_out(i) for i in range(f.n_out()))
        )
        self.cached = cached
        """Whether the object code came from disk."""
        self.seconds = 0.0
        """Wall time from the symbolic function to callable code."""

    def __call__(self, *args: Any) -> list[np.ndarray]:
        """Evaluate. Each argument is a number or an array of `in_sizes[i]` numbers (matrices column by column); each
        result is a fresh 1-D array of `out_sizes[i]` numbers."""
        if len(args) != len(self.in_sizes):
            raise LinkworkError(f"function {self.name!r} takes {len(self.in_sizes)} arguments, {len(args)} were given.")
        try:
            room = self._rooms.room
        except AttributeError:
            room = self._rooms.room = _Room(self.in_sizes, self.out_sizes, self.work_size)
        for i, (place, given) in enumerate(zip(room.arguments, args, strict=True)):
            array = np.asarray(given)
            if array.size != place.size:
                raise LinkworkError(
                    f"argument {i} of function {self.name!r} must hold {place.size} numbers, {array.size} were given."
                )
            place[:] = array if array.ndim <= 1 else array.ravel(order="F")
        self._entry(*room.addresses)
        return [result.copy() for result in room.results]

    def __repr__(self) -> str:
        return f"<CompiledFunction {self.name}: {self.instructions} instructions, {self.work_size} doubles of work>"


def compile_function(f: ca.Function, *, name: str | None = None, cache: bool = True) -> CompiledFunction:
    """Machine code of an SX function. With `cache`, object code made earlier is loaded from disk where it fits."""
    start = time.perf_counter()
    key = objects.key_of(f.serialize(), generator()) if cache and objects.directory() is not None else None
    payload = objects.load(key) if key is not None else None
    cached = payload is not None
    if payload is None:
        stream = stream_of(f)
        text, work_size = lower(stream, SYMBOL, chunk=CHUNK)
        payload = RECORD.pack(work_size, len(stream)) + emit_object(text, len(stream))
        if key is not None:
            objects.store(key, payload)
    compiled = CompiledFunction(f, name or f.name(), payload, cached=cached)
    compiled.seconds = time.perf_counter() - start
    return compiled


def _pointers(arrays: list[np.ndarray]) -> ctypes.Array[ctypes.c_void_p]:
    return (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))


_engines: Final[list[llvm.LLJIT]] = []  # the one that loads now, once for each function it has room for
_loading: Final = threading.Lock()


def _loaded(builder: llvm.JITLibraryBuilder) -> tuple[llvm.ResourceTracker, llvm.LLJIT]:
    """Loaded code and what loaded it; both must be kept as long as the code.

    LLVM gives the code back when it is no longer used, but keeps 10 kB of names for every library it has ever loaded.
    So a loader serves SHARE functions, and goes with the last of them.
    """
    with _loading:
        if not _engines:
            initialise()
            # JITLink loads several times faster than the older linker, but not on Windows.
            _engines.extend([llvm.create_lljit_compiler(use_jit_link=sys.platform != "win32")] * SHARE)
        engine = _engines.pop()
        return builder.link(engine, f"{SYMBOL}#{len(_engines)}"), engine
