"""How soft a constraint may be."""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.core.arguments import record
from linkwork.core.kinds import nonnegative_number, positive_number


@dataclass(frozen=True)
@record(error=positive_number, stiffness=positive_number, damping=nonnegative_number, ratio=nonnegative_number)
class Compliance:
    """How soft a constraint is that is enforced by springs and dampers (BND's R/C elements).

    error: deflection that is acceptable [rad, or lengths of the mechanism: metres, if its parts are of the order of
    1 m]; sets the stiffness from the load at the start and the mass behind.
    stiffness [N/m or N·m/rad], damping [N·s/m or N·m·s/rad]: given for all directions instead.
    ratio: damping as a share of critical damping, where it is not given.
    """

    error: float = 1e-6
    stiffness: float | None = None
    damping: float | None = None
    ratio: float = 1.0
