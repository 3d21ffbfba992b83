"""Radau IIA: for stiff problems, on the index-1 equations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from linkwork.core.program import StateLayout
from linkwork.integrate.solver import NativeSolver


@dataclass(frozen=True)
class Radau(NativeSolver):
    """Three stages, order 5, L-stable (Hairer and Wanner 1996)."""

    name: ClassVar[str] = "radau"
    method: ClassVar[str] = "radau"
    functions: ClassVar[tuple[str, ...]] = ("dae", "dae_jacobian")
    jacobian: ClassVar[str | None] = "dae_jacobian"

    def multipliers(self, layout: StateLayout) -> range:
        return range(layout.y + layout.v, layout.y + layout.x)
