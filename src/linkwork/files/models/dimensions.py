"""Whether units fit: of parameters and inputs in expressions, to each other and to what an argument is declared in.

Numbers fit everything, as 9.81 may be an acceleration; so does what has no unit. What is told is wrong for certain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import casadi as ca

from linkwork.core.declared import arguments_of
from linkwork.core.model import Model
from linkwork.geometry import SX

Dimension: TypeAlias = tuple[Fraction, ...]
"""Powers of kg, m, s, A, K."""


def _dimension(*powers: int) -> Dimension:
    return tuple(Fraction(p) for p in powers)


PLAIN = _dimension(0, 0, 0, 0, 0)
BASE = {
    "kg": _dimension(1, 0, 0, 0, 0),
    "m": _dimension(0, 1, 0, 0, 0),
    "s": _dimension(0, 0, 1, 0, 0),
    "A": _dimension(0, 0, 0, 1, 0),
    "K": _dimension(0, 0, 0, 0, 1),
    "rad": PLAIN,
    "1": PLAIN,
    "N": _dimension(1, 1, -2, 0, 0),
    "Pa": _dimension(1, -1, -2, 0, 0),
    "J": _dimension(1, 2, -2, 0, 0),
    "W": _dimension(1, 2, -3, 0, 0),
    "V": _dimension(1, 2, -3, -1, 0),
    "Ω": _dimension(1, 2, -3, -2, 0),
    "F": _dimension(-1, -2, 4, 2, 0),
    "H": _dimension(1, 2, -2, -2, 0),
    "Hz": _dimension(0, 0, -1, 0, 0),
}
_POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_WORD = re.compile(r"([A-Za-zΩ]+|1)([⁰¹²³⁴⁵⁶⁷⁸⁹]+)?\Z")
_PLAIN_ARGUMENT = {
    ca.OP_EXP, ca.OP_LOG, ca.OP_SIN, ca.OP_COS, ca.OP_TAN, ca.OP_ASIN, ca.OP_ACOS, ca.OP_ATAN, ca.OP_SINH, ca.OP_COSH,
    ca.OP_TANH, ca.OP_ASINH, ca.OP_ACOSH, ca.OP_ATANH,
}  # fmt: skip
"""Functions of plain numbers, which give plain numbers."""
_ALIKE = {ca.OP_ADD, ca.OP_SUB, ca.OP_FMIN, ca.OP_FMAX, ca.OP_HYPOT}
_COMPARED = {ca.OP_LT, ca.OP_LE, ca.OP_EQ, ca.OP_NE}


class Mismatch(Exception):
    """What does not fit."""


class Misfit(NamedTuple):
    """An argument whose unit does not fit."""

    component: str
    word: str
    cause: str


def dimension_of(unit: str) -> Dimension | None:
    """The dimension of a unit; None: it is not known, and fits everything."""
    powers = PLAIN
    sign = 1
    for part in re.split(r"(·|/| per )", unit.strip()):
        if part in ("·", "/", " per "):
            sign = 1 if part == "·" else -1
            continue
        match = _WORD.match(part)
        if match is None or match.group(1) not in BASE:
            return None
        power = sign * int((match.group(2) or "1").translate(_POWERS))
        powers = tuple(a + power * b for a, b in zip(powers, BASE[match.group(1)], strict=True))
    return powers


def misfits(model: Model) -> Iterator[Misfit]:
    """Arguments of components and of laws whose units cannot fit what they are declared in."""
    known = {model.t.element_hash(): BASE["s"]}
    for name, symbol in [*model._symbols.items(), *model.courses.inputs.items()]:
        dimension = dimension_of(model.units.get(name, "")) if model.units.get(name) else None
        known[symbol.element_hash()] = dimension  # type: ignore[assignment]
    for component in model.components.values():
        yield from _of(component.name, component, "", known)
        for coordinate in getattr(component, "coordinates", (component,)):
            for law in getattr(coordinate, "laws", ()):
                yield from _of(component.name, law, f"{type(law).__name__} on {coordinate.name}: ", known)


def _of(name: str, thing: Any, begin: str, known: dict[int, Dimension]) -> Iterator[Misfit]:
    said = thing.__dict__.get("_said")
    declared = arguments_of(type(thing).__init__)
    for word, value in () if said is None else said.arguments.items():
        argument = declared.get(word)
        unit = "" if argument is None else argument.kind.unit
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, SX) and part.numel() == 1:
                try:
                    _fits(dimension(part, known), unit)
                except Mismatch as error:
                    yield Misfit(name, word, f"{begin}{word}: {error}.")


def _fits(powers: Dimension | None, unit: str) -> None:
    wanted = [dimension_of(part) for part in re.split(r" or | = ", unit)] if unit else [None]
    if powers is not None and None not in wanted and powers not in wanted:
        raise Mismatch(f"is in {said(powers)}, and wanted in {unit}")


def dimension(x: SX, known: dict[int, Dimension]) -> Dimension | None:
    """The dimension of an expression; None: it may be anything."""
    by_hash: dict[int, Dimension | None] = dict(known)
    stack, alive = [x], []
    while stack:
        top = stack[-1]
        key = top.element_hash()
        parts = [] if key in by_hash else [top.dep(k) for k in range(top.n_dep())]
        missing = [p for p in parts if p.element_hash() not in by_hash]
        if missing:
            stack += missing
            continue
        stack.pop()
        alive.append(top)
        if key not in by_hash:
            by_hash[key] = _combined(top, parts, [by_hash[p.element_hash()] for p in parts])
    return by_hash[x.element_hash()]


def _combined(x: SX, parts: list[SX], given: list[Dimension | None]) -> Dimension | None:
    op = x.op()
    if not parts:
        return None
    if op in _ALIKE | _COMPARED:
        a, b = given
        if a is not None and b is not None and a != b:
            raise Mismatch(f"puts {said(a)} and {said(b)} together in {x}")
        return PLAIN if op in _COMPARED else a if b is None or parts[1].is_constant() else b if a is None else a
    if op in _PLAIN_ARGUMENT:
        if given[0] not in (None, PLAIN):
            raise Mismatch(f"takes a function of {said(given[0])} in {x}")
        return PLAIN
    if any(d is None for d in given) and op != ca.OP_CONSTPOW:
        return None if op not in (ca.OP_NEG, ca.OP_FABS, ca.OP_TWICE) else given[0]
    return _scaled(op, parts, given)


def _scaled(op: int, parts: list[SX], given: list[Any]) -> Dimension | None:
    if op in (ca.OP_NEG, ca.OP_FABS, ca.OP_TWICE):
        return given[0]
    if op in (ca.OP_MUL, ca.OP_DIV):
        sign = 1 if op == ca.OP_MUL else -1
        return tuple(a + sign * b for a, b in zip(*given, strict=True))
    powers = {ca.OP_SQ: Fraction(2), ca.OP_SQRT: Fraction(1, 2), ca.OP_INV: Fraction(-1)}
    if op in powers:
        return tuple(powers[op] * a for a in given[0])
    return None


def said(dimension: Dimension | None) -> str:
    """A dimension in base units."""
    if dimension is None or dimension == PLAIN:
        return "no unit"
    return "·".join(
        f"{w}^{p}" if p != 1 else w for w, p in zip(("kg", "m", "s", "A", "K"), dimension, strict=True) if p
    )
