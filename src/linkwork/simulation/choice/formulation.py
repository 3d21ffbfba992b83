"""`formulation="auto"`: the formulation with the fewest operations, judged from the mechanism's shape.

Explicit solvers need evaluations. Trees: joint coordinates, always. With loops the mass matrix of each branch that
leaves the ground is full, and its factorisation grows with the cube of the branch's speeds, while absolute coordinates
grow with the constraint rows. So long loops, and loops at the end of long chains, are for absolute coordinates; short
ones, the usual case, are not.
Implicit solvers need Jacobians and their factors too. In joint coordinates every speed of a branch feels all others, in
absolute ones only its neighbours, and there the equations are at hand: those that the start was found with.
The constants are fits to measured instruction counts; they and the times they lead to are in docs/formulations.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.components.joint import Joint
from linkwork.components.variables import Guide
from linkwork.core.component import Constraint
from linkwork.formulations.order import weighed
from linkwork.formulations.tree import Link

if TYPE_CHECKING:
    from linkwork.core.model import Model

AUTOMATIC = "auto"

PER_ROW = {2: 68, 3: 220}
"""Operations per constraint row in absolute coordinates, by dimension: within 20 % from 3 to 100 bodies."""
PER_SPEED = {2: 110, 3: 350}
"""Operations per speed in joint coordinates with loops; in space half of it where all axes are parallel."""
PER_CUBE = 1.6
"""Operations per cube of the speeds of a branch in joint coordinates with loops."""
IMPLICIT_BODY = {2: 80, 3: 800}
"""Of an implicit step per body in absolute coordinates, where it is `PER_SPEED` per speed in joint coordinates;
measured on chains of 3 to 80 bodies."""
FULL = 100
"""Speeds of a branch that double the latter, as each speed feels all others."""
LITTLE = 10_000
"""Operations of such a step up to which nobody sees the difference."""
AT_HAND = 2.0
"""Share by which joint coordinates must be better than equations that need not be derived any more."""


def choose(model: Model, *, implicit: bool = False) -> tuple[str, str]:
    """(formulation, the reason in one sentence) for a model; takes no more than a walk along its joints.

    implicit: whether the solver is.
    """
    guides = model.of_type(Guide)
    if guides:
        return "minimal", "Position matrices are given, which are what joint coordinates would have to be derived from."
    tree = weighed(model).tree
    held = {link.joint.name for link in tree.links if link.joint is not None}
    ideal = [c for c in model.of_type(Constraint) if c.compliance is None]
    closing = [c.name for c in ideal if c.name not in held]
    large = _for_implicit(tree.links, model.dimension, bool(closing)) if implicit else None
    if large is not None:
        return large
    if not closing:
        return "minimal", "The joints form a tree, where joint coordinates need no constraints and the least work."
    branches = _branches(tree.links, model.dimension)
    minimal = PER_SPEED[model.dimension] * sum(branches) + PER_CUBE * sum(n**3 for n in branches)
    absolute = PER_ROW[model.dimension] * sum(_rows(c, model.dimension) for c in ideal)
    name = "minimal" if minimal <= absolute else "absolute"
    return name, (
        f"Loops are closed by {_listed(closing)}; with branches of up to {max(branches)} speeds an evaluation takes "
        f"about {_round(minimal)} operations in joint coordinates and {_round(absolute)} in absolute ones."
    )


def _for_implicit(links: list[Link], dimension: int, closed: bool) -> tuple[str, str] | None:
    """None: so little work that the solver makes no difference."""
    branches = _branches(links, dimension)
    minimal = PER_SPEED[dimension] * sum(n * (1 + n / FULL) for n in branches)
    minimal += PER_CUBE * sum(n**3 for n in branches) if closed else 0.0
    absolute = IMPLICIT_BODY[dimension] * len(links)
    if max(minimal, absolute) < LITTLE:
        return None
    name = "minimal" if AT_HAND * minimal <= absolute else "absolute"
    return name, (
        f"The solver is implicit: with branches of up to {max(branches, default=0)} speeds a step takes about "
        f"{_round(minimal)} operations in joint coordinates, which must be derived first, and {_round(absolute)} in "
        "absolute ones."
    )


def _branches(links: list[Link], dimension: int) -> list[int]:
    """Speeds in each branch of the tree; branches meet only at the ground."""
    root: dict[str, str] = {}
    speeds: dict[str, int] = {}
    for link in links:
        root[link.body.name] = root.get(link.parent.name, link.body.name)
        branch = root[link.body.name]
        speeds[branch] = speeds.get(branch, 0) + _speeds(link.joint, dimension)
    return list(speeds.values())


def _speeds(joint: Joint | None, dimension: int) -> int:
    if joint is None:
        return 3 if dimension == 2 else 6
    return sum(c.motion is None for c in joint.coordinates)


def _rows(constraint: Constraint, dimension: int) -> int:
    if not isinstance(constraint, Joint):
        return 1
    return (3 if dimension == 2 else 6) - _speeds(constraint, dimension)


def _listed(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 3 else f"{', '.join(names[:2])} and {len(names) - 2} more"


def _round(operations: float) -> int:
    """To two digits: more would pretend to be exact."""
    return int(float(f"{operations:.2g}"))
