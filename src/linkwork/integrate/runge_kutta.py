"""Explicit Runge–Kutta methods, for problems that are not stiff."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from linkwork.integrate.solver import NativeSolver


@dataclass(frozen=True)
class RungeKutta4(NativeSolver):
    """The classical method of order 4; fixed step."""

    name: ClassVar[str] = "rk4"
    method: ClassVar[str] = "rk4"
    functions: ClassVar[tuple[str, ...]] = ("rhs",)
    fixed_step: ClassVar[str] = "always"


@dataclass(frozen=True)
class DormandPrince5(NativeSolver):
    """Order 5 with an error estimate of order 4 (Dormand and Prince 1980); the all-round choice."""

    name: ClassVar[str] = "dopri5"
    method: ClassVar[str] = "dopri5"
    functions: ClassVar[tuple[str, ...]] = ("rhs",)


@dataclass(frozen=True)
class DormandPrince853(NativeSolver):
    """Order 8 with error estimates of orders 5 and 3 (Hairer, Nørsett, Wanner 1993); for tight tolerances."""

    name: ClassVar[str] = "dop853"
    method: ClassVar[str] = "dop853"
    functions: ClassVar[tuple[str, ...]] = ("rhs",)
