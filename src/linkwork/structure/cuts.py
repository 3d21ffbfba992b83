"""What balances say together: nothing flows through what hangs on one branch alone.

Balances of nodes are summed over all that lies behind a branch; where nothing else leads there, its flow is zero. In
no single equation that can be seen, and solved one after the other they leave the rounding of the flows that meet.
"""

from __future__ import annotations

from fractions import Fraction

import casadi as ca

from linkwork.geometry import SX
from linkwork.structure.coefficient import ONE, Coefficient
from linkwork.structure.exposed import Combination, slopes
from linkwork.structure.system import System


def cut(system: System) -> None:
    """Write what sums of balances hold at zero as equations of their own, each in the place of a balance."""
    rows = _homogeneous(system)
    balances = {i for i, row in rows.items() if len(row) > 2}
    if not balances:
        return
    zeros = [row for row in _eliminated(rows) if len(row.coefficients) == 1]
    for k, row in enumerate(zeros):
        summed = [i for i in row.factors if i in balances]
        if not summed:  # equations of one or two unknowns say it already
            continue
        place = summed[0]
        for later in zeros[k + 1 :]:
            if place in later.factors:
                later.less(row.factors, later.factors[place] / row.factors[place])
        (j,) = row.coefficients
        system.equations[place].residual = SX(system.unknowns[j].symbol)
        balances.remove(place)


def _homogeneous(system: System) -> dict[int, dict[int, Coefficient]]:
    """Equations of unknowns of one kind alone that all count once."""
    rows = {}
    for i, e in enumerate(system.equations):
        orders = system.orders(e.residual)
        row = {j: Coefficient(Fraction(float(x))) for j, x in (slopes(system, e, orders) or {}).items()}
        if not row or not _counts_once(row) or len({system.unknowns[j].unit for j in row}) > 1:
            continue
        symbols = ca.vertcat(*(system.unknowns[j].symbol for j in orders))
        known = ca.substitute(e.residual, symbols, SX.zeros(symbols.numel(), 1))
        if known.is_zero() or ca.simplify(known).is_zero():
            rows[i] = row
    return rows


def _eliminated(rows: dict[int, dict[int, Coefficient]]) -> list[Combination]:
    """Each equation without the unknowns that others begin with (reduced row echelon form, in exact numbers).

    Sums of balances hold every flow once at most; others are no balances, and are left out before they grow.
    """
    pivots: dict[int, Combination] = {}
    users: dict[int, set[int]] = {}
    """By unknown: pivots whose equations hold it."""
    for i, row in rows.items():
        here = Combination(dict(row), {i: ONE})
        for j in [j for j in row if j in pivots]:
            here.without(j, pivots[j])
        if not here.coefficients or not _counts_once(here.coefficients):
            continue
        first = next(iter(here.coefficients))
        for j in users.pop(first, ()):
            if j in pivots and first in pivots[j].coefficients:
                pivots[j].without(first, here)
                _note(users, j, here.coefficients)
                if not _counts_once(pivots[j].coefficients):
                    del pivots[j]
        pivots[first] = here
        _note(users, first, here.coefficients)
    return list(pivots.values())


def _note(users: dict[int, set[int]], pivot: int, unknowns: dict[int, Coefficient]) -> None:
    for j in unknowns:
        if j != pivot:
            users.setdefault(j, set()).add(pivot)


def _counts_once(row: dict[int, Coefficient]) -> bool:
    return all(abs(x.value) == 1 for x in row.values())
