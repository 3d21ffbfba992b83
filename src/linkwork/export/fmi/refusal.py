"""What an FMU cannot hold, told in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.components.contacts.outlined import Outlined
from linkwork.components.cosimulation.cosimulation import Cosimulation
from linkwork.core.equations import Equations
from linkwork.core.errors import ModelError
from linkwork.core.port import PortComponent
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.core.model import Model


def refuse(model: Model) -> None:
    """Raise for what a run in Python decides: which features of two convex outlines touch, and FMUs of others."""
    for outlined in model.of_type(Outlined):
        if outlined.features(model.is_planar) is not None:
            raise ModelError(
                "which corners of its two outlines touch is chosen during a run, which an FMU does not cover.",
                component=outlined.name,
                remedy="Let one of the outlines be lw.outlines.Ball(…) or the ground: springy or rigid.",
            )
    for part in model.of_type(Cosimulation):
        raise ModelError(
            "it is an FMU itself, which no other FMU holds.",
            component=part.name,
            remedy="Export the model without it, with inputs in place of its outputs, and couple both.",
        )


def refuse_valves(model: Model, eq: Equations) -> None:
    """Raise for components whose state says on which side of a jump they are: where they change, rounding would."""
    for c in model.of_type(PortComponent):
        if c.jumps and any(SX(s).is_symbolic() and SX(s).name() in eq.states.sides for s in c.switches()):
            raise ModelError(
                "it changes between leading and blocking by events, which an FMU does not cover.",
                component=c.name,
                remedy="Use m.diode(…), whose characteristic is smooth, or m.switch(…).",
            )
