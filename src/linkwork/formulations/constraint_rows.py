"""Constraint rows of a view: which are ideal and which springs, and what differentiating them gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from linkwork.core.component import Constraint
from linkwork.core.equations import Row
from linkwork.core.errors import ModelError
from linkwork.formulations.contributions import Contributions
from linkwork.formulations.maximal_view import MaximalView
from linkwork.formulations.relative_twist import in_joint_axes
from linkwork.formulations.stabilisation import Baumgarte, Projection
from linkwork.geometry import SX


@dataclass
class Rows:
    """Constraint rows, ideal (hard) and compliant (soft), in the symbols of a view."""

    all_names: list[Row]
    all_position: SX
    all_velocity: SX
    all_pull: SX
    """Multiplier of each row: a symbol, or k Φ + d Φ̇."""
    hard: list[int]
    soft: list[int]
    multipliers: SX
    soft_pull: SX
    """Aᵀ times the pull of the soft rows, in the order of the bodies' speeds."""

    def of(self, owner: str) -> list[int]:
        return self._by_owner.get(owner, [])

    @cached_property
    def _by_owner(self) -> dict[str, list[int]]:
        rows: dict[str, list[int]] = {}
        for k, row in enumerate(self.all_names):
            rows.setdefault(row.owner, []).append(k)
        return rows

    def multipliers_of(self, owner: str) -> list[SX]:
        """As the owner's equations are written."""
        return [self.all_pull[k] / self.all_names[k].unit for k in self.of(owner)]

    def by_owner(self, constraints: Sequence[Constraint]) -> dict[str, list[SX]]:
        """Those of all constraints that have rows."""
        return {c.name: self.multipliers_of(c.name) for c in constraints if self.of(c.name)}

    @property
    def names(self) -> list[Row]:
        return [self.all_names[k] for k in self.hard]

    @property
    def position(self) -> SX:
        return _picked(self.all_position, [k for k in self.hard if k < self.all_position.numel()])

    @property
    def velocity(self) -> SX:
        return _picked(self.all_velocity, self.hard)


def _picked(column: SX, rows: list[int]) -> SX:
    """Some rows of a column; none of a single one would be a row without columns."""
    return column[rows] if rows else SX(0, 1)


def split_rows(
    view: MaximalView, contributions: Contributions, softness: Mapping[Row, tuple[float, float]] | None
) -> Rows:
    """All rows; the soft ones become forces −Aᵀ(k Φ + d Φ̇) (BND's R/C elements) and enter the energies."""
    names = [r for r, _ in contributions.position] + [r for r, _ in contributions.speed]
    in_joint_axes(view, contributions.position, lambda row: row in (softness or {}))
    position = ca.vertcat(*(x for _, x in contributions.position))
    velocity = ca.vertcat(drift_of(view, contributions, position), *(x for _, x in contributions.speed))
    for x in contributions.accelerations:
        for row, speed in zip(names, ca.vertsplit(velocity), strict=True):
            if ca.depends_on(speed, x.symbol):
                raise ModelError(
                    "follows a state whose rate depends on accelerations of the mechanism.",
                    component=row.owner,
                    remedy="Put a lag between the state and the constraint, or a spring in its place.",
                )
    given = softness or {}
    soft = [k for k, row in enumerate(names) if row in given]
    hard = [k for k in range(len(names)) if k not in soft]
    multipliers, pull = SX.sym("lambda", len(hard)), SX.zeros(len(names), 1)
    for n, k in enumerate(hard):
        pull[k] = multipliers[n]
    for k in soft:
        stiffness, damping = given[names[k]]
        deflection = position[k] if k < position.numel() else SX(0)
        pull[k] = stiffness * deflection + damping * velocity[k]
        contributions.potential += stiffness * deflection**2 / 2
        contributions.dissipation += damping * velocity[k] ** 2
    soft_pull = ca.jacobian(velocity[soft], view.v).T @ pull[soft] if soft else SX(view.v.numel(), 1)
    return Rows(names, position, velocity, pull, hard, soft, multipliers, soft_pull)


def gamma_of(
    view: MaximalView, contributions: Contributions, rows: Rows, stabilisation: Projection | Baumgarte | None
) -> SX:
    """γ of A v̇ = γ, with Baumgarte's terms where asked for (AME (23))."""
    gamma = -drift_of(view, contributions, rows.velocity)
    if isinstance(stabilisation, Baumgarte):
        missing = rows.velocity.numel() - rows.position.numel()
        gamma -= 2 * stabilisation.alpha * rows.velocity
        gamma -= stabilisation.beta**2 * ca.vertcat(rows.position, SX(missing, 1))
    return gamma


def drift_of(view: MaximalView, contributions: Contributions, speeds: SX) -> SX:
    """d/dt of some speeds at constant v: what accelerations do not account for."""
    drift = view.time_derivative(speeds)
    if contributions.first_order:
        driven = ca.vertcat(*(s for _, s, _ in contributions.first_order))
        drift += ca.jtimes(speeds, driven, ca.vertcat(*(d for _, _, d in contributions.first_order)))
    return drift
