"""Interruptions of a run by contacts: told when there are too many to get anywhere."""

from __future__ import annotations

from linkwork.core.errors import LinkworkError

AT_ONCE = 200
"""Changes within next to no time before it is taken as a contradiction."""
SHORT = 1e-11
"""Share of the time reached that is next to none."""


class Pauses:
    """Counts changes that come without any time between them."""

    def __init__(self) -> None:
        self._count, self._last = 0, -1.0

    def note(self, t: float) -> None:
        self._count = self._count + 1 if t - self._last <= SHORT * max(abs(t), 1e-3) else 0
        self._last = t
        if self._count > AT_ONCE:
            raise LinkworkError(
                f"rigid contacts open and close without end at t = {t:.9g} s.",
                remedy="Give the contact a larger rest=… or a smaller restitution, or use m.contact(…).",
            )
