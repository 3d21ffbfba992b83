"""Standalone C99: right-hand side, channels, mass matrix and projection of one model, with a header and a main.

No allocation, no state of its own, nothing but the C library. Long functions are cut into short ones, because the time
of C compilers grows faster than the length of a function.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import casadi as ca
import numpy as np

from linkwork.compile.stream import stream_of
from linkwork.export.c_main import MAIN
from linkwork.export.infix import ATOM, POWER, PRODUCT, UNARY, Dialect, Form, arithmetic, written

CHUNK: Final = 500
"""Instructions per internal function: half as many or twice as many compile no faster."""


def _number(value: float) -> str:
    if np.isnan(value):
        return "NAN"
    if np.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    return repr(value)


def _calls(names: str, arguments: str) -> dict[str, Form]:
    return {name: Form(f"{name.lower()}({arguments})") for name in names.split()}


FORMS: Final = {
    **arithmetic("{x} + {y}", "{x} - {y}", "{x} * {y}", "{x} / {y}", strict=True),
    **_calls(
        "EXP LOG SQRT SIN COS TAN ASIN ACOS ATAN FLOOR CEIL FABS ERF SINH COSH TANH ASINH ACOSH ATANH LOG1P EXPM1",
        "{x}",
    ),
    **_calls("POW FMOD REMAINDER COPYSIGN FMIN FMAX ATAN2 HYPOT", "{x}, {y}"),
    "CONSTPOW": Form("pow({x}, {y})"),
    "ASSIGN": Form("{x}", UNARY, UNARY),
    "NEG": Form("-{x}", UNARY, POWER),
    "SQ": Form("{x} * {x}", PRODUCT, ATOM),
    "TWICE": Form("2.0 * {x}", PRODUCT, UNARY),
    "INV": Form("1.0 / {x}", PRODUCT, UNARY),
    "NOT": Form("({x} == 0.0 ? 1.0 : 0.0)", left=PRODUCT),
    "SIGN": Form("({x} > 0.0 ? 1.0 : {x} < 0.0 ? -1.0 : {x})", left=ATOM),
    **{
        name: Form(f"({{x}} {sign} {{y}} ? 1.0 : 0.0)", left=PRODUCT, right=PRODUCT)
        for name, sign in (("LT", "<"), ("LE", "<="), ("EQ", "=="), ("NE", "!="))
    },
    "AND": Form("(({x} != 0.0) && ({y} != 0.0) ? 1.0 : 0.0)", left=PRODUCT, right=PRODUCT),
    "OR": Form("(({x} != 0.0) || ({y} != 0.0) ? 1.0 : 0.0)", left=PRODUCT, right=PRODUCT),
    # A choice, not a product: NaN in the branch not taken must not leak.
    "IF_ELSE_ZERO": Form("({x} != 0.0 ? {y} : 0.0)", left=PRODUCT),
}
_C: Final = Dialect(
    forms={getattr(ca, f"OP_{name}"): form for name, form in FORMS.items()},
    number=_number,
    define="const double {name} = {value};",
    store="{place} = {value};",
)


@dataclass(frozen=True)
class Routine:
    """One function of the C source: `void <model>_<suffix>(double t, const double *y, const double *p, results)`."""

    suffix: str
    function: ca.Function
    """(t, y, p) → results; of those that are sparse, the nonzeros."""
    results: tuple[str, ...]
    note: str
    arguments: tuple[str, ...] = ("y", "p")
    """After the time."""


@dataclass(frozen=True)
class Tables:
    """What a reader of the numbers needs: names and units in the order of the arrays, and where it starts."""

    title: str
    sizes: dict[str, int]
    """Macros: word → number."""
    states: Sequence[str]
    parameters: Sequence[tuple[str, str]]
    channels: Sequence[tuple[str, str]]
    start: np.ndarray
    values: np.ndarray
    events: Sequence[tuple[str, int, str]] = ()
    """(name, direction, action) of what is located: zeros of the routine `events`."""


def c_sources(name: str, tables: Tables, routines: Sequence[Routine]) -> dict[str, str]:
    """{file name: text} of header, source and main; `name` is a C identifier and begins every public name."""
    projected = any(routine.suffix == "project" for routine in routines)
    return {
        f"{name}.h": _header(name, tables, routines),
        f"{name}.c": _source(name, tables, routines),
        "main.c": MAIN.replace("@PROJECT@", str(int(projected)))
        .replace("@EVENTS@", str(int(bool(tables.events))))
        .replace("@NAME@", name.upper())
        .replace("@name@", name),
    }


def _header(name: str, tables: Tables, routines: Sequence[Routine]) -> str:
    upper = name.upper()
    lines = [f"/* {_comment(tables.title)}", ""]
    lines += [f"   y[{k}]  {_comment(state)}" for k, state in enumerate(tables.states)]
    lines += [f"   p[{k}]  {_comment(x)} {_comment(unit)}".rstrip() for k, (x, unit) in enumerate(tables.parameters)]
    lines += ["", "   The inputs, if any, are the last entries of p. Arguments and results must not overlap. */"]
    lines += [f"#ifndef {upper}_H", f"#define {upper}_H", ""]
    lines += [f"#define {upper}_{word} {size}" for word, size in tables.sizes.items()]
    lines += ["", "#ifdef __cplusplus", 'extern "C" {', "#endif", ""]
    for routine in routines:
        lines += [f"/* {routine.note} */", f"void {name}_{routine.suffix}({_arguments(routine)});", ""]
    for kind, array, note in _arrays(tables):
        lines.append(f"extern const {kind}{name}_{array};{note}")
    return "\n".join([*lines, "", "#ifdef __cplusplus", "}", "#endif", "", "#endif", ""])


def _arrays(tables: Tables) -> list[tuple[str, str, str]]:
    states, parameters, channels = (max(len(x), 1) for x in (tables.states, tables.parameters, tables.channels))
    events = [
        ("char *const ", f"event_names[{len(tables.events)}]", " /* of the zeros of g */"),
        ("int ", f"event_directions[{len(tables.events)}]", " /* 1: rising, -1: falling, 0: both */"),
        ("char *const ", f"event_actions[{len(tables.events)}]", " /* record, restart or stop */"),
    ]
    return [
        ("double ", f"start[{states}]", " /* y at t = 0 */"),
        ("double ", f"parameters[{parameters}]", " /* p */"),
        ("char *const ", f"state_names[{states}]", ""),
        ("char *const ", f"parameter_names[{parameters}]", ""),
        ("char *const ", f"parameter_units[{parameters}]", ""),
        ("char *const ", f"channel_names[{channels}]", ""),
        ("char *const ", f"channel_units[{channels}]", ""),
        *(events if tables.events else []),
    ]


def _source(name: str, tables: Tables, routines: Sequence[Routine]) -> str:
    numbers = [[_number(x) for x in array.tolist()] or ["0.0"] for array in (tables.start, tables.values)]
    texts = [
        tables.states,
        *([pair[i] for pair in tables.parameters] for i in (0, 1)),
        *([pair[i] for pair in tables.channels] for i in (0, 1)),
    ]
    filled = [*numbers, *([_string(x) for x in text] or ['""'] for text in texts)]
    names, directions, actions = ([event[i] for event in tables.events] for i in range(3))
    if tables.events:
        filled += [[_string(str(x)) for x in names], [str(x) for x in directions], [_string(str(x)) for x in actions]]
    lines = [f"/* {_comment(tables.title)} */", f'#include "{name}.h"', "", "#include <math.h>", ""]
    for (kind, array, _), entries in zip(_arrays(tables), filled, strict=True):
        lines += [f"const {kind}{name}_{array} = {{", *(f"    {entry}," for entry in entries), "};", ""]
    for routine in routines:
        lines += _body(name, routine)
    return "\n".join(lines)


def _arguments(routine: Routine) -> str:
    given = [f"const double *{x}" for x in routine.arguments]
    return ", ".join(["double t", *given, *(f"double *{r}" for r in routine.results)])


def _body(name: str, routine: Routine) -> list[str]:
    """The function, and before it the internal ones it is made of, if it is long."""
    pieces, layout = written(
        stream_of(routine.function),
        _C,
        lambda i, k: "t" if i == 0 else f"{routine.arguments[i - 1]}[{k}]",
        lambda i, k: f"{routine.results[i]}[{k}]",
        chunk=CHUNK,
    )
    head = f"void {name}_{routine.suffix}({_arguments(routine)})"
    if len(pieces) == 1:
        return [
            f"{head} {{",
            *_unused(pieces[0].arguments, routine, pieces[0].results),
            *_lines(pieces[0].lines),
            "}",
            "",
        ]
    lines = []
    for number, piece in enumerate(pieces):
        works = [] if piece.works else ["    (void)w;"]
        inner = f"static void {routine.suffix}_{number}({_arguments(routine)}, double *w)"
        lines += [
            f"{inner} {{",
            *_unused(piece.arguments, routine, piece.results),
            *works,
            *_lines(piece.lines),
            "}",
            "",
        ]
    passed = ", ".join(["t", *routine.arguments, *routine.results, "w"])
    calls = [f"    {routine.suffix}_{number}({passed});" for number in range(len(pieces))]
    return [*lines, f"{head} {{", f"    double w[{max(layout.work_size, 1)}];", *calls, "}", ""]


def _unused(arguments: set[int], routine: Routine, results: set[int]) -> list[str]:
    """Statements that keep compilers from warning of arguments nobody reads."""
    idle = [x for i, x in enumerate(("t", *routine.arguments)) if i not in arguments]
    idle += [x for i, x in enumerate(routine.results) if i not in results]
    return [f"    (void){x};" for x in idle]


def _lines(statements: list[str]) -> list[str]:
    return [f"    {statement}" for statement in statements]


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?")
    return '"' + re.sub(r"[\x00-\x1f]", " ", escaped) + '"'


def _comment(text: str) -> str:
    """Text that can neither end a comment nor begin one."""
    return re.sub(r"[\x00-\x1f]", " ", text).replace("*/", "* /").replace("/*", "/ *").replace("?", "\u00bf")
