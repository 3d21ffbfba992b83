"""Inputs over time, in the form the C library reads."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping

import numpy as np

from linkwork.core.errors import LinkworkError
from linkwork.core.pieces import Driver, Lookup, lines
from linkwork.integrate.handover import check_pieces, pointer
from linkwork.integrate.native import binding


class InputSignals:
    """Piecewise polynomials and callables for the inputs of one run; constants go into p and cost nothing.

    Keeps alive the arrays and the callback the C structure points to. An exception in a callable cannot pass through C:
    it is kept in `error`, the inputs become NaN and the run is told to return.
    """

    def __init__(self, signals: Mapping[int, Driver], p: np.ndarray, first: int):
        """p: all parameters then inputs, written in place; first: where the inputs begin."""
        self.error: BaseException | None = None
        self.system: binding.System | None = None
        lookups: dict[int, Lookup] = {}
        self._callables: list[tuple[int, Callable[[float], float]]] = []
        for index, signal in signals.items():
            if not 0 <= index < p.size - first:
                raise LinkworkError(f"there is no input number {index}; the program has {p.size - first}.")
            if isinstance(signal, (tuple, Lookup)):
                lookups[index] = _lookup(index, signal)
            elif callable(signal):
                self._callables.append((index, signal))
            else:
                p[first + index] = float(signal)
        if not lookups and not self._callables:
            self.native = binding.Signals()
            return
        self._kept = list(lookups.values())
        self._all = (binding.Signal * max(len(lookups), 1))()
        for entry, (index, lookup) in zip(self._all, lookups.items(), strict=False):
            pieces = check_pieces(f"the table of input {index}", lookup.pieces)
            entry.input, entry.count, entry.width = index, pieces.times.size, pieces.coefficients.shape[1]
            entry.scale, entry.shift, entry.period = lookup.scale, lookup.shift, pieces.period
            entry.times = pointer(pieces.times, ctypes.c_double)
            entry.coefficients = pointer(pieces.coefficients, ctypes.c_double)
        self._cursor = np.zeros(len(lookups), dtype=np.int32)
        self.native = binding.Signals(
            len(lookups),
            self._all,
            pointer(self._cursor, ctypes.c_int32),
            binding.SignalCallback(self._call) if self._callables else binding.SignalCallback(),
        )

    def _call(self, t: float, u: ctypes._Pointer) -> None:
        try:
            for index, function in self._callables:
                u[index] = float(function(t))
        except BaseException as error:
            self.error = self.error or error
            for index, _ in self._callables:
                u[index] = float("nan")
            if self.system is not None:
                self.system.cancel = 1


def _lookup(index: int, signal: Lookup | tuple) -> Lookup:
    if isinstance(signal, Lookup):
        return signal
    times, values = (np.array(part, dtype=float).ravel() for part in signal)
    if times.size != values.size or not times.size:
        raise LinkworkError(f"input {index}: a table needs as many values as times, and at least one.")
    if np.any(np.diff(times) < 0):
        raise LinkworkError(f"input {index}: the times of a table must not decrease (repeat one for a jump).")
    return Lookup(lines(times, values))
