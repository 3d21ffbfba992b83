"""Moduli and sources that refer to efforts and flows of bonds: what was read for those is put in."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca

from linkwork.bondgraph.reading.reading import ITERATIONS, Dependent, Enforced, Reading, State
from linkwork.geometry import SX


def resolved(reading: Reading) -> Reading:
    """The reading without symbols of bonds (`bond.effort`, `bond.flow`).

    What they stand for may refer to others of them: put in again until none is left. Where they go round in a circle
    they are solved for by Newton's method, which starts from zero.
    """
    symbols, values = _referred(reading)
    if not symbols.numel():
        return reading
    solution = _solved(symbols, values)
    flat = _flat(reading)
    return _rebuilt(reading, ca.substitute(flat, [symbols], [solution]))


def _referred(reading: Reading) -> tuple[SX, SX]:
    """Symbols of bonds that occur anywhere, with what was read for them."""
    used = {s.element_hash() for s in ca.symvar(ca.vertcat(SX(0, 1), *_flat(reading)))}
    symbols, values = [], []
    for read in (reading.effort, reading.flow):
        for bond, value in read.items():
            own = bond.effort if read is reading.effort else bond.flow
            for i in range(bond.size):
                if own[i].element_hash() in used:
                    symbols.append(own[i])
                    values.append(value[i])
    return ca.vertcat(SX(0, 1), *symbols), ca.vertcat(SX(0, 1), *values)


def _solved(symbols: SX, values: SX) -> SX:
    for _ in range(symbols.numel()):
        if not ca.depends_on(values, symbols):
            return values
        if ca.jacobian(values, symbols).sparsity().scc()[0] < symbols.numel() or _own(symbols, values):
            break
        values = ca.substitute(values, symbols, values)
    if not ca.depends_on(values, symbols):
        return values
    residual = values - symbols
    slope = ca.jacobian(residual, symbols)
    guess = SX.zeros(symbols.numel(), 1)
    for _ in range(ITERATIONS if ca.depends_on(slope, symbols) else 1):
        r, J = ca.substitute([residual, slope], [symbols], [guess])
        guess = guess - ca.solve(ca.densify(J), r)
    return guess


def _own(symbols: SX, values: SX) -> bool:
    """Whether some value depends on its own symbol."""
    rows, columns = ca.jacobian(values, symbols).sparsity().get_triplet()
    return any(r == c for r, c in zip(rows, columns, strict=True))


def _flat(reading: Reading) -> list[SX]:
    return [
        *reading.effort.values(),
        *reading.flow.values(),
        *(x for s in reading.states for x in (s.rate, s.start)),
        *(d.amount for d in reading.dependents),
        *(e.residual for e in reading.enforced),
    ]


def _rebuilt(old: Reading, flat: list[SX]) -> Reading:
    rest = iter(flat)
    return replace(
        old,
        effort={b: next(rest) for b in old.effort},
        flow={b: next(rest) for b in old.flow},
        states=[State(s.element, s.symbol, next(rest), next(rest), s.kind) for s in old.states],
        dependents=[Dependent(d.element, d.symbol, next(rest)) for d in old.dependents],
        enforced=[Enforced(e.element, e.symbol, next(rest)) for e in old.enforced],
    )
