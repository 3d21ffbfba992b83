"""How each operation is written as LLVM IR: one line per operation.

To add one: name it with its arity in `stream`, and give its line here.

No line leaves LLVM any freedom (no fast-math flags, no contraction, no `minnum`, whose zeros have no sign): what is
fused and what is divided by reciprocals was decided before (`contraction`). So code is the same numbers bit by bit,
however it was made.
"""

from __future__ import annotations

import re
from typing import Final

import casadi as ca

from linkwork.compile.stream import FMA, FMS, FNMA


def _call(function: str, arguments: int = 1) -> str:
    return f"{{r}} = call double @{function}({', '.join(['double {x}', 'double {y}'][:arguments])})"


def _compare(predicate: str) -> str:
    return f"{{r}}.t = fcmp {predicate} double {{x}}, {{y}}\n {{r}} = uitofp i1 {{r}}.t to double"


def _logic(instruction: str) -> str:
    return f"{{r}}.t = {instruction}\n {{r}} = uitofp i1 {{r}}.t to double"


def _extreme(predicate: str) -> str:
    """The smaller or larger operand; the other one of a NaN."""
    return (
        f"{{r}}.c = fcmp {predicate} double {{x}}, {{y}}\n {{r}}.m = select i1 {{r}}.c, double {{x}}, double {{y}}\n"
        " {r}.u = fcmp uno double {y}, 0.0\n {r} = select i1 {r}.u, double {x}, double {r}.m"
    )


# {r} result, {x} {y} operands, {X} {Y} their truth (not equal to zero, so NaN is true); {r}.t is the truth of {r}.
LOWERING: Final[dict[int, str]] = {
    ca.OP_ADD: "{r} = fadd double {x}, {y}",
    ca.OP_SUB: "{r} = fsub double {x}, {y}",
    ca.OP_MUL: "{r} = fmul double {x}, {y}",
    ca.OP_DIV: "{r} = fdiv double {x}, {y}",
    ca.OP_INV: "{r} = fdiv double 1.0, {x}",
    ca.OP_NEG: "{r} = fneg double {x}",
    ca.OP_SQ: "{r} = fmul double {x}, {x}",
    ca.OP_TWICE: "{r} = fadd double {x}, {x}",
    ca.OP_SQRT: _call("llvm.sqrt.f64"),
    ca.OP_FABS: _call("llvm.fabs.f64"),
    ca.OP_FLOOR: _call("llvm.floor.f64"),
    ca.OP_CEIL: _call("llvm.ceil.f64"),
    ca.OP_SIN: _call("llvm.sin.f64"),
    ca.OP_COS: _call("llvm.cos.f64"),
    ca.OP_EXP: _call("llvm.exp.f64"),
    ca.OP_LOG: _call("llvm.log.f64"),
    ca.OP_POW: _call("llvm.pow.f64", 2),
    ca.OP_CONSTPOW: _call("llvm.pow.f64", 2),
    ca.OP_COPYSIGN: _call("llvm.copysign.f64", 2),
    ca.OP_FMIN: _extreme("olt"),
    ca.OP_FMAX: _extreme("ogt"),
    ca.OP_TAN: _call("tan"),
    ca.OP_ASIN: _call("asin"),
    ca.OP_ACOS: _call("acos"),
    ca.OP_ATAN: _call("atan"),
    ca.OP_SINH: _call("sinh"),
    ca.OP_COSH: _call("cosh"),
    ca.OP_TANH: _call("tanh"),
    ca.OP_ASINH: _call("asinh"),
    ca.OP_ACOSH: _call("acosh"),
    ca.OP_ATANH: _call("atanh"),
    ca.OP_LOG1P: _call("log1p"),
    ca.OP_EXPM1: _call("expm1"),
    ca.OP_ERF: _call("erf"),
    ca.OP_ATAN2: _call("atan2", 2),
    ca.OP_HYPOT: _call("hypot", 2),
    ca.OP_FMOD: _call("fmod", 2),
    ca.OP_REMAINDER: _call("remainder", 2),
    ca.OP_LT: _compare("olt"),
    ca.OP_LE: _compare("ole"),
    ca.OP_EQ: _compare("oeq"),
    ca.OP_NE: _compare("une"),
    ca.OP_NOT: _logic("xor i1 {X}, true"),
    ca.OP_AND: _logic("and i1 {X}, {Y}"),
    ca.OP_OR: _logic("or i1 {X}, {Y}"),
    # A select, not a product: NaN in the branch not taken must not leak.
    ca.OP_IF_ELSE_ZERO: "{r} = select i1 {X}, double {y}, double 0.0",
    ca.OP_SIGN: (
        "{r}.n = fcmp olt double {x}, 0.0\n {r}.p = fcmp ogt double {x}, 0.0\n"
        " {r}.s = select i1 {r}.p, double 1.0, double {x}\n {r} = select i1 {r}.n, double -1.0, double {r}.s"
    ),
    # Adding minus zero changes no number and costs nothing: LLVM removes it.
    ca.OP_ASSIGN: "{r} = fadd double {x}, -0.0",
}

_FMA = "{r} = call double @llvm.fma.f64("
FUSING: Final[dict[int, str]] = {
    FMA: _FMA + "double {x}, double {y}, double {z})",
    FMS: "{r}.n = fneg double {z}\n " + _FMA + "double {x}, double {y}, double {r}.n)",
    FNMA: "{r}.n = fneg double {x}\n " + _FMA + "double {r}.n, double {y}, double {z})",
}
"""The same of operations that contraction makes; {z}: third operand."""

BOOLEAN: Final = frozenset(op for op, text in LOWERING.items() if "{r}.t" in text)
"""Operations whose result is 0 or 1, and which define the truth of it too."""


def _declarations() -> dict[str, str]:
    found = (re.search(r"call double @([\w.]+)\((.*)\)", text) for text in LOWERING.values())
    calls = {call[1]: call[2].count(",") + 1 for call in found if call}
    calls["llvm.fma.f64"] = 3
    return {name: f"double @{name}({', '.join(['double'] * count)})" for name, count in calls.items()}


DECLARED: Final = _declarations()
"""The functions called above: name → signature."""
