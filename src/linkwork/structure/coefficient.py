"""Coefficients of equations as exact numbers; one that hangs on parameters has its expression beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import casadi as ca

from linkwork.geometry import SX


@dataclass(frozen=True)
class Coefficient:
    """expression: of parameters, for some values of which it has this value; None: it is a number."""

    value: Fraction
    expression: SX | None = None

    def written(self) -> SX:
        """As an expression."""
        return SX(float(self.value)) if self.expression is None else self.expression

    def __sub__(self, other: Coefficient) -> Coefficient:
        made = None if self.expression is other.expression is None else self.written() - other.written()
        return Coefficient(self.value - other.value, made)

    def __mul__(self, other: Coefficient) -> Coefficient:
        made = None if self.expression is other.expression is None else self.written() * other.written()
        return Coefficient(self.value * other.value, made)

    def __truediv__(self, other: Coefficient) -> Coefficient:
        made = None if self.expression is other.expression is None else self.written() / other.written()
        return Coefficient(self.value / other.value, made)


NOTHING = Coefficient(Fraction(0))
ONE = Coefficient(Fraction(1))


def coefficient(x: SX, known: Mapping[int, Fraction]) -> Coefficient | None:
    """Of an expression, exactly; known: values by hash of the symbol; None: it has roots, or sines, or no value."""
    if x.is_constant():
        return Coefficient(Fraction(float(x)))
    symbols = ca.symvar(x)
    f = ca.Function("coefficient", [ca.vertcat(*symbols)], [x])
    work: dict[int, Fraction] = {}
    for k in range(f.n_instructions()):
        op, given, to = f.instruction_id(k), f.instruction_input(k), f.instruction_output(k)
        if op == ca.OP_OUTPUT:
            return Coefficient(work[given[0]], x)
        if op == ca.OP_CONST:
            work[to[0]] = Fraction(float(f.instruction_constant(k)))
        elif op == ca.OP_INPUT:
            work[to[0]] = known[symbols[given[1]].element_hash()]
        else:
            made = _operated(op, [work[i] for i in given])
            if made is None:
                return None
            work[to[0]] = made
    return None


def _operated(op: int, args: list[Fraction]) -> Fraction | None:
    a, b = args[0], args[-1]
    if op in (ca.OP_DIV, ca.OP_INV):
        return None if not b else a / b if op == ca.OP_DIV else 1 / b
    made = {ca.OP_ADD: a + b, ca.OP_SUB: a - b, ca.OP_MUL: a * b, ca.OP_NEG: -a, ca.OP_TWICE: 2 * a, ca.OP_SQ: a * a}
    return made.get(op)
