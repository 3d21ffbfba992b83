"""Model → Equations, in every classical way. Siblings: none imports another.

To add a formulation: 1. a module with a function `formulate(model, **options) -> Equations`; 2. give it a view (poses,
rates) of the moving mechanism and gather what the components contribute through it (`contributions`); 3. observe the
same channels as the others (`observe`); 4. enter it in `formulations` below.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import casadi as ca

from linkwork.components.bodies import Body
from linkwork.components.joint import Joint
from linkwork.components.unknowns import Equation, Unknown
from linkwork.components.variables import Variable
from linkwork.core.component import Element
from linkwork.core.equations import Equations, Signals
from linkwork.core.errors import ModelError, UnknownName
from linkwork.core.port import PortComponent
from linkwork.core.sizes import check_sizes
from linkwork.formulations.fed_back import fed_back
from linkwork.formulations.tree import depends_on_time
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.core.model import Model


class Formulation:
    """`formulate` of a module of this folder, which is imported when it is first called."""

    def __init__(self, module: str, **options: str):
        self.module, self.options = module, options

    def __call__(self, model: Model, **options: Any) -> Equations:
        equations: Equations = import_module(f"{__name__}.{self.module}").formulate(model, **self.options, **options)
        return equations


graphs: dict[str, Callable[..., Equations]] = {
    "bondgraph": Formulation("bondgraph.lagrange"),
    "bondgraph-canonical": Formulation("bondgraph.canonical"),
    "bondgraph-canonical-scalar": Formulation("bondgraph.canonical", bonds="scalar"),
    "bondgraph-minimal": Formulation("bondgraph.minimal"),
    "bondgraph-minimal-scalar": Formulation("bondgraph.minimal", bonds="scalar"),
    "bondgraph-rc": Formulation("bondgraph.lagrange"),
    "bondgraph-rc-scalar": Formulation("bondgraph.lagrange", bonds="scalar"),
    "bondgraph-scalar": Formulation("bondgraph.lagrange", bonds="scalar"),
    "bondgraph-zcp": Formulation("bondgraph.zero_order"),
    "bondgraph-zcp-scalar": Formulation("bondgraph.zero_order", bonds="scalar"),
}
"""Those that read a bond graph."""

formulations: dict[str, Callable[..., Equations]] = {
    "absolute": Formulation("absolute"),
    "acausal": Formulation("acausal"),
    **graphs,
    "compliant": Formulation("compliant"),
    "minimal": Formulation("minimal"),
    "points": Formulation("points"),
}


def is_own(formulation: str) -> bool:
    """Whether it is of this package, and nobody has put something else in its place."""
    return isinstance(formulations.get(formulation), Formulation)


LEVELS = ("displacement", "speed", "acceleration")


def formulate(model: Model, formulation: str, **options: Any) -> Equations:
    """The equations of a model in the formulation of that name."""
    if formulation not in formulations:
        raise UnknownName("formulation", formulation, formulations, component=model.name)
    if model.of_type(Unknown) and not model.of_type(Equation):
        first = model.of_type(Unknown)[0].name
        raise ModelError("no equation determines it.", component=first, remedy="Add m.equation(…).")
    if not can_move(model):
        raise ModelError("there is no body in it.", component=model.name, remedy="Add one with m.body(…).")
    if formulation in graphs:
        _refuse_moving(model)
    return with_signals(model, formulations[formulation](model, **options))


def with_signals(model: Model, eq: Equations) -> Equations:
    """The same, which know all that is given over time, and on which sides valves are."""
    inputs = ca.vertcat(SX(0, 1), *model.symbols(model.inputs), *model.courses.symbols)  # tables came in on the way
    eq = replace(
        eq,
        symbols=replace(eq.symbols, inputs=inputs),
        states=replace(eq.states, sides=_sides(model) & set(eq.z_names)),
        observation=replace(eq.observation, motions=_motions(model)),
        signals=Signals(model.courses, list(model.courses.taken)),
    )
    return check_sizes(fed_back(eq, model), model.name)


def can_move(model: Model) -> bool:
    """Whether there is anything in it that has equations of its own: a body, an element, a component with ports."""
    return any(model.of_type(kind) for kind in (Body, Element, PortComponent))


def _refuse_moving(model: Model) -> None:
    """Junction structures are written for frames that stay on their bodies, and rods that keep their length."""
    for joint in model.of_type(Joint):
        if joint.compliance is None and depends_on_time(joint, model):
            raise ModelError(
                "its frames or its length change with time or state, which bond graphs do not cover.",
                component=joint.name,
                remedy="Use another formulation, or a slider with lw.Motion(…) in its place.",
            )


def _sides(model: Model) -> frozenset[str]:
    """Where components with ports that jump are between their switches."""
    switches = [SX(s) for c in model.of_type(PortComponent) if c.jumps for s in c.switches()]
    return frozenset(s.name() for s in switches if s.is_symbolic())


def _motions(model: Model) -> list[tuple[str, str, SX]]:
    coordinates = [c for joint in model.of_type(Joint) for c in joint.coordinates] + model.of_type(Variable)
    laws = [(c.name, c.motion) for c in coordinates if c.motion is not None and c.motion.level != "acceleration"]
    motions = []
    for name, law in laws:
        path = SX(law.path(model.t))
        for level in LEVELS[LEVELS.index(law.level) :]:
            motions.append((name, level, path))
            path = ca.jacobian(path, model.t)
    return motions
