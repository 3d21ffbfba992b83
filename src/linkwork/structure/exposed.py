"""What sums of equations say of states alone: a loop of capacitors, a cut of inductors.

Such a relation is in no single equation, so that counting unknowns does not show it. Equations without derivatives
whose coefficients are numbers are eliminated exactly; what is left without algebraic unknowns takes the place of one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import casadi as ca

from linkwork.geometry import SX
from linkwork.structure.system import Equation, System


@dataclass
class Combination:
    """Σ factor · equation = Σ coefficient · unknown + known."""

    coefficients: dict[int, Fraction]
    factors: dict[int, Fraction] = field(default_factory=dict)

    def less(self, other: Combination, share: Fraction) -> None:
        for mine, theirs in ((self.coefficients, other.coefficients), (self.factors, other.factors)):
            for k, x in theirs.items():
                mine[k] = mine.get(k, Fraction(0)) - share * x
                if not mine[k]:
                    del mine[k]


def expose(system: System) -> list[tuple[Equation, list[str]]]:
    """Write relations between states as equations of their own.

    Returns equations that say nothing new of any unknown, with the owners of the others they were made from.
    """
    orders = [system.orders(e.residual) for e in system.equations]
    states = {j for own in orders for j, order in own.items() if order}
    rows = {i: row for i, e in enumerate(system.equations) if (row := numbers(system, e, orders[i])) is not None}
    pivots: dict[int, Combination] = {}
    empty: list[tuple[Equation, list[str]]] = []
    residuals: dict[int, SX] = {}
    for i, row in rows.items():
        here = Combination(row, {i: Fraction(1)})
        for j, pivot in pivots.items():  # in the order they were found: none holds an earlier one
            if j in here.coefficients:
                here.less(pivot, here.coefficients[j] / pivot.coefficients[j])
        algebraic = next((j for j in here.coefficients if j not in states), None)
        if algebraic is not None:
            pivots[algebraic] = here
        elif others := [k for k in here.factors if k != i]:
            residuals[i] = _sum(system, here)
            if not here.coefficients:
                empty.append((system.equations[i], sorted({system.equations[k].owner for k in others})))
    for i, residual in residuals.items():
        system.equations[i].residual = residual
    gone = {id(e) for e, _ in empty}
    system.equations = [e for e in system.equations if id(e) not in gone]
    return empty


def numbers(system: System, e: Equation, orders: dict[int, int]) -> dict[int, Fraction] | None:
    """Coefficients of an equation that is linear in unknowns, has no derivatives, and numbers only."""
    if e.gives is not None or e.moves is not None or not orders or any(orders.values()):
        return None
    symbols = [system.unknowns[j].symbol for j in orders]
    slopes = ca.densify(ca.jacobian(e.residual, ca.vertcat(*symbols)))
    if not slopes.is_constant():
        slopes = ca.simplify(slopes)
        if not slopes.is_constant():
            return None
    values = {j: Fraction(float(slopes[k])) for k, j in enumerate(orders)}
    return {j: x for j, x in values.items() if x}


def _sum(system: System, combination: Combination) -> SX:
    known = SX(0)
    for i, factor in combination.factors.items():
        residual = system.equations[i].residual
        symbols = ca.vertcat(*(system.unknowns[j].symbol for j in system.orders(residual)))
        known = known + float(factor) * ca.substitute(residual, symbols, SX.zeros(symbols.numel(), 1))
    terms = (float(x) * system.unknowns[j].symbol for j, x in combination.coefficients.items())
    return sum(terms, SX(0)) + known
