"""Stiffness and damping of compliant constraints of a large model, from what they feel where they are ideal."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from linkwork.core.component import Constraint
from linkwork.large.groups import Group, Softness
from linkwork.large.natural_units import inertias
from linkwork.large.prototypes import NAME
from linkwork.large.start import Starting
from linkwork.simulation.choice.compliance import Axes, Feels, shared, soft

if TYPE_CHECKING:
    import scipy.sparse


def compliant(constraint: object) -> bool:
    return isinstance(constraint, Constraint) and constraint.compliance is not None


def softness_by_kernels(starting: Starting, y: np.ndarray) -> Softness:
    """As `softness_of`; y: where the model starts."""
    large = starting.large
    tables, axes = large.tables, Axes(large.model)
    q, v, z = np.split(y, [tables.nq, tables.nq + tables.nv])
    _, _, A = starting.constraints(q, v, z)
    mass, load = _felt(starting, y, A)
    along = np.arange(tables.nv) % tables.speeds < large.model.dimension
    kinds = np.where(np.asarray(abs(A[:, along]).max(axis=1).todense()).ravel() > 1e-9, "displacement", "rotation")
    load = shared(large.row_owners, load, kinds.tolist())
    softness: dict[str, dict] = {}
    for group in tables.groups:
        for n, constraint in enumerate(group.members):
            if not isinstance(constraint, Constraint) or constraint.compliance is None:
                continue
            softness[constraint.name] = rows = {}
            for i, row in enumerate(group.kind.rows):
                if row.owner == NAME:
                    k = int(group.rows[n]) + i
                    felt = Feels(large.sizes.rows[k], str(kinds[k]), mass[k], load[k], i < group.kind.positions)
                    rows[row] = soft(replace(row, owner=constraint.name), constraint.compliance, felt, axes)
    return softness


def _felt(starting: Starting, y: np.ndarray, A: scipy.sparse.csr_matrix) -> tuple[np.ndarray, np.ndarray]:
    """By row: the mass it moves, 1/(A M⁻¹Aᵀ), and the larger of its own load at the start and that mass's weight."""
    large, p = starting.large, starting.p
    felt = np.asarray((A @ inertias(large.tables, p)).multiply(A).sum(axis=1)).ravel()
    mass = 1 / np.where(felt > 0, felt, 1)
    program = large.ready(y, p)
    (outputs,) = program.function("outputs")(0.0, y, p)
    place = {c.name: k for k, c in enumerate(program.channels)}
    load = np.zeros(large.tables.m)
    for group in large.tables.groups:
        for n, name in _multipliers(group):
            where = [place[f"{c.name}{name[len(NAME) :]}"] for c in group.members]
            load[group.rows + n] = outputs[where] * group.kind.rows[n].unit
    gravity = float(np.linalg.norm([starting.number(g).item() for g in large.model.gravity]))
    return mass, np.maximum(np.abs(load), mass * max(gravity, 1.0))


def _multipliers(group: Group) -> list[tuple[int, str]]:
    """Rows of a kind, and the channels of what they bear."""
    own = [n for n, row in enumerate(group.kind.rows) if row.owner == NAME]
    return [(n, f"{NAME}.multiplier{k + 1}") for k, n in enumerate(own)]
