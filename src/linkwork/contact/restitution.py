"""How an impact goes on after the deepest compression, so that it never gains energy.

One contact: the impulse grows along the normal, friction acts against the slip of each moment, which may end or turn
round on the way (Routh, Darboux, Keller). Compression lasts until the approach has ended; restitution until the normal
impulse has given back the share e² of the work it took (Stronge's energetic coefficient). Several contacts that share
an impact: the impulses that end the approach are those of rigid bodies without restitution, and e of the normal ones
comes on top (Poisson), or less where that would give back more than e² of what was stored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import hypot

import numpy as np

from linkwork.algebra.rank import MIXED, least_squares
from linkwork.contact.complementarity import ContactRows, solve

SHARE, HALF = 0.05, 0.5
"""Of the slip that may come across it, and along it, within one step, where its direction may turn."""
SLIP_SHARE = 1e-11
"""Share of the speeds before an impact below which a slip has ended."""
FIRM = 1e-11
"""Share of the normal response below which a contact that sticks cannot move along the normal either."""
STEPS = 10_000
SPARE = 1e-9
"""Share of the energy that may come back, that is next to none of it."""
HALVINGS = 50
"""Steps to the share of restitution that gives back what may come."""


@dataclass(frozen=True)
class _Course:
    """An impact under way: relative speeds u [m/s], impulses P [N·s], and the work of the normal one so far [J]."""

    u: np.ndarray
    P: np.ndarray
    work: float = 0.0


def one_contact(W: np.ndarray, u: np.ndarray, friction: float, e: float) -> np.ndarray | None:
    """Impulses [N·s], normal first, of a single contact with W its response and u its speeds before; None: no end."""
    return _Impact(W, u, friction).run(e)


class _Impact:
    def __init__(self, W: np.ndarray, u: np.ndarray, friction: float):
        self.W, self.friction = W, friction
        self.now = _Course(u.copy(), np.zeros(u.size))
        self.small = SLIP_SHARE * float(np.abs(u).max())
        self.held: np.ndarray | None = None
        """Impulse across per normal impulse, once the slip has ended: it sticks, or slides on that way."""

    def run(self, e: float) -> np.ndarray | None:
        if not self._until(None):
            return None
        taken, self.now = -self.now.work, replace(self.now, work=0.0)
        if e > 0:
            self._until(e**2 * taken)  # where a joint lets nothing go back, nothing does
        return self.now.P

    def _until(self, given: float | None) -> bool:
        """Go on until the approach has ended, or until the normal impulse has given back so much [J]. False: never."""
        for _ in range(STEPS):
            if given is None and self.now.u[0] >= -self.small:
                return True
            self._settle()
            if self.held is None and self.now.u.size == 3:
                if self._turn(given):
                    return True
                continue
            longest, enough = self._stop(), self._enough(given)
            if not np.isfinite(min(longest, enough)):
                return False
            self.now = self._after(min(longest, enough))
            if enough <= longest:
                return True
            self.now.u[1:] = 0.0
        return False

    def _rates(self) -> np.ndarray:
        """Impulses per normal impulse, where the slip has ended or cannot turn."""
        return np.concatenate([[1.0], -self.friction * np.sign(self.now.u[1:]) if self.held is None else self.held])

    def _after(self, step: float) -> _Course:
        """After more of the normal impulse, straight on."""
        now, rates = self.now, self._rates()
        u = now.u + step * (self.W @ rates)
        return _Course(u, now.P + step * rates, now.work + step * float(now.u[0] + u[0]) / 2)

    def _stop(self) -> float:
        """Normal impulse after which a slip in the plane has ended; it may never."""
        if self.held is not None or self.now.u.size == 1:
            return np.inf
        slows = -float(self.now.u[1] * (self.W @ self._rates())[1])
        return float(self.now.u[1] ** 2) / slows if slows > 0 else np.inf

    def _enough(self, given: float | None) -> float:
        """Normal impulse at which it is over, if nothing changes before; it may never be."""
        u, more = float(self.now.u[0]), float((self.W @ self._rates())[0])
        if more <= FIRM * self.W[0, 0]:
            return np.inf
        if given is None:
            return max(-u, 0.0) / more
        root = u * u + 2 * more * (given - self.now.work)
        return (np.sqrt(root) - u) / more if root >= 0 else np.inf

    def _turn(self, given: float | None) -> bool:
        """One step of a slip in space, whose direction may turn: Runge and Kutta's fourth order. True: it is over."""
        from scipy.optimize import brentq

        now, W, mu = self.now, self.W.tolist(), self.friction
        start = (*now.u.tolist(), *now.P.tolist(), now.work)

        def slope(u: float, x: float, y: float) -> tuple[float, ...]:
            s = hypot(x, y)
            p = (1.0, -mu * x / s, -mu * y / s)
            return (*(row[0] + row[1] * p[1] + row[2] * p[2] for row in W), *p, u)

        def moved(by: tuple[float, ...], step: float) -> tuple[float, ...]:
            return tuple(a + step * b for a, b in zip(start, by, strict=True))

        def after(step: float) -> tuple[float, ...]:
            k2 = slope(*moved(first, step / 2)[:3])
            k3 = slope(*moved(k2, step / 2)[:3])
            k4 = slope(*moved(k3, step)[:3])
            mean = tuple((a + 2 * b + 2 * c + d) / 6 for a, b, c, d in zip(first, k2, k3, k4, strict=True))
            return moved(mean, step)

        def missing(end: tuple[float, ...]) -> float:
            return -end[0] if given is None else given - end[6]

        first = slope(*start[:3])
        x, y, s = start[1], start[2], hypot(start[1], start[2])
        grows, turns = (first[1] * x + first[2] * y) / s, abs(first[2] * x - first[1] * y) / s
        step = min(SHARE * s / max(turns, 1e-300), HALF * s / max(abs(grows), 1e-300))
        end = after(step)
        over = missing(end) <= 0
        if over:
            end = after(brentq(lambda x: missing(after(x)), 0.0, step, xtol=1e-15 * step, rtol=1e-14))
        self.now = _Course(np.array(end[:3]), np.array(end[3:6]), end[6])
        return over

    def _settle(self) -> None:
        """Where the slip has ended: does it stick, or slide on, and which way?"""
        if self.held is None and self.now.u.size > 1 and float(np.linalg.norm(self.now.u[1:])) <= self.small:
            self.now.u[1:] = 0.0
            self.held = held_by(self.W, self.friction)


def held_by(W: np.ndarray, friction: float) -> np.ndarray:
    """Impulse across per normal impulse where there is no slip: what keeps it so, or friction against where it goes."""
    from scipy.optimize import brentq

    across, pushed = W[1:, 1:], W[1:, 0]
    holds = -least_squares(across, pushed, MIXED)
    if float(np.linalg.norm(holds)) <= friction:
        return holds
    if pushed.size == 1:
        return -friction * np.sign(pushed)

    def turning(angle: float) -> tuple[float, float]:
        d = np.array([np.cos(angle), np.sin(angle)])
        moved = pushed - friction * across @ d
        return float(d[0] * moved[1] - d[1] * moved[0]), float(d @ moved)

    angles = np.linspace(-np.pi, np.pi, 181)
    for a, b in zip(angles[:-1], angles[1:], strict=True):
        if turning(a)[0] * turning(b)[0] <= 0:
            way = brentq(lambda x: turning(x)[0], a, b)
            if turning(way)[1] > 0:
                return -friction * np.array([np.cos(way), np.sin(way)])
    return holds * friction / float(np.linalg.norm(holds))


def several_contacts(W: np.ndarray, u: np.ndarray, contacts: Sequence[ContactRows], e: np.ndarray) -> np.ndarray:
    """Impulses [N·s] of contacts that share an impact; e: their coefficients, 0 where nothing comes back."""
    P = solve(W, u, list(contacts))[0]
    if not np.any(e > 0):
        return P
    middle, known = u + W @ P, {0.0: np.zeros(u.size)}
    allowed = float(e.max()) ** 2 * float(P @ W @ P) / 2

    def returned(share: float) -> np.ndarray:
        """Impulses of restitution: normal ones given, those of friction and of the others as they must be."""
        given = np.zeros(u.size)
        pressed = []
        for contact, own in zip(contacts, e, strict=True):
            if own <= 0 or contact.normal is None:
                pressed.append(contact)
                continue
            given[contact.normal] = share * own * max(float(P[contact.normal]), 0.0)
            pressed.append(replace(contact, normal=None, press=float(given[contact.normal])))
        return given + solve(W, middle + W @ given, pressed)[0]

    def excess(share: float) -> float:
        """Energy [J] that comes back, and what friction takes of it, above what may."""
        R = known[share] = returned(share)
        after = middle + W @ R
        rubbed = -sum((float(R[list(s.tangential)] @ after[list(s.tangential)]) for s in contacts), 0.0)
        return float(R @ (middle + after)) / 2 + max(rubbed, 0.0) - allowed

    most = excess(1.0)
    return P + known[1.0 if most <= 1e-12 * allowed else _largest(excess, most, allowed)]


def _largest(excess: Callable[[float], float], most: float, allowed: float) -> float:
    """The largest share, next to nothing below it, that has no excess [J]: regula falsi (Illinois).

    most: that of 1; allowed: what is missing of it where nothing comes back.
    """
    low, high, below, above = 0.0, 1.0, -allowed, most
    for _ in range(HALVINGS):
        share = (low * above - high * below) / (above - below)
        over = excess(share)
        if over > 0:
            high, above, below = share, over, below / 2
        else:
            low, below, above = share, over, above / 2
        if -SPARE * allowed <= over <= 0 or high - low <= SPARE:
            break
    return low
