"""How far a sweep has come: share, rate, time that is left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

from linkwork.core import kinds
from linkwork.core.units import long_time

PATIENCE = 0.2
"""s between two lines."""


class Progress:
    """Told of every case that is done; tells a function the share, or a terminal or notebook a line."""

    def __init__(
        self, total: int, done: int, told: Callable[[float], object] | None,
        heard: tuple[Callable[[str], None], Callable[[float], None]], *, stream: TextIO | None = None,
    ):  # fmt: skip
        """heard: who else listens to stages, and to shares."""
        self._announce, self._reach = heard
        self._total, self._done, self._first = total, done, done
        self._stream = (sys.stderr if stream is None else stream) if told is kinds.tell else None
        self._told = None if told is kinds.tell else told
        self._began = self._last = time.perf_counter()
        self._width = 0

    def __call__(self, failures: int) -> None:
        """One more; failures: how many have failed."""
        self._done += 1
        if self._told is not None:
            self._told(self._done / self._total)
        self._reach(self._done / self._total)
        now = time.perf_counter()
        if now - self._last < PATIENCE:
            return
        self._last, line = now, self.line(failures)
        self._announce(line.partition("| ")[2])  # a bar has the share
        if self._stream is not None:
            self._write(line, "\r")

    def finish(self, failures: int) -> None:
        if self._stream is not None:
            self._write(self.line(failures), "\n")

    def line(self, failures: int) -> str:
        """ "37 % | 370 of 1000 cases, 2 failed | 85.2 cases/s | 7.4 s left"."""
        elapsed = time.perf_counter() - self._began
        rate = (self._done - self._first) / elapsed if elapsed > 0 else 0.0
        left = (self._total - self._done) / rate if rate > 0 else float("inf")
        wrong = f", {failures} failed" if failures else ""
        ahead = f"{long_time(left)} left" if self._done < self._total else f"{long_time(elapsed)} taken"
        pace = f"{rate:.3g} cases/s" if rate >= 1 or not rate else f"{1 / rate:.3g} s per case"
        share = int(100 * self._done / self._total)
        return f"{share:3d} % | {self._done} of {self._total} cases{wrong} | {pace} | {ahead}"

    def _write(self, text: str, end: str) -> None:
        assert self._stream is not None
        self._stream.write(f"\r{text:<{self._width}}{'' if end == chr(13) else end}")
        self._stream.flush()
        self._width = max(self._width, len(text))
