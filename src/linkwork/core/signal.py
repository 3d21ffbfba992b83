"""Signals: what is given over time, as data. Values, as many derivatives as there truly are, and their corners."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakSet, WeakValueDictionary

import casadi as ca
import numpy as np

from linkwork.core.errors import ModelError
from linkwork.core.kinds import shown
from linkwork.core.pieces import Pieces, lines
from linkwork.core.spline import cubic_spline
from linkwork.geometry import SX

if TYPE_CHECKING:
    from linkwork.core.courses import Courses


Samples: TypeAlias = Sequence[float] | np.ndarray
Inputs: TypeAlias = Mapping[str, float | Callable[[float], float] | tuple[Samples, Samples]]
"""What drives inputs, by name: a number, a function of t [s] or table, or (times, values)."""

KINDS = ("linear", "cubic", "hold")
HIGHEST = 3
"""Derivatives that equations may ask for; a signal has at most as many."""
COMPILED = 2_000
"""Points of a table that may be compiled into the equations."""


_owners: WeakValueDictionary[int, WeakSet[Courses]] = WeakValueDictionary()
"""Whose time a symbol is: its `Courses`, and those of copies, by the hash of the symbol."""


def sharing(courses: Courses) -> WeakSet[Courses]:
    """All courses that have the same time as this one, which becomes one of them and keeps the set."""
    owners = _owners.setdefault(courses.t.element_hash(), WeakSet())
    owners.add(courses)
    return owners


class Signal:
    """A Python function of time for `simulate(inputs=…)`, with what else is known of it.

    function, rate, acceleration: of t [s]; breakpoints [s]: where it jumps or has a corner, integrators stop there.
    Derivatives are needed where the input moves a constraint. Without breakpoints, steps are kept short (`max_step`).
    """

    component = "Signal"

    def __init__(
        self,
        function: Callable[[float], float],
        *,
        rate: Callable[[float], float] | None = None,
        acceleration: Callable[[float], float] | None = None,
        breakpoints: Sequence[float] | np.ndarray | None = None,
    ):
        for name, given in (("function", function), ("rate", rate), ("acceleration", acceleration)):
            if given is not None and not callable(given):
                raise ModelError(f"its {name} is {given!r}.", component="Signal", remedy="Give a function of t.")
        if acceleration is not None and rate is None:
            raise ModelError("has an acceleration without a rate.", component="Signal", remedy="Give rate=… too.")
        self.functions = [f for f in (function, rate, acceleration) if f is not None]
        self.known = breakpoints is not None
        try:
            self.breakpoints = np.unique(np.array([] if breakpoints is None else breakpoints, dtype=float).ravel())
        except Exception:  # whatever numpy meets in there
            raise ModelError("its breakpoints are not times.", component="Signal", remedy="Give seconds.") from None

    @property
    def order(self) -> int:
        """The highest derivative that is known."""
        return len(self.functions) - 1

    def __call__(self, t: Any) -> Any:
        return self.functions[0](t)

    def derivative(self, order: int) -> Callable[[Any], Any]:
        """Its derivative of that order, as a function."""
        return self.functions[order]

    def corners(self, end: float) -> np.ndarray:
        """Where it may jump or bend, from 0 to end [s]."""
        return self.breakpoints[(self.breakpoints >= 0) & (self.breakpoints <= end)]

    def steps(self, order: int, end: float) -> list[tuple[float, float]]:
        """(time [s], by how much) its derivative of that order jumps inside (0, end)."""
        steps, f = [], self.functions[order]
        for t in self.corners(end):
            away = 1e-9 * max(end, abs(t))
            before, after = 2 * f(t - away) - f(t - 2 * away), 2 * f(t + away) - f(t + 2 * away)
            size = max(abs(f(t - away)), abs(f(t + away)), 1e-12)
            if 0 < t < end and abs(after - before) > 1e-6 * size:
                steps.append((float(t), float(after - before)))
        return steps


class Table(Signal):
    """Values over time, for wherever a function of t or an input is taken: `m.voltage_source("S", lw.Table(t, u))`.

    times [s] in rising order; kind: "linear" (straight lines), "cubic" (a smooth spline through the points), "hold"
    (each value until the next time). Before the first and after the last time the end values stay, unless ends is
    "periodic": then it repeats, and the last value is the first of the next round. Integrators stop at the corners.

    A table of t is data: of any length, looked up in O(log n), and `table.values = …` counts from the next run on
    without compiling. A table of something else (a position, say) is compiled in, point by point.
    """

    component = "Table"

    def __init__(self, times: object, values: object, kind: str = "linear", *, ends: str = "held"):
        self._times, self._values = _column("times", times), _column("values", values)
        self.kind, self.ends = kind, ends
        if not isinstance(kind, str) or kind not in KINDS:
            raise ModelError(f"kind {shown(kind)}.", component="Table", remedy=f"It is one of {', '.join(KINDS)}.")
        if not isinstance(ends, str) or ends not in ("held", "periodic"):
            raise ModelError(f"ends {shown(ends)}.", component="Table", remedy="They are held or periodic.")
        if np.any(np.diff(self._times) <= 0) and self._times.size == self._values.size:
            where = int(np.argmax(np.diff(self._times) <= 0))
            raise ModelError(
                f"its times do not rise after {self._times[where]:g} s.",
                component="Table",
                remedy='Sort them; for a jump use kind="hold".',
            )
        self._read()

    @classmethod
    def with_jumps(cls, times: object, values: object) -> Table:
        """Straight lines between points; a time that is repeated is a jump."""
        table = cls.__new__(cls)
        table._times, table._values = _column("times", times), _column("values", values)
        table.kind, table.ends = "linear", "held"
        table._read()
        return table

    def _read(self) -> None:
        times, values = self._times, self._values
        if times.size != values.size or times.size < 2:
            raise ModelError(
                f"{times.size} times and {values.size} values.",
                component="Table",
                remedy="Give as many values as times, and at least two.",
            )
        if not np.all(np.isfinite(times)) or not np.all(np.isfinite(values)):
            raise ModelError("holds a number that is not finite.", component="Table", remedy="Leave gaps out.")
        if self.ends == "periodic" and self.kind != "hold" and values[0] != values[-1]:
            raise ModelError(
                f"repeats, but begins at {values[0]:g} and ends at {values[-1]:g}.",
                component="Table",
                remedy='Let the last value be the first, or use kind="hold".',
            )
        self._pieces: Pieces | None = None
        self._corners: np.ndarray | None = None
        self._lookup: ca.Function | None = None

    @property
    def times(self) -> np.ndarray:
        return self._times

    @property
    def values(self) -> np.ndarray:
        """The values; others may be given as a whole, as many as there are times: one by one they cannot be changed."""
        return self._values

    @values.setter
    def values(self, values: object) -> None:
        before, self._values = self._values, _column("values", values)
        try:
            self._read()
        except ModelError:
            self._values = before
            raise

    @property
    def known(self) -> bool:  # type: ignore[override]
        """Its corners always are."""
        return True

    @property
    def order(self) -> int:
        return HIGHEST

    @property
    def pieces(self) -> Pieces:
        if self._pieces is None:
            times, inner = self._polynomials()
            last = np.zeros((1, inner.shape[1]))
            first = last.copy()
            first[0, 0], last[0, 0] = self._values[0], self._values[-1]
            period = float(times[-1] - times[0]) if self.ends == "periodic" else 0.0
            self._pieces = Pieces(times, np.ascontiguousarray(np.vstack([first, inner, last])), period)
        return self._pieces

    def _polynomials(self) -> tuple[np.ndarray, np.ndarray]:
        """Times and coefficients by interval, of (t − start)⁰, ¹, …"""
        times, values = self._times, self._values
        if self.kind == "hold":
            return times, values[:-1, None]
        if self.kind == "linear":
            return times, lines(times, values).coefficients[1:-1]
        return times, cubic_spline(times, values, periodic=self.ends == "periodic")

    def derivative(self, order: int) -> Pieces:
        return self.pieces.derivative(order)

    def corners(self, end: float) -> np.ndarray:
        return self.corners_between(0.0, end)

    def corners_between(self, begin: float, end: float) -> np.ndarray:
        """Where it jumps or bends, in a span of its own time [s]."""
        if self._corners is None:
            self._corners = self.pieces.corners()
        return self._repeated(self._corners, begin, end)

    def _repeated(self, times: np.ndarray, begin: float, end: float) -> np.ndarray:
        """Times of one round, in all rounds of a span [s]."""
        period = self.pieces.period
        if period:
            times = times[times < self._times[-1]]
            first, last = (np.floor((x - self._times[0]) / period) for x in (begin, end))
            times = (np.arange(first - 1, last + 2)[:, None] * period + times).ravel()
        return times[(times >= begin) & (times <= end)]

    def steps(self, order: int, end: float) -> list[tuple[float, float]]:
        jumps = self.pieces.steps(order)
        gap = np.diff(self._times)
        shortest = float(gap[gap > 0].min(initial=np.inf)) if order else 1.0
        large = np.abs(jumps) > 1e-9 * max(self.pieces.size, 1e-300) / shortest**order
        times = self._times[large]
        repeated = self._repeated(times, 0.0, end)
        size = float(np.abs(jumps[large]).max(initial=0.0))
        return [(float(t), size) for t in repeated if 0 < t < end]

    def __call__(self, t: object) -> Any:
        """The value at time t [s]: a number, an array; of a model's m.t: a symbol that follows the table."""
        if not isinstance(t, SX):
            try:
                values = self.pieces(t)
            except Exception:
                raise ModelError(f"t is {shown(t)}.", component="Table", remedy="Give times or a symbol.") from None
            return float(values) if np.ndim(values) == 0 else values
        if isinstance(t, SX) and t.is_constant() and t.numel() == 1:
            return SX(float(self.pieces(float(t))))
        course = course_of(self, t)
        return self._compiled_in(t) if course is None else course

    def _compiled_in(self, x: SX) -> SX:
        """As an expression of something that is not time: each point costs operations at every evaluation."""
        pieces = self.pieces
        if pieces.times.size > COMPILED:
            raise ModelError(
                f"its {pieces.times.size} points would be compiled in, as it is not a function of time.",
                component="Table",
                remedy=f"Take {COMPILED} points or fewer, call it with m.t, or drive an input with it.",
            )
        if self._lookup is None:
            self._lookup = _lookup(pieces)
        return self._lookup(x)

    def __repr__(self) -> str:
        times = self._times
        return f"<Table of {times.size} points, {self.kind}, {times[0]:g} … {times[-1]:g} s>"


def _lookup(pieces: Pieces) -> ca.Function:
    """x → the value at x.

    The interval is looked up first, by halves: constants, so that derivatives cost as little as one polynomial.
    """
    given = x = SX.sym("x")
    first, period = pieces.times[0], pieces.period
    if period:
        x = first + x - first - period * ca.floor((x - first) / period)
    starts = np.concatenate([pieces.times[:1], pieces.times])
    begin, *coefficients = _looked_up(x, pieces.times, np.column_stack([starts, pieces.coefficients]))
    local, result = x - begin, SX(0)
    for c in reversed(coefficients):
        result = result * local + c
    return ca.Function("table", [given], [result])


def _looked_up(x: SX, times: np.ndarray, rows: np.ndarray) -> list[SX]:
    """The row that holds at x: the first before the first of the times, the last from the last time on."""
    if len(rows) == 1:
        return [SX(float(c)) for c in rows[0]]
    half = len(rows) // 2
    before = x < times[half - 1]
    low, high = _looked_up(x, times[: half - 1], rows[:half]), _looked_up(x, times[half:], rows[half:])
    return [a if ca.is_equal(a, b) else ca.if_else(before, a, b) for a, b in zip(low, high, strict=True)]


def _column(what: str, given: object) -> np.ndarray:
    """Numbers in a row, a copy that cannot be changed: what was derived from it would not follow."""
    try:
        column = np.array(given, dtype=float).ravel()
    except Exception:
        raise ModelError(f"its {what} are {shown(given)}.", component="Table", remedy="Give numbers.") from None
    column.setflags(write=False)
    return column


def course_of(table: Table, x: SX) -> SX | None:
    """The table as a course of the model whose time x is; scaled and shifted times will do; None: it is not."""
    symbols = ca.symvar(x)
    known = _owners.get(symbols[0].element_hash(), ()) if len(symbols) == 1 else ()
    copies = [courses for courses in known if ca.is_equal(symbols[0], courses.t)]
    if not copies:
        return None
    at = along(x, copies[0].t)
    return None if at is None else copies[0].table(table, *at, copies)


def along(x: SX, t: SX) -> tuple[float, float] | None:
    """(scale, shift) of scale·t + shift; None: it is not that."""
    symbols = ca.symvar(x)
    if len(symbols) != 1 or not ca.is_equal(symbols[0], t):
        return None
    if ca.is_equal(x, t):
        return 1.0, 0.0
    scale = ca.jacobian(x, t)
    if ca.symvar(scale):
        return None
    return float(ca.evalf(scale)), float(ca.evalf(ca.substitute(x, t, SX(0))))
