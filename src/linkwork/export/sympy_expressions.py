"""SX → SymPy, with nothing simplified but what SymPy's own operators do while they are applied.

Numbers become exact: the fraction or decimal that a double stands for (0.1 is 1/10, not 3602879701896397/2⁵⁵), because
floating-point coefficients would keep SymPy from seeing that terms cancel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from importlib import import_module
from typing import TYPE_CHECKING, Final, TypeAlias

import casadi as ca
import numpy as np

from linkwork.compile.stream import ARITY, CONST, INPUT, OUTPUT, Stream, stream_of
from linkwork.core.errors import LinkworkError
from linkwork.geometry import SX

if TYPE_CHECKING:
    from types import ModuleType

    from sympy import Basic, Expr, Matrix, Symbol

Operation: TypeAlias = "Callable[..., Basic]"

NAMED_FROM: Final = 4
"""Operations that make a shared subexpression worth a name."""
EXPRESSION_OPERATIONS: Final = 40
"""Operations after which an expression is cut by a name, even if nothing else uses it."""
LARGEST_DENOMINATOR: Final = 1000
"""Of fractions that are recognised where no short decimal is: 1/3, 7/12."""


def sympy() -> ModuleType:
    """The package, or an error that says how to get it."""
    try:
        return import_module("sympy")
    except ImportError:
        raise LinkworkError(
            "SymPy is needed for this and is not installed.", remedy='Install it with: pip install "linkwork[symbolic]"'
        ) from None


def converted(
    arguments: Sequence[SX], symbols: Sequence[Sequence[Symbol]], results: Sequence[SX], *, shared: str = ""
) -> tuple[list[tuple[Symbol, Expr]], list[Matrix]]:
    """([(name, expression)…], [matrix…]): the results in the given symbols.

    shared: letter of the names for common subexpressions, numbered from 1; "": none, everything is written out.
    """
    f = ca.Function("read", list(arguments), list(results), {"cse": True})
    stream = stream_of(f)
    named = _worth_a_name(stream) if shared else np.zeros(len(stream), dtype=bool)
    where, entries = _walk(stream, symbols, named, shared)
    matrices = []
    for i in range(f.n_out()):
        matrix = sympy().zeros(*f.size_out(i))
        for (row, column), k in zip(_places(f.sparsity_out(i)), range(f.nnz_out(i)), strict=True):
            matrix[row, column] = entries[i, k]
        matrices.append(matrix)
    return where, matrices


def tree_size(arguments: Sequence[SX], results: Sequence[SX]) -> int:
    """Operations of the largest entry when everything is written out; grows exponentially with shared parts."""
    stream = stream_of(ca.Function("size", list(arguments), list(results), {"cse": True}))
    sizes, largest = [0] * len(stream), 0
    for k in range(len(stream)):
        op = int(stream.op[k])
        if op in (CONST, INPUT):
            continue
        sizes[k] = sum(sizes[j] for j in _operands(stream, k, op)) + 1
        largest = max(largest, sizes[k])
    return largest


def number(value: float) -> Expr:
    """The exact number that a double most likely stands for; converting it back gives the same double."""
    sp = sympy()
    if math.isnan(value):
        return sp.nan
    if math.isinf(value):
        return sp.oo if value > 0 else -sp.oo
    if value == int(value) and abs(value) < 1e15:
        return sp.Integer(int(value))
    decimal = Fraction(repr(value))
    turns = Fraction(value / math.pi).limit_denominator(360)
    if turns and float(turns) * math.pi == value and decimal.denominator > 10**6:
        return sp.Rational(turns.numerator, turns.denominator) * sp.pi
    simple = decimal.limit_denominator(LARGEST_DENOMINATOR)
    best = simple if float(simple) == value else decimal
    return sp.Rational(best.numerator, best.denominator)


def _places(pattern: ca.Sparsity) -> list[tuple[int, int]]:
    rows, columns = pattern.get_triplet()
    return list(zip(rows, columns, strict=True))


def _operands(stream: Stream, k: int, op: int) -> list[int]:
    both = [int(stream.in0[k]), int(stream.in1[k])]
    return both[:1] if op == OUTPUT else both[: ARITY[op]]


def _worth_a_name(stream: Stream) -> np.ndarray:
    """Values used twice that take some writing, and values that would make a line too long."""
    _, value = stream.uses()
    readers = np.bincount(value, minlength=len(stream))
    named, weight = np.zeros(len(stream), dtype=bool), [0] * len(stream)
    for k in range(len(stream)):
        op = int(stream.op[k])
        if op in (CONST, INPUT, OUTPUT):
            continue
        weight[k] = 1 + sum(weight[j] for j in _operands(stream, k, op))
        if (readers[k] > 1 and weight[k] >= NAMED_FROM) or weight[k] > EXPRESSION_OPERATIONS:
            named[k], weight[k] = True, 0
    return named


def _walk(
    stream: Stream, symbols: Sequence[Sequence[Symbol]], named: np.ndarray, letter: str
) -> tuple[list[tuple[Symbol, Expr]], dict[tuple[int, int], Expr]]:
    write = _operations()
    values: list[Basic] = [sympy().nan] * len(stream)
    where: list[tuple[Symbol, Expr]] = []
    entries: dict[tuple[int, int], Expr] = {}
    for k in range(len(stream)):
        op = int(stream.op[k])
        if op == CONST:
            values[k] = number(float(stream.const[k]))
        elif op == INPUT:
            values[k] = symbols[int(stream.in0[k])][int(stream.in1[k])]
        elif op == OUTPUT:
            entries[int(stream.out[k]), int(stream.in1[k])] = _as_number(values[int(stream.in0[k])])
        else:
            values[k] = write[op](*(values[j] for j in _operands(stream, k, op)))
            # SymPy's operators cancel and merge on the way: what has become short needs no name.
            if named[k] and _as_number(values[k]).count_ops() >= NAMED_FROM - 1:
                name = sympy().Symbol(f"{letter}_{len(where) + 1}")
                where.append((name, _as_number(values[k])))
                values[k] = name
    return where, entries


def _as_number(value: Basic) -> Expr:
    """1 or 0 for the truth of a condition, anything else as it is."""
    return sympy().Piecewise((1, value), (0, True)) if _is_condition(value) else value


def _as_truth(value: Basic) -> Basic:
    return value if _is_condition(value) else sympy().Ne(value, 0)


def _is_condition(value: Basic) -> bool:
    """Symbols count as Boolean in SymPy; here they are numbers."""
    boolean = sympy().logic.boolalg.Boolean
    return isinstance(value, boolean) and not value.is_Symbol


def _operations() -> dict[int, Operation]:
    """How each operation is written with SymPy. Conditions stay conditions until a number is made of them."""
    table = {name: _on_numbers(write) for name, write in (_functions() | _arithmetic()).items()} | _logic()
    return {getattr(ca, f"OP_{name}"): write for name, write in table.items()}


def _on_numbers(write: Operation) -> Operation:
    return lambda *operands: write(*map(_as_number, operands))


def _functions() -> dict[str, Operation]:
    """Of one number."""
    sp = sympy()
    return {
        "ASSIGN": lambda x: x,
        "NEG": lambda x: -x,
        "SQ": lambda x: x**2,
        "TWICE": lambda x: 2 * x,
        "INV": lambda x: 1 / x,
        "SQRT": sp.sqrt,
        "EXP": sp.exp,
        "LOG": sp.log,
        "LOG1P": lambda x: sp.log(1 + x),
        "EXPM1": lambda x: sp.exp(x) - 1,
        "FLOOR": sp.floor,
        "CEIL": sp.ceiling,
        "FABS": sp.Abs,
        "SIGN": sp.sign,
        "ERF": sp.erf,
        **{name.upper(): getattr(sp, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan")},
        **{name.upper(): getattr(sp, name) for name in ("sinh", "cosh", "tanh", "asinh", "acosh", "atanh")},
    }


def _arithmetic() -> dict[str, Operation]:
    """Of two numbers."""
    sp = sympy()

    def add(x: Expr, y: Expr) -> Expr:
        """The two halves of an if_else become one again."""
        halves = [z.args for z in (x, y) if isinstance(z, sp.Piecewise) and len(z.args) == 2 and z.args[1] == (0, True)]
        if len(halves) == 2 and sp.Not(halves[0][0][1]) == halves[1][0][1]:
            return sp.Piecewise(halves[0][0], (halves[1][0][0], True))
        return x + y

    return {
        "ADD": add,
        "SUB": lambda x, y: x - y,
        "MUL": lambda x, y: x * y,
        "DIV": lambda x, y: x / y,
        "POW": lambda x, y: x**y,
        "CONSTPOW": lambda x, y: x**y,
        # Max and Min would compare their arguments by trial, for minutes where these are large.
        "FMIN": lambda x, y: sp.Min(x, y, evaluate=False),
        "FMAX": lambda x, y: sp.Max(x, y, evaluate=False),
        "ATAN2": sp.atan2,
        "HYPOT": lambda x, y: sp.sqrt(x**2 + y**2),
        "FMOD": lambda x, y: x - y * sp.sign(x / y) * sp.floor(sp.Abs(x / y)),
        "REMAINDER": lambda x, y: x - y * sp.floor(x / y + sp.Rational(1, 2)),
        "COPYSIGN": lambda x, y: sp.Piecewise((sp.Abs(x), y >= 0), (-sp.Abs(x), True)),
    }


def _logic() -> dict[str, Operation]:
    """Of conditions, or with one as the result."""
    sp = sympy()
    return {
        "LT": lambda x, y: sp.Lt(_as_number(x), _as_number(y)),
        "LE": lambda x, y: sp.Le(_as_number(x), _as_number(y)),
        "EQ": lambda x, y: sp.Eq(_as_number(x), _as_number(y)),
        "NE": lambda x, y: sp.Ne(_as_number(x), _as_number(y)),
        "NOT": lambda x: sp.Not(_as_truth(x)),
        "AND": lambda x, y: sp.And(_as_truth(x), _as_truth(y)),
        "OR": lambda x, y: sp.Or(_as_truth(x), _as_truth(y)),
        "IF_ELSE_ZERO": lambda x, y: sp.Piecewise((_as_number(y), _as_truth(x)), (0, True)),
    }
