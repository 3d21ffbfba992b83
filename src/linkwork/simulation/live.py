"""Looking at a run while it is computed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np

from linkwork.core.pieces import OverTime
from linkwork.core.plain_data import Record
from linkwork.core.program import Channel, Channels, Program
from linkwork.core.result import Result
from linkwork.integrate import evaluate

PATIENCE = 0.1
"""s between two looks: as often as an eye wants, and a small share of the run."""


class Watcher:
    """Gets the samples that an integration has so far, and shows them as a Result.

    A run may have several parts, each of which tells its samples from its own start.
    """

    def __init__(
        self,
        show: Callable[[Result], None],
        program: Program,
        p: np.ndarray,
        signals: Mapping[int, OverTime],
        record: Record,
        description: Record,
    ):
        self._show, self._program, self._p, self._signals = show, program, p, signals
        self._record, self._description = record, description
        self._parts: list[tuple[np.ndarray, np.ndarray]] = []
        self._left: tuple[np.ndarray, np.ndarray] | None = None
        """What there was at the last call, if it came too soon to be looked at."""
        self._last = 0.0

    def __call__(self, t: np.ndarray, Y: np.ndarray) -> None:
        """t (samples,) [s] and states (samples, n) of the present part."""
        if not t.size:
            return
        if self._left is not None and self._left[0][0] != t[0]:  # the end of the part before, not looked at in time
            self._take(*self._left)
            self._left = None
        if time.perf_counter() - self._last < PATIENCE:
            self._left = t, Y
            return
        self._left = None
        self._take(t, Y)
        times = np.concatenate([part[0] for part in self._parts])
        values = np.vstack([part[1] for part in self._parts])
        channels: tuple[Channel, ...] = self._program.channels
        values = since_start(values, channels)
        self._show(Result(times, values, channels, record=self._record, description=self._description))
        self._last = time.perf_counter()

    def _take(self, t: np.ndarray, Y: np.ndarray) -> None:
        """Put what is new of a part to what is known."""
        if self._parts and self._parts[-1][0][0] == t[0]:
            known = self._parts.pop()[1]
        else:
            known = np.zeros((0, len(self._program.channels)))
        new = slice(len(known), None)
        function, inputs = self._program.function("outputs"), len(self._program.inputs)
        data = evaluate(function, t[new], Y[new], self._p, self._signals, inputs=inputs)
        self._parts.append((t, np.vstack([known, data])))


def since_start(values: np.ndarray, channels: tuple[Channel, ...]) -> np.ndarray:
    """Channels (samples, channels), with supplied energy counted from the first sample on, in place.

    Where time or inputs change what is stored, all that is stored counts as supplied: see `formulations.energies`.
    """
    known = channels if isinstance(channels, Channels) else Channels(channels)
    k = known.column.get("energy.supplied")
    if k is not None and len(values) and values[0, k]:
        values[:, k] -= values[0, k]
    return values
