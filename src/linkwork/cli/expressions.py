"""Expressions of t from the command line: read by Python's own parser, built from a short list, never executed."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable

import casadi as ca

from linkwork.core.errors import LinkworkError
from linkwork.geometry import Number

FUNCTIONS: dict[str, tuple[int, Callable[..., Number]]] = {
    **{name: (1, getattr(ca, name)) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "sqrt")},
    **{name: (1, getattr(ca, name)) for name in ("sinh", "cosh", "tanh", "floor")},
    "abs": (1, ca.fabs),
    "sign": (1, ca.sign),
    "atan2": (2, ca.atan2),
    "min": (2, ca.fmin),
    "max": (2, ca.fmax),
}
"""Name → (number of arguments, function)."""
CONSTANTS = {"pi": math.pi, "e": math.e}
_BINARY: dict[type, Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_UNARY: dict[type, Callable[[Number], Number]] = {ast.USub: lambda x: -x, ast.UAdd: lambda x: x}
EXPRESSION_CHARACTERS = 2000
"""Characters; nobody types more, and deep nesting would exhaust the parser."""


def function_of_time(text: str, name: str) -> Callable[[Number], Number]:
    """A function of t, for instance of "0.3 + 2*sin(pi*t)"; `name` is what it drives."""
    try:
        if len(text) > EXPRESSION_CHARACTERS:
            raise _refused(text[:20] + "…", name, f"it has more than {EXPRESSION_CHARACTERS} characters")
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _refused(text, name, "it is not complete") from None

    def value(t: Number) -> Number:
        return ca.SX(_value(tree, {"t": ca.SX(t), **CONSTANTS}, text, name))

    value(ca.SX.sym("t"))  # what cannot be read is told at once
    return value


def _value(node: ast.expr, known: dict[str, Number], text: str, name: str) -> Number:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return ca.SX(float(node.value))
    if isinstance(node, ast.Name):
        if node.id in known:
            return known[node.id]
        raise _refused(text, name, f"{node.id!r} is not known")
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left, right = (_value(side, known, text, name) for side in (node.left, node.right))
        return _BINARY[type(node.op)](left, right)
    if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        return _UNARY[type(node.op)](_value(node.operand, known, text, name))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if node.func.id not in FUNCTIONS:
            raise _refused(text, name, f"there is no function {node.func.id!r}")
        count, function = FUNCTIONS[node.func.id]
        if len(node.args) != count:
            raise _refused(text, name, f"{node.func.id} takes {count} argument{'s' if count > 1 else ''}")
        return function(*(_value(argument, known, text, name) for argument in node.args))
    raise _refused(text, name, f"{ast.unparse(node)!r} is not allowed")


def _refused(text: str, name: str, why: str) -> LinkworkError:
    return LinkworkError(
        f"{text!r} cannot be read as an expression of t: {why}.",
        component=name,
        remedy=f"It may hold numbers, t, pi, e, + - * / **, parentheses and {', '.join(sorted(FUNCTIONS))}.",
    )
