"""Coulomb contact as a problem of complementarity: which contacts carry, stick or slide, and what forces they need.

The same for forces and accelerations as for impulses and speeds: u = W F + b, and at every contact
0 ≤ N ⟂ u_n ≥ 0;  stuck: u_t = 0 with |T| ≤ μ N;  sliding: T = −μ N d with d the direction of the slip.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linkwork.algebra.least_norm import balanced
from linkwork.algebra.rank import MIXED
from linkwork.contact.alternating import by_alternating
from linkwork.contact.newton import by_newton
from linkwork.core.errors import LinkworkError

ZERO_SHARE = 1e-9
"""Share of the largest value below which speeds, accelerations and excess forces count as zero."""
NORMAL_FORCE_SHARE = 1e-3
"""Share of the largest normal force below which friction is shared as if it were that."""
GUESSES = 12
"""Of what contacts do, and four more for each, before the iterations that do not go round in circles."""


class Jam(LinkworkError):
    """No forces of Coulomb's law keep bodies that slide from penetrating each other."""


@dataclass(frozen=True)
class ContactRows:
    """One contact of the problem: its rows in W, and what is known of it."""

    name: str
    normal: int | None
    tangential: tuple[int, ...]
    friction: float
    static: float
    noise: float
    """Force or impulse that counts as none; events wait for all of it, here half of it must do."""
    direction: np.ndarray | None = None
    """Of the slip, where it slides already."""
    press: float = 0.0
    """Normal force, where it has no row."""


@dataclass(frozen=True)
class State:
    """What a contact does: "open", "stuck" or "sliding" along a direction."""

    kind: str
    direction: np.ndarray | None = None

    @property
    def key(self) -> tuple:
        return (self.kind, () if self.direction is None else tuple(np.round(self.direction, 12)))


def solve(W: np.ndarray, b: np.ndarray, contacts: list[ContactRows]) -> tuple[np.ndarray, list[State]]:
    """(F, states). Guess what every contact does, solve, correct what contradicts itself."""
    states = [_first(contact) for contact in contacts]
    first = _forces(W, b, contacts, states)
    forces = _by_guesses(W, b, contacts, states, first)
    if forces is not None:
        return forces
    # With less friction once it slides there may be no answer in which it sticks; then there is one without that.
    for given in (contacts, [replace(contact, static=contact.friction) for contact in contacts]):
        forces = _by_iteration(W, b, given, first)
        if forces is not None:
            return forces
    raise Jam(
        "no forces keep it from penetrating: with this much friction rigid bodies jam (Painlevé).",
        component=", ".join(contact.name for contact in contacts),
        remedy="Lower the friction, or use m.contact(…), whose contacts yield a little.",
    )


def _by_guesses(
    W: np.ndarray, b: np.ndarray, contacts: list[ContactRows], states: list[State], F: np.ndarray
) -> tuple[np.ndarray, list[State]] | None:
    """From states and the forces they need; None where corrections go round in a circle."""
    tried: set[tuple] = set()
    for _ in range(GUESSES + 4 * len(contacts)):
        better = _corrected(W, b, contacts, states, F)
        if better is None:
            return F, states
        key = tuple(s.key for s in better)
        if key in tried:
            break
        tried.add(key)
        states = better
        F = _forces(W, b, contacts, states)
    return None


def _by_iteration(
    W: np.ndarray, b: np.ndarray, contacts: list[ContactRows], first: np.ndarray
) -> tuple[np.ndarray, list[State]] | None:
    """Newton's method, quick where it ends; else the slow and sure one, made exact by guesses from where it ends."""
    small = ZERO_SHARE * float(np.abs(b).max(initial=0.0))
    F = by_newton(W, b, contacts, first)
    sure = F is not None
    if F is None:
        F = by_alternating(W, b, contacts)
    if F is None:
        return None
    u = W @ F + b
    states = [_read(contact, F, u, small) for contact in contacts]
    exact = None if sure else _by_guesses(W, b, contacts, states, _forces(W, b, contacts, states))
    return (F, states) if exact is None else exact


def _first(contact: ContactRows) -> State:
    return State("stuck") if contact.direction is None else State("sliding", contact.direction)


def _forces(W: np.ndarray, b: np.ndarray, contacts: list[ContactRows], states: list[State]) -> np.ndarray:
    """F for given states: F = Z f + F₀, with the rows that must vanish."""
    columns, rows, known = [], [], np.zeros(b.size)
    owner: list[int | None] = []
    """By column, the row of the normal force that bounds it, if it is friction."""
    for contact, state in zip(contacts, states, strict=True):
        if state.kind == "open":
            continue
        if contact.normal is not None:
            column = np.zeros(b.size)
            column[contact.normal] = 1.0
            if state.kind == "sliding" and state.direction is not None:
                column[list(contact.tangential)] = -contact.friction * state.direction
            columns.append(column)
            rows.append(contact.normal)
            owner.append(None)
        elif state.kind == "sliding" and state.direction is not None:
            known[list(contact.tangential)] = -contact.friction * contact.press * state.direction
        if state.kind == "stuck":
            for k in contact.tangential:
                column = np.zeros(b.size)
                column[k] = 1.0
                columns.append(column)
                rows.append(k)
                owner.append(contact.normal)
    if not rows:
        return known
    Z = np.column_stack(columns)
    matrix, rhs = W[rows] @ Z, -(b + W @ known)[rows]
    f = balanced(matrix, rhs, MIXED)
    if sum(k is not None for k in owner) > 1:  # what sticks shares its load in proportion to the normal forces
        N = known + Z @ f
        largest = max((N[k] for k in owner if k is not None), default=0.0)
        share = (
            np.array([1.0 if k is None or largest <= 0 else max(N[k] / largest, NORMAL_FORCE_SHARE) for k in owner])
            ** 0.5
        )
        f = share * balanced(share[:, None] * matrix * share, share * rhs, MIXED)
    return known + Z @ f


def _corrected(
    W: np.ndarray, b: np.ndarray, contacts: list[ContactRows], states: list[State], F: np.ndarray
) -> list[State] | None:
    """Other states where these contradict themselves; None where they do not. Normal forces come first."""
    u = W @ F + b
    small = ZERO_SHARE * max(float(np.abs(b).max(initial=0.0)), 1e-300)
    worst, culprit = 0.0, None
    for k, (contact, state) in enumerate(zip(contacts, states, strict=True)):
        if contact.normal is None:
            continue
        if state.kind == "open":
            excess = (-u[contact.normal] - small) / max(W[contact.normal, contact.normal], 1e-300)
        else:
            excess = -F[contact.normal] - contact.noise / 2
        if excess > worst:
            worst, culprit = excess, k
    if culprit is not None:
        other = _first(contacts[culprit]) if states[culprit].kind == "open" else State("open")
        return [other if k == culprit else s for k, s in enumerate(states)]
    corrected = [_slipping(contact, state, F, u, small) for contact, state in zip(contacts, states, strict=True)]
    return None if all(new is old for new, old in zip(corrected, states, strict=True)) else corrected


def _slipping(contact: ContactRows, state: State, F: np.ndarray, u: np.ndarray, small: float) -> State:
    if not contact.tangential or state.kind == "open" or contact.direction is not None:
        return state
    N = contact.press if contact.normal is None else max(F[contact.normal], 0.0)
    rows = list(contact.tangential)
    if state.kind == "stuck":
        size = float(np.linalg.norm(F[rows]))
        if size <= contact.static * N * (1 + 1e-10) + contact.noise / 2:
            return state
        return State("sliding", -F[rows] / size)
    assert state.direction is not None
    slip = u[rows]
    if slip @ state.direction < -small:
        return State("stuck") if len(rows) == 1 else State("sliding", slip / np.linalg.norm(slip))
    size = float(np.linalg.norm(slip))
    if len(rows) == 1 or size <= small or np.linalg.norm(slip / size - state.direction) < 1e-12:
        return state
    return State("sliding", slip / size)


def _read(contact: ContactRows, F: np.ndarray, u: np.ndarray, small: float) -> State:
    """What a contact does, from its force and the slip that is left. At its limit it slides, however slowly."""
    if contact.normal is not None and F[contact.normal] <= contact.noise:
        return State("open")
    if not contact.tangential:
        return State("stuck")
    if contact.direction is not None:
        return State("sliding", contact.direction)
    rows = list(contact.tangential)
    size, slip = float(np.linalg.norm(F[rows])), float(np.linalg.norm(u[rows]))
    N = contact.press if contact.normal is None else F[contact.normal]
    held = max(contact.static, contact.friction) * N
    if slip <= small and (size == 0 or size < held * (1 - 1e-9)):
        return State("stuck")
    return State("sliding", -F[rows] / size if size > 0 else u[rows] / slip)
