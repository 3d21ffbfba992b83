"""Whether a model is run by kernels: by its size, and by what it is made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from linkwork.components.contacts.outlined import Outlined
from linkwork.components.joint import Joint
from linkwork.components.variables import Condition, Guide
from linkwork.components.wiring.connections import Connection
from linkwork.core.activity import begin
from linkwork.core.component import Component, Element, Force
from linkwork.core.errors import ModelError
from linkwork.core.memory import free_memory
from linkwork.core.pairing import Paired
from linkwork.core.port import PortComponent
from linkwork.core.unilateral import Unilateral
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.formulations.tree import spanning_tree
from linkwork.large.attributes import is_own
from linkwork.large.groups import Softness
from linkwork.large.large_model import LargeModel
from linkwork.large.program import Large
from linkwork.large.slots import Unfit
from linkwork.large.tree.program import LargeTree

if TYPE_CHECKING:
    from linkwork.core.model import Model

FORMULATIONS: dict[str, type[Large] | type[LargeTree]] = {"absolute": Large, "minimal": LargeTree}
"""Formulations that have kernels."""
COMPONENT_BYTES = 60_000.0
"""Memory that a component needs, its tables, fronts, states and the names of its channels together, without samples:
measured on chains and nets of 1,000 to 10,000 bodies, in space (see benchmarks/large.py), and rounded up."""


def large_of(
    model: Model,
    stabilisation: Projection | Baumgarte | None,
    formulation: str = "absolute",
    softness: Callable[[], Softness] | None = None,
) -> LargeModel:
    """The model as tables and kernels, kept until it changes; raises `Unfit` where it needs straight-line code.

    softness: finds that of compliant constraints, once; without it they are ideal.
    """
    key = "large", stabilisation, formulation, softness is not None
    if key not in model.memory:
        check_memory(model)
        begin(f"deriving kernels, {formulation}")
        try:
            model.memory[key] = _made(model, stabilisation, formulation, softness)
        except Unfit as reason:
            model.memory[key] = reason
    large = model.memory[key]
    if isinstance(large, Unfit):
        raise large
    large.suit(model.nominal)
    return large


def _made(
    model: Model,
    stabilisation: Projection | Baumgarte | None,
    formulation: str,
    softness: Callable[[], Softness] | None,
) -> LargeModel:
    for component in model.components.values():
        _check(component, model.is_planar)
    return FORMULATIONS[formulation](model, stabilisation, model.nominal, None if softness is None else softness())


def _check(component: Component, planar: bool) -> None:
    """What the tables would not see."""
    if isinstance(component, Unilateral) or (isinstance(component, Paired) and _chooses(component, planar)):
        raise Unfit(component.name, "what it touches is chosen on the way")
    if isinstance(component, Condition | Guide | PortComponent | Connection):
        raise Unfit(component.name, f"{type(component).__name__} has no kernels")
    if isinstance(component, Joint) and (not component.explicit or component.measured):
        raise Unfit(component.name, "its coordinates are found from its equations")
    if isinstance(component, Element) and not isinstance(component, Force) and not is_own(component):
        raise Unfit(component.name, f"{type(component).__name__} has no kernels")


def is_tree(model: Model) -> bool:
    """Whether its joints close no loop."""
    return not spanning_tree(model).cut


def _chooses(paired: Paired, planar: bool) -> bool:
    return not isinstance(paired, Outlined) or paired.features(planar) is not None


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
