"""When equations jump or bend for reasons of time alone: corners of signals, and comparisons that only time decides.

Each such time is a stop: a pair of numbers just before and just after it. No step goes across; equations are evaluated
on either side, never on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache as once

import casadi as ca
import numpy as np

from linkwork.algebra.distinct import distinct
from linkwork.core.courses import Courses, Taken, in_time
from linkwork.core.equations import Equations, expressions_in
from linkwork.core.errors import ModelError
from linkwork.core.pieces import Lookup, OverTime
from linkwork.core.signal import Signal, Table
from linkwork.core.switching import Switch, switches_in
from linkwork.geometry import SX
from linkwork.recall.notes import noted
from linkwork.signals.isolation import CHANGE_LIMIT, ULPS, isolated

NOTED = 1000
"""Corners of tables that are noted among the events."""


def dynamics_of(eq: Equations, *, algebraic: bool = True) -> list[SX]:
    """The expressions that decide how the system moves; what is only recorded is not among them.

    algebraic: whether states are, which nonlinear equations determine.
    """
    left_out = {*eq.states.accounts, *(() if algebraic else eq.algebraic.states)}
    zdot = [eq.motion.zdot[k] for k in range(eq.z.numel()) if k not in left_out]
    motion, constraints = eq.motion, eq.constraints
    parts = [motion.mass, motion.force, motion.qdot, *expressions_in(constraints), *zdot]
    parts += [eq.algebraic.residual] if algebraic else []
    parts += expressions_in(eq.contacts.places)
    return [SX(part) for part in parts if part.nnz()]


def used(eq: Equations) -> list[Taken]:
    """Derivatives of inputs, and tables with theirs, on which the motion truly depends.

    States that are found anew where their equations jump are not part of it.
    """
    courses = eq.signals.courses
    if courses is None or not eq.signals.taken:
        return []
    if "used" not in eq.memory:
        places = noted(eq, "used signals", lambda: _used(eq, courses))
        eq.memory["used"] = [eq.signals.taken[k] for k in places]
    return eq.memory["used"]


def _used(eq: Equations, courses: Courses) -> list[int]:
    """Which of the signals."""
    expressions = [*dynamics_of(eq, algebraic=False), *(path for _, _, path in eq.observation.motions)]
    column = ca.vertcat(SX(0, 1), *(ca.vec(SX(x)).nz[:] for x in in_time(expressions, courses)))
    present = {s.element_hash() for s in ca.symvar(column)}
    return [k for k, x in enumerate(eq.signals.taken) if x.symbol.element_hash() in present]


def table_corners(taken: Sequence[Taken], end: float) -> list[float]:
    """Corners [s] of the tables in the equations, for a record of them; none where there are very many."""
    of_tables = _corners(taken, {}, end)
    if not of_tables:
        return []
    corners = distinct(np.concatenate([c for c, _ in of_tables])).values
    return corners[corners > 0].tolist() if corners.size <= NOTED else []


def stops_of(
    eq: Equations,
    p: np.ndarray,
    signals: Mapping[int, OverTime],
    end: float,
    taken: Sequence[Taken] | None = None,
) -> np.ndarray:
    """Pairs of times [s] between 0 and end around all that jumps or bends, in rising order.

    taken: what the equations follow over time, where others stand for it in them.
    """
    taken = eq.signals.taken if taken is None else taken
    corners = _corners(taken, signals, end)
    return joined([*_pairs_around(corners), _switched(eq, p, signals, end, corners)], end)


def corners_of(taken: Sequence[Taken], signals: Mapping[int, OverTime], end: float) -> np.ndarray:
    """Pairs of times [s] around the corners of tables, and of what drives inputs."""
    return np.vstack([np.zeros((0, 2)), *_pairs_around(_corners(taken, signals, end))])


def _pairs_around(corners: Sequence[tuple[np.ndarray, float]]) -> list[np.ndarray]:
    return [_around(times, np.abs(times) + offset) for times, offset in corners]


def joined(pairs: Sequence[np.ndarray], end: float) -> np.ndarray:
    """Those of several lists that are between 0 and end, in rising order."""
    pairs = [some for some in pairs if len(some)]
    if not pairs:
        return np.zeros((0, 2))
    stops = np.vstack(pairs)
    stops = stops[np.argsort(stops[:, 0])]
    stops = stops[(stops[:, 1] > 0) & (stops[:, 0] < end)]
    if len(stops) > CHANGE_LIMIT:
        raise ModelError(
            f"equations jump or bend {len(stops):.2g} times in {end:g} s.",
            component="time",
            remedy="Take a shorter duration, or an average instead of what switches so fast.",
        )
    if len(stops) < 2:
        return stops
    # Those that touch each other are one.
    reach = np.maximum.accumulate(stops[:, 1])
    apart = np.concatenate([[True], stops[1:, 0] > reach[:-1]])
    first = np.flatnonzero(apart)
    return np.column_stack([stops[first, 0], np.maximum.reduceat(stops[:, 1], first)])


def _around(times: np.ndarray, size: np.ndarray) -> np.ndarray:
    away = ULPS * np.finfo(float).eps * size
    return np.column_stack([times - away, times + away])


def _corners(taken: Sequence[Taken], signals: Mapping[int, OverTime], end: float) -> list[tuple[np.ndarray, float]]:
    """Corners of tables and of what drives inputs, in time [s], and the size of the shift of that time."""
    corners_and_shifts: list[tuple[np.ndarray, float]] = []
    given: dict[str, float | Signal] = getattr(signals, "given", {})
    for signal in given.values():
        if isinstance(signal, Signal):
            corners_and_shifts.append((signal.corners(end), 0.0))
    tables = {(id(x.source), x.scale, x.shift): x for x in taken if isinstance(x.source, Table)}
    for one in tables.values():
        scale, shift, table = one.scale, one.shift, one.source
        assert isinstance(table, Table)
        if not scale:
            continue
        reached = sorted((shift, scale * end + shift))
        corners = (table.corners_between(*reached) - shift) / scale
        corners_and_shifts.append((np.sort(corners), abs(shift / scale)))
    return corners_and_shifts


def time_switches(eq: Equations) -> list[Switch]:
    """Comparisons in the equations that only time decides, kept with them."""
    if "switches" not in eq.memory:
        switches = once(lambda: _time_switches(eq))
        eq.memory["switches"] = switches() if noted(eq, "switches", lambda: bool(switches())) else []
    return eq.memory["switches"]


def _time_switches(eq: Equations) -> list[Switch]:
    taken = [x.symbol for x in eq.signals.taken]
    expressions = [*dynamics_of(eq), *(path for _, _, path in eq.observation.motions)]
    if eq.signals.courses is not None:
        expressions = in_time(expressions, eq.signals.courses)
    states = [eq.q, eq.v, eq.z, eq.a, eq.multipliers]
    inputs = eq.symbols.inputs[: eq.symbols.inputs.numel() - len(taken)] if taken else eq.symbols.inputs
    return switches_in(expressions, [eq.t, inputs, *taken], states)


def _switched(
    eq: Equations,
    p: np.ndarray,
    signals: Mapping[int, OverTime],
    end: float,
    known: Sequence[tuple[np.ndarray, float]],
) -> np.ndarray:
    """known: corners of what drives them."""
    switches = time_switches(eq)
    if not switches:
        return np.zeros((0, 2))
    column = ca.vertcat(*(x.value for x in switches))
    drivers = {k: s for k, s in signals.items() if callable(s) and ca.depends_on(column, eq.symbols.inputs[k])}
    varying = list(drivers)
    if not varying and not ca.depends_on(column, eq.t):
        return np.zeros((0, 2))
    driven = ca.vertcat(SX(0, 1), *(eq.symbols.inputs[k] for k in varying))
    rest = [k for k in range(eq.p.numel()) if k - eq.symbols.parameters.numel() not in set(varying)]
    column = ca.substitute(column, eq.p[rest], SX(ca.DM(p[rest]))) if rest else column
    f = ca.Function("switches", [eq.t, driven], [ca.densify(column)], {"cse": True})

    def values(t: np.ndarray) -> np.ndarray:
        """(switches, samples)."""
        rows = [s(t) if isinstance(s, Lookup) else [float(s(x)) for x in t] for s in drivers.values()]
        given = np.array(rows).reshape(len(varying), t.size)
        return np.array(f(ca.DM(t[None, :]), ca.DM(given))).reshape(len(switches), t.size)

    rounded = np.array([x.rounded for x in switches])
    return isolated(values, rounded, end, np.concatenate([np.zeros(0), *(c for c, _ in known)]))
