"""Which rigid contacts are closed, stick and slide: what happens at an event, and how it goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from typing import NamedTuple

import numpy as np

from linkwork.algebra.rank import MIXED, least_squares
from linkwork.contact.complementarity import ContactRows, Jam, State, solve
from linkwork.contact.delassus import Snapshot, snapshot
from linkwork.contact.impact import jolt, strike
from linkwork.core.equations import Equations
from linkwork.core.errors import ModelError
from linkwork.core.unilateral import Mode

CLOSED_GAP = 1e-9
"""Gap [lengths of the mechanism] that counts as closed when something else happens."""
PLACED = 1e-6
"""Gap [lengths of the mechanism] that counts as closed at the start: nobody places bodies better."""
SLIP_TOLERANCE = 1e-9
"""Slip [lengths of the mechanism per second, or rad/s] that counts as none."""
BEGUN = 1e-7
"""Slip [the same] that has surely begun."""
NORMAL_SPEED_TOLERANCE = 1e-13
"""Normal speed [lengths of the mechanism per second] that counts as none in a contact that stays closed."""
INSIDE, APART = "it starts {:.3g} m inside what it touches.", "Place the bodies apart, or just touching."
LEAVING = 0.1
"""Share of the slowest rebound above which something leaves."""
BRIEF, CALM = 1e-2, 3e-3
"""Shares of the time in which bodies would fall by the length of the mechanism: a moment; and how long what springs
back may take at most to be left out, which rises by a millionth of that length."""


class Change(Enum):
    """What can happen to a contact."""

    HITS = "hits"
    RESTS = "rests"
    LIFTS = "lifts"
    STICKS = "sticks"
    SLIPS = "slips"
    REVERSES = "reverses"
    JAMS = "jams"


class Note(NamedTuple):
    """What happened to which contact, and when [s]."""

    time: float
    contact: str
    change: Change

    def __str__(self) -> str:
        return f"{self.contact} {self.change.value}"


class Verdict(NamedTuple):
    """How it goes on: the state, what happened, and a time [s] when everything that has just left is well off."""

    y: np.ndarray
    notes: list[Note]
    clear: float


class ContactSolver:
    """Decides, from the equations alone, how contacts go on from a state; values(t): parameters and inputs."""

    def __init__(self, eq: Equations, values: Callable[[float], np.ndarray]):
        assert eq.contacts.closure is not None
        self.modes: list[Mode] = eq.contacts.closure.modes
        self.names = [c.name for c in eq.contacts.places]
        self._length = eq.states.length
        self._units = [self._length if c.units[1] == "m/s" else 1.0 for c in eq.contacts.places]
        """Of slips."""
        self._eq = eq
        self._values = values
        self.moment = 0.0
        """A time [s] that is short for the mechanism as it was last seen."""
        self._calm = 0.0
        """Speed [m/s] of what comes and goes within a moment, while changes crowd."""
        self._pull = 0.0
        """Acceleration [m/s²] of the fastest approach without contact."""
        self._speeds = slice(eq.q.numel(), eq.q.numel() + eq.v.numel())
        states = list(eq.states.names)
        self._lost = states.index("energy.dissipated")
        self._supplied = states.index("energy.supplied") if "energy.supplied" in states else None

    def begin(self, t: float, y: np.ndarray) -> Verdict:
        """The start, with contacts closed that touch."""
        now = self._look(t, y)
        for name, mode, gap in zip(self.names, self.modes, now.gap, strict=True):
            if mode.normal is not None and gap < -PLACED * self._length:
                raise ModelError(INSIDE.format(-gap), component=name, remedy=APART)
        verdict = self._go_on(t, y, PLACED * self._length)
        return verdict._replace(notes=[note for note in verdict.notes if note.change in (Change.HITS, Change.JAMS)])

    def after(self, t: float, y: np.ndarray, *, crowded: bool = False) -> Verdict:
        """The state after whatever has stopped the run at (t, y).

        crowded: changes follow each other closely (they chatter); what would spring back for a moment does not.
        """
        self._calm = CALM * float(np.sqrt(self._pull * self._length)) / 2 if crowded else 0.0
        verdict = self._go_on(t, y, CLOSED_GAP * self._length)
        self._calm = 0.0
        return verdict

    def aloft(self, t: float, y: np.ndarray) -> Verdict:
        """When what has left should be well off: a rebound lower than the rounding of positions is none."""
        gap = self._look(t, y).gap
        if any(gap[k] <= 0 and not self._closed(mode, y) for k, mode in enumerate(self.modes)):
            return self._go_on(t, y, CLOSED_GAP * self._length)
        return Verdict(y, [], np.inf)

    def _look(self, t: float, y: np.ndarray) -> Snapshot:
        now = snapshot(self._eq.at(self._values(t), t), y)
        now.numbers[:, 3] = np.maximum(now.numbers[:, 3], self._calm)
        return now

    def _go_on(self, t: float, y: np.ndarray, near: float) -> Verdict:
        y = y.copy()
        notes: list[Note] = []
        now = self._look(t, y)
        touching = [
            k for k, mode in enumerate(self.modes) if mode.normal is None or self._closed(mode, y) or now.gap[k] <= near
        ]
        hits, settling = self._impact(now, y, touching)
        if hits:
            before, now = now, self._look(t, y)
            if self._supplied is not None:
                y[self._supplied] += now.kinetic - before.kinetic + self._loss
            notes += [Note(t, self.names[k], Change.HITS) for k in hits]
        now, held = self._hold(t, now, y, touching)
        b = now.free()
        self._pace(b)
        try:
            F, states = self._forces(now, b, held)
        except Jam:
            notes += [Note(t, self.names[k], Change.JAMS) for k in self._jolt(t, now, y, held, b)]
            now, held = self._hold(t, self._look(t, y), y, held)
            b = now.free()
            F, states = self._forces(now, b, held)
        for k, speed in settling.items():
            if k in held and states[held.index(k)].kind != "open":
                left_out = self._bouncing(now, k, speed, F)
                time = t + (left_out if len(held) == 1 else min(left_out, self.moment))
                notes.append(Note(time, self.names[k], Change.RESTS))
        decided = dict(zip(held, states, strict=True))
        for k, mode in enumerate(self.modes):
            astray = self._astray(now, k, y)
            change = self._enter(y, mode, decided.get(k, State("open")), k in hits)
            if change is not None and not (astray and change is Change.REVERSES):
                notes.append(Note(t, self.names[k], change))
        flying = [row for k in touching if k not in held and (row := self.modes[k].normal) is not None]
        return Verdict(y, notes, t + _rising(now.speeds[flying], (now.delassus @ F + b)[flying]))

    def _pace(self, b: np.ndarray) -> None:
        """How fast things begin to approach each other, and what is a moment then; b: their accelerations [m/s²]."""
        normals = [mode.normal for mode in self.modes if mode.normal is not None]
        self._pull = float(np.abs(b[normals]).max(initial=0.0))
        self.moment = BRIEF * float(np.sqrt(self._length / self._pull)) if self._pull > 0 else 0.0

    def _impact(self, now: Snapshot, y: np.ndarray, touching: list[int]) -> tuple[list[int], dict[int, float]]:
        """Contacts that were hit, and rebound speeds of those that end their bouncing; y gets the speeds after."""
        places = [k for k in touching if self.modes[k].normal is not None]
        loaded = self._loaded(now, [k for k in places if self._closed(self.modes[k], y)])
        contacts = {k: self._contact(now, k, impulse=True) for k in places}
        struck = strike(now, contacts, loaded, now.numbers[:, 2], now.numbers[:, 3], self._length)
        self._loss = struck.loss
        if not struck.hit:
            return [], {}
        y[self._speeds] += now.response @ struck.impulse
        y[self._lost] += struck.loss
        return struck.hit, struck.settling

    def _jolt(self, t: float, now: Snapshot, y: np.ndarray, held: list[int], b: np.ndarray) -> list[int]:
        """Contacts whose slip impulses have ended, as no forces could keep it up; y gets the speeds after."""
        contacts = {k: self._contact(now, k, impulse=True) for k in held if self.modes[k].normal is not None}
        P = jolt(now, contacts, b)
        if P is None:
            raise Jam(
                "no forces and no impulses keep it from penetrating: with this much friction rigid bodies jam.",
                component=", ".join(contact.name for contact in contacts.values()),
                remedy="Lower the friction, or use m.contact(…), whose contacts yield a little.",
            )
        y[self._speeds] += now.response @ P
        loss = -float(P @ (now.speeds + now.delassus @ P / 2))
        y[self._lost] += loss
        if self._supplied is not None:
            y[self._supplied] += self._look(t, y).kinetic - now.kinetic + loss
        return [k for k, contact in contacts.items() if P[contact.normal] > 0]

    def _hold(self, t: float, now: Snapshot, y: np.ndarray, touching: list[int]) -> tuple[Snapshot, list[int]]:
        """Those that stay, without any normal speed; what approaches because of that stays as well."""
        held = [k for k in touching if self._stays(now, k)]
        while self._close(now, y, held):
            now = self._look(t, y)
            more = [k for k in touching if k not in held and self._stays(now, k)]
            if not more:
                break
            held = sorted([*held, *more])
        return now, held

    def _close(self, now: Snapshot, y: np.ndarray, held: list[int]) -> bool:
        """End what is left of the normal speeds of contacts that stay: slips depend on it. Whether there was any."""
        rows = [row for k in held if (row := self.modes[k].normal) is not None]
        if not np.any(np.abs(now.speeds[rows]) > NORMAL_SPEED_TOLERANCE * self._length):
            return False
        for k in held:  # what does not slip begins no slip by it
            across = list(self.modes[k].tangential)
            rows += across if np.linalg.norm(now.speeds[across]) <= SLIP_TOLERANCE * self._units[k] else []
        u = now.speeds[rows]
        P = least_squares(now.delassus[np.ix_(rows, rows)], -u, MIXED)
        y[self._speeds] += now.response[:, rows] @ P
        y[self._lost] -= float(P @ u) / 2
        return True

    def _loaded(self, now: Snapshot, closed: list[int]) -> list[int]:
        """Those of the closed contacts that carry a force, and are not just leaning against each other."""
        others = [k for k, mode in enumerate(self.modes) if mode.normal is None]
        if not closed:
            return []
        try:
            F, _ = self._forces(now, now.free(), [*closed, *others])
        except Jam:
            return closed
        return [k for k in closed if F[self.modes[k].normal] > 10 * now.numbers[k, 4]]

    def _forces(self, now: Snapshot, b: np.ndarray, held: list[int]) -> tuple[np.ndarray, list[State]]:
        """Of contacts that touch. A slip slower than any rebound that jams has stopped: by a shock that is no shock."""
        contacts = [self._contact(now, k) for k in held]
        try:
            return solve(now.delassus, b, contacts)
        except Jam:
            still = [self._still(now, k) for k in held]
            if not any(s and contact.direction is not None for s, contact in zip(still, contacts, strict=True)):
                raise
            return solve(
                now.delassus,
                b,
                [
                    replace(contact, direction=None) if s else contact
                    for s, contact in zip(still, contacts, strict=True)
                ],
            )

    def _still(self, now: Snapshot, k: int) -> bool:
        return float(np.linalg.norm(now.speeds[list(self.modes[k].tangential)])) <= now.numbers[k, 3]

    def _closed(self, mode: Mode, y: np.ndarray) -> bool:
        return mode.closed is None or y[mode.closed] > 0.5

    def _stays(self, now: Snapshot, k: int) -> bool:
        """Whether a contact that touches does not fly off."""
        row = self.modes[k].normal
        return row is None or now.speeds[row] <= max(LEAVING * now.numbers[k, 3], self._calm)

    def _contact(self, now: Snapshot, k: int, *, impulse: bool = False) -> ContactRows:
        mode = self.modes[k]
        friction, static, _, _, noise, press = now.numbers[k]
        slip = now.speeds[list(mode.tangential)]
        size = float(np.linalg.norm(slip))
        if impulse:
            return ContactRows(self.names[k], mode.normal, mode.tangential, friction, friction, 0.0)
        direction = slip / size if size > SLIP_TOLERANCE * self._units[k] else None
        return ContactRows(self.names[k], mode.normal, mode.tangential, friction, static, noise, direction, press)

    def _bouncing(self, now: Snapshot, k: int, speed: float, F: np.ndarray) -> float:
        """Time [s] that the rebounds left out would have taken: 2 v/a (1 + e + e² + …)."""
        row, e = self.modes[k].normal, now.numbers[k, 2]
        pressing = float(F[row]) * now.delassus[row, row]
        return 2 * speed / (pressing * (1 - e)) if pressing > 0 and e < 1 else 0.0

    def _astray(self, now: Snapshot, k: int, y: np.ndarray) -> bool:
        """Whether a slip that has hardly begun did so another way than it was expected to: that is no reversal."""
        slip = now.speeds[list(self.modes[k].tangential)]
        begun = SLIP_TOLERANCE < float(np.linalg.norm(slip)) / self._units[k] < BEGUN
        return begun and float(slip @ y[list(self.modes[k].direction)]) < 0

    def _enter(self, y: np.ndarray, mode: Mode, state: State, hit: bool) -> Change | None:
        """Write the mode into the state; say what changed."""
        closed, stuck = self._closed(mode, y), mode.stuck is not None and y[mode.stuck] > 0.5
        aim = y[list(mode.direction)].copy()
        opens = state.kind == "open"
        if mode.closed is not None:
            y[mode.closed] = 0.0 if opens else 1.0
        if mode.stuck is not None:
            y[mode.stuck] = 1.0 if state.kind == "stuck" else 0.0
            y[list(mode.direction)] = state.direction if state.kind == "sliding" else 0.0
        if opens:
            return Change.LIFTS if closed and not hit else None
        if not closed or mode.stuck is None:
            return None
        if state.kind == "stuck":
            return None if stuck else Change.STICKS
        if stuck:
            return Change.SLIPS
        assert state.direction is not None
        return Change.REVERSES if aim @ state.direction < -0.5 else None


def _rising(speeds: np.ndarray, accelerations: np.ndarray) -> float:
    """Time [s] until the first rebound is at its highest. A step must not be longer: it would not see the bounce."""
    back = (accelerations < 0) & (speeds > 0)
    return float(np.min(speeds[back] / -accelerations[back], initial=np.inf))


def contact_solver_of(eq: Equations, values: Callable[[float], np.ndarray]) -> ContactSolver | None:
    """The solver of these equations, if they have contacts; values(t): parameters and inputs."""
    return None if eq.contacts.closure is None else ContactSolver(eq, values)
