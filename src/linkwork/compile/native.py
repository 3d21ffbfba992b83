"""Symbolic function → callable machine code."""

from __future__ import annotations

import struct
import sys
import threading
import time
from typing import Final, NoReturn

import casadi as ca
import llvmlite.binding as llvm
import numpy as np

from linkwork.compile import cache as objects
from linkwork.compile._machine_code import MachineCode
from linkwork.compile.llvm import CHUNK, emit_object, generator, initialise, lower
from linkwork.compile.stream import stream_of
from linkwork.core.errors import LinkworkError

SYMBOL: Final = "linkwork_evaluate"
RECORD: Final = struct.Struct("<QQ")
"""What precedes the object code in a cached payload: doubles of work, number of instructions."""

SHARE: Final = 32
"""Functions per loader: making one costs 0.7 ms, loading a function 0.4 ms."""


class CompiledFunction(MachineCode):
    """Machine code `void f(const double *const *arg, double *const *res, double *work)`, loaded and callable.

    Satisfies `NativeFunction`. Arguments, results and work must not overlap in memory where `address` is called. The
    code stays loaded as long as this object lives, so whoever keeps `address` must keep the object too.

    A call `f(a, b, out=...)` evaluates it. Each argument is a number or an array of `in_sizes[i]` numbers (matrices
    column by column); each result is a 1-D array of `out_sizes[i]` numbers, a fresh one or that of `out` (an array
    where there is one result, else a list of them; contiguous, of float64). Returns the list of results.
    """

    address: int
    work_size: int
    instructions: int
    in_sizes: tuple[int, ...]
    out_sizes: tuple[int, ...]
    _code: llvm.ResourceTracker
    _engine: llvm.LLJIT

    def __new__(cls, f: ca.Function, name: str, payload: bytes, *, cached: bool) -> CompiledFunction:
        work_size, instructions = RECORD.unpack_from(payload)
        builder = llvm.JITLibraryBuilder().add_object_img(payload[RECORD.size :]).add_current_process()
        code, engine = _loaded(builder.export_symbol(SYMBOL))
        in_sizes = tuple(f.nnz_in(i) for i in range(f.n_in()))
        out_sizes = tuple(f.nnz_out(i) for i in range(f.n_out()))
        self = super().__new__(cls, code[SYMBOL], in_sizes, out_sizes, work_size, np.empty)
        self._code, self._engine = code, engine
        self.address, self.in_sizes, self.out_sizes = code[SYMBOL], in_sizes, out_sizes
        self.work_size, self.instructions = work_size, instructions
        return self

    def __init__(self, f: ca.Function, name: str, payload: bytes, *, cached: bool):
        self.name = name
        self.out_patterns: tuple[tuple[np.ndarray, np.ndarray], ...] = tuple(
            (np.array(s.colind(), dtype=np.int32), np.array(s.row(), dtype=np.int32))
            for s in (f.sparsity_out(i) for i in range(f.n_out()))
        )
        self.cached = cached
        """Whether the object code came from disk."""
        self.seconds = 0.0
        """Wall time from the symbolic function to callable code."""

    def read(self, number: int, given: object) -> np.ndarray:
        """An argument that is neither a float nor a plain array of float64, as one."""
        array = np.asarray(given)
        if array.size != self.in_sizes[number]:
            self.refuse(f"argument {number} must hold {self.in_sizes[number]} numbers, {array.size} were given")
        if array.dtype.kind not in "biufO":
            self.refuse(f"argument {number} holds {array.dtype}, not real numbers")
        try:
            if not any(each is None for each in array.flat):  # NumPy's NaN
                return np.ascontiguousarray(array.ravel(order="F"), dtype=float)
        except (TypeError, ValueError):
            pass
        self.refuse(f"argument {number} holds something that is not a real number")

    def refuse(self, sentence: str) -> NoReturn:
        raise LinkworkError(f"function {self.name!r}: {sentence}.")

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
