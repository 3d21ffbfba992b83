"""How soft a constraint may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, TypedDict

from linkwork.core.arguments import record
from linkwork.core.kinds import nonnegative_number, positive_number, several

STIFF = (positive_number | several(positive_number, "", empty=False)).saying(
    "Give a positive number, or one for each axis of the joint."
)
DAMPED = (nonnegative_number | several(nonnegative_number, "", empty=False)).saying(
    "Give a positive number or 0, or one for each axis of the joint."
)
PerAxis: TypeAlias = float | tuple[float, ...]


class ComplianceWords(TypedDict, total=False):
    """The words of `Compliance`."""

    error: float
    stiffness: PerAxis
    damping: PerAxis
    ratio: float
    torsion: PerAxis
    torsion_damping: PerAxis


@dataclass(frozen=True)
@record(
    error=positive_number,
    stiffness=STIFF["N/m"],
    damping=DAMPED["N·s/m"],
    ratio=nonnegative_number,
    torsion=STIFF["N·m/rad"],
    torsion_damping=DAMPED["N·m·s/rad"],
)
class Compliance:
    """How soft a constraint is that is enforced by springs and dampers (BND's R/C elements).

    error: deflection that is acceptable [rad, or lengths of the mechanism: metres, if its parts are of the order of
    1 m]; sets the stiffness from the load at the start and the mass behind.
    stiffness [N/m], damping [N·s/m]: given instead, one number, or one for each axis (x, y, z; x, y in the plane) of
    the joint's first frame. A number alone holds for rotations as well [N·m/rad, N·m·s/rad].
    ratio: damping as a share of critical damping, where it is not given.
    torsion [N·m/rad], torsion_damping [N·m·s/rad]: of rotations, one number, or one about each axis (x, y, z).
    """

    error: float = 1e-6
    stiffness: PerAxis | None = None
    damping: PerAxis | None = None
    ratio: float = 1.0
    torsion: PerAxis | None = None
    torsion_damping: PerAxis | None = None

    def spring(self, turns: bool) -> PerAxis | None:
        """Stiffness of displacements, or of rotations; None: it follows from the error."""
        return _apart(self.stiffness, self.torsion, turns)

    def damper(self, turns: bool) -> PerAxis | None:
        """Damping of displacements, or of rotations; None: it follows from the ratio."""
        return _apart(self.damping, self.torsion_damping, turns)

    @property
    def given(self) -> bool:
        """Whether any stiffness was given: how far it gives way is the user's affair then."""
        return self.stiffness is not None or self.torsion is not None


def _apart(along: PerAxis | None, about: PerAxis | None, turns: bool) -> PerAxis | None:
    """One number along the axes holds about them, too, unless something else is said."""
    if not turns:
        return along
    return along if about is None and not isinstance(along, tuple) else about
