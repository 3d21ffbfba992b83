"""A compiled function that schedules call in loops over instances, and how it moves along a direction.

Every kernel takes a column of gathered numbers (states, solution, parameters) and a row of its table (slots), and gives
one column. `Entry` says what a number is, by kind and place: ("q", 3) is the fourth coordinate of the bodies it joins.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import casadi as ca

from linkwork.compile.native import compile_function
from linkwork.core.program import NativeFunction
from linkwork.geometry import SX
from linkwork.signals.switches import comparisons

Entry: TypeAlias = tuple[str, int]


@dataclass(frozen=True)
class Kernel:
    """A compiled function: what it gathers, and what it gives."""

    symbolic: ca.Function
    """(what is gathered, a row of the table) → what it gives."""
    function: NativeFunction
    gathered: tuple[Entry, ...]

    @property
    def outputs(self) -> int:
        return int(self.symbolic.numel_out())

    def slope(self, moving: tuple[bool, ...]) -> Kernel | None:
        """(what is gathered, how that moves along a direction) → how the results move; None: not at all.

        moving: which of what is gathered moves; of the others nothing is taken, as 0 · ∞ is not 0.
        """
        if moving not in self._slopes:
            self._slopes[moving] = self._slope(moving)
        return self._slopes[moving]

    @cached_property
    def _slopes(self) -> dict[tuple[bool, ...], Kernel | None]:
        return {}

    def _slope(self, moving: tuple[bool, ...]) -> Kernel | None:
        x, table = self.symbolic.sx_in()
        rates = [SX.sym(f"rate{k}") if moves else SX(1, 1) for k, moves in enumerate(moving)]
        given = [rate for rate, moves in zip(rates, moving, strict=True) if moves]
        moved = ca.jtimes(self.symbolic(x, table), x, ca.vertcat(SX(0, 1), *rates))
        if moved.nnz() == 0 or all(rate.is_zero() for rate in ca.vertsplit(ca.densify(moved))):
            return None
        name = f"{self.symbolic.name()}_slope"
        return kernel_of(ca.Function(name, [ca.vertcat(x, *given), table], [ca.densify(moved)], {"cse": True}))

    @cached_property
    def switches(self) -> Kernel | None:
        """Numbers that change their sign where it may jump or bend; None: it does neither."""
        x, table = self.symbolic.sx_in()
        varying = [g for g in comparisons(self.symbolic, [x, table]) if ca.depends_on(g, x)]
        if not varying:
            return None
        name = f"{self.symbolic.name()}_switches"
        return kernel_of(ca.Function(name, [x, table], [ca.vertcat(*varying)], {"cse": True}))


def kernel_of(symbolic: ca.Function, gathered: tuple[Entry, ...] = ()) -> Kernel:
    return Kernel(symbolic, compile_function(symbolic), gathered)
