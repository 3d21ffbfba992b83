"""Drives: what a user gives to move a coordinate (a function of t, a table, a number), with its derivatives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import casadi as ca
import numpy as np

from linkwork.assembly.numbers import absolute_equations
from linkwork.core.equations import Equations
from linkwork.core.errors import LinkworkError, ModelError, UnknownName
from linkwork.core.pieces import OverTime
from linkwork.core.signal import Samples, Table
from linkwork.geometry import SX, Number

if TYPE_CHECKING:
    from linkwork.core.model import Model

Given: TypeAlias = Mapping[Any, Number | Callable[[SX], Number] | tuple[Samples, Samples]]
"""What moves coordinates (or their names): a function of t, (times, values), or a number."""
Path = Callable[[np.ndarray], np.ndarray]
"""Times (n,) → value, rate and acceleration, shape (3, n), or (3, n, drives)."""


@dataclass(frozen=True)
class Driven:
    """A position that can be driven or carry an effort: its name, unit, value x(t, q, z) and rate ẋ(t, q, v)."""

    name: str
    unit: str
    value: SX
    rate: SX

    @property
    def effort_unit(self) -> str:
        return "N·m" if self.unit == "rad" else "N"


@dataclass(frozen=True)
class Drive:
    """A driven position and what it follows: an expression of t, or a spline, known up to the time `end` [s]."""

    driven: Driven
    expression: SX | None = None
    spline: Path | None = None
    end: float = np.inf


def coordinate_names(eq: Equations) -> list[str]:
    """Coordinates of joints and generalised coordinates: the channels that have a rate beside them."""
    return [name for name in eq.observation.outputs if f"{name}.rate" in eq.observation.outputs]


def find(model: Model, eq: Equations, given: Any, role: str = "driven") -> Driven:
    """The position behind a coordinate or its name: any channel that depends on positions alone."""
    owner = getattr(given, "owner", None)
    if owner is not None and owner.model is not model:
        raise ModelError("belongs to another model.", component=given.name, remedy="Use this model's coordinate.")
    name = given if isinstance(given, str) else getattr(given, "name", None)
    if not isinstance(name, str):
        raise ModelError(f"{given!r} cannot be {role}.", component=model.name, remedy="Give O.angle or 'O.angle'.")
    if name not in eq.observation.outputs:
        raise UnknownName("coordinate", name, _positions(eq), component=model.name)
    unit, value = eq.observation.outputs[name]
    if not _is_position(eq, name):
        raise ModelError(
            f"cannot be {role}: it is not a position.",
            component=name,
            remedy=f"Positions are, for instance, {', '.join(coordinate_names(eq)[:4] or _positions(eq)[:4])}.",
        )
    rate = ca.jtimes(value, ca.vertcat(eq.q, eq.t), ca.vertcat(eq.motion.qdot, 1))
    return Driven(name, unit, value, rate)


def read(model: Model, eq: Equations, given: Given | None) -> list[Drive]:
    """The drives in the order given; each coordinate once, and none that a Motion law moves already."""
    if given is not None and not isinstance(given, Mapping):
        raise ModelError(
            f"{given!r} names no coordinates.", component=model.name, remedy="Give {'O.angle': lambda t: 2 * t}."
        )
    drives: list[Drive] = []
    moved = {row.owner for row in eq.constraints.rows if row.direction in ("motion", "speed", "acceleration")}
    for key, what in (given or {}).items():
        driven = find(model, eq, key)
        if driven.name in moved:
            raise ModelError(
                "is driven twice.", component=driven.name, remedy="Leave out one of the drives, or its Motion law."
            )
        moved.add(driven.name)
        drives.append(_drive(eq, driven, what))
    return drives


def paths_of(drives: Sequence[Drive], eq: Equations, p: np.ndarray, signals: Mapping[int, OverTime]) -> Path:
    """All drives at once: times (n,) → values, rates and accelerations, shape (3, n, drives)."""
    first = eq.symbols.parameters.numel()
    given = [k for k, drive in enumerate(drives) if drive.expression is not None]
    values = ca.vertcat(SX(0, 1), *(drive.expression for drive in drives if drive.expression is not None))
    rates = ca.jacobian(values, eq.t)
    levels = [values, rates, ca.jacobian(rates, eq.t)]
    f = ca.Function("drives", [eq.t, eq.p], [ca.densify(level) for level in levels], {"cse": True})

    def paths(t: np.ndarray) -> np.ndarray:
        series = np.zeros((3, t.size, len(drives)))
        if given:
            now = np.repeat(p[:, None], t.size, axis=1)
            for k, signal in signals.items():
                now[first + k] = [float(signal(x) if callable(signal) else signal) for x in t]
            if eq.signals.taken:
                now[first + eq.symbols.inputs.numel() - len(eq.signals.taken)] = t
            series[:, :, given] = [np.array(level).T for level in f(t.reshape(1, -1), now)]
        for k, drive in enumerate(drives):
            if drive.spline is not None:
                series[:, :, k] = drive.spline(t)
        if not np.isfinite(series).all():
            _, sample, k = np.argwhere(~np.isfinite(series))[0]
            raise ModelError(
                f"its drive gives no finite number at t = {t[sample]:.6g} s.",
                component=drives[k].driven.name,
                remedy="Value, rate and acceleration must be finite: look for roots or quotients at that time.",
            )
        return series

    return paths


def _is_position(eq: Equations, name: str) -> bool:
    """A length, an angle or a generalised coordinate that depends on positions alone."""
    unit, value = eq.observation.outputs[name]
    if name.startswith("residual.") or not (unit in ("m", "rad") or f"{name}.rate" in eq.observation.outputs):
        return False
    return ca.depends_on(value, eq.q) and not ca.depends_on(value, ca.vertcat(eq.v, eq.a, eq.multipliers))


def _positions(eq: Equations) -> list[str]:
    return [name for name in eq.observation.outputs if _is_position(eq, name)]


def _drive(eq: Equations, driven: Driven, what: object) -> Drive:
    if isinstance(what, Table):
        return Drive(driven, spline=lambda t: np.array([what.derivative(k)(t) for k in range(3)]))
    if isinstance(what, (tuple, list)):
        spline, end = _table(driven.name, what)
        return Drive(driven, spline=spline, end=end)
    if not callable(what) and not isinstance(what, (int, float, np.number, SX)):
        raise ModelError(
            f"cannot be driven by {what!r}.",
            component=driven.name,
            remedy="Give a function of t, a table (times, values), or a number.",
        )
    expression = _expression(driven.name, what, eq.t)
    strangers = [s.name() for s in ca.symvar(expression) if not ca.depends_on(ca.vertcat(eq.t, eq.p), s)]
    if strangers:
        raise ModelError(
            f"its drive depends on {', '.join(strangers)}.",
            component=driven.name,
            remedy="A drive is a function of t, parameters and inputs.",
        )
    return Drive(driven, expression)


def _expression(name: str, what: Any, t: SX) -> SX:
    try:
        expression = SX(what(t)) if callable(what) else SX(what)
    except LinkworkError:
        raise
    except Exception as error:
        first_line = str(error).partition("\n")[0].rstrip(".")  # CasADi goes on for pages
        raise ModelError(
            f"its drive failed: {type(error).__name__}: {first_line}.",
            component=name,
            remedy="It is called once with a symbol: use lw.sin, lw.if_else and so on, or give a table "
            "(times, values).",
        ) from error
    if expression.numel() != 1:
        raise ModelError(f"its drive gives {expression.numel()} numbers.", component=name, remedy="It must give one.")
    if expression.is_constant() and not np.isfinite(float(expression)):
        symbol = "It is called once with a symbol: use lw.sin and the like instead of math.sin."
        raise ModelError(
            "its drive gives no finite number.",
            component=name,
            remedy=symbol if callable(what) else "Give a finite number, a function of t, or a table (times, values).",
        )
    return expression


def _table(name: str, table: Iterable[object]) -> tuple[Path, float]:
    """A cubic spline with continuous acceleration through (times, values)."""
    try:
        times, values = (np.asarray(part, dtype=float) for part in table)
        fine = times.ndim == 1 and times.size >= 4 and times.shape == values.shape and bool(np.all(np.diff(times) > 0))
        fine = fine and bool(np.all(np.isfinite(values))) and bool(np.all(np.isfinite(times)))
    except (TypeError, ValueError):
        fine = False
    if not fine:
        raise ModelError(
            "this table cannot drive it.",
            component=name,
            remedy="Give (times, values): four or more finite numbers each, equally many, with increasing times.",
        )
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(times, values)
    rate, acceleration = spline.derivative(1), spline.derivative(2)
    slack = 1e-9 * (times[-1] - times[0])

    def path(t: np.ndarray) -> np.ndarray:
        outside = (t < times[0] - slack) | (t > times[-1] + slack)
        if outside.any():
            raise ModelError(
                f"its table covers {times[0]:g} … {times[-1]:g} s, but t = {t[outside][0]:g} s is asked for.",
                component=name,
                remedy="Give a longer table or a shorter duration.",
            )
        return np.array([spline(t), rate(t), acceleration(t)])

    return path, float(times[-1])


def read_drives(model: Model, given: Given | None) -> tuple[Equations, list[Drive]]:
    """The model's equations with the drives read into them: tables in these make the equations know them."""
    eq = absolute_equations(model)
    drives = read(model, eq, given)
    if eq.p.numel() < model.all_symbols().numel():
        model.memory.clear()
        eq = absolute_equations(model)
        drives = read(model, eq, given)
    return eq, drives
