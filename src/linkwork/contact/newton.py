"""Coulomb contact by Newton's method, where guesses of what each contact does go round in circles.

The conditions as equations without cases (Alart and Curnier): N = max(N − ρ u_n, 0), and T is T − ρ u_t put back on the
disc of radius μ N. Its derivative knows how the direction of a slip that has hardly begun depends on all forces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.algebra.rank import MIXED, least_squares

if TYPE_CHECKING:
    from linkwork.contact.complementarity import ContactRows

STEPS = 60
HALVINGS = 10
ENOUGH = 1e-12
"""Share of the largest force that a residual may have."""


def by_newton(W: np.ndarray, b: np.ndarray, contacts: list[ContactRows], F: np.ndarray) -> np.ndarray | None:
    """Forces F with u = W F + b, from a first guess; None where it leads nowhere."""
    size = float(np.abs(b).max(initial=0.0)) / max(float(np.diag(W).max(initial=0.0)), 1e-300)
    rest, slope = _conditions(W, b, contacts, F)
    for _ in range(STEPS):
        if np.abs(rest).max(initial=0.0) <= ENOUGH * max(size, float(np.abs(F).max(initial=0.0))):
            return F
        step = least_squares(slope, -rest, MIXED)
        if not np.isfinite(step).all():
            return None
        for halving in range(HALVINGS):
            moved = F + step / 2**halving
            left, its_slope = _conditions(W, b, contacts, moved)
            if np.linalg.norm(left) < np.linalg.norm(rest):
                break
        F, rest, slope = moved, left, its_slope
    return None


def _conditions(
    W: np.ndarray, b: np.ndarray, contacts: list[ContactRows], F: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What must vanish [N], by row, and its derivative by the forces; forces of rows without a contact vanish."""
    rest, slope, u = F.copy(), np.eye(F.size), W @ F + b
    for contact in contacts:
        N, by_N = contact.press, np.zeros(F.size)
        if (k := contact.normal) is not None:
            soft = max(W[k, k], 1e-300)
            if F[k] - u[k] / soft <= 0:
                continue  # open: its forces vanish
            rest[k], slope[k] = u[k] / soft, W[k] / soft
            N, by_N[k] = max(F[k], 0.0), 1.0
        if not contact.tangential:
            continue
        rows = list(contact.tangential)
        if contact.direction is not None:
            rest[rows] += contact.friction * N * contact.direction
            slope[rows] += contact.friction * np.outer(contact.direction, by_N)
            continue
        soft = max(np.trace(W[np.ix_(rows, rows)]) / len(rows), 1e-300)
        wanted, by_F = F[rows] - u[rows] / soft, slope[rows] - W[rows] / soft
        length = float(np.linalg.norm(wanted))
        if length <= contact.static * N:
            rest[rows], slope[rows] = u[rows] / soft, W[rows] / soft
            continue
        d = wanted / length
        turning = (np.eye(len(rows)) - np.outer(d, d)) @ by_F / length
        rest[rows] -= contact.friction * N * d
        slope[rows] -= contact.friction * (np.outer(d, by_N) + N * turning)
    return rest, slope
