"""Derivatives of an instruction stream in many digits, by differences: no rule of differentiation is in them."""

from collections.abc import Sequence

import casadi as ca
import numpy as np
import pytest

from linkwork.compile.stream import Stream

mp = pytest.importorskip("mpmath").mp.clone()
mp.dps = 70
STEP = mp.mpf(10) ** -25
"""Error of the differences: its square, and 1e-70 / step; double precision has 16 digits."""

NAMES = {value: name[3:] for name, value in vars(ca).items() if name.startswith("OP_")}
OPERATIONS = {
    "ASSIGN": lambda x: x, "NEG": lambda x: -x, "EXP": mp.exp, "LOG": mp.log, "SQRT": mp.sqrt, "SQ": lambda x: x * x,
    "TWICE": lambda x: 2 * x, "SIN": mp.sin, "COS": mp.cos, "TAN": mp.tan, "ASIN": mp.asin, "ACOS": mp.acos,
    "ATAN": mp.atan, "NOT": lambda x: mp.mpf(x == 0), "FLOOR": mp.floor, "CEIL": mp.ceil, "FABS": abs, "SIGN": mp.sign,
    "ERF": mp.erf, "INV": lambda x: 1 / x, "SINH": mp.sinh, "COSH": mp.cosh, "TANH": mp.tanh, "ASINH": mp.asinh,
    "ACOSH": mp.acosh, "ATANH": mp.atanh, "LOG1P": mp.log1p, "EXPM1": mp.expm1,
    "ADD": lambda x, y: x + y, "SUB": lambda x, y: x - y, "MUL": lambda x, y: x * y, "DIV": lambda x, y: x / y,
    "POW": mp.power, "CONSTPOW": mp.power, "LT": lambda x, y: mp.mpf(x < y), "LE": lambda x, y: mp.mpf(x <= y),
    "EQ": lambda x, y: mp.mpf(x == y), "NE": lambda x, y: mp.mpf(x != y),
    "AND": lambda x, y: mp.mpf(x != 0 and y != 0), "OR": lambda x, y: mp.mpf(x != 0 or y != 0),
    "FMOD": lambda x, y: x - y * mp.mpf(int(x / y)), "COPYSIGN": lambda x, y: abs(x) if y >= 0 else -abs(x),
    "IF_ELSE_ZERO": lambda x, y: y if x != 0 else mp.mpf(0), "FMIN": min, "FMAX": max, "ATAN2": mp.atan2,
    "HYPOT": mp.hypot,
}  # fmt: skip


def columns_of(stream: Stream, arguments: Sequence[np.ndarray], columns: Sequence[int]) -> np.ndarray:
    """Of the derivative of the first result by the last argument, where that is zero; arguments: the others."""
    given = [[mp.mpf(float(x)) for x in part] for part in arguments]
    last = [mp.mpf(0)] * stream.in_sizes[-1]
    found = []
    for column in columns:
        beyond, before = (_first_result(stream, [*given, _with(last, column, x)]) for x in (STEP, -STEP))
        found.append([float((a - b) / (2 * STEP)) for a, b in zip(beyond, before, strict=True)])
    return np.array(found).T


def _with(values: list, place: int, x: object) -> list:
    return [*values[:place], x, *values[place + 1 :]]


def _first_result(stream: Stream, arguments: list) -> list:
    values: list = []
    result = [mp.mpf(0)] * stream.out_sizes[0]
    parts = (stream.op, stream.in0, stream.in1, stream.out, stream.const)
    for op, x, y, out, const in zip(*(part.tolist() for part in parts), strict=True):
        name, value = NAMES[op], None
        if name == "INPUT":
            value = arguments[x][y]
        elif name == "CONST":
            value = mp.mpf(const)
        elif name == "OUTPUT":
            if out == 0:
                result[y] = values[x]
        elif y < 0:
            value = OPERATIONS[name](values[x])
        else:
            value = OPERATIONS[name](values[x], values[y])
        values.append(value)
    return result
