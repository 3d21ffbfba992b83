"""Coordinate partitioning (BND (8)–(17)): dependent speeds follow from independent ones, without multipliers.

A v̇ = γ with A = [A_i A_d] gives v̇ = M_β v̇_i + c, M_β = [1; −A_d⁻¹A_i]; then M_βᵀM M_β v̇_i = M_βᵀ(f − M c): BND's
second virtual inertia (15) and gyristor (16). Works on the equations of any formulation that has constraint rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca

from linkwork.algebra.proximal import Mass
from linkwork.core.equations import Equations
from linkwork.core.program import Event
from linkwork.geometry import SX

LIMIT = 20.0
"""Largest rate of a dependent speed per unit of an independent one."""


@dataclass(frozen=True)
class Partition:
    """Indices of the independent speeds, and of as many rows as there are dependent ones."""

    independent: tuple[int, ...]
    rows: tuple[int, ...]


def partitioned(eq: Equations, partition: Partition) -> Equations:
    """The same equations, solved for the independent accelerations."""
    n = eq.v.numel()
    free, rows = list(partition.independent), list(partition.rows)
    bound = [k for k in range(n) if k not in free]
    motion, constraints = eq.motion, eq.constraints
    A = constraints.jacobian[rows, :]
    both = ca.solve(ca.densify(A[:, bound]), ca.densify(ca.horzcat(A[:, free], constraints.gamma[rows])))
    T, shift = -both[:, : len(free)], both[:, len(free) :]
    M_beta, c = SX(n, len(free)), SX(n, 1)
    for k, i in enumerate(free):
        M_beta[i, k] = 1
    M_beta[bound, :], c[bound] = T, shift
    mass = ca.triu2symm(ca.triu(M_beta.T @ motion.mass @ M_beta))
    independent = Mass(mass).solve(M_beta.T @ (motion.force - motion.mass @ c)) if free else SX(0, 1)
    acceleration = M_beta @ independent + c
    # Multipliers of the chosen rows from the dependent equations; those left out carry nothing.
    multipliers = SX.zeros(eq.multipliers.numel(), 1)
    multipliers[rows] = ca.solve(ca.densify(A[:, bound].T), (motion.force - motion.mass @ acceleration)[bound])
    steepest = ca.mmax(ca.fabs(ca.densify(T))) if free else SX(0)
    solved = eq.solved(acceleration, multipliers)
    events = [*solved.observation.events, (Event("partition", -1, "stop", partition), LIMIT - steepest)]
    return replace(solved, observation=replace(solved.observation, events=events))
