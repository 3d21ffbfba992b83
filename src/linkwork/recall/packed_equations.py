"""Equations as bytes, and again as equations of the same model, in its own symbols, in another process.

What is not always asked for stays behind: bond graphs, and expressions that are derived later. It is derived from a
copy of the model as it was when its equations were read, if somebody asks.
"""

from __future__ import annotations

import copy
import marshal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import casadi as ca

from linkwork.compile.cache import key_of
from linkwork.compile.identity import package, plain_of
from linkwork.core.equations import Deferred, Equations, Symbols
from linkwork.geometry import SX
from linkwork.recall.content import Content
from linkwork.recall.expressions import read, written
from linkwork.recall.packing import Packer, Unpacker, packed
from linkwork.recall.retraction import retraction_of

if TYPE_CHECKING:
    from linkwork.core.model import Model

Derive = Callable[["Model"], Equations]


@dataclass(frozen=True)
class Behind:
    """Stands for something that is not kept; name: of a graph."""

    name: str = ""


def bytes_of(eq: Equations, content: Content) -> tuple[bytes, str | None]:
    """Of equations that were derived from a model of this content, and their identity (see `compile/identity`); raises
    NotKept."""
    graph, rows = eq.observation.graph, eq.constraints
    behind: dict[str, Any] = {word: getattr(rows, word) and Behind() for word in ("projected", "margins")}
    plain = replace(
        eq,
        motion=replace(eq.motion, retract=retraction_of(eq)),
        observation=replace(eq.observation, graph=graph and Behind(graph.name)),
        constraints=replace(rows, **behind),
    )
    parts = {f.name: getattr(plain, f.name) for f in fields(plain) if f.init}
    structure, packer = packed(parts, content.numbers)
    text, names = written([SX(x) if isinstance(x, ca.DM) else x for x in packer.expressions], content.symbols)
    identity = _identity(plain, content, packer, text)
    return marshal.dumps((structure, text, names, identity)), identity


def _identity(eq: Equations, content: Content, packer: Packer, text: str) -> str | None:
    """What tells their functions from all others: the same text, read in the same way."""
    rest = plain_of(eq, packer.place)
    if rest is None:
        return None
    parts = [getattr(eq.symbols, f.name) for f in fields(eq.symbols)] + [*vars(eq.motion.retract).values()]
    courses = eq.signals.courses
    time = None if courses is None or not courses.taken else content.place(courses.time)
    return key_of(package(), repr(rest), repr([packer.place(x) for x in parts]), repr(time), text)


def equations_in(data: bytes, content: Content, derive: Derive) -> tuple[Equations, str | None]:
    """Both, of a model that has the same content; raises what unpickling does where the bytes are something else.

    derive: gives what has stayed behind.
    """
    structure, text, names, identity = marshal.loads(data)
    parts: Mapping[str, Any] = Unpacker(structure, read(text, content.symbols, names), content.things).load()
    eq = Equations(**parts)
    graph, rows = eq.observation.graph, eq.constraints
    if graph is None and rows.projected is None and rows.margins is None:
        return eq, identity
    later = Later(copy.deepcopy(content.model), derive, eq.symbols)
    whole = replace(
        eq,
        observation=replace(eq.observation, graph=graph and LateGraph(graph.name, later)),
        constraints=replace(
            rows,
            projected=rows.projected and Deferred(lambda: later.expressions(later.equations.constraints.projected)),
            margins=rows.margins and Deferred(lambda: later.expressions(later.equations.constraints.margins)),
        ),
    )
    return whole, identity


class Later:
    """Equations that are derived when somebody asks for what has stayed behind; symbols: those of the others."""

    def __init__(self, model: Model, derive: Derive, symbols: Symbols):
        self._model, self._derive, self._symbols = model, derive, symbols

    @cached_property
    def equations(self) -> Equations:
        return self._derive(self._model)

    def expressions(self, deferred: Deferred | None) -> list[SX]:
        """In the symbols of the others."""
        assert deferred is not None
        own, others = (_column(symbols) for symbols in (self.equations.symbols, self._symbols))
        expressions: list[SX] = ca.substitute(deferred.make(), [own], [others])
        return expressions


def _column(symbols: Symbols) -> SX:
    return ca.vertcat(symbols.q, symbols.v, symbols.z, symbols.a, symbols.multipliers)


@dataclass(frozen=True, eq=False)
class LateGraph:
    """A bond graph that is made when it is called."""

    name: str
    later: Later

    def __call__(self) -> Any:
        return self.later.equations.observation.graph
