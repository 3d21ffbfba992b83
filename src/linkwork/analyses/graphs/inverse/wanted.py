"""What an output is wanted to be over time, as an expression that can be differentiated."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import casadi as ca
import numpy as np

from linkwork.core.errors import ModelError
from linkwork.core.kinds import is_number, shown
from linkwork.core.signal import Samples, Table
from linkwork.geometry import SX, Number

Wanted: TypeAlias = Number | Callable[[SX], Number] | tuple[Samples, Samples]
"""A number, an expression of g.t, a function of t written with symbols, a lw.Table, or (times, values)."""


def read_wanted(wanted: Wanted, t: SX, known: SX, output: str) -> SX:
    """As an expression of t; known: other symbols that it may use. Samples become a smooth spline."""
    if isinstance(wanted, tuple) and len(wanted) == 2:
        wanted = Table(*wanted, kind="cubic")
    if callable(wanted) and not isinstance(wanted, SX):
        try:
            wanted = wanted(t)
        except (TypeError, ValueError, NotImplementedError, RuntimeError) as error:
            raise ModelError(
                f"what is wanted cannot be applied to a symbol: {str(error).splitlines()[-1]}",
                component=output,
                remedy="Write it with arithmetic and lw.sin, lw.exp, lw.if_else, …: it is differentiated.",
            ) from error
    if not (is_number(wanted) or isinstance(wanted, SX)) or SX(wanted).numel() != 1:
        raise ModelError(
            f"{shown(wanted)} is nothing that can be wanted.",
            component=output,
            remedy="Give a number, a function of t, a lw.Table or (times, values).",
        )
    value = SX(wanted)
    strangers = [s.name() for s in ca.symvar(value) if not ca.depends_on(ca.vertcat(t, known), s)]
    if strangers or (value.is_constant() and not np.isfinite(float(value))):
        raise ModelError(
            f"what is wanted depends on {', '.join(strangers)}." if strangers else "what is wanted is not finite.",
            component=output,
            remedy="Write it with t and parameters alone.",
        )
    return value


def check_jumps(levels: list[SX], t: SX, at: tuple[SX, np.ndarray], stops: np.ndarray, output: str, order: int) -> None:
    """The wanted value and its derivatives below the relative order must not jump: no finite source could follow."""
    if not levels or not len(stops):
        return
    f = ca.Function("levels", [t, at[0]], [ca.densify(ca.vertcat(*levels))])
    before, after = (np.array(f(ca.DM(side[None, :]), ca.DM(at[1]))) for side in (stops[:, 0], stops[:, 1]))
    size = 1e-9 * (1 + np.maximum(np.abs(before), np.abs(after)).max(axis=1, keepdims=True))
    jumps = np.argwhere((np.abs(after - before) > size).T)
    if jumps.size:
        stop, level = (int(k) for k in jumps[0])
        what = "it" if level == 0 else f"its derivative of order {level}"
        raise ModelError(
            f"{what} is wanted to jump at t = {stops[stop].mean():.6g} s; the source acts on derivative {order}, and "
            "could only follow by an impulse.",
            component=output,
            remedy="Give something smoother: (times, values) become a spline, lw.sin and polynomials are smooth.",
        )
