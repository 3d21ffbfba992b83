"""Whether a model is run by kernels: by its size, and by what it is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca

from linkwork.components.bodies import Body
from linkwork.components.joint import Joint
from linkwork.core.component import Component, Constraint
from linkwork.core.errors import ModelError
from linkwork.core.memory import free_memory
from linkwork.core.pairing import Paired
from linkwork.core.unilateral import Unilateral
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.large.program import Large
from linkwork.large.slots import Unfit
from linkwork.signals.breakpoints import time_switches

if TYPE_CHECKING:
    from linkwork.core.model import Model

COMPONENT_BYTES = 60_000.0
"""Memory that a component needs, its tables, fronts, states and the names of its channels together, without samples:
measured on chains and nets of 1,000 to 10,000 bodies, in space (see benchmarks/large.py), and rounded up."""


def large_of(model: Model, stabilisation: Projection | Baumgarte | None) -> Large:
    """The model as tables and kernels, kept until it changes; raises `Unfit` where it needs straight-line code."""
    key = "large", stabilisation
    if key not in model.memory:
        check_memory(model)
        try:
            model.memory[key] = _made(model, stabilisation)
        except Unfit as reason:
            model.memory[key] = reason
    large = model.memory[key]
    if isinstance(large, Unfit):
        raise large
    large.suit(model.nominal)
    return large


def _made(model: Model, stabilisation: Projection | Baumgarte | None) -> Large:
    for component in model.components.values():
        _check(component)
    large = Large(model, stabilisation, model.nominal)
    for group in large.tables.groups:
        if time_switches(group.kind.eq):
            raise Unfit(group.kind.name, "it jumps or bends with time")
    return large


def _check(component: Component) -> None:
    """What the tables would not see."""
    if isinstance(component, Paired | Unilateral):
        raise Unfit(component.name, "what it touches is chosen on the way")
    if isinstance(component, Constraint) and component.compliance is not None:
        raise Unfit(component.name, "it is compliant")
    if isinstance(component, Joint):
        if not type(component).__module__.startswith("linkwork."):
            raise Unfit(component.name, "its class is not one of the library")
        if not component.explicit or component.measured:
            raise Unfit(component.name, "its coordinates are found from its equations")
    elif not isinstance(component, Body) and not type(component).__module__.startswith("linkwork."):
        raise Unfit(component.name, "its class is not one of the library")


def driven(large: Large) -> list[str]:
    """Components whose constraints depend on time or inputs, by the first of their kind."""
    names = []
    for group in large.tables.groups:
        rows = group.kind.eq.constraints
        if ca.depends_on(
            ca.vertcat(rows.position, rows.velocity), ca.vertcat(group.kind.eq.t, group.kind.eq.symbols.inputs)
        ):
            names.append(group.kind.name)
    return names


def check_memory(model: Model, available: float | None = None) -> None:
    """ModelError, before anything is derived, where the tables of a model do not fit into the memory that is free."""
    needed = COMPONENT_BYTES * len(model.components)
    free = free_memory() if available is None else available
    if needed > free:
        raise ModelError(
            f"{len(model.components)} components need about {needed / 2**30:.3g} GiB, {free / 2**30:.3g} are free.",
            component=model.name,
            remedy="Take a machine with more memory, or a smaller model.",
        )
