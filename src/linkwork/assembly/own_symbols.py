"""Every symbol in a model's equations must be one of its own: one of another model could never get a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca

from linkwork.core.equations import Equations
from linkwork.core.errors import ModelError
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.core.model import Model


def check_symbols(model: Model, eq: Equations) -> None:
    """Raise if a symbol is neither a state nor a parameter, an input or the time of this model."""
    known = {s.__hash__() for s in ca.symvar(ca.vertcat(eq.t, eq.y, eq.p, eq.a, eq.multipliers))}
    strangers = [s for s in eq.free_symbols() if s.__hash__() not in known]
    if not strangers:
        return
    names = ", ".join(dict.fromkeys(s.name() for s in strangers))
    raise ModelError(
        f"depends on {names}, which this model does not know.",
        component=_owner(eq, strangers[0]) or model.name,
        remedy="Use this model's own m.parameter(…), m.input(…), states and variables, and m.t for the time.",
    )


def _owner(eq: Equations, stranger: SX) -> str:
    """The component whose channel, state, row or event holds the symbol."""
    placed = eq.constraints.position.numel()
    rows = ca.vertcat(eq.constraints.position, SX.zeros(len(eq.constraints.rows) - placed, 1)), eq.constraints.velocity
    held = [(row.owner, ca.vertcat(*(level[k] for level in rows))) for k, row in enumerate(eq.constraints.rows)]
    held += [(name.rpartition(".")[0] or name, value) for name, (_, value) in eq.observation.outputs.items()]
    held += [(name, eq.motion.zdot[k]) for k, name in enumerate(eq.z_names)]
    held += [(event.name, g) for event, g in eq.observation.events]
    # Energies and residuals sum up what others hold.
    sums = ("energy", "residual")
    return next((n for n, x in held if n.partition(".")[0] not in sums and ca.depends_on(x, stranger)), "")
