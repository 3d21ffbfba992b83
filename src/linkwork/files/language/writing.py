"""Expressions → text: operation by operation in their own order, so that reading gives the same bits.

What is used more than once gets a name: `_1 = sin(q); _1*_1 + _1`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import casadi as ca

from linkwork.files.language.operations import ANY, ATOM, INFIX, NAMED, POWER, PRODUCT, SIGN, SUM
from linkwork.geometry import SX

DEPTH = 12
"""Levels of parentheses in one text; what is deeper gets a name."""
NODE_LIMIT = 100_000
"""Operations of one expression."""


class Unwritable(Exception):
    """What cannot be written, and why."""


def number(value: float | int) -> str:
    """A number that is read as the same bits."""
    if isinstance(value, int):
        return str(value)
    if value != value or value in (float("inf"), float("-inf")):
        raise Unwritable(f"the number {value}")
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 and str(value) != "-0.0" else repr(value)


class Sheet:
    """Expressions that are written together and share the names of their common parts.

    atoms: text of each part that is known by a name, by the hash of its element.
    """

    def __init__(self, atoms: Mapping[int, str]):
        self.atoms = atoms
        self.definitions: list[str] = []
        self._known: dict[int, tuple[str, int, int]] = {}
        self._uses: Counter[int] = Counter()
        self._alive: list[SX] = []

    def prepare(self, expressions: Sequence[SX]) -> None:
        """Count how often each part is used in all that will be written."""
        stack = [SX(e) for e in expressions]
        visited: set[int] = set()
        for e in stack:
            self._uses[e.element_hash()] += 1
        while stack:
            x = stack.pop()
            key = x.element_hash()
            if key in visited or key in self.atoms:
                continue
            visited.add(key)
            self._alive.append(x)
            if len(visited) > NODE_LIMIT:
                raise Unwritable(f"an expression of more than {NODE_LIMIT} operations")
            for k in range(x.n_dep()):
                part = x.dep(k)
                self._uses[part.element_hash()] += 1
                stack.append(part)

    def written(self, x: SX) -> tuple[str, int]:
        """The text of a scalar, and how tightly it holds together."""
        stack = [SX(x)]
        while stack:
            top = stack[-1]
            key = top.element_hash()
            if key in self._known:
                stack.pop()
                continue
            missing = [] if self._leaf(top) else [p for p in _parts(top) if p.element_hash() not in self._known]
            if missing:
                stack += missing
                continue
            stack.pop()
            self._known[key] = self._named(key, *self._formed(top))
        text, binds, _ = self._known[SX(x).element_hash()]
        return text, binds

    def _leaf(self, x: SX) -> bool:
        return x.element_hash() in self.atoms or x.n_dep() == 0

    def _named(self, key: int, text: str, binds: int, depth: int) -> tuple[str, int, int]:
        if depth > 0 and (self._uses[key] > 1 or depth > DEPTH):
            name = f"_{len(self.definitions) + 1}"
            self.definitions.append(f"{name} = {text}; ")
            return name, ATOM, 0
        return text, binds, depth

    def _formed(self, x: SX) -> tuple[str, int, int]:
        """Text, how tightly it holds, and how deep it is."""
        if (atom := self.atoms.get(x.element_hash())) is not None:
            return atom, ATOM, 0
        if x.n_dep() == 0:
            if not x.is_constant():
                raise Unwritable(f"the symbol {x.name()}, which this model does not know")
            text = number(float(x))
            return text, SIGN if text.startswith("-") else ATOM, 0
        op = x.op()
        parts = [self._known[p.element_hash()] for p in _parts(x)]
        depth = 1 + max(part[2] for part in parts)
        if op in INFIX:
            sign, binds = INFIX[op]
            right = binds + 1
            return f"{_held(parts[0], binds)}{sign}{_held(parts[1], right)}", binds, depth
        if op in NAMED:
            return f"{NAMED[op]}({', '.join(text for text, *_ in parts)})", ATOM, depth
        (a, *others) = parts
        if op == ca.OP_NEG:
            return f"-{_held(a, POWER)}", SIGN, depth
        if op == ca.OP_NOT:
            return f"not {_held(a, ATOM)}", SIGN, depth
        if op == ca.OP_SQ:
            return f"{_held(a, ATOM)}**2", POWER, depth
        if op == ca.OP_TWICE:
            return f"2*{_held(a, SIGN)}", PRODUCT, depth
        if op == ca.OP_INV:
            return f"1/{_held(a, SIGN)}", PRODUCT, depth
        if op in (ca.OP_POW, ca.OP_CONSTPOW):
            return f"{_held(a, ATOM)}**{_held(others[0], ATOM)}", POWER, depth
        raise Unwritable(f"the operation number {op}")


def _parts(x: SX) -> list[SX]:
    return [x.dep(k) for k in range(x.n_dep())]


def _held(part: tuple[str, int, int], least: int) -> str:
    text, binds, _ = part
    return text if binds >= max(least, ANY) else f"({text})"


__all__ = ["SUM", "Sheet", "Unwritable", "number"]
