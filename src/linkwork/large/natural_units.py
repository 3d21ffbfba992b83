"""What is large and what is small in a model, in numbers: lengths, masses, and what rows feel of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from linkwork.algebra import lapack
from linkwork.components.bodies import Body
from linkwork.formulations.order import magnitude
from linkwork.large.groups import Tables
from linkwork.large.parts import LIGHT, Sizes
from linkwork.large.slots import Unfit

if TYPE_CHECKING:
    import scipy.sparse


def sizes_of(tables: Tables, p: np.ndarray) -> Sizes:
    """In numbers, for these parameters; a body without mass, or inertia, is for straight-line code."""
    mass, inertia, spread = _masses(tables, p)
    heaviest = float(mass.max(initial=0.0))
    length = magnitude(_arms(tables, p), float(np.sqrt((spread / np.maximum(mass, 1e-300)).max(initial=0.0))))
    rows, felt = np.ones(tables.m), np.zeros(tables.m)
    dimension = tables.model.dimension
    for group in tables.groups:
        i, j = group.kind.jacobian
        for n in range(len(group.kind.rows)):
            for side in range(group.bodies.shape[1]):
                mine = j[(i == n) & (j // tables.speeds == side)] % tables.speeds
                if not mine.size:
                    continue
                bodies, position = group.bodies[:, side], bool(np.any(mine < dimension))
                felt[group.rows + n] += 1 / (mass[bodies] if position else inertia[bodies])
                if position:
                    rows[group.rows + n] = length
    return Sizes(length, rows, felt, bool(tables.m) and float(mass.min(initial=np.inf)) < LIGHT * heaviest)


def _masses(tables: Tables, p: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mass, mean and smallest moment of inertia of each body."""
    n = len(tables.bodies)
    lifted = lifted_values(tables, p)
    mass, mean, least = np.zeros(n), np.zeros(n), np.zeros(n)
    for group in tables.groups:
        if not isinstance(group.members[0], Body):
            continue
        slots = slots_of(group.kind.fixed, group.table, lifted[group.lifted])
        at = group.bodies[:, 0]
        mass[at] = slots[:, 0]
        if tables.model.is_planar:
            mean[at] = least[at] = slots[:, 1]
            continue
        xx, yy, zz, xy, xz, yz = slots[:, 1:].T
        J = np.stack([np.stack([xx, xy, xz], 1), np.stack([xy, yy, yz], 1), np.stack([xz, yz, zz], 1)], 1)
        mean[at], least[at] = (xx + yy + zz) / 3, lapack.eigvalsh(J)[:, 0]
    for k in np.flatnonzero(~((mass > 0) & (least > 0))).tolist():
        raise Unfit(tables.bodies[k].name, "it has no mass, or no inertia about some axis")
    return mass, mean, least


def inertias(tables: Tables, p: np.ndarray) -> scipy.sparse.csr_matrix:
    """M⁻¹ of all bodies: by the world's axes for positions, by their own for rotations."""
    from scipy.sparse import block_diag

    lifted, blocks = lifted_values(tables, p), {}
    for group in tables.groups:
        if isinstance(group.members[0], Body):
            slots = slots_of(group.kind.fixed, group.table, lifted[group.lifted])
            for body, (mass, *six) in zip(group.bodies[:, 0].tolist(), slots.tolist(), strict=True):
                J = np.array([[six[0]]])
                if not tables.model.is_planar:
                    xx, yy, zz, xy, xz, yz = six
                    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
                dimension = tables.model.dimension
                blocks[body] = [np.eye(dimension) / mass, np.linalg.inv(J)]
    return block_diag([part for body in range(len(tables.bodies)) for part in blocks[body]], format="csr")


def lifted_values(tables: Tables, p: np.ndarray) -> np.ndarray:
    if not tables.lifted:
        return np.zeros(0)
    f = ca.Function("lifted", [ca.vertcat(*tables.p)], [ca.densify(ca.vertcat(*tables.lifted))])
    return np.array(f(p)).ravel()


def slots_of(fixed: list[bool], table: np.ndarray, lifted: np.ndarray) -> np.ndarray:
    """All slots of a group in their order, (members, slots)."""
    slots = np.zeros((len(table), len(fixed)))
    slots[:, np.array(fixed, dtype=bool)] = table
    slots[:, ~np.array(fixed, dtype=bool)] = lifted
    return slots


def _arms(tables: Tables, p: np.ndarray) -> float:
    """Distance of the farthest joint from a mass centre, or the longest rod [m]."""
    lifted, largest = lifted_values(tables, p), 0.0
    for group in tables.groups:
        rods = group.kind.rods()
        if rods.numel():
            lengths = group.kind.numbers(rods, group.table, lifted[group.lifted], p)
            largest = max(largest, float(np.max(lengths, initial=0.0, where=np.isfinite(lengths))))
    return largest
