"""Standalone Python: the equations of one model as functions that need nothing but NumPy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import casadi as ca
import numpy as np

from linkwork.compile.stream import stream_of
from linkwork.export.c_source import Tables
from linkwork.export.infix import ATOM, POWER, PRODUCT, UNARY, Dialect, Form, arithmetic, written


def _number(value: float) -> str:
    if np.isnan(value):
        return "np.nan"
    if np.isinf(value):
        return "np.inf" if value > 0 else "-np.inf"
    return repr(value)


_ONE: Final = {
    "EXP": "exp", "LOG": "log", "SQRT": "sqrt", "SIN": "sin", "COS": "cos", "TAN": "tan", "ASIN": "arcsin",
    "ACOS": "arccos", "ATAN": "arctan", "FLOOR": "floor", "CEIL": "ceil", "FABS": "abs", "SINH": "sinh", "COSH": "cosh",
    "TANH": "tanh", "ASINH": "arcsinh", "ACOSH": "arccosh", "ATANH": "arctanh", "LOG1P": "log1p", "EXPM1": "expm1",
    "SIGN": "sign",
}  # fmt: skip
_TWO: Final = {
    "POW": "power", "CONSTPOW": "power", "FMOD": "fmod", "COPYSIGN": "copysign", "FMIN": "fmin", "FMAX": "fmax",
    "ATAN2": "arctan2", "HYPOT": "hypot",
}  # fmt: skip
_FORMS: Final = {
    **arithmetic("{x} + {y}", "{x} - {y}", "{x} * {y}", "{x} / {y}", strict=True),
    **{op: Form(f"np.{name}({{x}})") for op, name in _ONE.items()},
    **{op: Form(f"np.{name}({{x}}, {{y}})") for op, name in _TWO.items()},
    "ERF": Form("math.erf({x})"),
    "REMAINDER": Form("ieee_remainder({x}, {y})"),
    "ASSIGN": Form("{x}", UNARY, UNARY),
    "NEG": Form("-{x}", UNARY, POWER),
    "SQ": Form("{x} * {x}", PRODUCT, ATOM),
    "TWICE": Form("2.0 * {x}", PRODUCT, UNARY),
    "INV": Form("1.0 / {x}", PRODUCT, UNARY),
    "NOT": Form("(0.0 if {x} else 1.0)"),
    **{
        name: Form(f"(1.0 if {{x}} {sign} {{y}} else 0.0)", left=PRODUCT, right=PRODUCT)
        for name, sign in (("LT", "<"), ("LE", "<="), ("EQ", "=="), ("NE", "!="))
    },
    "AND": Form("(1.0 if {x} and {y} else 0.0)"),
    "OR": Form("(1.0 if {x} or {y} else 0.0)"),
    "IF_ELSE_ZERO": Form("({y} if {x} else 0.0)"),
}
_PYTHON: Final = Dialect(
    forms={getattr(ca, f"OP_{name}"): form for name, form in _FORMS.items()},
    number=_number,
    define="{name} = {value}",
)


@dataclass(frozen=True)
class Definition:
    """One Python function: `def name(*arguments)` → the result in its own shape, or a tuple of several."""

    name: str
    function: ca.Function
    arguments: tuple[str, ...]
    """One letter each: t, y, p or t, q, v, z, p."""
    note: str
    matrix: bool = False
    """Whether results are matrices also where they have one column."""


def python_source(tables: Tables, definitions: Sequence[Definition]) -> str:
    """The text of a module."""
    lines = ['"""' + _quoted(tables.title), ""]
    lines += ["State y, in this order:", *(f"  {k:3d}  {_quoted(x)}" for k, x in enumerate(tables.states))]
    if tables.parameters:
        given = (f"{x} [{unit}]" if unit else x for x, unit in tables.parameters)
        lines += ["", "Parameters (and inputs) p:", *(f"  {k:3d}  {_quoted(x)}" for k, x in enumerate(given))]
    sizes = ", ".join(f"{size} {word.lower().replace('_', ' ')}" for word, size in tables.sizes.items())
    code = [line for definition in definitions for line in ("", "", *_defined(definition))]
    whole = "\n".join(code)
    imports = ["import math", ""] if "math.erf(" in whole else []
    lines += ["", sizes + ".", '"""', "", *imports, "import numpy as np", ""]
    lines += ["STATES = (", *(f"    {x!r}," for x in tables.states), ")"]
    lines += ["PARAMETERS = (", *(f"    {x!r}," for x, _ in tables.parameters), ")"]
    lines += ["CHANNELS = (  # (name, unit)", *(f"    ({x!r}, {unit!r})," for x, unit in tables.channels), ")"]
    if tables.events:
        lines += ["EVENTS = (  # (name, direction, action)", *(f"    {tuple(x)!r}," for x in tables.events), ")"]
    for name, array in (("START", tables.start), ("VALUES", tables.values)):
        lines += [f"{name} = np.array([", *(f"    {_number(x)}," for x in array.tolist()), "], dtype=float)"]
    if "ieee_remainder(" in whole:
        lines += ["", "", "def ieee_remainder(x, y):", "    return x - y * np.rint(x / y)"]
    lines += code
    lines += [
        "",
        "",
        'if __name__ == "__main__":',
        "    for state, value, rate in zip(STATES, START, rhs(0.0, START)):",
    ]
    return "\n".join([*lines, '        print(f"{state}: {value:.6g}, derivative {rate:.6g}")', ""])


def _defined(definition: Definition) -> list[str]:
    f = definition.function
    results = [f"r{i}" for i in range(f.n_out())]
    pieces, _ = written(
        stream_of(f),
        _PYTHON,
        lambda i, k: definition.arguments[i] if definition.arguments[i] == "t" else f"{definition.arguments[i]}[{k}]",
        lambda i, k: f"{results[i]}[{k}]",
    )
    given = [f"{x}=VALUES" if x == "p" else x for x in definition.arguments]
    lines = [
        '@np.errstate(all="ignore")',
        f"def {definition.name}({', '.join(given)}):",
        f'    """{definition.note}"""',
    ]
    for x in (definition.arguments[i] for i in sorted(pieces[0].arguments)):
        # NumPy's numbers divide by zero without an error, as C does; Python's own do not.
        lines.append("    t = np.float64(t)" if x == "t" else f"    {x} = np.asarray({x}, dtype=float)")
    lines += [f"    {r} = np.zeros({f.size1_out(i) * f.size2_out(i)})" for i, r in enumerate(results)]
    lines += [f"    {statement}" for piece in pieces for statement in piece.lines]
    shaped = [
        r if not definition.matrix else f'{r}.reshape({f.size1_out(i)}, {f.size2_out(i)}, order="F")'
        for i, r in enumerate(results)
    ]
    return [*lines, f"    return {', '.join(shaped)}"]


def _quoted(text: str) -> str:
    """Text for a docstring: one line, nothing that ends or escapes it."""
    return re.sub(r"[\x00-\x1f]", " ", text).replace("\\", "/").replace('"', "'")
