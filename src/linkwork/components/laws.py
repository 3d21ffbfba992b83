"""Laws that seal a free coordinate: exactly one of flow or effort is prescribed (ACA)."""

from __future__ import annotations

import inspect
import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import casadi as ca

from linkwork.core import kinds
from linkwork.core.arguments import checked
from linkwork.core.errors import ModelError
from linkwork.core.kinds import Kind, shown
from linkwork.geometry import SX


def evaluate(value: Any, convert: Callable[[Any], SX] = SX, **known: Any) -> SX:
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


class Law:
    """Effort on a coordinate x with rate v: positive pushes towards larger x (force [N] or torque [N·m]).

    To add a law: 1. subclass; 2. write `effort(t, x, v)`; 3. say what of it is stored (`potential(x)`, energy [J])
    and lost (`dissipation(x, v)`, power [W]); the rest counts as supplied. `passive`: nothing is supplied.
    """

    passive = True
    arguments: ClassVar[Mapping[str, Kind]] = {}
    """Kinds of what the law is given."""
    _changed: tuple[Callable[[], None], ...] = ()
    """Called when an attribute changes: one for each coordinate the law is on."""

    def __init_subclass__(cls, **options: Any) -> None:
        """What a law is given is read by its kind first."""
        super().__init_subclass__(**options)
        if "__init__" in cls.__dict__:
            call = checked(cls.__init__, lambda law: type(law).arguments, lambda given: type(given["self"]).__name__)
            cls.__init__ = call  # type: ignore[method-assign]

    def __setattr__(self, name: str, value: Any) -> None:
        kind = self.arguments.get(name)
        if kind is not None and value is not None:
            value = kind.taken(name, value, type(self).__name__)
        object.__setattr__(self, name, value)
        for tell in () if name.startswith("_") else self._changed:
            tell()

    @abstractmethod
    def effort(self, t: SX, x: SX, v: SX) -> Any:
        raise NotImplementedError

    def potential(self, x: SX) -> Any:
        return 0

    def dissipation(self, x: SX, v: SX) -> Any:
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

    arguments = {"stiffness": kinds.nonnegative, "rest": kinds.quantity}

    def __init__(self, stiffness: Any, *, rest: Any = 0):
        self.stiffness, self.rest = stiffness, rest

    def effort(self, t, x, v):
        return -self.stiffness * (x - self.rest)

    def potential(self, x):
        return self.stiffness * (x - self.rest) ** 2 / 2


class Damper(Law):
    """Viscous damper: effort −d v."""

    arguments = {"damping": kinds.nonnegative}

    def __init__(self, damping: Any):
        self.damping = damping

    def effort(self, t, x, v):
        return -self.damping * v

    def dissipation(self, x, v):
        return self.damping * v * v


class Effort(Law):
    """A given force or torque: a number, a parameter, an input, or a function of any of t, x, v."""

    passive = False
    arguments = {"value": kinds.course}

    def __init__(self, value: Any):
        self.value = value

    def effort(self, t, x, v):
        return evaluate(self.value, t=t, x=x, v=v)


class Limits(Law):
    """End stops: stiff one-sided contact beyond `lower` and `upper`.

    stiffness k [N/m or N·m/rad]; dissipation [s/m or s/rad] of Hunt and Crossley: k·depth·(1 + dissipation·speed),
    which never pulls back at moderate speeds and vanishes smoothly at the boundary.
    """

    arguments = {
        "lower": kinds.quantity,
        "upper": kinds.quantity,
        "stiffness": kinds.positive,
        "dissipation": kinds.nonnegative,
    }

    def __init__(self, lower: Any = None, upper: Any = None, *, stiffness: Any = 1e5, dissipation: Any = 0.0):
        numbers = all(isinstance(b, (int, float)) for b in (lower, upper))
        if lower is None and upper is None or (numbers and not lower < upper):
            raise ModelError(f"limits {lower} … {upper} are empty.", remedy="Give lower < upper, or one of them.")
        self.lower, self.upper, self.stiffness, self.loss = lower, upper, stiffness, dissipation

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
    """Dry friction, regularised: −(Fc + (Fs − Fc)·exp(−(v/vs)²))·tanh(v/v0).

    coulomb Fc and static Fs [N or N·m] (Fs = Fc if not given); stribeck speed vs and regularisation speed v0
    [m/s or rad/s].
    """

    arguments = {
        "coulomb": kinds.nonnegative,
        "static": kinds.nonnegative,
        "stribeck": kinds.positive,
        "regularisation": kinds.positive,
    }

    def __init__(self, coulomb: Any, *, static: Any = None, stribeck: float = 0.1, regularisation: float = 1e-3):
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
    arguments = dict.fromkeys(("displacement", "speed", "acceleration"), kinds.course)

    def effort(self, t, x, v):
        """Whatever it takes: a multiplier."""
        return 0

    def __init__(self, displacement: Any = None, *, speed: Any = None, acceleration: Any = None):
        given = {"displacement": displacement, "speed": speed, "acceleration": acceleration}
        chosen = [k for k, f in given.items() if f is not None]
        if len(chosen) != 1:
            raise ModelError("a Motion needs exactly one of displacement, speed, acceleration.", remedy="Give one.")
        self.level, self._function = chosen[0], given[chosen[0]]

    def path(self, t: SX, x: SX | None = None, v: SX | None = None) -> SX:
        """What is given, at time t; an acceleration may also depend on the coordinate x and its rate v."""
        known = {"t": t} if self.level != "acceleration" or x is None else {"t": t, "x": x, "v": v}
        return evaluate(self._function, **known)
