"""Generalized-α and its relatives: implicit, second order, constraints at position level (index 3).

With `step` the step is fixed, without it is chosen by a local error estimate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.core.program import StateLayout
from linkwork.core.real_numbers import is_number, said, shown
from linkwork.integrate.problem import Problem
from linkwork.integrate.solver import NativeSolver

ESTIMATES = ("tolerances", "acceleration")
"""What chooses the step of `Newmark`."""
RELATIVE, AUTO = "relative", "auto"


@dataclass(frozen=True)
class AlphaFamily(NativeSolver):
    """What the schemes of this file share: one C source, told apart by its coefficients."""

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
        if not is_number(self.rho) or not 0 <= self.rho <= 1:
            raise LinkworkError(f"rho must lie in [0, 1], not {shown(self.rho)}.", component="GeneralizedAlpha")

    def coefficients(self) -> tuple[float, ...]:
        alpha_m, alpha_f = (2 * self.rho - 1) / (self.rho + 1), self.rho / (self.rho + 1)
        gamma = 0.5 + alpha_f - alpha_m
        return alpha_m, alpha_f, 0.25 * (gamma + 0.5) ** 2, gamma


@dataclass(frozen=True)
class Newmark(AlphaFamily):
    """Newmark (1959). The default is the average-acceleration rule: order 2, no damping.

    Without damping the multipliers of a constrained system oscillate: prefer `GeneralizedAlpha` there.

    estimate: what chooses the step where none is given. "tolerances": the local error of every state, by rtol and atol.
    "acceleration": how fast the positions go wrong, h ‖Δa‖ / (12 √n), from the change Δa of the accelerations over a
    step; `tolerance` is its bound. First-order states take part as speeds of further coordinates, with Δż for Δa
    (SYM (21), (22), (29)).
    scale: of the second estimate. "auto": "relative" where a model has first-order states, whose units are not those
    of speeds; else none. None: none, as in SYM; `tolerance` is in m/s, rad/s and the units of the first-order
    states alike. Numbers, one per speed and first-order state: what each change is divided by. {name: number}: the
    same by the name of a body or first-order state, 1 for others (in `simulate`). "relative": each is divided by
    atol / rtol + |its speed or state|, so that `tolerance` has no unit.
    """

    name: ClassVar[str] = "newmark"
    beta: float = 0.25
    gamma: float = 0.5
    estimate: str = "tolerances"
    tolerance: float = 1e-6
    scale: Mapping[str, float] | Sequence[float] | str | None = AUTO

    def __post_init__(self) -> None:
        numbers = is_number(self.gamma) and is_number(self.beta)
        if numbers:
            object.__setattr__(self, "gamma", float(self.gamma))
            object.__setattr__(self, "beta", float(self.beta))
        if not (numbers and self.gamma >= 0.5 and self.beta >= 0.5 * self.gamma):
            raise LinkworkError("it is unconditionally stable only for 2 beta >= gamma >= 1/2.", component="Newmark")
        if not isinstance(self.estimate, str) or self.estimate not in ESTIMATES:
            raise UnknownName("estimate", said(self.estimate), ESTIMATES, component="Newmark")
        if not is_number(self.tolerance) or self.tolerance <= 0:
            raise LinkworkError(f"tolerance must be positive, not {shown(self.tolerance)}.", component="Newmark")
        plain = self.scale is None or (isinstance(self.scale, str) and self.scale == AUTO)
        if not plain and self.estimate != "acceleration":
            raise LinkworkError(
                "scale has no part in this estimate of the error.",
                component="Newmark",
                remedy='Give estimate="acceleration" as well, or atol instead of scale.',
            )
        if isinstance(self.scale, str):
            if self.scale not in (RELATIVE, AUTO):
                raise UnknownName("scale", self.scale, [RELATIVE, AUTO], component="Newmark")
            return
        if self.scale is not None and not isinstance(self.scale, Mapping):
            if not isinstance(self.scale, (Sequence, np.ndarray)) or getattr(self.scale, "ndim", 1) != 1:
                raise LinkworkError(f"scale {shown(self.scale)}.", component="Newmark", remedy="Give numbers.")
            object.__setattr__(self, "scale", tuple(self.scale))
        given: Any = self.scale.values() if isinstance(self.scale, Mapping) else self.scale or ()
        if not all(is_number(x) and x > 0 for x in given):
            raise LinkworkError("every scale must be positive.", component="Newmark")

    def coefficients(self) -> tuple[float, ...]:
        bound = self.tolerance if self.estimate == "acceleration" else 0.0
        relative = isinstance(self.scale, str) and self.scale == RELATIVE
        return 0.0, 0.0, self.beta, self.gamma, bound, float(relative)

    def for_states(self, names: Sequence[str], first_order: bool) -> Newmark:
        """The same with its scale chosen, or put in order where it is given by names.

        names: the owner of each speed, each first-order state; first_order: whether any of these does more than record.
        """
        if isinstance(self.scale, str) and self.scale == AUTO and self.estimate == "acceleration":
            return replace(self, scale=RELATIVE if first_order else None)
        if not isinstance(self.scale, Mapping):
            return self
        for name in self.scale:
            if name not in names:
                raise UnknownName("body or first-order state", name, sorted(set(names)), component="Newmark")
        return replace(self, scale=tuple(float(self.scale.get(name, 1.0)) for name in names))

    def error_scale(self, problem: Problem) -> np.ndarray | None:
        if self.estimate != "acceleration":
            return None
        layout = problem.program.layout
        rates = layout.v + layout.z
        if isinstance(self.scale, str) and self.scale == AUTO:
            return np.ones(rates)
        if isinstance(self.scale, str):
            return np.ascontiguousarray(problem.atol[layout.q :] / problem.rtol)
        if isinstance(self.scale, Mapping):
            raise LinkworkError(
                "a scale by names needs a model.", component="Newmark", remedy="Give numbers, one per speed and state."
            )
        if self.scale is not None and len(self.scale) != rates:
            raise LinkworkError(
                f"{len(self.scale)} scales for {rates} speeds and first-order states.",
                component="Newmark",
                remedy='Give one for each, or {name: scale}, or scale="relative".',
            )
        return np.ones(rates) if self.scale is None else np.array(self.scale, dtype=float)


@dataclass(frozen=True)
class HHT(AlphaFamily):
    """Hilber, Hughes and Taylor (1977). alpha: from -1/3 (most damping) to 0 (none)."""

    name: ClassVar[str] = "hht"
    alpha: float = -0.1

    def __post_init__(self) -> None:
        if not is_number(self.alpha) or not -1 / 3 <= self.alpha <= 0:
            raise LinkworkError(f"alpha must lie in [-1/3, 0], not {shown(self.alpha)}.", component="HHT")

    def coefficients(self) -> tuple[float, ...]:
        return 0.0, -self.alpha, 0.25 * (1 - self.alpha) ** 2, 0.5 - self.alpha
