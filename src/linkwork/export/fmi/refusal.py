"""What an FMU cannot hold, told in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.core.equations import Equations
from linkwork.core.errors import ModelError
from linkwork.core.port import PortComponent
from linkwork.geometry import SX
from linkwork.simulation.refusal import refuse_contacts, refuse_pairs

if TYPE_CHECKING:
    from linkwork.core.model import Model


def refuse(model: Model) -> None:
    """Raise for what a run in Python decides by searching: rigid contacts, and which features of outlines touch."""
    refuse_contacts(model, "an FMU")
    refuse_pairs(model, "an FMU")


def refuse_valves(model: Model, eq: Equations) -> None:
    """Raise for components whose state says on which side of a jump they are: where they change, rounding would."""
    for c in model.of_type(PortComponent):
        sides = {x.name() for s in c.switches() if (x := SX(s)).is_symbolic()} if c.jumps else set()
        if sides & set(eq.z_names):
            raise ModelError(
                "it changes between leading and blocking by events, which an FMU does not cover.",
                component=c.name,
                remedy="Use m.diode(…), whose characteristic is smooth, or m.switch(…).",
            )
