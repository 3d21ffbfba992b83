"""Jacobians of straight-line code by forward differentiation, in time and memory that grow with the code, not with
code times columns.

Written out as straight-line code, the derivative of n instructions by m numbers takes up to n · m instructions: four
million for the accelerations of a chain of fifty links with two angles each. Here the partial derivatives of every
instruction by its operands are straight-line code (some 2 n instructions), and a loop passes rates on from operands to
results, some columns at a time, through what depends on them alone (tangent.c). Derivatives are exact, and the same as
those written out but for the order of sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from linkwork.compile._machine_code import TANGENT_WIDTH as WIDTH
from linkwork.compile.partials import by_operands, partials_of
from linkwork.compile.stream import INPUT, OUTPUT, Stream

KINDS = (np.int64,) * 3 + (np.int32,) * 4
"""Of the tables below."""


@dataclass(frozen=True)
class Dependence:
    """On which numbers of an argument each value of a stream depends, as far as its structure says."""

    sets: list[int]
    """Those that there are, as bits; the first is empty."""
    of: np.ndarray
    """Which of them is that of each instruction."""
    matters: np.ndarray
    """Whether each instruction has a derivative by its first, and second operand: (2, n)."""

    @property
    def written_out(self) -> int:
        """Instructions, about, of the Jacobian as straight-line code."""
        sizes = np.array([each.bit_count() for each in self.sets])
        return int(sizes[self.of].sum())


def dependence(stream: Stream, along: int) -> Dependence:
    """On the numbers of the argument `along`."""
    matters = by_operands(stream)
    known: dict[int, int] = {0: 0}
    sets, of = [0], [0] * len(stream)
    columns = (stream.op, stream.in0, stream.in1, *matters)
    for k, (op, x, y, by_x, by_y) in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        if op == INPUT:
            inputs = 1 << y if x == along else 0
        elif op == OUTPUT:
            of[k] = of[x]
            continue
        else:
            first, second = of[x] if by_x else 0, of[y] if by_y else 0
            if first == second or not second:
                of[k] = first
                continue
            if not first:
                of[k] = second
                continue
            inputs = sets[first] | sets[second]
        of[k] = known.setdefault(inputs, len(sets))
        if of[k] == len(sets):
            sets.append(inputs)
    return Dependence(sets, np.array(of, dtype=np.int64), matters)


class Tables(NamedTuple):
    """Forward differentiation as tables (tangent.h), block of columns after block."""

    places: np.ndarray
    """How many rates are kept at a time; one number."""
    block_step: np.ndarray
    block_entry: np.ndarray
    """Where the steps and entries of each block begin, and those of the last one end; int64."""
    steps: np.ndarray
    """(result, first operand, partial derivative by it, second, by it) of each, int32."""
    entries: np.ndarray
    """(nonzero of the Jacobian, number among the rates) of each, int32."""
    column_start: np.ndarray
    row: np.ndarray
    """Pattern of the Jacobian, in compressed columns; int32."""


def tangent_of(stream: Stream, along: int, on: Dependence) -> tuple[Tables, Stream]:
    """The Jacobian of the first result of a stream by its last argument, `along`, where that is zero: its tables, and
    the partial derivatives that they need."""
    active = on.of > 0
    inner = active & (stream.op != INPUT) & (stream.op != OUTPUT)
    operands = np.stack([stream.in0, stream.in1])
    wanted = on.matters & inner & (operands >= 0) & (on.of[np.maximum(operands, 0)] > 0)
    partials = partials_of(stream, wanted, along)
    base = _bases(stream, wanted, partials.place, partials.unit)
    own = np.flatnonzero(active & (base == np.arange(len(stream))) & (stream.op != OUTPUT))
    operands = np.where(wanted, base[np.maximum(operands, 0)], -1)
    ways_out = np.flatnonzero((stream.op == OUTPUT) & active)
    place, places = _places(len(stream), own, operands, base[stream.in0[ways_out]])
    blocks = -(-stream.in_sizes[along] // WIDTH)
    within = _by_blocks(on.sets, blocks)[on.of]
    steps = [
        _steps(own[within[own, b]], b, stream, operands, within[:, b], partials.place, place) for b in range(blocks)
    ]
    entries, block_entry, column_start, row = _entries(stream, on, ways_out, place[base], blocks, along)
    tables = Tables(
        np.array([places], dtype=np.int64),
        np.concatenate([[0], np.cumsum([len(each) for each in steps])]).astype(np.int64),
        block_entry,
        np.concatenate([np.zeros(0, dtype=np.int32), *(each.ravel() for each in steps)]),
        entries.ravel(),
        column_start,
        row,
    )
    return tables, partials.stream


def _bases(stream: Stream, wanted: np.ndarray, partial: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """The value whose rate each instruction has: mostly its own, but what adds a constant has that of its operand."""
    one = np.append(unit, False)
    alike = (wanted & one[partial]).any(axis=0) & (wanted.sum(axis=0) == 1)
    base = np.arange(len(stream))
    for k in np.flatnonzero(alike).tolist():
        base[k] = base[stream.in0[k] if wanted[0, k] else stream.in1[k]]
    return base


def _places(count: int, own: np.ndarray, operands: np.ndarray, kept: np.ndarray) -> tuple[np.ndarray, int]:
    """Where the rates of each value are kept: a place is free again after the last reader, or the last column."""
    last = np.full(count, -1)
    last[own] = own
    for side in operands:
        readers = own[side[own] >= 0]
        np.maximum.at(last, side[readers], readers)
    last[kept] = count
    ends: dict[int, list[int]] = {}
    for k, end in zip(own.tolist(), last[own].tolist(), strict=True):
        ends.setdefault(end, []).append(k)
    place, free, used = [0] * count, list[int](), 0
    for k in own.tolist():
        for ended in ends.get(k, ()):
            if ended != k:
                free.append(place[ended])
        if free:
            place[k] = free.pop()
        else:
            place[k], used = used, used + 1
        if last[k] == k:
            free.append(place[k])
    return np.array(place), used


def _by_blocks(sets: list[int], blocks: int) -> np.ndarray:
    """Whether each set has columns of each block."""
    size = blocks * WIDTH // 8
    bits = np.frombuffer(b"".join(each.to_bytes(size, "little") for each in sets), dtype=np.uint8)
    return np.any(bits.reshape(len(sets), blocks, WIDTH // 8), axis=2)


def _steps(
    k: np.ndarray,
    block: int,
    stream: Stream,
    operands: np.ndarray,
    within: np.ndarray,
    partial: np.ndarray,
    place: np.ndarray,
) -> np.ndarray:
    """Of the instructions k, all that a block of columns has something to do with."""
    steps = np.full((len(k), 5), -1, dtype=np.int32)
    steps[:, 0] = place[k]
    there = [(side[k] >= 0) & within[side[k]] for side in operands]
    sides = [(np.where(t, place[side[k]], -1), by[k]) for t, side, by in zip(there, operands, partial, strict=True)]
    (x, by_x), (y, by_y) = sides
    swapped = ~there[0]
    steps[:, 1], steps[:, 2] = np.where(swapped, y, x), np.where(swapped, by_y, by_x)
    steps[:, 3], steps[:, 4] = np.where(swapped, -1, y), by_y
    seeds = stream.op[k] == INPUT
    steps[seeds, 1:4] = -1
    steps[seeds, 2] = stream.in1[k[seeds]] - WIDTH * block
    return steps


def _entries(
    stream: Stream, on: Dependence, ways_out: np.ndarray, place: np.ndarray, blocks: int, along: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Entries, where those of each block begin, and the pattern."""
    columns = stream.in_sizes[along]
    of_set = {s: _bits(on.sets[s]) for s in np.unique(on.of[ways_out]).tolist()}
    each = [of_set[s] for s in on.of[ways_out].tolist()]
    counts = [len(c) for c in each]
    column = np.concatenate([np.zeros(0, dtype=np.int64), *each])
    row = np.repeat(stream.in1[ways_out], counts)
    order = np.lexsort((row, column))
    column, row = column[order], row[order]
    rates = np.repeat(place[stream.in0[ways_out]], counts)[order] * WIDTH + column % WIDTH
    column_start = np.concatenate([[0], np.cumsum(np.bincount(column, minlength=columns))]).astype(np.int32)
    first = np.minimum(np.arange(blocks + 1) * WIDTH, columns)
    entries = np.stack([np.arange(len(row)), rates], axis=1).astype(np.int32)
    return entries, column_start[first].astype(np.int64), column_start, row.astype(np.int32)


def _bits(numbers: int) -> np.ndarray:
    data = np.frombuffer(numbers.to_bytes(-(-numbers.bit_length() // 8), "little"), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(data, bitorder="little"))
