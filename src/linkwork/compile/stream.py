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
    op, first, second, third = atoms.T if atoms is not None else asked_atoms(f).T
    _refuse_unknown(f, set(op.tolist()))
    holder = [-1] * f.sz_w()  # the value now held by each place of CasADi's work vector, which reuses its places
    kept: list[int] = []  # instructions whose value is not there yet
    in0, in1, out = [], [], []
    known: dict[int, int] = {}
    size = len(op) + max(f.nnz_in(), f.n_in()) + 2
    rows = zip(op.tolist(), first.tolist(), second.tolist(), third.tolist(), strict=True)
    for k, (operation, target, x, y) in enumerate(rows):
        if operation == OUTPUT:
            kept.append(k)
            in0.append(holder[x])
            in1.append(y)
            out.append(target)
            continue
        if operation == CONST:
            x, y, key = -1, -1, -1 - ((x & 0xFFFFFFFF) << 32 | y & 0xFFFFFFFF)
        else:
            if operation != INPUT:
                x, y = holder[x], holder[y] if ARITY[operation] > 1 else -1
            turned = y < x and operation in COMMUTATIVE
            key = (operation * size + (y if turned else x)) * size + (x if turned else y) + 1
        value = known.get(key) if shared else None
        if value is None:
            known[key] = value = len(kept)
            kept.append(k)
            in0.append(x)
            in1.append(y)
            out.append(value)
        holder[target] = value
    constants = np.flatnonzero(op[kept] == CONST) if kept else np.zeros(0, dtype=int)
    const = np.zeros(len(kept))
    const[constants] = np.stack([second, third], axis=1)[kept][constants].astype(np.int32).view(np.float64).ravel()
    return Stream(
        op=op[kept].astype(np.int16),
        in0=np.array(in0, dtype=np.int32),
        in1=np.array(in1, dtype=np.int32),
        out=np.array(out, dtype=np.int32),
        const=const,
        in_sizes=tuple(f.nnz_in(i) for i in range(f.n_in())),
        out_sizes=tuple(f.nnz_out(i) for i in range(f.n_out())),
    )


def asked_atoms(f: ca.Function, of: Iterable[int] | None = None) -> np.ndarray:
    """Rows (operation, place of the result, first, second operand or halves of a constant), each asked from CasADi.

    It offers no batch interface that is complete (`instructions_sx` holds expressions, whose operands would have to be
    asked one by one), so this takes some 4 µs an instruction. of: which ones, all unless given.
    """
    found: list[tuple[int, ...]] = []
    for k in range(f.n_instructions()) if of is None else of:
        op, source, target = f.instruction_id(k), f.instruction_input(k), f.instruction_output(k)
        if op == OUTPUT:
            found.append((op, target[0], source[0], target[1]))
        elif op == CONST:
            low, high = np.array([f.instruction_constant(k)]).view(np.int32).tolist()
            found.append((op, target[0], low, high))
        else:
            found.append((op, target[0], *source, 0, 0)[:4])
    return np.array(found, dtype=np.int32).reshape(-1, 4)


def read_atoms(f: ca.Function, text: str) -> np.ndarray | None:
    """The same from the text of the function, a hundred times as fast; None where it is written in another way.

    CasADi writes each byte as two letters, and the instructions one after the other as rows of four integers. Where
    they begin is found by the first of them, and what is read is compared with what CasADi says when it is asked.
    """
    count = f.n_instructions()
    if count < SAMPLES:
        return None
    sample = np.unique(np.linspace(0, count - 1, SAMPLES).astype(int))
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
