"""Interruptions of a run by contacts: told when there are too many to get anywhere."""

from __future__ import annotations

from collections import deque

from linkwork.core.errors import LinkworkError

AT_ONCE = 200
"""Changes within next to no time before it is taken as a contradiction."""
SHORT = 1e-11
"""Share of the time reached that is next to none."""
MANY, SEVERAL, SPAN = 50, 3, 20.0
"""Changes, of so many contacts at least, within so many moments, that make a crowd."""
CROWD, MOMENT = 2000, 1e-7
"""Changes within that share of a run: all of it would take days."""


class Pauses:
    """Counts changes that come without any time between them, or with so little that the run would not end."""

    def __init__(self, duration: float) -> None:
        self._count, self._last, self._duration = 0, -1.0, duration
        self._recent: deque[tuple[float, str]] = deque(maxlen=MANY)
        self.crowded = False
        """Whether changes of several contacts follow each other so closely that small ones hold up the run."""
        self._lately: deque[float] = deque(maxlen=CROWD)

    def __copy__(self) -> Pauses:
        twin = Pauses(self._duration)
        twin._count, twin._last, twin.crowded = self._count, self._last, self.crowded
        twin._recent.extend(self._recent)
        twin._lately.extend(self._lately)
        return twin

    def note(self, t: float, moment: float = 0.0, contact: str = "") -> None:
        """A change of a contact at t [s]; moment [s]: what is short for the mechanism."""
        self._recent.append((t, contact))
        close = len(self._recent) == MANY and t - self._recent[0][0] <= SPAN * moment
        self.crowded = close and len({name for _, name in self._recent}) >= SEVERAL
        self._count = self._count + 1 if t - self._last <= SHORT * max(abs(t), 1e-3) else 0
        self._last = t
        crowded = len(self._lately) == CROWD and t - self._lately[0] <= MOMENT * self._duration
        self._lately.append(t)
        if self._count > AT_ONCE or crowded:
            how = "without end" if self._count > AT_ONCE else f"{CROWD} times within {t - self._lately[0]:.2g} s"
            raise LinkworkError(
                f"rigid contacts open and close, stick and slide {how} at t = {t:.9g} s.",
                remedy="Give the contact a larger rest=… or a smaller restitution, or use m.contact(…).",
            )
