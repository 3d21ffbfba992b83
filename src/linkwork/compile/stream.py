"""The instruction stream of a symbolic function: what every code generator reads.

A `Stream` is plain data. It comes from CasADi, but nothing behind it knows CasADi: machine code, SIMD lanes, C and
CUDA text are all written from the same arrays. Operations keep CasADi's numbering and meaning, NaN included.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import casadi as ca
import numpy as np

from linkwork.core.errors import LinkworkError

CONST: Final = ca.OP_CONST
INPUT: Final = ca.OP_INPUT
OUTPUT: Final = ca.OP_OUTPUT

UNARY: Final = tuple(
    (
        "ASSIGN NEG EXP LOG SQRT SQ TWICE SIN COS TAN ASIN ACOS ATAN NOT FLOOR CEIL FABS SIGN ERF INV "
        "SINH COSH TANH ASINH ACOSH ATANH LOG1P EXPM1"
    ).split()
)
BINARY: Final = tuple(
    (
        "ADD SUB MUL DIV POW CONSTPOW LT LE EQ NE AND OR FMOD REMAINDER COPYSIGN IF_ELSE_ZERO FMIN FMAX ATAN2 HYPOT"
    ).split()
)

ARITY: Final[dict[int, int]] = {
    **{getattr(ca, f"OP_{name}"): 1 for name in UNARY},
    **{getattr(ca, f"OP_{name}"): 2 for name in BINARY},
}
"""Number of operands of each arithmetic operation."""


@dataclass(frozen=True)
class Stream:
    """Straight-line code in single-assignment form: instruction k defines value k, operands are earlier values.

    Arrays of one length, one entry per instruction:
      op     the operation, numbered as in CasADi
      in0    first operand; for CONST -1; for INPUT the argument; for OUTPUT the value
      in1    second operand, -1 if there is none; for INPUT and OUTPUT the element (nonzero, column by column)
      out    the value defined, k itself; for OUTPUT the result it belongs to
      const  the number, for CONST
    """

    op: np.ndarray
    in0: np.ndarray
    in1: np.ndarray
    out: np.ndarray
    const: np.ndarray
    in_sizes: tuple[int, ...]
    out_sizes: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.op)

    def uses(self) -> tuple[np.ndarray, np.ndarray]:
        """Pairs (instruction, value it reads), the first operands of all instructions before the second ones."""
        arity = np.zeros(int(self.op.max(initial=0)) + 1, dtype=np.int8)
        for op, count in ARITY.items():
            if op < len(arity):
                arity[op] = count
        first = np.flatnonzero((arity[self.op] > 0) | (self.op == OUTPUT))
        second = np.flatnonzero(arity[self.op] > 1)
        return np.concatenate([first, second]), np.concatenate([self.in0[first], self.in1[second]])


def stream_of(f: ca.Function) -> Stream:
    """Read the instructions of an SX function.

    CasADi offers no batch interface that is complete (`instructions_sx` holds expressions, whose operands would have
    to be asked one by one), so this asks per instruction: about 4 µs each, a few per cent of what LLVM then needs.
    """
    if not f.is_a("SXFunction"):
        raise LinkworkError(
            f"function {f.name()!r} is not made of scalar operations.",
            remedy="Build it from SX symbols, or call its expand() first.",
        )
    count = f.n_instructions()
    numbers = range(count)
    op = list(map(f.instruction_id, numbers))
    _refuse_unknown(f, set(op))
    in0, in1, out = [-1] * count, [-1] * count, list(numbers)
    const = np.zeros(count)
    holder = [-1] * f.sz_w()  # the value now held by each place of CasADi's work vector, which reuses its places
    sources, targets = map(f.instruction_input, numbers), map(f.instruction_output, numbers)
    for k, operation, source, target in zip(numbers, op, sources, targets, strict=True):
        if operation == OUTPUT:
            in0[k] = holder[source[0]]
            out[k], in1[k] = target
            continue
        if operation == CONST:
            const[k] = f.instruction_constant(k)
        elif operation == INPUT:
            in0[k], in1[k] = source
        else:
            in0[k] = holder[source[0]]
            if len(source) > 1:
                in1[k] = holder[source[1]]
        holder[target[0]] = k
    return Stream(
        op=np.array(op, dtype=np.int16),
        in0=np.array(in0, dtype=np.int32),
        in1=np.array(in1, dtype=np.int32),
        out=np.array(out, dtype=np.int32),
        const=const,
        in_sizes=tuple(f.nnz_in(i) for i in range(f.n_in())),
        out_sizes=tuple(f.nnz_out(i) for i in range(f.n_out())),
    )


def _refuse_unknown(f: ca.Function, ops: set[int]) -> None:
    """An operation no code generator could write is an error that names it, never a wrong result."""
    unknown = ops - ARITY.keys() - {CONST, INPUT, OUTPUT}
    if ca.OP_PARAMETER in unknown:
        free = ", ".join(str(symbol) for symbol in f.free_sx())
        raise LinkworkError(
            f"function {f.name()!r} depends on symbols that are not among its inputs: {free}.",
            remedy="Add them to the inputs.",
        )
    if unknown:
        names = {value: key[3:] for key, value in vars(ca).items() if key.startswith("OP_")}
        listed = ", ".join(names.get(op, str(op)) for op in sorted(unknown))
        raise LinkworkError(
            f"function {f.name()!r} uses operations that cannot be compiled: {listed}.",
            remedy="Write the expression with elementary operations.",
        )
