"""Laws that seal a free coordinate: exactly one of flow or effort is prescribed (ACA)."""

from __future__ import annotations

import inspect
import math
from abc import abstractmethod
from collections.abc import Callable
from typing import Annotated, TypeAlias

import casadi as ca

from linkwork.core.declared import Declared
from linkwork.core.errors import ModelError
from linkwork.core.kinds import claims, course, positive, quantity, shown, unsigned
from linkwork.geometry import SX, Number


def evaluate(value: object, convert: Callable[..., SX] = SX, **known: object) -> SX:
    """A number, a symbol, or a function of any of the known arguments by name."""
    if not callable(value):
        return convert(value)
    try:
        wanted = inspect.signature(value).parameters
    except (TypeError, ValueError):
        raise ModelError(f"{shown(value)} does not say what it asks for.", remedy="Give a function.") from None
    unknown = [n for n in wanted if n not in known and wanted[n].default is inspect.Parameter.empty]
    if unknown:
        raise ModelError(
            f"the function asks for {', '.join(unknown)}.",
            remedy=f"It can use {', '.join(known)}; reach parameters and inputs by closure.",
        )
    given = value(**{n: v for n, v in known.items() if n in wanted})
    try:
        result = convert(given)
    except (TypeError, ValueError, NotImplementedError, RuntimeError):
        result = None
    if result is None or isinstance(given, bool) or (convert is SX and result.numel() != 1):
        many = "one number or expression" if convert is SX else "2 or 3 numbers or expressions"
        raise ModelError(f"the function gives {shown(given)}.", remedy=f"It gives {many}.")
    if any(x.is_constant() and not math.isfinite(float(x)) for x in ca.vertsplit(ca.vec(result))):
        raise ModelError(
            "the function gives no finite number.",
            remedy="It is called once with symbols: use lw.sin and the like instead of math.sin.",
        )
    return result


Function: TypeAlias = Callable[[SX], Number] | Callable[[SX, SX], Number] | Callable[[SX, SX, SX], Number]
"""A function of any of t, x and v, by name."""


class Law(Declared):
    """Effort on a coordinate x with rate v: positive pushes towards larger x (force [N] or torque [N·m]).

    To add a law: 1. subclass; 2. write `effort(t, x, v)`; 3. say what of it is stored (`potential(x)`, energy [J])
    and lost (`dissipation(x, v)`, power [W]); the rest counts as supplied. `passive`: nothing is supplied.
    """

    passive = True
    _changed: tuple[Callable[[], None], ...] = ()
    """Called when an attribute changes: one for each coordinate the law is on."""

    def __setattr__(self, name: str, value: object) -> None:
        value = self._changed_to(name, value)
        object.__setattr__(self, name, value)
        self._remember(name, value)
        for tell in () if name.startswith("_") else self._changed:
            tell()

    @abstractmethod
    def effort(self, t: SX, x: SX, v: SX) -> Number:
        raise NotImplementedError

    def potential(self, x: SX) -> Number:
        return 0

    def dissipation(self, x: SX, v: SX) -> Number:
        return 0

    def switches(self, x: SX) -> list[SX]:
        """Functions of x at whose zeros the law has a kink; integrators stop there."""
        return []


class Free(Law):
    """Nothing: takes away all laws given before."""

    def effort(self, t, x, v):
        return 0


class Spring(Law):
    """Linear spring: effort −k (x − rest)."""

    def __init__(
        self,
        stiffness: Annotated[Number, unsigned["N/m or N·m/rad"], "k"],
        *,
        rest: Annotated[Number, quantity["m or rad"], "where it has no effort"] = 0,
    ):
        self.stiffness, self.rest = stiffness, rest

    def effort(self, t, x, v):
        return -self.stiffness * (x - self.rest)

    def potential(self, x):
        return self.stiffness * (x - self.rest) ** 2 / 2


class Damper(Law):
    """Viscous damper: effort −d v."""

    def __init__(self, damping: Annotated[Number, unsigned["N·s/m or N·m·s/rad"], "d"]):
        self.damping = damping

    def effort(self, t, x, v):
        return -self.damping * v

    def dissipation(self, x, v):
        return self.damping * v * v


class Effort(Law):
    """A given force or torque: a number, a parameter, an input, or a function of any of t, x, v."""

    passive = False

    def __init__(
        self,
        value: Annotated[Number | Function, course["N or N·m"], "towards larger x; or a function of any of t, x, v"],
    ):
        self.value = value

    def effort(self, t, x, v):
        return evaluate(self.value, t=t, x=x, v=v)


class Limits(Law):
    """End stops: stiff one-sided contact beyond `lower` and `upper`.

    Hunt and Crossley's k·depth·(1 + dissipation·speed), which never pulls back at moderate speeds and vanishes
    smoothly at the boundary.
    """

    def __init__(
        self,
        lower: Annotated[Number | None, quantity["m or rad"], "least value; None: no stop there"] = None,
        upper: Annotated[Number | None, quantity["m or rad"], "largest value; None: no stop there"] = None,
        *,
        stiffness: Annotated[Number, positive["N/m or N·m/rad"], "k"] = 1e5,
        dissipation: Annotated[Number, unsigned["s/m or s/rad"], "loss, of Hunt and Crossley"] = 0.0,
    ):
        empty = isinstance(lower, (int, float)) and isinstance(upper, (int, float)) and not lower < upper
        if empty or (lower is None and upper is None):
            raise ModelError(f"limits {lower} … {upper} are empty.", remedy="Give lower < upper, or one of them.")
        self.lower, self.upper, self.stiffness, self.loss = lower, upper, stiffness, dissipation

    def claims(self):
        yield from super().claims()
        if self.lower is not None and self.upper is not None:
            yield from claims("upper − lower", SX(self.upper) - self.lower, positive)

    def _contacts(self, x: SX) -> list[tuple[int, SX]]:
        sides = [(1, self.lower - x)] if self.lower is not None else []
        return sides + ([(-1, x - self.upper)] if self.upper is not None else [])

    def effort(self, t, x, v):
        return sum(s * self.stiffness * ca.fmax(d, 0) * (1 - s * self.loss * v) for s, d in self._contacts(x))

    def potential(self, x):
        return sum(self.stiffness * ca.fmax(d, 0) ** 2 / 2 for _, d in self._contacts(x))

    def dissipation(self, x, v):
        return sum(self.stiffness * ca.fmax(d, 0) * self.loss * v * v for _, d in self._contacts(x))

    def switches(self, x):
        return [d for _, d in self._contacts(x)]


class Friction(Law):
    """Dry friction, regularised: −(Fc + (Fs − Fc)·exp(−(v/vs)²))·tanh(v/v0)."""

    def __init__(
        self,
        coulomb: Annotated[Number, unsigned["N or N·m"], "Fc, while it slides"],
        *,
        static: Annotated[Number | None, unsigned["N or N·m"], "Fs, at rest; Fc unless given"] = None,
        stribeck: Annotated[Number, positive["m/s or rad/s"], "speed vs over which Fs falls to Fc"] = 0.1,
        regularisation: Annotated[Number, positive["m/s or rad/s"], "speed v0 below which it fades"] = 1e-3,
    ):
        self.coulomb, self.static = coulomb, coulomb if static is None else static
        self.stribeck, self.regularisation = stribeck, regularisation

    def effort(self, t, x, v):
        level = self.coulomb + (self.static - self.coulomb) * ca.exp(-((v / self.stribeck) ** 2))
        return -level * ca.tanh(v / self.regularisation)

    def dissipation(self, x, v):
        return -self.effort(0, x, v) * v


class Motion(Law):
    """Servo: the coordinate follows a given function of t; give displacement, or `speed`, or `acceleration`.

    With speed or acceleration the coordinate starts where assembly puts it (and with the given start rate). An
    acceleration may be a function of any of t, x (the coordinate), v (its rate).
    """

    passive = False

    def effort(self, t, x, v):
        """Whatever it takes: a multiplier."""
        return 0

    def __init__(
        self,
        displacement: Annotated[
            Number | Callable[[SX], Number] | None, course["m or rad"], "its value, a function of t"
        ] = None,
        *,
        speed: Annotated[
            Number | Callable[[SX], Number] | None, course["m/s or rad/s"], "its rate, a function of t"
        ] = None,
        acceleration: Annotated[
            Number | Function | None, course["m/s² or rad/s²"], "its second rate, a function of any of t, x, v"
        ] = None,
    ):
        given = {"displacement": displacement, "speed": speed, "acceleration": acceleration}
        chosen = [k for k, f in given.items() if f is not None]
        if len(chosen) != 1:
            raise ModelError("a Motion needs exactly one of displacement, speed, acceleration.", remedy="Give one.")
        self.level, self._function = chosen[0], given[chosen[0]]

    def path(self, t: SX, x: SX | None = None, v: SX | None = None) -> SX:
        """What is given, at time t; an acceleration may also depend on the coordinate x and its rate v."""
        known = {"t": t} if self.level != "acceleration" or x is None else {"t": t, "x": x, "v": v}
        return evaluate(self._function, **known)
