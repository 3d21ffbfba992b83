"""Symbols that a user holds: parameters, inputs, time. They have no number, and say so when asked for one."""

from __future__ import annotations

from typing import Any, NoReturn, TypeAlias

from linkwork.geometry import SX

Operand: TypeAlias = Any
"""Whatever CasADi compares an expression with."""


class Symbol(SX):
    """A symbol of a model. `float(k)` and `if k > 2:` are told what to write instead."""

    def __float__(self) -> NoReturn:
        _refuse(self, "not a number: it stands for whatever value a run gives it")

    def __int__(self) -> NoReturn:
        _refuse(self, "not a number: it stands for whatever value a run gives it")

    def __bool__(self) -> NoReturn:
        _refuse(self, "neither true nor false: its value is known in a run only")

    def __lt__(self, other: Operand) -> Comparison:
        return Comparison(SX.__lt__(self, other))

    def __le__(self, other: Operand) -> Comparison:
        return Comparison(SX.__le__(self, other))

    def __gt__(self, other: Operand) -> Comparison:
        return Comparison(SX.__gt__(self, other))

    def __ge__(self, other: Operand) -> Comparison:
        return Comparison(SX.__ge__(self, other))


class Comparison(SX):
    """What a comparison with a symbol gives: for `lw.if_else`, not for Python's `if`."""

    def __bool__(self) -> NoReturn:
        _refuse(self, "neither true nor false: its value is known in a run only")


def _refuse(x: SX, what: str) -> NoReturn:
    raise TypeError(
        f"{x} is {what}. Write lw.if_else(condition, a, b) and lw.sin(…), not Python's `if` and math.sin; "
        "the default of a parameter is m.parameters[name]."
    )
