"""Steps at the pace of the clock on the wall."""

from __future__ import annotations

import time

SPIN = 0.5e-3
"""s before the moment within which waiting is busy: no sleep is as short as it is told to be."""


class Pace:
    """Waits until the wall clock has come as far as the model since the first step."""

    def __init__(self) -> None:
        self._origin: float | None = None
        self.late = 0.0
        """s by which the last step came too late; 0: it was in time."""

    def restart(self) -> None:
        self._origin, self.late = None, 0.0

    def begin(self, t: float) -> None:
        """A step from t [s] on is about to be computed; the first one sets the clock."""
        if self._origin is None:
            self._origin = time.perf_counter() - t

    def wait(self, t: float) -> None:
        """It has come to t [s]."""
        assert self._origin is not None
        now, due = time.perf_counter(), self._origin + t
        self.late = max(0.0, now - due)
        while (left := due - time.perf_counter()) > 0:
            if left > SPIN:
                time.sleep(left - SPIN)
