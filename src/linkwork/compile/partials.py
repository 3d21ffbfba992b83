"""Partial derivatives of every instruction of a stream by its operands, as a stream of their own.

The derivative of each operation is CasADi's, asked for once and put in wherever the operation occurs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache as once

import casadi as ca
import numpy as np

from linkwork.compile.stream import ARITY, CONST, INPUT, OUTPUT, Stream, stream_of, without_repetition

OPERANDS = 2


@once
def derivatives(op: int) -> tuple[Stream, tuple[int, ...]]:
    """∂(x op y)/∂x and ∂/∂y as instructions of x and y, and where among them each stands; −1: it is zero."""
    symbols = [ca.SX.sym(name) for name in "xy"][: ARITY[op]]
    value = (ca.SX.unary if len(symbols) == 1 else ca.SX.binary)(op, *symbols)
    stream = stream_of(ca.Function("derivatives", symbols, [ca.jacobian(value, x) for x in symbols]), shared=True)
    places = [-1] * OPERANDS
    for k in np.flatnonzero(stream.op == OUTPUT).tolist():
        source = int(stream.in0[k])
        if stream.op[source] != CONST or stream.const[source] != 0:
            places[int(stream.out[k])] = source
    return stream, tuple(places)


def by_operands(stream: Stream) -> np.ndarray:
    """Whether each instruction's derivative by its first, and by its second operand, is anything but zero: (2, n)."""
    matters = np.zeros((OPERANDS, int(stream.op.max(initial=0)) + 1), dtype=bool)
    for op in np.unique(stream.op).tolist():
        if op in ARITY:
            matters[:, op] = [place >= 0 for place in derivatives(op)[1]]
    return matters[:, stream.op]


@dataclass(frozen=True)
class Partials:
    """stream: computes partial derivatives into its one result; place: which of them is that of each instruction by
    its operands, (2, n), −1 where none was asked for; unit: which of them are 1 always."""

    stream: Stream
    place: np.ndarray
    unit: np.ndarray


class _Listing:
    """Instructions in the making: those of the stream, numbered as there, then more, each after its owner."""

    def __init__(self, stream: Stream):
        self.op, self.x, self.y, self.const = [stream.op], [stream.in0], [stream.in1], [stream.const]
        self.owner = [np.arange(len(stream))]
        self.count = len(stream)

    def add(self, op: int, x: np.ndarray, y: np.ndarray, const: float, owner: np.ndarray) -> np.ndarray:
        n = len(owner)
        self.op.append(np.full(n, op))
        self.x.append(x)
        self.y.append(y)
        self.const.append(np.full(n, const))
        self.owner.append(owner)
        self.count += n
        return np.arange(self.count - n, self.count)


def partials_of(stream: Stream, wanted: np.ndarray, along: int) -> Partials:
    """Of the instructions by the operands that are wanted, (2, n); the argument `along`, the last one, is zero."""
    listing = _Listing(_at_zero(stream, along))
    value = np.full((OPERANDS, len(stream)), -1)
    for op in np.unique(stream.op[wanted.any(axis=0)]).tolist():
        k = np.flatnonzero(wanted.any(axis=0) & (stream.op == op))
        _insert_derivatives(listing, stream, op, k, value)
    value[~wanted] = -1
    op, x, y, const = (np.concatenate(part) for part in (listing.op, listing.x, listing.y, listing.const))
    y = np.where(op == OUTPUT, -1, y)
    order = np.argsort(np.concatenate(listing.owner), kind="stable")
    new = np.empty(len(order), dtype=np.int64)
    new[order] = np.arange(len(order))
    op, const = op[order], const[order]
    inner = ~np.isin(op, (INPUT, CONST))
    x, y = (_renumbered(z[order], inner, new) for z in (x, y))
    kept = _shared(op, x, y, const)
    roots = np.where(value >= 0, kept[new[value]], -1)
    x, y = (_renumbered(z, inner, kept) for z in (x, y))
    return _reduced(stream, op, x, y, const, roots, along)


def _renumbered(operands: np.ndarray, inner: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Operands that are values, by their new numbers; others (of inputs and constants) as they are."""
    values = inner & (operands >= 0)
    return np.where(values, new[np.where(values, operands, 0)], operands)


def _at_zero(stream: Stream, along: int) -> Stream:
    """The same with zeros for an argument."""
    given = (stream.op == INPUT) & (stream.in0 == along)
    op, const = np.where(given, CONST, stream.op), np.where(given, 0.0, stream.const)
    in0, in1 = np.where(given, -1, stream.in0), np.where(given, -1, stream.in1)
    return Stream(op, in0, in1, stream.out, const, stream.in_sizes, stream.out_sizes)


def _insert_derivatives(listing: _Listing, stream: Stream, op: int, k: np.ndarray, value: np.ndarray) -> None:
    """The derivatives of the instructions k, all with this operation."""
    made, places = derivatives(op)
    operands = stream.in0[k], stream.in1[k]
    at: list[np.ndarray] = []
    none = np.full(len(k), -1)
    for i, code in enumerate(made.op.tolist()):
        if code == INPUT:
            at.append(operands[int(made.in0[i])])
        elif code == OUTPUT:
            at.append(none)
        elif code == CONST:
            at.append(listing.add(CONST, none, none, float(made.const[i]), k))
        else:
            second = int(made.in1[i])
            at.append(listing.add(code, at[int(made.in0[i])], at[second] if second >= 0 else none, 0.0, k))
    for operand, place in enumerate(places):
        if place >= 0:
            value[operand, k] = at[place]


def _shared(op: np.ndarray, x: np.ndarray, y: np.ndarray, const: np.ndarray) -> np.ndarray:
    halves = np.ascontiguousarray(const).view(np.int32).reshape(-1, 2)
    constant = op == CONST
    first, second = (np.where(constant, half, z) for half, z in zip(halves.T, (x, y), strict=True))
    inner = ~np.isin(op, (INPUT, CONST))
    return without_repetition(op, np.where(inner, x, -1), np.where(inner, y, -1), first, second)


def _reduced(
    stream: Stream, op: np.ndarray, x: np.ndarray, y: np.ndarray, const: np.ndarray, roots: np.ndarray, along: int
) -> Partials:
    """What the roots need, each followed by its way out."""
    results = np.unique(roots[roots >= 0])
    needed = _needed(op, x, y, results)
    kept = np.flatnonzero(needed)
    behind = np.isin(kept, results)
    place = np.cumsum(1 + np.concatenate([[0], behind[:-1]])) - 1 if kept.size else kept
    new = np.full(len(op), -1)
    new[kept] = place
    count = len(kept) + len(results)
    partials = Stream(
        op=np.full(count, OUTPUT, dtype=np.int16),
        in0=np.zeros(count, dtype=np.int32),
        in1=np.full(count, -1, dtype=np.int32),
        out=np.arange(count, dtype=np.int32),
        const=np.zeros(count),
        in_sizes=stream.in_sizes[:along],
        out_sizes=(len(results),),
    )
    outer = np.isin(op[kept], (INPUT, CONST))
    partials.op[place], partials.const[place] = op[kept], const[kept]
    for target, z in ((partials.in0, x[kept]), (partials.in1, y[kept])):
        target[place] = _renumbered(z, ~outer, new)
    out = place[behind] + 1
    partials.in0[out], partials.in1[out], partials.out[out] = place[behind], np.arange(len(results)), 0
    number = np.full(len(op) + 1, -1)
    number[results] = np.arange(len(results))
    return Partials(partials, number[roots], (op[results] == CONST) & (const[results] == 1))


def _needed(op: np.ndarray, x: np.ndarray, y: np.ndarray, results: np.ndarray) -> np.ndarray:
    """Which instructions some result is computed from."""
    needed = bytearray(len(op))
    inner = ~np.isin(op, (INPUT, CONST))
    first, second = (np.where(inner, z, -1).tolist() for z in (x, y))
    for k in results.tolist():
        needed[k] = 1
    for k in range(len(op) - 1, -1, -1):
        if needed[k]:
            if first[k] >= 0:
                needed[first[k]] = 1
            if second[k] >= 0:
                needed[second[k]] = 1
    return np.frombuffer(needed, dtype=np.uint8).astype(bool)
