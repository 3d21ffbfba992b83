"""Rigid contacts that open, close, stick and slide, and outlines whose touching corners and faces change."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Self

import numpy as np

from linkwork.components.contacts.outlined import Outlined
from linkwork.core.pairing import Paired
from linkwork.core.program import Event
from linkwork.core.unilateral import Contact
from linkwork.integrate import Trajectory
from linkwork.signals.inputs import values_in_time
from linkwork.simulation.interruptions.interruption import Interruption, Moment, Setting, Sides
from linkwork.simulation.interruptions.joint_loads import JointLoads
from linkwork.simulation.interruptions.pauses import Pauses

if TYPE_CHECKING:
    from linkwork.contact.contact_solver import ContactSolver, Verdict
    from linkwork.contact.manifolds import Chooser

ROUNDS = 60
"""In which what sticks at the start and what joints then carry are found together."""
SETTLED = 1e-12
"""Share of a load by which it may still change."""


class Contacts(Interruption):
    """Which features may touch is chosen first; then how contacts go on from there."""

    def __init__(
        self,
        contact_solver: ContactSolver | None,
        chooser: Chooser | None,
        duration: float,
        loads: JointLoads | None = None,
    ):
        self._solver, self._chooser, self._pauses, self._loads = contact_solver, chooser, Pauses(duration), loads
        self._clear = np.inf
        """When all that has just left should be well off [s]."""

    @classmethod
    def of(cls, setting: Setting) -> Self | None:
        eq = setting.ready.equations
        if eq.contacts.closure is None and not setting.model.of_type(Outlined):
            return None
        from linkwork.contact.contact_solver import contact_solver_of
        from linkwork.contact.manifolds import chooser_of

        values = values_in_time(setting.ready.p, eq.symbols.parameters.numel(), setting.signals)
        contact_solver, chooser = contact_solver_of(eq, values), chooser_of(setting.model, eq, values)
        if not contact_solver and not chooser:
            return None
        loads = None if setting.resumed else JointLoads.of(setting.model, setting.ready)
        return cls(contact_solver, chooser, setting.duration, loads)

    def begin(self, now: Moment) -> None:
        if self._chooser:
            now.y = self._chooser.choose(now.after, now.y)
        if self._solver:
            self._enter(now, self._solver.begin(now.after, now.y))
            for _ in range(ROUNDS if self._loads else 0):
                assert self._loads
                change = self._loads.follow(now)
                self._enter(now, self._solver.begin(now.after, now.y))
                if change <= SETTLED:
                    break

    def next_time(self, now: Moment) -> float:
        return self._clear

    def owns(self, event: Event) -> bool:
        return isinstance(event.about, (Contact, Paired))

    def resume(self, now: Moment, part: Trajectory) -> Sides:
        if part.status == "done":
            assert self._solver
            self._enter(now, self._solver.aloft(now.after, now.y))
            return Sides.ONE
        source = now.ready.program.events[part.events.pop().index].about
        self._pauses.note(now.t, self._solver.moment if self._solver else 0.0, source.name)
        chosen = isinstance(source, Paired)
        if chosen:
            assert self._chooser
            now.y = self._chooser.choose(now.after, now.y, source)
        crowded = self._pauses.crowded
        happened = bool(self._solver and self._enter(now, self._solver.after(now.after, now.y, crowded=crowded)))
        return Sides.BOTH if happened or not chosen else Sides.AFTER

    def look_again(self, now: Moment) -> None:
        """What holds may hold no more."""
        if self._solver:
            before = self._clear if self._clear > now.t else np.inf
            self._enter(now, self._solver.after(now.after, now.y))
            self._clear = min(before, self._clear)

    def saved(self) -> tuple[float, Pauses]:
        return self._clear, copy(self._pauses)

    def restore(self, saved: object) -> None:
        assert isinstance(saved, tuple)
        self._clear, self._pauses = saved[0], copy(saved[1])

    def _enter(self, now: Moment, verdict: Verdict) -> bool:
        """Whether anything happened."""
        now.y, self._clear = verdict.y, verdict.clear
        now.notes += [(note.time, str(note)) for note in verdict.notes]
        return bool(verdict.notes)
