"""Symbolic function → callable machine code, in two tiers.

`fast` is there at once (`baseline`; where the machine has no such code, LLVM in a hurry), `best` is what LLVM makes of
it. Both compute the same numbers bit by bit: no instruction leaves its rounding open (`lowering`, `contraction`). So
better code can take the place of code that runs, and nothing but the time changes. Each tier is kept in the cache, and
the best that is there is what is loaded.
"""

from __future__ import annotations

import ctypes
import struct
import time
from collections.abc import Callable
from typing import Final, NoReturn

import casadi as ca
import numpy as np

from linkwork.compile import baseline
from linkwork.compile import cache as objects
from linkwork.compile._machine_code import MachineCode
from linkwork.compile.linking import Loaded, Pages, loaded
from linkwork.compile.llvm import CHUNK, emit_object, generator, lower
from linkwork.compile.stream import stream_of
from linkwork.core.errors import LinkworkError
from linkwork.core.program import AUTO, BEST, FAST

SYMBOL: Final = "linkwork_evaluate"
CELL: Final = "linkwork_cell"
RECORD: Final = struct.Struct("<QQ")
"""What precedes the object code in a cached payload: doubles of work, number of instructions."""

ENTRY: Final = f"""
@{CELL} = global ptr @{SYMBOL}.code
define void @{SYMBOL}(ptr %arg, ptr %res, ptr %work) nounwind {{
 %code = load atomic ptr, ptr @{CELL} monotonic, align 8
 tail call void %code(ptr %arg, ptr %res, ptr %work)
 ret void
}}"""
"""Goes where the cell says; what stands behind it can be exchanged."""


class CompiledFunction(MachineCode):
    """Machine code `void f(const double *const *arg, double *const *res, double *work)`, loaded and callable.

    Satisfies `NativeFunction`. Arguments, results and work must not overlap in memory where `address` is called. The
    code stays loaded as long as this object lives, so whoever keeps `address` must keep the object too.

    A call `f(a, b, out=...)` evaluates it. Each argument is a number or an array of `in_sizes[i]` numbers (matrices
    column by column); each result is a 1-D array of `out_sizes[i]` numbers, a fresh one or that of `out` (an array
    where there is one result, else a list of them; contiguous, of float64). Returns the list of results.
    """

    def __init__(self, f: ca.Function, name: str, payload: bytes, *, cached: bool, tier: str = BEST):
        self.name, self.tier = name, tier
        self.work_size, self.instructions = RECORD.unpack_from(payload)
        self._kept: list[object] = []
        self._cell: ctypes.c_void_p | None = None
        self.address = self._load(payload[RECORD.size :])
        self.in_sizes: tuple[int, ...] = tuple(f.nnz_in(i) for i in range(f.n_in()))
        self.out_sizes: tuple[int, ...] = tuple(f.nnz_out(i) for i in range(f.n_out()))
        super().__init__(self.address, self.in_sizes, self.out_sizes, self.work_size, np.empty)
        self.out_patterns: tuple[tuple[np.ndarray, np.ndarray], ...] = tuple(
            (np.array(s.colind(), dtype=np.int32), np.array(s.row(), dtype=np.int32))
            for s in (f.sparsity_out(i) for i in range(f.n_out()))
        )
        self.cached = cached
        """Whether the object code came from disk."""
        self.seconds = 0.0
        """Wall time from the symbolic function to callable code."""
        self.improve: Callable[[], Callable[[], None]] | None = None
        """Prepares better code and returns what makes it, to be called in any thread; None: there is none to be had."""
        self.better_seconds = 0.0
        """Wall time that better code took beside the run."""
        self.ran = 0.0
        """s of runs that have called it."""

    def _load(self, code: bytes) -> int:
        """Make it callable, and return its address."""
        if self.tier == BEST:
            self._kept.append(made := loaded(code, [SYMBOL]))
            return made.address(SYMBOL)
        if not baseline.available():
            self._kept.append(made := loaded(code, [SYMBOL, CELL]))
            self._cell = ctypes.c_void_p.from_address(made.address(CELL))
            return made.address(SYMBOL)
        from linkwork.compile.called import functions  # which LLVM makes: not before it is needed

        addresses, keeper = functions()
        self._cell = ctypes.c_void_p()
        table = np.zeros(baseline.ADDRESSES, dtype=np.uint64)
        table[0] = ctypes.addressof(self._cell)
        table[[1 + number for number in addresses]] = list(addresses.values())
        pages = Pages(table.tobytes() + code[baseline.ADDRESSES * baseline.WORD :])
        self._cell.value = pages.start + baseline.BODY
        self._kept += [keeper, pages]
        return pages.start + baseline.ADDRESSES * baseline.WORD

    def exchange(self, better: Loaded) -> None:
        """From the next call on, other code with the same results; whoever is in the old one finishes there."""
        assert self._cell is not None
        self._kept.append(better)
        self._cell.value = better.address(SYMBOL)  # one store, so that a call sees the one or the other
        self.tier = BEST

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


def compile_function(
    f: ca.Function, *, name: str | None = None, cache: bool = True, tier: str = AUTO
) -> CompiledFunction:
    """Machine code of an SX function; with `cache`, that made earlier is loaded from disk where it fits.

    tier: "best"; "fast", at once; "auto", the same, to be exchanged for better code where it is called for long.
    """
    start = time.perf_counter()
    text = f.serialize()
    keys = _keys(text) if cache and objects.directory() is not None else {}
    compiled = _from_disk(f, name or f.name(), keys, tier)
    if compiled is None:
        make = _best if tier == BEST else _fast
        payload = make(f, text)
        made = BEST if tier == BEST else FAST
        if keys:
            objects.store(keys[made], payload)
        compiled = CompiledFunction(f, name or f.name(), payload, cached=False, tier=made)
    if tier == AUTO and compiled.tier == FAST:
        compiled.improve = lambda: _improvement(compiled, f, keys.get(BEST))
    compiled.seconds = time.perf_counter() - start
    return compiled


def _keys(text: str) -> dict[str, str]:
    """Under which the code of each tier is kept."""
    return {tier: objects.key_of(text, generator(), tier) for tier in (BEST, FAST)}


def _from_disk(f: ca.Function, name: str, keys: dict[str, str], tier: str) -> CompiledFunction | None:
    """The best code of those that were made earlier and are good enough."""
    for wanted in (BEST,) if tier == BEST else (BEST, FAST):
        payload = objects.load(keys[wanted]) if keys else None
        if payload is not None:
            return CompiledFunction(f, name, payload, cached=True, tier=wanted)
    return None


def _best(f: ca.Function, text: str) -> bytes:
    stream = stream_of(f, text, shared=True)
    lines, work_size = lower(stream, SYMBOL, chunk=CHUNK)
    return RECORD.pack(work_size, len(stream)) + emit_object(lines)


def _fast(f: ca.Function, text: str) -> bytes:
    stream = stream_of(f, text, shared=True)
    if baseline.available():
        code, work_size = baseline.encode(stream)
    else:
        lines, work_size = lower(stream, f"{SYMBOL}.code", chunk=CHUNK)
        code = emit_object(lines + ENTRY, opt=0)
    return RECORD.pack(work_size, len(stream)) + code


def _improvement(function: CompiledFunction, f: ca.Function, key: str | None) -> Callable[[], None]:
    """What makes better code for a function; the symbols, which know no threads, are read here and now."""
    stream = stream_of(f, shared=True)

    def make() -> None:
        start = time.perf_counter()
        lines, work_size = lower(stream, SYMBOL, chunk=CHUNK)
        assert work_size <= function.work_size
        code = emit_object(lines)
        if key is not None:
            objects.store(key, RECORD.pack(work_size, len(stream)) + code)
        function.exchange(loaded(code, [SYMBOL]))
        function.better_seconds = time.perf_counter() - start

    return make
