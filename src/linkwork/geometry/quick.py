"""Sums and products of expressions without CasADi's detour.

CasADi's functions exist for several kinds of matrices. Which one is meant is found by trying: before it sees that an
operand is an expression, it asks whether it could be read as an array of numbers, a sparse matrix of SciPy's, a number,
a list. That takes 20 to 30 µs per operation, the operation itself one, and deriving equations is made of operations.
Where an operand is an expression or a number there is nothing to find out: the operators go to the function behind all
of them (`SX.binary`), and whatever else an operand may be, they do what they did. The results are the same, errors too.

An expression also says at once that it is one matrix and no list of them (`__SX__`, CasADi's own mark for that).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import casadi as ca

SX = ca.SX
Operation: TypeAlias = Callable[[Any, Any], Any]
OPERATORS = {"add": ca.OP_ADD, "sub": ca.OP_SUB, "mul": ca.OP_MUL, "truediv": ca.OP_DIV}
"""Python's names and CasADi's numbers."""
ONE_MATRIX = "__SX__"
"""What says that something is one matrix of expressions."""


def install() -> None:
    """Let expressions take the short way; once is enough."""
    if hasattr(SX, ONE_MATRIX) or not hasattr(SX, "binary"):
        return
    setattr(SX, ONE_MATRIX, _itself)
    for name, number in OPERATORS.items():
        setattr(SX, f"__{name}__", _operator(number, getattr(SX, f"__{name}__")))
        setattr(SX, f"__r{name}__", _reflected(number, getattr(SX, f"__r{name}__")))


def _operator(number: int, usual: Operation) -> Operation:
    binary = SX.binary

    def operate(x: Any, y: Any) -> Any:
        return binary(number, x, y) if isinstance(y, SX) or type(y) is float or type(y) is int else usual(x, y)

    return operate


def _reflected(number: int, usual: Operation) -> Operation:
    binary = SX.binary

    def operate(x: Any, y: Any) -> Any:
        return binary(number, y, x) if type(y) is float or type(y) is int else usual(x, y)

    return operate


def _itself(x: Any) -> Any:
    return x
