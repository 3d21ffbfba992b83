"""Coulomb contact as a problem of complementarity: which contacts carry, stick or slide, and what forces they need.

The same for forces and accelerations as for impulses and speeds: u = W F + b, and at every contact
0 ≤ N ⟂ u_n ≥ 0;  stuck: u_t = 0 with |T| ≤ μ N;  sliding: T = −μ N d with d the direction of the slip.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linkwork.algebra.rank import MIXED, least_squares
from linkwork.contact.newton import by_newton
from linkwork.core.errors import LinkworkError

ZERO_SHARE = 1e-9
"""Share of the largest value below which speeds, accelerations and excess forces count as zero."""
NORMAL_FORCE_SHARE = 1e-3
"""Share of the largest normal force below which friction is shared as if it were that."""
GUESSES = 12
"""Of what contacts do, and four more for each, before the iterations that do not go round in circles."""
SWEEPS = 20_000
PATIENCE = 1000
"""Sweeps in which the change of the forces must at least halve."""
CIRCLE_SHARE = 1e-6
"""Share of the largest force by which sweeps may go on in a small circle: redundant contacts hand forces to and fro."""


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


def solve(W: np.ndarray, b: np.ndarray, seats: list[ContactRows]) -> tuple[np.ndarray, list[State]]:
    """(F, states). Guess what every contact does, solve, correct what contradicts itself."""
    states = [_first(seat) for seat in seats]
    seen: set[tuple] = set()
    first = F = _forces(W, b, seats, states)
    for _ in range(GUESSES + 4 * len(seats)):
        better = _corrected(W, b, seats, states, F)
        if better is None:
            return F, states
        key = tuple(s.key for s in better)
        if key in seen:
            break
        seen.add(key)
        states = better
        F = _forces(W, b, seats, states)
    # With less friction once it slides there may be no answer in which it sticks; then there is one without that.
    for given in (seats, [replace(seat, static=seat.friction) for seat in seats]):
        found = by_newton(W, b, given, first)
        found = by_sweeps(W, b, given) if found is None else found
        if found is not None:
            u = W @ found + b
            return found, [_read(seat, found, u, ZERO_SHARE * float(np.abs(b).max(initial=0.0))) for seat in given]
    raise LinkworkError(
        "no forces keep it from penetrating: with this much friction rigid bodies jam (Painlevé).",
        component=", ".join(seat.name for seat in seats),
        remedy="Lower the friction, or use m.contact(…), whose contacts yield a little.",
    )


def _first(seat: ContactRows) -> State:
    return State("stuck") if seat.direction is None else State("sliding", seat.direction)


def _forces(W: np.ndarray, b: np.ndarray, seats: list[ContactRows], states: list[State]) -> np.ndarray:
    """F for given states: F = Z f + F₀, with the rows that must vanish."""
    columns, rows, known = [], [], np.zeros(b.size)
    owner: list[int | None] = []
    """By column, the row of the normal force that bounds it, if it is friction."""
    for seat, state in zip(seats, states, strict=True):
        if state.kind == "open":
            continue
        if seat.normal is not None:
            column = np.zeros(b.size)
            column[seat.normal] = 1.0
            if state.kind == "sliding" and state.direction is not None:
                column[list(seat.tangential)] = -seat.friction * state.direction
            columns.append(column)
            rows.append(seat.normal)
            owner.append(None)
        elif state.kind == "sliding" and state.direction is not None:
            known[list(seat.tangential)] = -seat.friction * seat.press * state.direction
        if state.kind == "stuck":
            for k in seat.tangential:
                column = np.zeros(b.size)
                column[k] = 1.0
                columns.append(column)
                rows.append(k)
                owner.append(seat.normal)
    if not rows:
        return known
    Z = np.column_stack(columns)
    matrix, rhs = W[rows] @ Z, -(b + W @ known)[rows]
    f = least_squares(matrix, rhs, MIXED)
    if sum(k is not None for k in owner) > 1:  # what sticks shares its load in proportion to the normal forces
        N = known + Z @ f
        largest = max((N[k] for k in owner if k is not None), default=0.0)
        share = (
            np.array([1.0 if k is None or largest <= 0 else max(N[k] / largest, NORMAL_FORCE_SHARE) for k in owner])
            ** 0.5
        )
        f = share * least_squares(matrix * share, rhs, MIXED)
    return known + Z @ f


def _corrected(
    W: np.ndarray, b: np.ndarray, seats: list[ContactRows], states: list[State], F: np.ndarray
) -> list[State] | None:
    """Other states where these contradict themselves; None where they do not. Normal forces come first."""
    u = W @ F + b
    small = ZERO_SHARE * max(float(np.abs(b).max(initial=0.0)), 1e-300)
    worst, culprit = 0.0, None
    for k, (seat, state) in enumerate(zip(seats, states, strict=True)):
        if seat.normal is None:
            continue
        if state.kind == "open":
            excess = (-u[seat.normal] - small) / max(W[seat.normal, seat.normal], 1e-300)
        else:
            excess = -F[seat.normal] - seat.noise / 2
        if excess > worst:
            worst, culprit = excess, k
    if culprit is not None:
        other = _first(seats[culprit]) if states[culprit].kind == "open" else State("open")
        return [other if k == culprit else s for k, s in enumerate(states)]
    corrected = [_slipping(seat, state, F, u, small) for seat, state in zip(seats, states, strict=True)]
    return None if all(new is old for new, old in zip(corrected, states, strict=True)) else corrected


def _slipping(seat: ContactRows, state: State, F: np.ndarray, u: np.ndarray, small: float) -> State:
    if not seat.tangential or state.kind == "open" or seat.direction is not None:
        return state
    N = seat.press if seat.normal is None else max(F[seat.normal], 0.0)
    rows = list(seat.tangential)
    if state.kind == "stuck":
        size = float(np.linalg.norm(F[rows]))
        if size <= seat.static * N * (1 + 1e-10) + seat.noise / 2:
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


def by_sweeps(W: np.ndarray, b: np.ndarray, seats: list[ContactRows]) -> np.ndarray | None:
    """Sweeps over the contacts, each put back on its cone of friction: slow, but it needs no luck. None: no end."""
    enough = 1e12 * (float(np.abs(b).max(initial=0.0)) + 1) / max(float(np.diag(W).max(initial=0.0)), 1e-300)
    F, largest, change, last = np.zeros(b.size), 0.0, np.inf, np.inf
    for k in range(SWEEPS):
        before = F.copy()
        for seat in seats:
            _sweep(W, b, seat, F)
        largest = float(np.abs(F).max(initial=0.0))
        change = float(np.abs(F - before).max(initial=0.0))
        if change <= 1e-13 * largest:
            return F
        if largest > enough or (k % PATIENCE == PATIENCE - 1 and change > last / 2):
            break
        last = change if k % PATIENCE == PATIENCE - 1 else last
    return F if change <= CIRCLE_SHARE * largest else None


def _sweep(W: np.ndarray, b: np.ndarray, seat: ContactRows, F: np.ndarray) -> None:
    """Change the forces of one contact to what it needs while the others stay."""
    N = seat.press
    if seat.normal is not None:
        k = seat.normal
        F[k] = N = max(0.0, F[k] - (W[k] @ F + b[k]) / max(W[k, k], 1e-300))
    if not seat.tangential:
        return
    rows = list(seat.tangential)
    if seat.direction is not None:
        F[rows] = -seat.friction * N * seat.direction
        return
    T = F[rows] - (W[rows] @ F + b[rows]) / max(np.trace(W[np.ix_(rows, rows)]), 1e-300)
    size = float(np.linalg.norm(T))
    F[rows] = T if size <= seat.static * N else T * (seat.friction * N / size)


def _read(seat: ContactRows, F: np.ndarray, u: np.ndarray, small: float) -> State:
    """What a contact does, from its force and the slip that is left. At its limit it slides, however slowly."""
    if seat.normal is not None and F[seat.normal] <= seat.noise:
        return State("open")
    if not seat.tangential:
        return State("stuck")
    if seat.direction is not None:
        return State("sliding", seat.direction)
    rows = list(seat.tangential)
    size = float(np.linalg.norm(F[rows]))
    N = seat.press if seat.normal is None else F[seat.normal]
    held = max(seat.static, seat.friction) * N
    if size == 0 or (np.linalg.norm(u[rows]) <= small and size < held * (1 - 1e-9)):
        return State("stuck")
    return State("sliding", -F[rows] / size)
