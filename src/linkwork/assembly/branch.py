"""On which branch a mechanism is: the sign of the determinant of its closing equations."""

from __future__ import annotations

import math

import numpy as np

from linkwork.assembly.numbers import Numbers

SPEEDS = 400
"""With more, no branch is told."""


def branch_of(numbers: Numbers, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> str:
    """Sign of det [A; B] with rows B for as many joint coordinates as there are freedoms, in the order of the model."""
    by_row, by_speed, by_coordinate = numbers.units
    if not 0 < numbers.nv <= SPEEDS or not by_row.size:
        return "+"
    A = np.array(numbers.constraints(q, v, z)[2]) * by_speed / by_row[:, None]
    chosen = chosen_coordinates(numbers)
    B = (np.array(numbers.measures(q, v, z)[2]) * by_speed / by_coordinate[:, None])[chosen]
    rows = _independent(A, A.shape[1])
    rows = _independent(np.vstack([rows, B, np.eye(A.shape[1])[spins_first(numbers)]]), A.shape[1])
    return "+" if np.linalg.slogdet(rows)[0] > 0 else "-"


def chosen_coordinates(numbers: Numbers) -> list[int]:
    """Rotation vectors are a chart of their own, whose sign changes at half a turn: the bodies' own spins (in body
    axes) stand in for them, and come before their velocities, which a ball joint's arm could turn over."""
    planar = numbers.model.is_planar
    return [k for k, c in enumerate(numbers.coordinates) if c.turns or c.unit == "m" or planar]


def spins_first(numbers: Numbers) -> list[int]:
    """Speeds of the bodies, those about axes before those along."""
    linear, size = numbers.space.along, numbers.space.size
    return sorted(range(numbers.nv), key=lambda i: i % size < linear)


def _independent(rows: np.ndarray, limit: int) -> np.ndarray:
    """The first rows that are linearly independent of those before them."""
    known = np.zeros((min(limit, len(rows)), rows.shape[1]))
    kept: list[int] = []
    sizes = np.sqrt(np.einsum("ij,ij->i", rows, rows)).tolist()
    for k, row in enumerate(rows):
        basis = known[: len(kept)]
        rest = row - (basis @ row) @ basis
        rest = rest - (basis @ rest) @ basis
        left = math.sqrt(rest @ rest)
        if left > 1e-8 * sizes[k] > 0:
            known[len(kept)] = rest / left
            kept.append(k)
        if len(kept) == limit:
            break
    return rows[kept]
