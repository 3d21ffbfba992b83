"""What drives the inputs of a run, as integrators take it; what a constraint would need and does not get is told."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import casadi as ca
import numpy as np

from linkwork.core.courses import Taken
from linkwork.core.equations import Equations
from linkwork.core.errors import ModelError, UnknownName
from linkwork.core.kinds import is_number, number_in, shown
from linkwork.core.pieces import Lookup, OverTime
from linkwork.core.signal import HIGHEST, Inputs, Signal, Table
from linkwork.core.switching import switches_in
from linkwork.geometry import SX
from linkwork.signals.breakpoints import used
from linkwork.signals.isolation import isolated_in

SHORT = 1000
"""Steps that a run takes at least where a function drives it of which nothing more is known."""
LEVELS = ("value", "rate", "acceleration", "jerk")


class Driveable(Protocol):
    """A model, or a graph: what has a name, and inputs."""

    name: str
    inputs: dict[str, float]


class Signals(dict[int, OverTime]):
    """By number of the input: a number, or a function of t; after the inputs, whatever else follows time."""

    def __init__(self, given: Mapping[str, float | Signal]):
        super().__init__()
        self.given = dict(given)

    @property
    def blind(self) -> bool:
        """Whether a function drives an input whose corners nobody knows."""
        return any(isinstance(s, Signal) and not s.known for s in self.given.values())

    def longest_step(self, duration: float, asked: float | None) -> float | None:
        """What `max_step` is then [s]; what was asked for holds."""
        return duration / SHORT if asked is None and self.blind else asked


def signals_of(
    model: Driveable, inputs: Inputs | None, eq: Equations | None = None, end: float | None = None
) -> Signals:
    """What drives each input that is given, and all that follows time in these equations.

    end [s]: of the run; with it, what the equations cannot take is refused.
    """
    if inputs is not None and not isinstance(inputs, Mapping):
        raise ModelError(
            f"inputs={inputs!r} names none.", component=model.name, remedy="Give {name: signal}, a dictionary."
        )
    names = list(model.inputs)
    for name in inputs or {}:
        if name not in model.inputs:
            raise UnknownName("input", name, names, component=model.name)
    signals = Signals({name: _signal(name, signal) for name, signal in (inputs or {}).items()})
    for name, signal in signals.given.items():
        signals[names.index(name)] = _driver(name, signal)
    if eq is None or eq.signals.courses is None:
        return signals
    if end is not None:
        check_signals(eq, signals.given, end)
    follow(signals, eq.signals.taken, len(names))
    return signals


def follow(signals: Signals, taken: Sequence[Taken], inputs: int) -> None:
    """What drives all that is followed over time, behind the inputs; inputs: how many there are."""
    for k, one in enumerate(taken):
        driver = one.driver(signals.given)
        if callable(driver):
            signals[inputs + k] = driver
        elif np.isnan(driver):  # nothing in the motion depends on it: for what is only recorded, a difference will do
            known = signals.given[str(one.source)]
            if isinstance(known, Signal) and one.order < 2:
                signals[inputs + k] = _difference(known, one.order)
            else:
                signals[inputs + k] = 0.0


def values_in_time(p: np.ndarray, first: int, signals: Mapping[int, OverTime]) -> Callable[[float], np.ndarray]:
    """p = [parameters, inputs] at a time [s]; first: number of the first input."""

    def values(t: float) -> np.ndarray:
        now = p.copy()
        for k, signal in signals.items():
            now[first + k] = float(signal(t) if callable(signal) else signal)
        return now

    return values


def _driver(name: str, signal: float | Signal) -> OverTime:
    if isinstance(signal, Table):
        return Lookup(signal.pieces)
    return _told(name, signal.derivative(0)) if callable(signal) else signal


def _told(name: str, function: Callable[[float], object]) -> Callable[[float], float]:
    """A function of the user's; what it gives that is no number is told with the input's name and the time. What it
    raises comes out as it is, with a note of these."""

    def value(t: float) -> float:
        try:
            result = function(t)
        except Exception as error:
            error.add_note(f"(This is what the function of the input {name!r} raised at t = {t:g} s.)")
            raise
        number = result if isinstance(result, float) else number_in(result)
        if number is None:
            number = float(result) if isinstance(result, (bool, np.bool_)) else None
        if number is None and isinstance(result, SX) and result.numel() == 1 and result.is_constant():
            number = float(result)
        if number is None:
            raise ModelError(
                f"its function gives {shown(result)} at t = {t:g} s.", component=name, remedy="Give one number."
            )
        return float(number)

    value(0.0)  # before anything is run
    return value


def _difference(signal: Signal, order: int) -> Callable[[float], float]:
    """Its next derivative, roughly."""
    f = signal.functions[order - 1]

    def rate(t: float) -> float:
        away = 1e-6 * max(1.0, abs(t))
        first = max(t - away, 0.0)  # there may be nothing before the start
        return (f(t + away) - f(first)) / (t + away - first)

    return rate


def _signal(name: str, given: Any) -> float | Signal:
    """A number, or a signal; anything else is told with the input's name."""
    if is_number(given):
        return float(given)
    if isinstance(given, Signal):
        return given
    if callable(given):
        return traced(given)
    try:
        times, values = (np.asarray(x, dtype=float) for x in given)
        fine = times.ndim == 1 and times.size >= 2 and times.shape == values.shape and bool(np.all(np.diff(times) >= 0))
        fine = fine and bool(np.all(np.isfinite(values)))
    except (TypeError, ValueError):
        fine = False
    if not fine:
        raise ModelError(
            "cannot be driven by this.",
            component=name,
            remedy="Give a finite number, a function of t, or (times, values) of equal length with times in order.",
        )
    return Table.with_jumps(times, values)


def traced(function: Callable[..., float]) -> Signal:
    """A function with its derivatives and corners, if it can be read: called once with a symbol, it gives an expression
    that agrees with it. Else a function of which nothing more is known."""
    t = SX.sym("t")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of numpy's functions, when they meet a symbol
        return _traced(function, t)


def _traced(function: Callable[..., float], t: SX) -> Signal:
    try:
        value = SX(function(t))
        plain = value.numel() == 1 and all(s.element_hash() == t.element_hash() for s in ca.symvar(value))
        parts = [value]
        for _ in range(HIGHEST if plain else 0):
            parts.append(ca.jacobian(parts[-1], t))
        f = ca.Function("signal", [t], [ca.densify(x) for x in parts]) if plain else None
        trial = (0.0, 1e-4, 0.0137, 0.137, 1.7, 31.3, 1e3)
        known = [float(function(x)) for x in trial]
        read = [] if f is None else [float(f(x)[0]) for x in trial]
        agrees = f is not None and np.allclose(read, known, rtol=1e-12, atol=1e-12, equal_nan=True)
        switching = bool(switches_in(parts[:1], [t]))
    except Exception:  # whatever a stranger's function does with a symbol
        agrees = False
    if not agrees:
        return Signal(function)
    pieces = [ca.Function("d", [t], [ca.densify(x)]) for x in parts[1:]]
    return _Expression([function, *(_plain(g) for g in pieces)], parts[0] if switching else None, t)


def _plain(f: ca.Function) -> Callable[[float], float]:
    return lambda t: float(f(t))


class _Expression(Signal):
    """A function that could be read."""

    def __init__(self, functions: list[Callable[[float], float]], switching: SX | None, t: SX):
        """functions: it, and its derivatives."""
        super().__init__(functions[0], breakpoints=())
        self.functions = functions
        self._switching, self._t = switching, t

    def corners(self, end: float) -> np.ndarray:
        if self._switching is None:
            return np.zeros(0)
        return isolated_in(self._switching, self._t, end).mean(axis=1)


# What constraints need ------------------------------------------------------------------------------------------------


def check_signals(
    eq: Equations, given: Mapping[str, float | Signal], end: float, tables: Mapping[Table, Table] | None = None
) -> None:
    """A derivative on which the motion depends must be known, and those below it must not jump.

    tables: those that are meant by those in the equations.
    """
    needed: dict[str | tuple[int, float, float], Taken] = {}
    for taken in used(eq):
        key = taken.source if isinstance(taken.source, str) else (id(taken.source), taken.scale, taken.shift)
        if taken.source is not None and taken.order and (key not in needed or needed[key].order < taken.order):
            needed[key] = taken
    for taken in needed.values():
        source = taken.source
        signal = (tables or {}).get(source, source) if isinstance(source, Table) else given.get(str(source))
        if isinstance(signal, Signal):
            _check_signal(eq, taken, signal, end)


def _check_signal(eq: Equations, taken: Taken, signal: Signal, end: float) -> None:
    held = _held(eq, taken)
    what = f"input {taken.source!r}" if isinstance(taken.source, str) else "table"
    moves = f"the {what} moves {held}" if held else f"the {what} moves a constraint"
    owner = taken.source if isinstance(taken.source, str) else held.partition(" (")[0] or "Table"
    if taken.order > signal.order:
        raise ModelError(
            f"{moves}, which needs its {LEVELS[taken.order]}; a plain Python function has none.",
            component=owner,
            remedy='Give lw.Signal(function, rate=…, acceleration=…), or lw.Table(times, values, "cubic").',
        )
    scale, shift = taken.scale or 1.0, taken.shift
    for order in range(taken.order):
        steps = [(t - shift) / scale for t, _ in signal.steps(order, max(scale * end, 0.0) + abs(shift))]
        inside = [t for t in steps if 0 < t < end * (1 - 1e-12)]
        if inside:
            at = min(inside)
            jumps = "jumps" if order == 0 else f"has a {LEVELS[order]} that jumps"
            raise ModelError(
                f"{moves}, but it {jumps} at t = {at:.6g} s: no finite force could follow.",
                component=owner,
                remedy='Use lw.Table(…, kind="cubic"), or give the speed instead: lw.Motion(speed=…).'
                if order
                else "Let it rise within a finite time, or apply a force instead.",
            )


def _held(eq: Equations, taken: Taken) -> str:
    """The constraint, or the coordinate with a motion, that the signal moves."""
    family = [x.symbol for x in eq.signals.taken if x.source is taken.source or x.source == taken.source]
    symbols = ca.vertcat(*family)
    held = eq.constraints
    for k, row in enumerate(held.rows):
        levels = [held.velocity[k], *([held.position[k]] if k < held.position.numel() else [])]
        if ca.depends_on(ca.vertcat(*levels), symbols):
            return str(row)
    return next((f"{name} (motion)" for name, _, path in eq.observation.motions if ca.depends_on(path, symbols)), "")
