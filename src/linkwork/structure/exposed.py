"""What sums of equations say of states alone: a loop of capacitors, a cut of inductors.

Such a relation is in no single equation, so that counting unknowns does not show it. Equations without derivatives
whose coefficients are numbers or parameters are eliminated exactly; what is left without algebraic unknowns, whatever
the values of the parameters, takes the place of one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import casadi as ca
import numpy as np

from linkwork.geometry import SX
from linkwork.structure.coefficient import NOTHING, ONE, Coefficient, coefficient
from linkwork.structure.system import Equation, System

TRIALS = 2
"""Sets of values of parameters for which a relation must hold: what holds for one set only is none."""


@dataclass
class Combination:
    """Σ factor · equation = Σ coefficient · unknown + known."""

    coefficients: dict[int, Coefficient]
    factors: dict[int, Coefficient] = field(default_factory=dict)

    def without(self, j: int, other: Combination) -> None:
        """Take unknown j out by another combination."""
        share = self.coefficients.pop(j) / other.coefficients[j]
        for k, x in other.coefficients.items():
            if k != j:
                self.coefficients[k] = self.coefficients.get(k, NOTHING) - share * x
                if not self.coefficients[k].value:
                    del self.coefficients[k]
        self.less(other.factors, share)

    def less(self, factors: dict[int, Coefficient], share: Coefficient) -> None:
        """The equations it is made of, less so much of others."""
        for i, x in factors.items():
            self.factors[i] = self.factors.get(i, NOTHING) - share * x
            if not self.factors[i].value:
                del self.factors[i]


def expose(system: System, constants: Collection[int] = ()) -> list[tuple[Equation, list[str]]]:
    """Write relations between states as equations of their own; constants: hashes of parameters.

    Returns equations that say nothing new of any unknown, with the owners of the others they were made from.
    """
    orders = [system.orders(e.residual) for e in system.equations]
    states = {j for own in orders for j, order in own.items() if order}
    rows = [(i, row) for i, e in enumerate(system.equations) if (row := slopes(system, e, orders[i], constants))]
    empty: list[tuple[Equation, list[str]]] = []
    residuals: dict[int, SX] = {}
    for i, here in _relations(rows, states).items():
        residuals[i] = _sum(system, here)
        if not here.coefficients:
            others = {system.equations[k].owner for k in here.factors if k != i}
            empty.append((system.equations[i], sorted(others)))
    for i, residual in residuals.items():
        system.equations[i].residual = residual
    gone = {id(e) for e, _ in empty}
    system.equations = [e for e in system.equations if id(e) not in gone]
    return empty


def _relations(rows: list[tuple[int, dict[int, SX]]], states: set[int]) -> dict[int, Combination]:
    """By equation that it is to replace: what it says together with others before it, in states alone."""
    parameters = ca.symvar(ca.vertcat(SX(0, 1), *(x for _, row in rows for x in row.values())))
    random, trials = np.random.default_rng(2), []
    for _ in range(TRIALS if parameters else 1):
        known = {s.element_hash(): Fraction(*random.integers(1000, 10_000, 2).tolist()) for s in parameters}
        exact = [(i, numbers) for i, row in rows if (numbers := _exact(row, known)) is not None]
        trials.append(_eliminated(exact, states))
    first, *others = trials
    return {i: one for i, one in first.items() if all(_is_alike(one, other.get(i)) for other in others)}


def _exact(row: dict[int, SX], known: Mapping[int, Fraction]) -> dict[int, Coefficient] | None:
    numbers = {}
    for j, x in row.items():
        if (number := coefficient(x, known)) is None:
            return None
        numbers[j] = number
    return numbers


def _is_alike(one: Combination, other: Combination | None) -> bool:
    return (
        other is not None
        and one.coefficients.keys() == other.coefficients.keys()
        and one.factors.keys() == other.factors.keys()
    )


def _eliminated(rows: list[tuple[int, dict[int, Coefficient]]], states: set[int]) -> dict[int, Combination]:
    pivots: dict[int, Combination] = {}
    relations: dict[int, Combination] = {}
    for i, row in rows:
        here = Combination({j: x for j, x in row.items() if x.value}, {i: ONE})
        for j, pivot in pivots.items():  # in the order they were found: none holds an earlier one
            if j in here.coefficients:
                here.without(j, pivot)
        algebraic = next((j for j in here.coefficients if j not in states), None)
        if algebraic is not None:
            pivots[algebraic] = here
        elif len(here.factors) > 1:
            relations[i] = here
    return relations


def slopes(
    system: System, e: Equation, orders: dict[int, int], constants: Collection[int] = ()
) -> dict[int, SX] | None:
    """Coefficients of an equation that is linear in unknowns, without derivatives; numbers, or of parameters."""
    if e.gives is not None or e.moves is not None or not orders or any(orders.values()):
        return None
    symbols = [system.unknowns[j].symbol for j in orders]
    values = ca.densify(ca.jacobian(e.residual, ca.vertcat(*symbols)))
    if not values.is_constant():
        values = ca.simplify(values)
        if any(s.element_hash() not in constants for s in ca.symvar(values)):
            return None
    return {j: values[k] for k, j in enumerate(orders) if not values[k].is_zero()}


def _sum(system: System, combination: Combination) -> SX:
    known = SX(0)
    for i, factor in combination.factors.items():
        residual = system.equations[i].residual
        symbols = ca.vertcat(*(system.unknowns[j].symbol for j in system.orders(residual)))
        known = known + factor.written() * ca.substitute(residual, symbols, SX.zeros(symbols.numel(), 1))
    terms = (x.written() * system.unknowns[j].symbol for j, x in combination.coefficients.items())
    return sum(terms, SX(0)) + known
