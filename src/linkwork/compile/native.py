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
from dataclasses import dataclass
from functools import cache as once
from typing import Final, NamedTuple, NoReturn

import casadi as ca
import numpy as np

from linkwork.compile import baseline
from linkwork.compile import cache as objects
from linkwork.compile._machine_code import MachineCode
from linkwork.compile.linking import Loaded, Pages, loaded
from linkwork.compile.llvm import CHUNK, emit_object, generator, lower
from linkwork.compile.stream import Stream, stream_of
from linkwork.core.errors import LinkworkError
from linkwork.core.program import AUTO, BEST, FAST

SYMBOL: Final = "linkwork_evaluate"
CELL: Final = "linkwork_cell"
RECORD: Final = struct.Struct("<QQQ")
"""What precedes signature and code in a cached payload: doubles of work, instructions, bytes of the signature."""

ENTRY: Final = f"""
@{CELL} = global ptr @{SYMBOL}.code
define void @{SYMBOL}(ptr %arg, ptr %res, ptr %work) nounwind {{
 %code = load atomic ptr, ptr @{CELL} monotonic, align 8
 tail call void %code(ptr %arg, ptr %res, ptr %work)
 ret void
}}"""
"""Goes where the cell says; what stands behind it can be exchanged."""


class Signature(NamedTuple):
    """How many numbers each argument holds, and the pattern of each result: column starts and rows, int32."""

    in_sizes: tuple[int, ...]
    out_patterns: tuple[tuple[np.ndarray, np.ndarray], ...]


def signature_of(f: ca.Function) -> Signature:
    results = [f.sparsity_out(i) for i in range(f.n_out())]
    return Signature(
        tuple(f.nnz_in(i) for i in range(f.n_in())),
        tuple((np.array(s.colind(), dtype=np.int32), np.array(s.row(), dtype=np.int32)) for s in results),
    )


def payload_of(work_size: int, instructions: int, signature: Signature, code: bytes) -> bytes:
    """What is kept of a function: all but its name."""
    sizes, patterns = signature
    head = [len(sizes), len(patterns), *sizes, *(n for starts, rows in patterns for n in (len(starts), len(rows)))]
    parts = np.concatenate([np.array(head, dtype=np.int32), *(part for pattern in patterns for part in pattern)])
    return RECORD.pack(work_size, instructions, parts.nbytes) + parts.tobytes() + code


def unpacked(data: bytes) -> Signature:
    numbers = np.frombuffer(data, dtype=np.int32)
    n_in, n_out = numbers[:2].tolist()
    lengths = numbers[2 + n_in :][: 2 * n_out].tolist()
    parts = np.split(numbers[2 + n_in + 2 * n_out :], np.cumsum(lengths[:-1]).astype(int)) if n_out else []
    return Signature(tuple(numbers[2 : 2 + n_in].tolist()), tuple(zip(parts[::2], parts[1::2], strict=True)))


class NativeCode(MachineCode):
    """Machine code that can be called, and says what it cannot be called with."""

    name: str
    in_sizes: tuple[int, ...]
    seconds = 0.0
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


class CompiledFunction(NativeCode):
    """Machine code `void f(const double *const *arg, double *const *res, double *work)`, loaded and callable.

    Satisfies `NativeFunction`. Arguments, results and work must not overlap in memory where `address` is called. The
    code stays loaded as long as this object lives, so whoever keeps `address` must keep the object too.

    A call `f(a, b, out=...)` evaluates it. Each argument is a number or an array of `in_sizes[i]` numbers (matrices
    column by column); each result is a 1-D array of `out_sizes[i]` numbers, a fresh one or that of `out` (an array
    where there is one result, else a list of them; contiguous, of float64). Returns the list of results.
    """

    def __init__(self, name: str, payload: bytes, *, cached: bool, tier: str = BEST):
        self.name, self.tier = name, tier
        self.work_size, self.instructions, length = RECORD.unpack_from(payload)
        self._kept: list[object] = []
        self._cell: ctypes.c_void_p | None = None
        self.address = self._load(payload[RECORD.size + length :])
        self.in_sizes, self.out_patterns = unpacked(payload[RECORD.size : RECORD.size + length])
        self.out_sizes: tuple[int, ...] = tuple(len(rows) for _, rows in self.out_patterns)
        super().__init__(self.address, self.in_sizes, self.out_sizes, self.work_size, np.empty)
        self.cached = cached
        """Whether the object code came from disk."""
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

    def __repr__(self) -> str:
        return f"<CompiledFunction {self.name}: {self.instructions} instructions, {self.work_size} doubles of work>"


@dataclass(frozen=True)
class Source:
    """What code is made from: `identity` tells it from all others, and only where its code is not known is it read."""

    name: str
    identity: Callable[[], str]
    read: Callable[[], tuple[Stream, Signature]]


def compile_function(
    f: ca.Function, *, name: str | None = None, cache: bool = True, tier: str = AUTO
) -> CompiledFunction:
    """Machine code of an SX function; with `cache`, that made earlier is loaded from disk where it fits.

    tier: "best"; "fast", at once; "auto", the same, to be exchanged for better code where it is called for long.
    """
    return compile_source(source_of(name or f.name(), lambda: f), cache=cache, tier=tier)


def source_of(name: str, derive: Callable[[], ca.Function], identity: str | None = None) -> Source:
    """An SX function that is derived where it is needed; identity: None: its own text."""

    @once
    def made() -> tuple[ca.Function, str]:
        f = derive()
        return f, f.serialize()

    def read() -> tuple[Stream, Signature]:
        f, text = made()
        return stream_of(f, text, shared=True), signature_of(f)

    return Source(name, lambda: made()[1] if identity is None else identity, read)


def compile_source(source: Source, *, cache: bool = True, tier: str = AUTO) -> CompiledFunction:
    """The same of anything that can be read as instructions."""
    start = time.perf_counter()
    keys = _keys(source.identity()) if cache else {}
    compiled = _from_disk(source.name, keys, tier)
    if compiled is None:
        made, make = (BEST, _best) if tier == BEST else (FAST, _fast)
        payload = make(*source.read())
        if keys:
            objects.store(keys[made], payload)
        compiled = CompiledFunction(source.name, payload, cached=False, tier=made)
    if tier == AUTO and compiled.tier == FAST:
        compiled.improve = lambda: _improvement(compiled, source, keys.get(BEST))
    compiled.seconds = time.perf_counter() - start
    return compiled


def is_stored(identity: str, tier: str = AUTO) -> bool:
    """Whether there is code that was made earlier and is good enough."""
    keys = _keys(identity)
    return any(objects.load(keys[made]) is not None for made in _enough(tier) if keys)


def _keys(identity: str) -> dict[str, str]:
    """Under which the code of each tier is kept; none, where nothing is."""
    if objects.directory() is None:
        return {}
    own = objects.key_of(identity)  # a text of megabytes is gone through once
    return {tier: objects.key_of(own, generator(), tier) for tier in (BEST, FAST)}


def _from_disk(name: str, keys: dict[str, str], tier: str) -> CompiledFunction | None:
    """The best code of those that were made earlier and are good enough."""
    for wanted in _enough(tier):
        payload = objects.load(keys[wanted]) if keys else None
        if payload is not None:
            return CompiledFunction(name, payload, cached=True, tier=wanted)
    return None


def _enough(tier: str) -> tuple[str, ...]:
    """Tiers that will do where this one is asked for, the best first."""
    return (BEST,) if tier == BEST else (BEST, FAST)


def _best(stream: Stream, signature: Signature) -> bytes:
    lines, work_size = lower(stream, SYMBOL, chunk=CHUNK)
    return payload_of(work_size, len(stream), signature, emit_object(lines))


def _fast(stream: Stream, signature: Signature) -> bytes:
    if baseline.available():
        code, work_size = baseline.encode(stream)
    else:
        lines, work_size = lower(stream, f"{SYMBOL}.code", chunk=CHUNK)
        code = emit_object(lines + ENTRY, opt=0)
    return payload_of(work_size, len(stream), signature, code)


def _improvement(function: CompiledFunction, source: Source, key: str | None) -> Callable[[], None]:
    """What makes better code for a function; the symbols, which know no threads, are read here and now."""
    stream, signature = source.read()

    def make() -> None:
        start = time.perf_counter()
        lines, work_size = lower(stream, SYMBOL, chunk=CHUNK)
        assert work_size <= function.work_size
        code = emit_object(lines)
        if key is not None:
            objects.store(key, payload_of(work_size, len(stream), signature, code))
        function.exchange(loaded(code, [SYMBOL]))
        function.better_seconds = time.perf_counter() - start

    return make
