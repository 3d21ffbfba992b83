"""The instruction stream of a symbolic function: what every code generator reads.

A `Stream` is plain data. It comes from CasADi, but nothing behind it knows CasADi: machine code, SIMD lanes, C and
CUDA text are all written from the same arrays. Operations keep CasADi's numbering and meaning, NaN included.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import casadi as ca
import numpy as np

from linkwork.algebra.distinct import distinct
from linkwork.compile._machine_code import first_alike, values_read
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
FMA, FMS, FNMA = 1001, 1002, 1003
"""x·y + z, x·y − z and z − x·y, rounded once; no operations of CasADi, see `contraction`."""
FUSED: Final = (FMA, FMS, FNMA)
COMMUTATIVE: Final = frozenset({ca.OP_ADD, ca.OP_MUL})
SAMPLES: Final = 64
"""Instructions that are asked for to see that the others were read right."""


@dataclass(frozen=True)
class Stream:
    """Straight-line code in single-assignment form: instruction k defines value k, operands are earlier values.

    Arrays of one length, one entry per instruction:
      op     the operation, numbered as in CasADi
      in0    first operand; for CONST -1; for INPUT the argument; for OUTPUT the value
      in1    second operand, -1 if there is none; for INPUT and OUTPUT the element (nonzero, column by column)
      out    the value defined, k itself; for OUTPUT the result it belongs to
      const  the number, for CONST
      in2    third operand, of fused operations
    """

    op: np.ndarray
    in0: np.ndarray
    in1: np.ndarray
    out: np.ndarray
    const: np.ndarray
    in_sizes: tuple[int, ...]
    out_sizes: tuple[int, ...]
    in2: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.op)

    def uses(self) -> tuple[np.ndarray, np.ndarray]:
        """Pairs (instruction, value it reads), the first operands of all instructions before the second ones."""
        arity = np.zeros(FNMA + 1, dtype=np.int8)
        arity[[*ARITY]] = [*ARITY.values()]
        arity[[*FUSED]] = 3
        first = np.flatnonzero((arity[self.op] > 0) | (self.op == OUTPUT))
        second = np.flatnonzero(arity[self.op] > 1)
        readers, values = [first, second], [self.in0[first], self.in1[second]]
        if self.in2 is not None:
            third = np.flatnonzero(arity[self.op] > 2)
            readers, values = [*readers, third], [*values, self.in2[third]]
        return np.concatenate(readers), np.concatenate(values)


def stream_of(f: ca.Function, text: str | None = None, *, shared: bool = False) -> Stream:
    """Read the instructions of an SX function; text: what `f.serialize()` returns, where it is known.

    shared: what is computed twice is computed once. CasADi does that too when it is asked to (`cse`), in thirty times
    the time that the function takes to make without.
    """
    if not f.is_a("SXFunction"):
        raise LinkworkError(
            f"function {f.name()!r} is not made of scalar operations.",
            remedy="Build it from SX symbols, or call its expand() first.",
        )
    atoms = read_atoms(f, f.serialize() if text is None else text)
    atoms = asked_atoms(f) if atoms is None else atoms
    op = atoms[:, 0].astype(np.int64)
    _refuse_unknown(f, set(op.tolist()))
    x, y = _values_read(atoms, op)
    kept = without_repetition(op, x, y, atoms[:, 2], atoms[:, 3]) if shared else np.arange(len(op))
    new = np.full(len(op) + 1, -1)
    new[:-1] = (np.cumsum(np.bincount(kept, minlength=len(op)) > 0) - 1)[kept] if len(op) else 0
    own = np.flatnonzero(kept == np.arange(len(op)))
    given, results = op[own] == INPUT, op[own] == OUTPUT
    const = np.zeros(len(own))
    constants = op[own] == CONST
    const[constants] = np.ascontiguousarray(atoms[own][constants, 2:]).view(np.float64).ravel()
    return Stream(
        op=op[own].astype(np.int16),
        in0=np.where(given, atoms[own, 2], new[x[own]]).astype(np.int32),
        in1=np.where(given | results, atoms[own, 3], new[y[own]]).astype(np.int32),
        out=np.where(results, atoms[own, 1], np.arange(len(own))).astype(np.int32),
        const=const,
        in_sizes=tuple(f.nnz_in(i) for i in range(f.n_in())),
        out_sizes=tuple(f.nnz_out(i) for i in range(f.n_out())),
    )


def _values_read(atoms: np.ndarray, op: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The instructions whose results each one reads, −1 where it reads none: CasADi's places are used again and again,
    and hold what was written there last."""
    arity = np.zeros(int(op.max(initial=0)) + 1, dtype=np.int8)
    for code, operands in ARITY.items():
        if code < len(arity):
            arity[code] = operands
    x, y = np.full(len(op), -1), np.full(len(op), -1)
    places = int(atoms[:, 1].max(initial=0)) + 1
    values_read(np.ascontiguousarray(atoms, dtype=np.int32), arity, OUTPUT, places, x, y)
    return x, y


def without_repetition(
    op: np.ndarray, x: np.ndarray, y: np.ndarray, first: np.ndarray, second: np.ndarray
) -> np.ndarray:
    """For each instruction the first one that computes the same; itself, where there is none before.

    x, y: the instructions that it reads; first, second: which inputs these are, or the halves of a constant.
    """
    outer = np.isin(op, (INPUT, CONST))
    kind = np.where(outer, 1, np.where(op == OUTPUT, 0, np.where(np.isin(op, list(COMMUTATIVE)), 3, 2)))
    same = np.zeros(len(op), dtype=np.int64)
    a, b = (np.where(outer, own, read).astype(np.int64) for own, read in ((first, x), (second, y)))
    first_alike(op.astype(np.int64), a, b, kind.astype(np.uint8), same)
    return same


def asked_atoms(f: ca.Function, of: Iterable[int] | None = None) -> np.ndarray:
    """Rows (operation, place of the result, first, second operand or halves of a constant), each asked from CasADi.

    It offers no batch interface that is complete (`instructions_sx` holds expressions, whose operands would have to be
    asked one by one), so this takes some 4 µs an instruction. of: which ones, all unless given.
    """
    atoms: list[tuple[int, ...]] = []
    for k in range(f.n_instructions()) if of is None else of:
        op, source, target = f.instruction_id(k), f.instruction_input(k), f.instruction_output(k)
        if op == OUTPUT:
            atoms.append((op, target[0], source[0], target[1]))
        elif op == CONST:
            low, high = np.array([f.instruction_constant(k)]).view(np.int32).tolist()
            atoms.append((op, target[0], low, high))
        else:
            atoms.append((op, target[0], *source, 0, 0)[:4])
    return np.array(atoms, dtype=np.int32).reshape(-1, 4)


def read_atoms(f: ca.Function, text: str) -> np.ndarray | None:
    """The same from the text of the function, a hundred times as fast; None where it is written in another way.

    CasADi writes each byte as two letters, and the instructions one after the other as rows of four integers. Where
    they begin is found by the first of them, and what is read is compared with what CasADi says when it is asked.
    """
    count = f.n_instructions()
    if count < SAMPLES:
        return None
    sample = distinct(np.linspace(0, count - 1, SAMPLES).astype(int)).values
    asked = asked_atoms(f, sample.tolist())
    known = np.frombuffer(asked[0].tobytes(), dtype=np.uint8)
    pattern = bytes(np.stack([known & 15, known >> 4], axis=1).ravel() + ord("a")).decode()
    at = text.find(pattern)
    while at >= 0:
        letters = np.frombuffer(text[at : at + 32 * count].encode(), dtype=np.uint8) - np.uint8(ord("a"))
        if letters.size == 32 * count:
            atoms = (letters[0::2] + 16 * letters[1::2]).astype(np.uint8).view(np.int32).reshape(-1, 4)
            if _alike(atoms[sample], asked) and _possible(f, atoms):
                return atoms
        at = text.find(pattern, at + 1)
    return None


def _alike(atoms: np.ndarray, asked: np.ndarray) -> bool:
    """Second operands of operations that have one only are not asked for."""
    differ = atoms != asked
    differ[[ARITY.get(op) == 1 for op in asked[:, 0].tolist()], 3] = False
    return not differ.any()


def _possible(f: ca.Function, atoms: np.ndarray) -> bool:
    """Whether every row is an instruction: of a known operation, on places that there are, inputs and results whole."""
    op, places = atoms[:, 0], f.sz_w()
    inner = ~np.isin(op, (CONST, INPUT, OUTPUT))
    within = [atoms[op != OUTPUT, 1], atoms[inner | (op == OUTPUT), 2]]
    ends = (f.nnz_out(), int(np.count_nonzero(op == OUTPUT)))
    return all(p.size == 0 or (p.min() >= 0 and p.max() < places) for p in within) and ends[1] <= ends[0]


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
