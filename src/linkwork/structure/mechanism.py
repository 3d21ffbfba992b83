"""Accelerations and multipliers of a mechanism among the unknowns of a system: solved by their own elimination."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import casadi as ca

from linkwork.algebra.proximal import KKT, Order
from linkwork.core.errors import ModelError
from linkwork.core.port import Quantity
from linkwork.geometry import SX
from linkwork.structure.linear import is_equal, is_symmetric


@dataclass(frozen=True)
class Mechanism:
    """Speeds and multipliers of a mechanism: their places in it by unknown, and the order of elimination."""

    speeds: dict[int, int]
    rows: dict[int, int]
    """By id of the unknown."""
    order: Order
    massless: dict[str, SX]
    """By body, the symbol that stands for a mass or inertia of zero: without, the structure would not show it."""
    rotations: Mapping[str, float] = field(default_factory=dict)
    """Some rotation matrices, by symbol: what holds of these only is tried with them."""

    def has(self, x: Quantity) -> bool:
        return id(x) in self.speeds or id(x) in self.rows

    def refuse_massless(self) -> None:
        if self.massless:
            raise ModelError(
                "it has no mass, and the network it belongs to must be solved together with the mechanism.",
                component=next(iter(self.massless)),
                remedy='Give it a mass and inertia, or use formulation="absolute" or "minimal".',
            )

    def solve(self, J: SX, r: SX, unknowns: list[Quantity]) -> tuple[SX, list[int]] | None:
        """x with J x = r for accelerations and multipliers, and which of x are left when the others are eliminated one
        body and joint at a time; None where J is not [M Aᵀ; A 0].
        """
        moving = [n for n, x in enumerate(unknowns) if id(x) in self.speeds]
        held = [n for n, x in enumerate(unknowns) if id(x) in self.rows]
        zeros = ca.vertcat(SX(0, 1), *self.massless.values())
        J = ca.sparsify(ca.substitute(J, zeros, SX.zeros(zeros.numel(), 1)))
        M, A, back = J[moving, moving], J[held, moving], J[moving, held]
        if J[held, held].nnz() or not (is_symmetric(M) and is_equal(A, back.T, self.rotations)):
            return None
        order = self.order.among(
            [self.speeds[id(unknowns[n])] for n in moving], [self.rows[id(unknowns[n])] for n in held]
        )
        x = SX.zeros(len(unknowns), 1)
        kkt = KKT(ca.triu2symm(ca.triu(M)), A, order)
        x[moving], x[held] = kkt.solve(r[moving], r[held])
        return x, [held[k] for k in kkt.cut]
