"""Jacobians as callable code: written out where that is little, else by a loop over columns (`tangent`)."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from ctypes import POINTER, c_int32, c_int64, c_void_p
from functools import cached_property
from typing import Final

import casadi as ca
import numpy as np

from linkwork.compile import cache as objects
from linkwork.compile._machine_code import TANGENT_RUNNER, TANGENT_WIDTH
from linkwork.compile.bound import Bound
from linkwork.compile.makers import makers
from linkwork.compile.native import (
    CompiledFunction,
    NativeCode,
    Signature,
    Source,
    compile_source,
    is_stored,
    source_of,
)
from linkwork.compile.stream import Stream, stream_of
from linkwork.compile.tangent import KINDS, Dependence, Tables, dependence, tangent_of
from linkwork.core.program import AUTO

WRITTEN_OUT: Final = 40_000
"""Instructions up to which a Jacobian is written out: that runs faster, but takes longer to derive and to make."""


class _Native(ctypes.Structure):
    """Mirrors `lw_tangent`."""

    _fields_ = [
        ("evaluate", c_void_p),
        *((name, c_int64) for name in ("partials", "places", "blocks")),
        *((name, POINTER(c_int64)) for name in ("block_step", "block_entry")),
        *((name, POINTER(c_int32)) for name in ("steps", "entries")),
    ]


class TangentFunction(NativeCode):
    """A Jacobian by a loop over columns; satisfies `NativeFunction`. Its partial derivatives are code of some tier."""

    def __init__(self, name: str, tables: Tables, partials: CompiledFunction):
        self.name, self.partials, self._tables = name, partials, tables
        places, count = int(tables.places[0]), partials.out_sizes[0]
        self._native = _Native(
            partials.address, count, places, len(tables.block_step) - 1,
            *(table.ctypes.data_as(POINTER(c_int64)) for table in (tables.block_step, tables.block_entry)),
            *(table.ctypes.data_as(POINTER(c_int32)) for table in (tables.steps, tables.entries)),
        )  # fmt: skip
        self._code = Bound(TANGENT_RUNNER, ctypes.addressof(self._native))
        self.address = self._code.address
        self.in_sizes: tuple[int, ...] = partials.in_sizes
        self.out_sizes: tuple[int, ...] = (len(tables.row),)
        self.out_patterns: tuple[tuple[np.ndarray, np.ndarray], ...] = ((tables.column_start, tables.row),)
        self.work_size = count + places * TANGENT_WIDTH + partials.work_size
        super().__init__(self.address, self.in_sizes, self.out_sizes, self.work_size, np.empty)

    @property
    def tier(self) -> str:
        return self.partials.tier

    @property
    def instructions(self) -> int:
        """Of machine code; the steps of the loop are none."""
        return self.partials.instructions

    @property
    def better_seconds(self) -> float:
        return self.partials.better_seconds

    @property
    def steps(self) -> int:
        """Of the loop, in all blocks of columns."""
        return len(self._tables.steps) // 5


def compile_jacobian(
    name: str,
    shifted: Callable[[], ca.Function],
    written_out: Callable[[], ca.Function],
    *,
    identity: str | None = None,
    tier: str = AUTO,
    longest: int = WRITTEN_OUT,
) -> CompiledFunction | TangentFunction:
    """Machine code of a Jacobian.

    shifted: derives f(…, δ), whose derivative by δ at δ = 0 it is; written_out: derives it as a function of its own;
    identity: tells it from all others, None: what is derived does; longest: instructions up to which it is written out.
    """
    start = time.perf_counter()
    f = _Shifted(shifted)
    known = None if identity is None else objects.load(_key(identity))
    looped = known is not None or not (identity is not None and is_stored(identity, tier))
    if looped and known is None:
        looped = f.on.written_out > longest
    jacobian: CompiledFunction | TangentFunction
    if looped:
        jacobian = _looped(name, f, identity, known, tier)
    else:
        jacobian = compile_source(source_of(name, written_out, identity), tier=tier)
    jacobian.seconds = time.perf_counter() - start
    return jacobian


def _key(identity: str) -> str:
    """Under which tables are kept."""
    return objects.key_of(identity, f"tangent, {TANGENT_WIDTH} columns", makers())


class _Shifted:
    """f(…, δ), read as far as it is needed."""

    def __init__(self, derive: Callable[[], ca.Function]):
        self._derive = derive

    @cached_property
    def function(self) -> ca.Function:
        return self._derive()

    @cached_property
    def text(self) -> str:
        return self.function.serialize()

    @cached_property
    def stream(self) -> Stream:
        return stream_of(self.function, self.text, shared=True)

    @cached_property
    def on(self) -> Dependence:
        return dependence(self.stream, len(self.stream.in_sizes) - 1)

    @cached_property
    def tangent(self) -> tuple[Tables, Stream]:
        return tangent_of(self.stream, len(self.stream.in_sizes) - 1, self.on)

    def partials(self) -> tuple[Stream, Signature]:
        stream = self.tangent[1]
        count = stream.out_sizes[0]
        column = np.array([0, count], dtype=np.int32), np.arange(count, dtype=np.int32)
        return stream, Signature(stream.in_sizes, (column,))


def _looped(name: str, f: _Shifted, identity: str | None, known: bytes | None, tier: str) -> TangentFunction:
    """known: its tables, as they were kept."""
    own = f.text if identity is None else identity
    key = _key(own)
    known = objects.load(key) if known is None else known
    tables = f.tangent[0] if known is None else _from_bytes(known)
    if known is None:
        objects.store(key, _as_bytes(tables))
    return TangentFunction(name, tables, compile_source(Source(name, lambda: f"{own} partials", f.partials), tier=tier))


def _as_bytes(tables: Tables) -> bytes:
    lengths = np.array([table.nbytes for table in tables], dtype=np.int64)
    return lengths.tobytes() + b"".join(table.tobytes() for table in tables)


def _from_bytes(data: bytes) -> Tables:
    count = len(Tables._fields)
    lengths = np.frombuffer(data, dtype=np.int64, count=count)
    ends = 8 * count + np.cumsum(lengths)
    parts = [data[end - length : end] for end, length in zip(ends.tolist(), lengths.tolist(), strict=True)]
    return Tables(*(np.frombuffer(part, dtype=kind) for part, kind in zip(parts, KINDS, strict=True)))
