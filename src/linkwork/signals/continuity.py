"""Constraints that jump: refused by name, as no finite force could follow."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
import numpy as np

from linkwork.core.equations import Equations
from linkwork.core.errors import ModelError
from linkwork.core.pieces import OverTime
from linkwork.geometry import SX
from linkwork.signals.inputs import values_in_time

STOP_LIMIT = 20_000
"""Stops that are looked at."""
JUMP = 1e-9
"""Change over a stop, next to the size of what changes, that is no rounding."""


def check_continuity(
    eq: Equations, p: np.ndarray, signals: Mapping[int, OverTime], stops: np.ndarray, y: np.ndarray, end: float
) -> None:
    """Positions and speeds that constraints and motions ask for must be the same on both sides of every stop.

    y: the state at the start; that of later times does not matter, as what jumps does so by time alone.
    """
    inside = stops[(stops[:, 0] > 0) & (stops[:, 1] < end)][:STOP_LIMIT]
    if not len(inside):
        return
    wanted = asked(eq)
    time = ca.vertcat(eq.t, eq.symbols.inputs)
    wanted = [(name, how, x) for name, how, x in wanted if ca.depends_on(x, time)]
    if not wanted:
        return
    column = ca.densify(ca.vertcat(*(x for _, _, x in wanted)))
    f = ca.Function("asked", [eq.t, eq.y, eq.p], [column], {"cse": True})
    gap = inside[:, 1] - inside[:, 0]
    times = (inside[:, 0] - gap, inside[:, 0], inside[:, 1], inside[:, 1] + gap)
    earlier, before, after, later = (_values(f, eq, t, y, p, signals) for t in times)
    size = 1.0 + np.maximum(np.abs(before), np.abs(after))
    steady = np.abs(before - earlier) + np.abs(later - after)  # what is fast changes a little over the gap, too
    jumps = np.argwhere((np.abs(after - before) > JUMP * size + 10 * steady).T)
    if not jumps.size:
        return
    stop, k = (int(n) for n in jumps[0])
    name, how, _ = wanted[k]
    what = "jumps" if how == "position" else "has a speed that jumps"
    raise ModelError(
        f"what it follows {what} at t = {inside[stop].mean():.6g} s: no finite force could do that.",
        component=name,
        remedy="Let it change within a finite time, or apply a force instead."
        if how == "position"
        else 'Make it smooth, such as lw.Table(…, kind="cubic"), or give a speed without jumps: lw.Motion(speed=…).',
    )


def asked(eq: Equations) -> list[tuple[str, str, SX]]:
    """(owner, "position" or "speed", expression) of all that must not jump."""
    owners = [row.owner for row in eq.constraints.rows]  # fewer than rows where a formulation closes joints by itself
    wanted = [(owner, "position", x) for owner, x in zip(owners, ca.vertsplit(eq.constraints.position), strict=False)]
    wanted += [(owner, "speed", x) for owner, x in zip(owners, ca.vertsplit(eq.constraints.velocity), strict=False)]
    words = {"displacement": "position", "speed": "speed"}
    return wanted + [(name, words[level], path) for name, level, path in eq.observation.motions if level in words]


def _values(
    f: ca.Function, eq: Equations, t: np.ndarray, y: np.ndarray, p: np.ndarray, signals: Mapping[int, OverTime]
) -> np.ndarray:
    """(expressions, times)."""
    values = values_in_time(p, eq.symbols.parameters.numel(), signals)
    now = np.column_stack([values(x) for x in t])
    return np.array(f(ca.DM(t[None, :]), ca.DM(np.repeat(y[:, None], t.size, axis=1)), ca.DM(now)))
