"""Generalized-α and its relatives: implicit, second order, constraints at position level (index 3).

With `step` the step is fixed, without it is chosen by a local error estimate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from linkwork.core.errors import LinkworkError
from linkwork.core.program import StateLayout
from linkwork.integrate.solver import NativeSolver


@dataclass(frozen=True)
class AlphaFamily(NativeSolver):
    """What the schemes of this file share: one C source, four coefficients."""

    method: ClassVar[str] = "generalized_alpha"
    functions: ClassVar[tuple[str, ...]] = ("rhs", "alpha_residual", "alpha_jacobian", "retract")
    jacobian: ClassVar[str | None] = "alpha_jacobian"
    fixed_step: ClassVar[str] = "given"
    projects_steps: ClassVar[bool] = False

    def multipliers(self, layout: StateLayout) -> range:
        return range(layout.v + layout.z, layout.v + layout.z + layout.multipliers)


@dataclass(frozen=True)
class GeneralizedAlpha(AlphaFamily):
    """Chung and Hulbert (1993). rho: spectral radius at infinite frequency, 0 (strong damping) to 1 (none)."""

    name: ClassVar[str] = "generalized_alpha"
    rho: float = 0.8

    def __post_init__(self) -> None:
        if not 0 <= self.rho <= 1:
            raise LinkworkError(f"rho must lie in [0, 1], not {self.rho}.", component="GeneralizedAlpha")

    def coefficients(self) -> tuple[float, ...]:
        alpha_m, alpha_f = (2 * self.rho - 1) / (self.rho + 1), self.rho / (self.rho + 1)
        gamma = 0.5 + alpha_f - alpha_m
        return alpha_m, alpha_f, 0.25 * (gamma + 0.5) ** 2, gamma


@dataclass(frozen=True)
class Newmark(AlphaFamily):
    """Newmark (1959). The default is the average-acceleration rule: order 2, no damping.

    Without damping the multipliers of a constrained system oscillate: prefer `GeneralizedAlpha` there.
    """

    name: ClassVar[str] = "newmark"
    beta: float = 0.25
    gamma: float = 0.5

    def __post_init__(self) -> None:
        if not (self.gamma >= 0.5 and self.beta >= 0.5 * self.gamma):
            raise LinkworkError("it is unconditionally stable only for 2 beta >= gamma >= 1/2.", component="Newmark")

    def coefficients(self) -> tuple[float, ...]:
        return 0.0, 0.0, self.beta, self.gamma


@dataclass(frozen=True)
class HHT(AlphaFamily):
    """Hilber, Hughes and Taylor (1977). alpha: from -1/3 (most damping) to 0 (none)."""

    name: ClassVar[str] = "hht"
    alpha: float = -0.1

    def __post_init__(self) -> None:
        if not -1 / 3 <= self.alpha <= 0:
            raise LinkworkError(f"alpha must lie in [-1/3, 0], not {self.alpha}.", component="HHT")

    def coefficients(self) -> tuple[float, ...]:
        return 0.0, -self.alpha, 0.25 * (1 - self.alpha) ** 2, 0.5 - self.alpha
