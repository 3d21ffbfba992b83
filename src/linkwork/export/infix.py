"""Stream → assignments in the infix notation of some language: what C, Python and plain text have in common.

A value that is read once becomes part of the expression that reads it, as long as that stays readable; any other one
gets a name. Parentheses follow the order of the stream, so that rounding is the same in every language.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from linkwork.compile.chunks import Plan, plan
from linkwork.compile.stream import ARITY, CONST, INPUT, OUTPUT, Stream

LOOSE, SUM, QUOTIENT, PRODUCT, UNARY, POWER, ATOM = range(7)
"""How tightly an expression holds together without parentheses; LOOSE are comparisons. Where quotients are read from
left to right with products, as in C, they count as products; for the eye, a·(b/2)·c is better than a·b/2·c."""


@dataclass(frozen=True)
class Form:
    """How one operation is written: {x} and {y} are its operands, which must hold as tightly as `left` and `right`."""

    text: str
    binds: int = ATOM
    left: int = LOOSE
    right: int = LOOSE


@dataclass(frozen=True)
class Dialect:
    """A language: its operations, its numbers, and how a value is named and stored."""

    forms: Mapping[int, Form]
    number: Callable[[float], str]
    define: str
    """The statement that names a value: {name}, {value}."""
    store: str = "{place} = {value}"
    """The statement that writes to a place: a result or the work array."""
    longest: int = 70
    """Characters of an expression beyond which it gets a name."""
    shortest: int = 0
    """Characters up to which an expression is repeated rather than named, even if it is read more than once."""
    letter: str = "c"
    """Names of values are this and a number."""
    signs: tuple[int, ...] = ()
    """Operations (products, quotients, negation) in which signs are drawn to the front: -a·b is easier to read than
    a·-b."""


@dataclass
class Piece:
    """The statements of one chunk, and what they refer to."""

    lines: list[str] = field(default_factory=list)
    arguments: set[int] = field(default_factory=set)
    results: set[int] = field(default_factory=set)
    works: bool = False


def arithmetic(sum_: str, difference: str, product: str, quotient: str, *, strict: bool) -> dict[str, Form]:
    """The four operations. strict: a + (b + c) keeps its parentheses, because it rounds otherwise."""
    return {
        "ADD": Form(sum_, SUM, SUM, PRODUCT if strict else SUM),
        "SUB": Form(difference, SUM, SUM, PRODUCT),
        "MUL": Form(product, PRODUCT, PRODUCT, UNARY if strict else PRODUCT),
        "DIV": Form(quotient, PRODUCT, PRODUCT, UNARY),
    }


def written(
    stream: Stream,
    dialect: Dialect,
    argument: Callable[[int, int], str],
    result: Callable[[int, int], str],
    *,
    chunk: int | None = None,
) -> tuple[list[Piece], Plan]:
    """The stream as statements, in pieces of about `chunk` instructions (None: one piece).

    argument(i, k), result(i, k): the text for element k of argument or result i. Values that one piece takes over from
    another are in the array `w` of the plan's work size.
    """
    layout = plan(stream, chunk or 2 * len(stream) + 4)
    writer = _Writer(stream, dialect, argument, result, layout)
    return [writer.piece(a, b) for a, b in zip(layout.bounds, layout.bounds[1:], strict=False)], layout


class _Writer:
    def __init__(
        self,
        stream: Stream,
        dialect: Dialect,
        argument: Callable[[int, int], str],
        result: Callable[[int, int], str],
        layout: Plan,
    ):
        self.stream, self.dialect, self.argument, self.result, self.slot = (
            stream,
            dialect,
            argument,
            result,
            layout.slot,
        )
        reader, value = stream.uses()
        self.readers = np.bincount(value, minlength=len(stream))
        repeated = [r for r, v in zip(reader.tolist(), value.tolist(), strict=True) if self._repeats(r, v)]
        self.whole = set(stream.in0[repeated].tolist())  # operands that stand twice in a form, and need a name for it
        results = stream.in0[stream.op == OUTPUT]
        self.last = set(results[self.readers[results] == 1].tolist())  # values that are a result and nothing else
        self.count = 0

    def _repeats(self, reader: int, value: int) -> bool:
        form = self.dialect.forms.get(int(self.stream.op[reader]))
        return form is not None and form.text.count("{x}") > 1 and int(self.stream.in0[reader]) == value

    def piece(self, start: int, stop: int) -> Piece:
        """Statements for the instructions start … stop − 1."""
        made, known = Piece(), dict[int, tuple[str, int]]()
        stream = self.stream
        for k in range(start, stop):
            op = int(stream.op[k])
            if op in (CONST, INPUT):
                continue
            if op == OUTPUT:
                index = int(stream.out[k])
                made.results.add(index)
                value, _ = self._operand(int(stream.in0[k]), made, known)
                place = self.result(index, int(stream.in1[k]))
                made.lines.append(self.dialect.store.format(place=place, value=value))
                continue
            if not self.readers[k]:
                continue
            text, binds = self._expression(k, op, made, known)
            crosses = self.slot[k] >= 0
            shared = self.readers[k] > 1 and len(text) > self.dialect.shortest
            long = len(text) > self.dialect.longest and k not in self.last
            if shared or crosses or k in self.whole or long:
                self.count += 1
                name = f"{self.dialect.letter}{self.count}"
                made.lines.append(self.dialect.define.format(name=name, value=text))
                text, binds = name, ATOM
            if crosses:
                made.works = True
                made.lines.append(self.dialect.store.format(place=f"w[{self.slot[k]}]", value=text))
            known[k] = text, binds
        return made

    def _expression(self, k: int, op: int, made: Piece, known: dict[int, tuple[str, int]]) -> tuple[str, int]:
        form = self.dialect.forms[op]
        fields = {"x": self._held(int(self.stream.in0[k]), form.left, made, known)}
        if ARITY[op] > 1:
            fields["y"] = self._held(int(self.stream.in1[k]), form.right, made, known)
        if op in self.dialect.signs:
            negative = form.text.startswith("-") ^ (sum(text.startswith("-") for text in fields.values()) % 2 == 1)
            fields = {name: text.removeprefix("-") for name, text in fields.items()}
            return "-" * negative + form.text.removeprefix("-").format(**fields), form.binds
        return form.text.format(**fields), form.binds

    def _held(self, k: int, least: int, made: Piece, known: dict[int, tuple[str, int]]) -> str:
        text, binds = self._operand(k, made, known)
        return text if binds >= least else f"({text})"

    def _operand(self, k: int, made: Piece, known: dict[int, tuple[str, int]]) -> tuple[str, int]:
        if k in known:
            return known[k]
        op = int(self.stream.op[k])
        if op == CONST:
            text = self.dialect.number(float(self.stream.const[k]))
            return text, UNARY if text.startswith("-") else ATOM
        if op == INPUT:
            index = int(self.stream.in0[k])
            made.arguments.add(index)
            return self.argument(index, int(self.stream.in1[k])), ATOM
        made.works = True
        return f"w[{self.slot[k]}]", ATOM
