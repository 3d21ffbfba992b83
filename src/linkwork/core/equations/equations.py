"""Equations: parts with names, and what can be done with all their expressions at once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import partial
from typing import Any

import casadi as ca
import numpy as np

from linkwork.core.courses import in_time
from linkwork.core.equations.at import At
from linkwork.core.equations.parts import (
    Algebraic,
    Constraints,
    Contacts,
    Deferred,
    Motion,
    Observation,
    Signals,
    Start,
    States,
    Symbols,
)
from linkwork.core.program import Event, StateLayout
from linkwork.geometry import SX

Rewrite = Callable[[list[SX]], list[SX]]
"""Expressions → as many others, in the same order."""


@dataclass(frozen=True)
class Equations:
    """q̇ = H(q) v,  M v̇ + Aᵀλ = f(t, q, v, z),  ż = g(t, q, v, z, v̇, λ),  Φ(t, q) = 0,  A v = b.

    The letters t, q, v, z, a (v̇), multipliers (λ), y = [q, v, z] and p = [parameters, inputs] are symbols.
    """

    symbols: Symbols
    states: States
    motion: Motion
    constraints: Constraints
    observation: Observation
    start: Start
    algebraic: Algebraic = field(default_factory=Algebraic)
    contacts: Contacts = field(default_factory=Contacts)
    signals: Signals = field(default_factory=Signals)
    memory: dict[Hashable, Any] = field(default_factory=dict, init=False, compare=False)
    """Whatever is found out about them once."""

    # Symbols by their letters ----------------------------------------------------------------------------------------

    @property
    def t(self) -> SX:
        return self.symbols.t

    @property
    def q(self) -> SX:
        return self.symbols.q

    @property
    def v(self) -> SX:
        return self.symbols.v

    @property
    def z(self) -> SX:
        return self.symbols.z

    @property
    def a(self) -> SX:
        return self.symbols.a

    @property
    def multipliers(self) -> SX:
        return self.symbols.multipliers

    @property
    def y(self) -> SX:
        return self.symbols.y

    @property
    def p(self) -> SX:
        return self.symbols.p

    @property
    def layout(self) -> StateLayout:
        if "layout" not in self.memory:
            counts = (x.numel() for x in (self.q, self.v, self.z, self.multipliers))
            self.memory["layout"] = StateLayout(*counts)
        layout: StateLayout = self.memory["layout"]
        return layout

    @property
    def z_names(self) -> list[str]:
        """Names of the first-order states."""
        layout = self.layout
        return self.states.names[layout.q + layout.v :]

    @property
    def graph(self) -> Any:
        """The bond graph they were read from, if they were; of equations that were found, it is made now."""
        graph = self.observation.graph
        return graph() if callable(graph) else graph

    @property
    def projects(self) -> bool:
        """Whether a state must be put back on constraints, or Euler parameters to their length."""
        kept = bool(self.constraints.velocity.numel()) or self.q.numel() != self.v.numel()
        return kept and not self.constraints.stabilised

    def at(self, p: np.ndarray, t: float = 0.0) -> At:
        """As numbers, for parameters and inputs p at time t [s]."""
        return At(self, p, t)

    # All expressions at once -----------------------------------------------------------------------------------------

    def map(self, rewrite: Rewrite) -> Equations:
        """The same with every expression rewritten, in all parts, all at once; symbols stay. Deferred expressions are
        rewritten when they are made; functions of arguments of their own (`Motion.retract`) are as they were."""
        changed = iter(rewrite(self.expressions()))
        return _walked(self, lambda _: next(changed), lambda later: Deferred(lambda: rewrite(later.make())))

    def expressions(self) -> list[SX]:
        """All but the deferred ones, in the order in which `map` takes them."""
        return expressions_in(self)

    def free_symbols(self) -> list[SX]:
        """Those in all expressions."""
        dense = (x if x.is_dense() and x.is_column() else ca.vec(x.nz[:]) for x in self.expressions())
        return ca.symvar(ca.vertcat(SX(0, 1), *dense))  # the columns of large sparse matrices are never written out

    def solved(self, a: SX, multipliers: SX) -> Equations:
        """Explicit equations, v̇ = a: these put in for v̇ and λ everywhere."""
        symbols, values = [self.a, self.multipliers], [a, multipliers]
        substituted = self.map(lambda expressions: ca.substitute(expressions, symbols, values))
        return replace(
            substituted,
            symbols=replace(self.symbols, multipliers=SX(0, 1)),
            motion=replace(substituted.motion, force=ca.densify(a), explicit=True),
        )

    def in_time(self) -> Equations:
        """The same with only those tables and derivatives of inputs that are truly used, and nothing left by which the
        others could be found: for running, not for differentiating by t."""
        courses, taken = self.signals.courses, self.signals.taken
        if courses is None or not taken or self.contacts.places or self.contacts.closure is not None:
            return self
        timed = self.map(lambda expressions: in_time(expressions, courses))
        used = {s.element_hash() for s in timed.free_symbols()}
        left = [x for x in taken if x.symbol.element_hash() in used]
        own = self.symbols.inputs[: self.symbols.inputs.numel() - len(taken)]
        return replace(
            timed,
            symbols=replace(self.symbols, inputs=ca.vertcat(own, *(x.symbol for x in left))),
            signals=replace(self.signals, taken=left),
        )


_APART = (Symbols, Signals, Event)
"""Not made of expressions: their names, what feeds them, and whom an event belongs to."""


_PLAIN = frozenset({str, int, float, bool, type(None), np.ndarray})
"""What holds no expressions; asked first, as most of what there is is such."""


def expressions_in(part: object) -> list[SX]:
    """All expressions of a part, or of any structure of lists, mappings and dataclasses, but the deferred ones."""
    expressions: list[SX] = []

    def see(x: SX) -> SX:
        expressions.append(x)
        return x

    _walked(part, see, lambda later: later)
    return expressions


def _walked(value: Any, each: Callable[[SX], SX], deferred: Callable[[Deferred], Deferred]) -> Any:
    """The same structure with `each` of every expression in its place, in a fixed order."""
    if isinstance(value, SX):
        return each(value)
    if isinstance(value, Deferred):
        return deferred(value)
    if type(value) in _PLAIN:
        return value
    make: Callable[[dict[Hashable, object]], object]
    if isinstance(value, Mapping):
        old, make = dict(value), dict
    elif isinstance(value, list | tuple):
        old, make = dict(enumerate(value)), lambda new: type(value)(new.values())
    elif is_dataclass(value) and not isinstance(value, (*_APART, type)):
        old, make = {f.name: getattr(value, f.name) for f in fields(value) if f.init}, partial(_replaced, value)
    else:
        return value
    new = {key: _walked(x, each, deferred) for key, x in old.items()}
    return make(new) if any(new[key] is not x for key, x in old.items()) else value


def _replaced(value: Any, changes: dict[str, Any]) -> Any:
    return replace(value, **changes)
