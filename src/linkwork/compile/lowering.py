"""How each operation is written as LLVM IR: one line per operation.

To add one: name it with its arity in `stream`, and give its line here.

No line leaves LLVM any freedom (no fast-math flags, no contraction, no `minnum`, whose zeros have no sign): what is
fused and what is divided by reciprocals was decided before (`contraction`). So code is the same numbers bit by bit,
however it was made.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache as once
from typing import Final

import casadi as ca

from linkwork.compile.stream import FMA, FMS, FNMA


@dataclass(frozen=True)
class Width:
    """How many cases one value holds, and what its types are called."""

    lanes: int = 1

    @property
    def real(self) -> str:
        return f"<{self.lanes} x double>" if self.lanes > 1 else "double"

    @property
    def truth(self) -> str:
        return f"<{self.lanes} x i1>" if self.lanes > 1 else "i1"

    @property
    def suffix(self) -> str:
        """Of LLVM's own functions."""
        return f"v{self.lanes}f64" if self.lanes > 1 else "f64"

    def number(self, text: str) -> str:
        """A number in each lane."""
        return "<" + ", ".join([f"double {text}"] * self.lanes) + ">" if self.lanes > 1 else text

    def whether(self, text: str) -> str:
        """A truth in each lane."""
        return "<" + ", ".join([f"i1 {text}"] * self.lanes) + ">" if self.lanes > 1 else text


@once
def lowering(lanes: int = 1) -> dict[int, str]:
    """Operation → its line, for values that hold so many cases.

    {r} result, {x} {y} operands, {X} {Y} their truth (not equal to zero, so NaN is true); {r}.t is the truth of {r}.
    """
    width = Width(lanes)
    real, truth, number = width.real, width.truth, width.number

    def intrinsic(name: str, arguments: int = 1) -> str:
        return _call(real, f"llvm.{name}.{width.suffix}", arguments)

    def library(name: str, arguments: int = 1) -> str:
        return _call(real, name if lanes == 1 else f"{name}.{lanes}", arguments)

    def arithmetic(instruction: str, x: str = "{x}", y: str = "{y}") -> str:
        return f"{{r}} = {instruction} {real} {x}, {y}"

    def truth_of(instruction: str) -> str:
        return f"{{r}}.t = {instruction}\n {{r}} = uitofp {truth} {{r}}.t to {real}"

    def compare(predicate: str) -> str:
        return truth_of(f"fcmp {predicate} {real} {{x}}, {{y}}")

    def extreme(predicate: str) -> str:
        """The smaller or larger operand; the other one of a NaN."""
        return (
            f"{{r}}.c = fcmp {predicate} {real} {{x}}, {{y}}\n"
            f" {{r}}.m = select {truth} {{r}}.c, {real} {{x}}, {real} {{y}}\n"
            f" {{r}}.u = fcmp uno {real} {{y}}, {number('0.0')}\n"
            f" {{r}} = select {truth} {{r}}.u, {real} {{x}}, {real} {{r}}.m"
        )

    one, zero = number("1.0"), number("0.0")
    own = intrinsic if lanes == 1 else library  # what LLVM would make calls of, one per lane
    return {
        ca.OP_ADD: arithmetic("fadd"),
        ca.OP_SUB: arithmetic("fsub"),
        ca.OP_MUL: arithmetic("fmul"),
        ca.OP_DIV: arithmetic("fdiv"),
        ca.OP_INV: arithmetic("fdiv", one, "{x}"),
        ca.OP_NEG: f"{{r}} = fneg {real} {{x}}",
        ca.OP_SQ: arithmetic("fmul", y="{x}"),
        ca.OP_TWICE: arithmetic("fadd", y="{x}"),
        **{op: intrinsic(name) for op, name in INTRINSIC.items()},
        **{op: own(name) for op, name in TRANSCENDENTAL.items()},
        ca.OP_POW: own("pow", 2),
        ca.OP_CONSTPOW: own("pow", 2),
        ca.OP_COPYSIGN: intrinsic("copysign", 2),
        ca.OP_FMIN: extreme("olt"),
        ca.OP_FMAX: extreme("ogt"),
        **{op: library(name) for op, name in LIBRARY.items()},
        ca.OP_ATAN2: library("atan2", 2),
        ca.OP_HYPOT: library("hypot", 2),
        ca.OP_FMOD: library("fmod", 2),
        ca.OP_REMAINDER: library("remainder", 2),
        ca.OP_LT: compare("olt"),
        ca.OP_LE: compare("ole"),
        ca.OP_EQ: compare("oeq"),
        ca.OP_NE: compare("une"),
        ca.OP_NOT: truth_of(f"xor {truth} {{X}}, {width.whether('true')}"),
        ca.OP_AND: truth_of(f"and {truth} {{X}}, {{Y}}"),
        ca.OP_OR: truth_of(f"or {truth} {{X}}, {{Y}}"),
        # A select, not a product: NaN in the branch not taken must not leak.
        ca.OP_IF_ELSE_ZERO: f"{{r}} = select {truth} {{X}}, {real} {{y}}, {real} {zero}",
        ca.OP_SIGN: (
            f"{{r}}.n = fcmp olt {real} {{x}}, {zero}\n {{r}}.p = fcmp ogt {real} {{x}}, {zero}\n"
            f" {{r}}.s = select {truth} {{r}}.p, {real} {one}, {real} {{x}}\n"
            f" {{r}} = select {truth} {{r}}.n, {real} {number('-1.0')}, {real} {{r}}.s"
        ),
        # Adding minus zero changes no number and costs nothing: LLVM removes it.
        ca.OP_ASSIGN: f"{{r}} = fadd {real} {{x}}, {number('-0.0')}",
    }


def _call(real: str, function: str, arguments: int = 1) -> str:
    return f"{{r}} = call {real} @{function}({', '.join([f'{real} {{x}}', f'{real} {{y}}'][:arguments])})"


INTRINSIC: Final = {ca.OP_SQRT: "sqrt", ca.OP_FABS: "fabs", ca.OP_FLOOR: "floor", ca.OP_CEIL: "ceil"}
"""Functions of one operand that processors have."""
TRANSCENDENTAL: Final = {ca.OP_SIN: "sin", ca.OP_COS: "cos", ca.OP_EXP: "exp", ca.OP_LOG: "log"}
"""Those that LLVM knows and calls the C library for."""
LIBRARY: Final = {
    getattr(ca, f"OP_{name}"): name.lower()
    for name in "TAN ASIN ACOS ATAN SINH COSH TANH ASINH ACOSH ATANH LOG1P EXPM1 ERF".split()
}
"""Those of the C library alone."""
LOWERING: Final = lowering()


@once
def fusing(lanes: int = 1) -> dict[int, str]:
    """The same of operations that contraction makes; {z}: third operand."""
    width = Width(lanes)
    real, call = width.real, f"{{r}} = call {width.real} @llvm.fma.{width.suffix}("
    return {
        FMA: f"{call}{real} {{x}}, {real} {{y}}, {real} {{z}})",
        FMS: f"{{r}}.n = fneg {real} {{z}}\n {call}{real} {{x}}, {real} {{y}}, {real} {{r}}.n)",
        FNMA: f"{{r}}.n = fneg {real} {{x}}\n {call}{real} {{r}}.n, {real} {{y}}, {real} {{z}})",
    }


BOOLEAN: Final = frozenset(op for op, text in LOWERING.items() if "{r}.t" in text)
"""Operations whose result is 0 or 1, and which define the truth of it too."""


@once
def declared(lanes: int = 1) -> dict[str, str]:
    """The functions called above: name → signature."""
    real = Width(lanes).real
    matches = (re.search(rf"call {real} @([\w.]+)\((.*)\)", text) for text in lowering(lanes).values())
    calls = {call[1]: call[2].count("{") for call in matches if call}
    calls[f"llvm.fma.{Width(lanes).suffix}"] = 3
    return {name: f"{real} @{name}({', '.join([real] * count)})" for name, count in calls.items()}


DECLARED: Final = declared()
