"""Equations: every expression of every part is rewritten, whatever fields are added."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import casadi as ca
import numpy as np
import pytest

from linkwork.core.equations import Deferred, Equations, Signals, Symbols, expressions_in
from linkwork.core.program import Event
from linkwork.formulations import formulate
from linkwork.formulations.partition import Partition, partitioned
from linkwork.geometry import SX


class Filled:
    """A value of any type that is annotated, with an expression of its own wherever there may be one."""

    def __init__(self) -> None:
        self.made: list[SX] = []

    def expression(self) -> SX:
        self.made.append(SX.sym(f"x{len(self.made)}"))
        return self.made[-1]

    def __call__(self, kind: Any) -> Any:
        origin, inner = get_origin(kind), get_args(kind)
        if kind in (SX, Any):
            return self.expression()
        if kind is Deferred:
            made = self.expression()
            return Deferred(lambda: [made])
        if kind is Event:
            return Event("name")
        if is_dataclass(kind):
            hints = get_type_hints(kind)
            return kind(**{f.name: self(hints[f.name]) for f in fields(kind) if f.init})
        if origin in (list, Sequence):
            return [self(inner[0])]
        if origin is tuple:
            return tuple(self(x) for x in inner if x is not Ellipsis)
        if origin in (dict, Mapping):
            return {self(inner[0]): self(inner[1])}
        if origin is frozenset:
            return frozenset()
        if origin is Callable:
            return lambda *_: SX(0)
        if inner:  # a union
            return self(next(x for x in inner if x is not NoneType))
        return {str: "name", int: 0, float: 0.0, bool: False, np.ndarray: np.zeros(1)}[kind]


def everything_in(value: Any) -> list[SX]:
    """Expressions anywhere inside, found without knowing what is what."""
    if isinstance(value, SX):
        return [value]
    if isinstance(value, Deferred):
        return value.make()
    if isinstance(value, Mapping):
        value = list(value.values())
    if is_dataclass(value):
        value = [getattr(value, f.name) for f in fields(value)]
    return [x for part in value for x in everything_in(part)] if isinstance(value, list | tuple) else []


def filled() -> tuple[Equations, list[SX]]:
    make, hints = Filled(), get_type_hints(Equations)
    apart = {"symbols": Symbols(*(SX.sym(name, 0) for name in "tqvzpual")), "signals": Signals()}
    parts = {f.name: make(hints[f.name]) for f in fields(Equations) if f.init and f.name not in apart}
    return Equations(**parts, **apart), make.made


def test_map_reaches_every_expression():
    eq, made = filled()
    assert len(made) > 30
    found = everything_in(eq.map(lambda xs: [ca.sin(x) for x in xs]))
    names = {x.name() for x in made}
    assert not [x for x in found if x.is_scalar() and x.is_symbolic() and x.name() in names]
    assert {ca.symvar(x)[0].name() for x in found if x.numel() and ca.symvar(x)} == names


def test_map_leaves_symbols_and_facts():
    eq, _ = filled()
    found = eq.map(lambda xs: [2 * x for x in xs])
    assert found.symbols is eq.symbols and found.constraints.rows == eq.constraints.rows
    assert found.states is eq.states  # nothing in it is an expression


def test_map_takes_all_expressions_at_once():
    eq, made = filled()
    calls: list[list[SX]] = []

    def rewrite(xs: list[SX]) -> list[SX]:
        calls.append(xs)
        return xs

    eq.map(rewrite)
    assert len(calls) == 1 and len(calls[0]) == len(expressions_in(eq)) == len(made) - 2  # deferred ones come later


@pytest.mark.parametrize("expression", ["probes", "residual", "events"])
def test_solved_puts_accelerations_in_everywhere(expression, example):
    """Where only some expressions were rewritten, the others kept symbols that nothing determines."""
    eq = formulate(example("slider_crank"), "minimal")
    wanted = ca.sumsqr(eq.a) + ca.sumsqr(eq.multipliers)
    parts = {
        "probes": {"observation": replace(eq.observation, probes={"x": ("", wanted)})},
        "residual": {"algebraic": replace(eq.algebraic, residual=wanted)},
        "events": {"observation": replace(eq.observation, motions=[("x", "speed", wanted)])},
    }
    eq = replace(eq, **parts[expression])
    solved = partitioned(eq, Partition((0,), tuple(range(eq.v.numel() - 1))))
    open_ = {s.name() for x in expressions_in(solved) for s in ca.symvar(x)} & {
        s.name() for s in ca.symvar(ca.vertcat(eq.a, eq.multipliers))
    }
    assert not open_
