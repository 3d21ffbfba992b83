"""Expressions as functions of numbers or of whole arrays, one operation of NumPy after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import casadi as ca
import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.geometry import SX

_SAME: Final = "exp log sqrt sin cos tan floor ceil sign sinh cosh tanh log1p expm1 fabs fmod copysign fmin fmax hypot"
_OTHER: Final = {
    "ASIN": np.arcsin, "ACOS": np.arccos, "ATAN": np.arctan, "ASINH": np.arcsinh, "ACOSH": np.arccosh,
    "ATANH": np.arctanh, "ATAN2": np.arctan2, "POW": np.power, "CONSTPOW": np.power, "ADD": np.add,
    "SUB": np.subtract, "MUL": np.multiply, "DIV": np.divide, "NEG": np.negative, "SQ": np.square,
    "TWICE": lambda x: x + x, "INV": lambda x: 1.0 / x, "ASSIGN": lambda x: x, "LT": np.less, "LE": np.less_equal,
    "EQ": np.equal, "NE": np.not_equal, "NOT": np.logical_not, "AND": np.logical_and, "OR": np.logical_or,
    "IF_ELSE_ZERO": lambda x, y: np.where(x, y, 0.0),
}  # fmt: skip
_OPERATIONS: Final[dict[int, Callable[..., Any]]] = {
    getattr(ca, f"OP_{name}"): call for name, call in _OTHER.items()
} | {getattr(ca, f"OP_{word.upper()}"): getattr(np, word) for word in _SAME.split()}


def elementwise(symbols: Sequence[SX], expression: SX) -> Callable[..., Any]:
    """A function of as many numbers, or arrays of one shape, as there are symbols."""
    f = ca.Function("elementwise", list(symbols), [expression])
    steps: list[tuple[Callable[..., Any], int, list[int]]] = []
    for k in range(f.n_instructions()):
        op, ins, outs = f.instruction_id(k), f.instruction_input(k), f.instruction_output(k)
        if op == ca.OP_CONST:
            value = f.instruction_constant(k)
            steps.append((lambda value=value: value, outs[0], []))
        elif op == ca.OP_INPUT:
            steps.append((lambda: None, outs[0], [-1 - ins[0]]))
        elif op == ca.OP_OUTPUT:
            last = ins[0]
        elif op in _OPERATIONS:
            steps.append((_OPERATIONS[op], outs[0], list(ins)))
        else:
            raise LinkworkError("it has an operation that is not known here.")

    def computed(*values: Any) -> Any:
        work: dict[int, Any] = {}
        with np.errstate(all="ignore"):
            for call, out, ins in steps:
                work[out] = values[-1 - ins[0]] if ins and ins[0] < 0 else call(*(work[i] for i in ins))
        return work[last]

    return computed
