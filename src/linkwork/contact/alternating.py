"""Coulomb contact by alternating directions: slow and sure, where guesses and Newton's method go round in circles.

Forces that obey the masses and forces within the cones of friction are drawn together (ADMM). De Saxcé's shift
u_n + μ |u_t| turns Coulomb's law into orthogonality on the cone, and follows the iteration. Redundant contacts do no
harm: what they share is what the cones allow. Each step treats all contacts at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from linkwork.contact.complementarity import ContactRows

STEPS = 5_000
LOOK = 25
"""Steps between two looks at what is left."""
ENOUGH = 1e-11
"""Share of the largest force, and of the largest speed, that may be left."""
NEAR_ENOUGH = 1e-8
"""Share that may be left after all steps."""
RELAXATION = 1.6
UNEVEN = 5.0
"""Ratio of what is left of forces and of speeds at which the weight between them is changed."""
RUNAWAY = 1e9
"""Forces, relative to those that would stop each contact by itself, that have no end."""


class _Cones:
    """The cones of all contacts as arrays: row of the normal and rows across it, the last row of all where none is."""

    def __init__(self, contacts: list[ContactRows], size: int, unit: np.ndarray):
        self.size = size
        self.rows = np.full((len(contacts), 3), size)
        self.mu = np.array([contact.friction for contact in contacts])
        self.pressed = np.array([contact.normal is None for contact in contacts])
        """Where the normal force is given."""
        self.given = np.array([contact.direction is not None for contact in contacts])
        self.d = np.zeros((len(contacts), 2))
        for k, contact in enumerate(contacts):
            self.rows[k, 0] = size if contact.normal is None else contact.normal
            self.rows[k, 1 : 1 + len(contact.tangential)] = contact.tangential
            if contact.direction is not None:
                self.d[k, : len(contact.tangential)] = contact.direction
        self.limit = self.mu * [
            contact.press / unit[contact.tangential[0]] if contact.tangential else 0.0 for contact in contacts
        ]

    def _parts(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        parts = np.append(x, 0.0)[self.rows]
        return parts[:, 0], parts[:, 1:]

    def nearest(self, F: np.ndarray) -> np.ndarray:
        """The nearest forces that contacts can have."""
        N, T = self._parts(F)
        size = np.maximum(np.sqrt((T * T).sum(axis=1)), 1e-300)
        along = (T * self.d).sum(axis=1)
        edge = np.maximum(np.where(self.given, N - self.mu * along, N + self.mu * size) / (1 + self.mu**2), 0.0)
        within = ~self.given & (size <= self.mu * N)
        normal = np.where(within, N, edge)
        most = np.where(self.pressed, self.limit, self.mu * normal)
        held = ~self.given & (size <= most)
        across = np.where(held[:, None], T, most[:, None] * np.where(self.given[:, None], -self.d, T / size[:, None]))
        forces = np.zeros(self.size + 1)
        forces[self.rows[:, 0]] = normal
        forces[self.rows[:, 1]] = across[:, 0]
        forces[self.rows[:, 2]] = across[:, 1]
        forces[self.size] = 0.0
        return forces[:-1]

    def shift(self, u: np.ndarray) -> np.ndarray:
        """μ times the speed of the slip, in the rows of the normals."""
        _, slip = self._parts(u)
        size = np.where(self.given, (slip * self.d).sum(axis=1), np.sqrt((slip * slip).sum(axis=1)))
        shift = np.zeros(self.size + 1)
        shift[self.rows[:, 0]] = np.where(self.pressed, 0.0, self.mu * size)
        shift[self.size] = 0.0
        return shift[:-1]


def by_alternating(W: np.ndarray, b: np.ndarray, contacts: list[ContactRows]) -> np.ndarray | None:
    """Forces F with u = W F + b; None where no end is in sight. What sticks holds no better than what slides."""
    unit = _units(W, contacts)
    W, b = W * unit * unit[:, None], b * unit
    cones, size = _Cones(contacts, b.size, unit), float(np.abs(b).max(initial=0.0))
    if not size:
        return np.zeros(b.size)
    weight = 1.0
    inverse = np.linalg.inv(W + weight * np.eye(b.size))
    z, y, left = np.zeros(b.size), np.zeros(b.size), np.inf
    for step in range(1, STEPS + 1):
        x = inverse @ (weight * z - y - b - cones.shift(-y))
        moved = RELAXATION * x + (1 - RELAXATION) * z
        last, z = z, cones.nearest(moved + y / weight)
        y = y + weight * (moved - z)
        if step % LOOK:
            continue
        largest = float(np.abs(z).max(initial=0.0))
        if largest > RUNAWAY * size or not np.isfinite(largest):
            return None
        forces = float(np.abs(x - z).max()) / max(largest, size)
        speeds = weight * float(np.abs(z - last).max()) / size
        left = max(forces, speeds)
        if left <= ENOUGH:
            break
        if step % (4 * LOOK) == 0 and max(forces, speeds) > UNEVEN * min(forces, speeds):
            weight *= float(np.clip(np.sqrt(forces / max(speeds, 1e-300)), 0.1, 10.0))
            inverse = np.linalg.inv(W + weight * np.eye(b.size))
    return z * unit if left <= NEAR_ENOUGH else None


def _units(W: np.ndarray, contacts: list[ContactRows]) -> np.ndarray:
    """By row: the force that a contact answers to with a speed like itself. One for all rows of a contact."""
    unit, answers = np.ones(len(W)), np.diag(W)
    for contact in contacts:
        rows = [*([] if contact.normal is None else [contact.normal]), *contact.tangential]
        unit[rows] = 1 / np.sqrt(max(float(answers[rows].mean()), 1e-300))
    return unit
