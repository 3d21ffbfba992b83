"""Operations on expressions: how each is written, and what a written one does. Numbering is CasADi's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import casadi as ca

SUM, PRODUCT, SIGN, POWER, ATOM = range(3, 8)
"""How tightly a text holds together; less than SUM are comparisons, `and` and `or`."""
ANY = 0

INFIX: Final[dict[int, tuple[str, int]]] = {
    ca.OP_OR: (" or ", 0),
    ca.OP_AND: (" and ", 1),
    ca.OP_LT: (" < ", 2),
    ca.OP_LE: (" <= ", 2),
    ca.OP_EQ: (" == ", 2),
    ca.OP_NE: (" != ", 2),
    ca.OP_ADD: (" + ", SUM),
    ca.OP_SUB: (" - ", SUM),
    ca.OP_MUL: ("*", PRODUCT),
    ca.OP_DIV: ("/", PRODUCT),
}
"""Written between their operands, and read from left to right."""

NAMED: Final[dict[int, str]] = {
    getattr(ca, f"OP_{word.upper()}"): word
    for word in (
        "exp log sqrt sin cos tan asin acos atan floor ceil fabs sign erf sinh cosh tanh asinh acosh atanh log1p expm1 "
        "fmod remainder copysign fmin fmax atan2 hypot if_else_zero"
    ).split()
}
"""Written as functions."""


def _if_else_zero(condition: Any, x: Any) -> Any:
    return ca.SX.binary(ca.OP_IF_ELSE_ZERO, ca.SX(condition), ca.SX(x))


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    word: getattr(ca, word) for word in NAMED.values() if word != "if_else_zero"
} | {"if_else_zero": _if_else_zero, "if_else": ca.if_else}
"""What each function does."""

OPERATORS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "or": ca.logic_or,
    "and": ca.logic_and,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "**": lambda a, b: a**b,
}
