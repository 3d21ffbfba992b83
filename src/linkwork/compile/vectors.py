"""Vectors of doubles in LLVM IR, one instruction after the other; each method returns the name of its value."""

from __future__ import annotations

import struct

from linkwork.compile.lowering import Width


class Writer:
    """Lines of one function of values with so many lanes."""

    def __init__(self, lanes: int):
        width = Width(lanes)
        self.lanes, self.real, self.suffix, self.truth = lanes, width.real, width.suffix, width.truth
        self.whole = f"<{lanes} x i64>" if lanes > 1 else "i64"
        self.lines: list[str] = []

    def emit(self, instruction: str) -> str:
        name = f"%t{len(self.lines)}"
        self.lines.append(f" {name} = {instruction}")
        return name

    def fma(self, a: str, b: str, c: str) -> str:
        return self.emit(f"call {self.real} @llvm.fma.{self.suffix}({self.real} {a}, {self.real} {b}, {self.real} {c})")

    def times(self, a: str, b: str) -> str:
        return self.emit(f"fmul {self.real} {a}, {b}")

    def plus(self, a: str, b: str) -> str:
        return self.emit(f"fadd {self.real} {a}, {b}")

    def minus(self, a: str, b: str) -> str:
        return self.emit(f"fsub {self.real} {a}, {b}")

    def polynomial(self, z: str, coefficients: tuple[float, ...]) -> str:
        value = self.number(coefficients[-1])
        for c in reversed(coefficients[:-1]):
            value = self.fma(value, z, self.number(c))
        return value

    def choose(self, condition: str, yes: str, no: str) -> str:
        return self.emit(f"select {self.truth} {condition}, {self.real} {yes}, {self.real} {no}")

    def number(self, value: float) -> str:
        return self.spread(f"double {literal(value)}")

    def integer(self, value: int) -> str:
        return self.spread(f"i64 {value}")

    def spread(self, element: str) -> str:
        return "<" + ", ".join([element] * self.lanes) + ">" if self.lanes > 1 else element.split()[1]

    def negative(self, x: str) -> str:
        return self.emit(f"fneg {self.real} {x}")

    def over(self, a: str, b: str) -> str:
        return self.emit(f"fdiv {self.real} {a}, {b}")

    def root(self, x: str) -> str:
        return self.emit(f"call {self.real} @llvm.sqrt.{self.suffix}({self.real} {x})")

    def size(self, x: str) -> str:
        return self.emit(f"call {self.real} @llvm.fabs.{self.suffix}({self.real} {x})")

    def with_sign(self, x: str, sign: str) -> str:
        return self.emit(f"call {self.real} @llvm.copysign.{self.suffix}({self.real} {x}, {self.real} {sign})")

    def whether(self, predicate: str, a: str, b: str) -> str:
        return self.emit(f"fcmp {predicate} {self.real} {a}, {b}")

    def bits(self, x: str) -> str:
        return self.emit(f"bitcast {self.real} {x} to {self.whole}")

    def of_bits(self, x: str) -> str:
        return self.emit(f"bitcast {self.whole} {x} to {self.real}")

    def integers(self, instruction: str, a: str, b: str) -> str:
        return self.emit(f"{instruction} {self.whole} {a}, {b}")


def literal(value: float) -> str:
    """A double as LLVM reads it exactly, NaN and infinity included."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
