"""Products and sums that are rounded once, and divisions by reciprocals: decided here, for every code generator.

A compiler may be allowed to fuse as it likes, but then each of its levels does so elsewhere, and the last bits depend
on how much time it was given. So the stream says what is fused, and code of every tier computes the same numbers.
The rules are those of compilers: a product that is needed for one sum only is fused with it, and where several are
divided by one number, they are multiplied by its reciprocal. Both together make machine code a fifth faster.
"""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np

from linkwork.algebra.distinct import distinct
from linkwork.compile.stream import CONST, FMA, FMS, FNMA, FUSED, INPUT, OUTPUT, Stream

SMALLEST_DIVISOR, LARGEST_DIVISOR = 1e-300, 1e300
"""Size of a constant whose reciprocal is a number as precise as any."""


def contracted(stream: Stream, *, fused: bool) -> Stream:
    """The same computation in fewer instructions; fused: whether the processor multiplies and adds in one."""
    if stream.in2 is not None or not len(stream):
        return stream
    stream = _with_reciprocals(stream)
    return _with_fused_products(stream) if fused else stream


def _with_reciprocals(stream: Stream) -> Stream:
    """Division by a constant, or twice by the same value, becomes a product with its reciprocal."""
    divisions = np.flatnonzero(stream.op == ca.OP_DIV)
    divisor, first, which, count = distinct(stream.in1[divisions])
    constant = stream.op[divisor] == CONST
    size = np.abs(stream.const[divisor])
    taken = np.where(constant, (size > SMALLEST_DIVISOR) & (size < LARGEST_DIVISOR), count > 1)
    if not taken.any():
        return stream
    where, of = divisions[first[taken]], divisor[taken]  # a reciprocal stands before its first division
    shift = np.cumsum(np.bincount(where, minlength=len(stream)))
    wider = _renumbered(stream, np.arange(len(stream)) + shift, len(stream) + len(where))
    place = where + shift[where] - 1
    constants = stream.op[of] == CONST
    wider.op[place] = np.where(constants, CONST, ca.OP_INV)
    wider.in0[place] = np.where(constants, -1, of + shift[of])
    wider.in1[place] = -1
    wider.out[place] = place
    wider.const[place[constants]] = 1 / stream.const[of[constants]]
    reciprocal = np.full(len(divisor), -1)
    reciprocal[taken] = place
    changed = taken[which]
    k = divisions[changed] + shift[divisions[changed]]
    wider.op[k], wider.in1[k] = ca.OP_MUL, reciprocal[which[changed]]
    return wider


def _with_fused_products(stream: Stream) -> Stream:
    """A product that one sum or difference alone needs is computed with it."""
    op, in0, in1, in2 = stream.op.copy(), stream.in0.copy(), stream.in1.copy(), np.full(len(stream), -1, np.int32)
    uses = np.bincount(stream.uses()[1], minlength=len(stream))
    product = ((op == ca.OP_MUL) | (op == ca.OP_SQ)) & (uses == 1)
    sums = np.flatnonzero((op == ca.OP_ADD) | (op == ca.OP_SUB))
    x, y = stream.in0[sums], stream.in1[sums]
    first = product[x]
    second = product[y] & ~first
    kept = np.ones(len(stream), dtype=bool)
    for chosen, factor, term, subtracted in ((first, x, y, FMS), (second, y, x, FNMA)):
        k, m = sums[chosen], factor[chosen]
        op[k] = np.where(stream.op[k] == ca.OP_ADD, FMA, subtracted)
        in0[k], in1[k] = stream.in0[m], np.where(stream.op[m] == ca.OP_SQ, stream.in0[m], stream.in1[m])
        in2[k] = term[chosen]
        kept[m] = False
    whole = replace(stream, op=op, in0=in0, in1=in1, in2=in2)
    return _renumbered(whole, np.cumsum(kept) - 1, int(kept.sum()), kept)


def _renumbered(stream: Stream, new: np.ndarray, count: int, kept: np.ndarray | None = None) -> Stream:
    """The stream with instruction k at `new[k]` of `count` places; kept: which ones there are, all unless given."""
    old = np.arange(len(stream)) if kept is None else np.flatnonzero(kept)
    in0, in1 = stream.in0.copy(), stream.in1.copy()
    first = (stream.op != INPUT) & (in0 >= 0)  # whose operands are values, not numbers of arguments or elements
    second = (stream.op != INPUT) & (stream.op != OUTPUT) & (in1 >= 0)
    in0[first], in1[second] = new[in0[first]], new[in1[second]]
    out = np.where(stream.op == OUTPUT, stream.out, new)
    in2 = None
    if stream.in2 is not None:
        in2 = np.where(np.isin(stream.op, FUSED), new[stream.in2], -1)
    target = new[old]

    def placed(values: np.ndarray) -> np.ndarray:
        moved = np.zeros(count, dtype=values.dtype)
        moved[target] = values[old]
        return moved

    return replace(
        stream,
        op=placed(stream.op),
        in0=placed(in0),
        in1=placed(in1),
        out=placed(out.astype(np.int32)),
        const=placed(stream.const),
        in2=None if in2 is None else placed(in2.astype(np.int32)),
    )
