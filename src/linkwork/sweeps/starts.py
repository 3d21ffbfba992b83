"""Where cases begin: all in the same place, if nothing that varies has a say in it, so that one assembly serves all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from linkwork.assembly.assemble import Assembly
from linkwork.assembly.numbers import absolute_equations
from linkwork.components.bodies import Body
from linkwork.components.contacts.joint_friction import JointLoad
from linkwork.components.joint import Joint
from linkwork.components.relations import Dependence
from linkwork.components.variables import Guide, Variable
from linkwork.core.component import Constraint
from linkwork.core.equations import Equations
from linkwork.core.signal import Inputs
from linkwork.formulations.order import structure_of
from linkwork.geometry import SX
from linkwork.signals.inputs import signals_of

if TYPE_CHECKING:
    from linkwork.core.model import Model

VERIFIED = 3
"""Cases that are assembled all the same, to see that they begin where the first one does."""


class CommonStart:
    """Gives the assembly of the first case to the others, as long as that is what they would find themselves."""

    def __init__(self, model: Model, names: Sequence[str]):
        self._shared = not start_depends(model, names)
        self._known: Assembly | None = None
        self._looks = 0

    def known(self) -> Assembly | None:
        """None: the case must be assembled."""
        return self._known if self._shared and self._looks >= VERIFIED else None

    @property
    def apart(self) -> bool:
        """Whether each case has its own."""
        return not self._shared

    def learn(self, assembly: Assembly) -> None:
        """A case was assembled."""
        if self._known is None:
            self._known = assembly
        elif self._shared:
            self._shared = np.array_equal(self._known.state, assembly.state)
        self._looks += 1


def at_values(model: Model, assembly: Assembly, parameters: dict[str, float], inputs: Inputs | None) -> Assembly:
    """The same place for other values of parameters and inputs."""
    with model.prepared_for(parameters):
        p = model.p_at(absolute_equations(model), parameters, signals=signals_of(model, inputs).given)
    return replace(assembly, placement=replace(assembly.placement, parameters=p))


def start_depends(model: Model, names: Sequence[str]) -> bool:
    """Whether assembly looks at any of these parameters and inputs; where that is hard to tell, it does."""
    eq = absolute_equations(model)
    foreign = any(not type(joint).__module__.startswith("linkwork.") for joint in model.of_type(Joint))
    followed = len(model.of_type(JointLoad)) + len(model.of_type(Dependence))
    if eq.algebraic.improved is not None or followed or foreign:
        return True
    if structure_of(model).massless:
        return True
    looked_at = ca.vertcat(SX(0, 1), *(ca.vec(ca.densify(SX(x))) for x in _looked_at(model, eq)))
    return bool(ca.depends_on(looked_at, ca.vertcat(SX(0, 1), *model.symbols(names))))


def _looked_at(model: Model, eq: Equations) -> Iterator[Any]:
    """Expressions whose values decide where and how fast bodies begin."""
    rows = eq.constraints
    yield from (rows.position, rows.velocity, rows.jacobian)
    coordinates = [c for joint in model.of_type(Joint) for c in joint.coordinates] + model.of_type(Variable)
    for c in coordinates:
        yield from (eq.observation.outputs[c.name][1], eq.observation.outputs[f"{c.name}.rate"][1])
        yield from (x for x in (c.value, c.speed, getattr(c, "guess", None)) if x is not None)
        if c.motion is not None:
            yield c.motion.path(model.t)
    for body in model.of_type(Body):
        given, pose = body.given, body.start_pose()
        yield from (body.mass, body.inertia, pose.p, pose.R)
        yield from (x for x in (given.velocity, given.spin) if x is not None)
    for guide in model.of_type(Guide):
        yield from (guide.pose.p, guide.pose.R)
    for constraint in model.of_type(Constraint):
        for marker in constraint.markers():
            yield from (marker.local.p, marker.local.R)
    yield from eq.start.values.values()
