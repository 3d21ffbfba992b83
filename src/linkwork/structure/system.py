"""A set of implicit equations in named unknowns, and how its symbols change with time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import casadi as ca

from linkwork.core.port import Quantity
from linkwork.geometry import SX, Number


class Multiplier(Quantity):
    """What a constraint pulls with: it need not be unique where constraints are redundant."""


@dataclass(eq=False)
class Equation:
    """One residual that vanishes: who says so, and what it is in words."""

    owner: str
    text: str
    residual: SX
    gives: tuple[Quantity, int] | None = None
    """A multiplier that would soften it, and how often it is differentiated before: it may be redundant."""
    moves: Quantity | None = None
    """What it is the balance of forces for."""

    def __str__(self) -> str:
        return f"{self.owner} ({self.text})"


@dataclass
class System:
    """Equations F(x, ẋ, …, known) = 0 with as many unknowns x.

    Known symbols move with time by `move`; what has no rule (parameters, inputs) is constant.
    """

    unknowns: list[Quantity]
    equations: list[Equation]
    _rates: dict[int, tuple[SX, SX]] = field(default_factory=dict)
    """symbol hash → (symbol, its derivative), of known symbols."""
    _orders: dict[int, tuple[int, int]] = field(default_factory=dict)
    """symbol hash → (number of the unknown, order of the derivative)."""

    _carried: dict[int, list[int]] = field(default_factory=dict)
    """symbol hash → numbers of the unknowns whose rates move it."""
    gone: list[Quantity] = field(default_factory=list)
    """Unknowns that were taken out; expressions may still contain them."""
    _gone: dict[int, tuple[Quantity, int]] = field(default_factory=dict)
    passed: dict[tuple[Quantity, int], Number] = field(default_factory=dict)
    """Starts (order 0) and start rates (1) that quantities have got from those they are tied to."""
    starts_bind: bool = True
    """Whether starts that contradict each other are refused; else those of the states hold."""

    def __post_init__(self) -> None:
        self.index()

    def index(self) -> None:
        """Take note of the unknowns' symbols."""
        self._orders = {s.element_hash(): (j, k) for j, x in enumerate(self.unknowns) for k, s in enumerate(x.chain)}
        self._gone = {s.element_hash(): (x, k) for x in self.gone for k, s in enumerate(x.chain)}

    def carry(self, symbols: SX, rates: SX) -> None:
        """Known symbols that unknowns of higher order move: they count as these at order 0."""
        first = {x.chain[1].element_hash(): j for j, x in enumerate(self.unknowns) if len(x.chain) > 1}
        for k in range(symbols.numel()):
            movers = {first[s.element_hash()] for s in ca.symvar(rates[k]) if s.element_hash() in first}
            self._carried[symbols[k].element_hash()] = sorted(movers)

    def start(self, x: Quantity, order: int = 0) -> Number | None:
        """Where an unknown, or its derivative, starts; None: nobody says."""
        own = (x.start, x.start_rate)[order] if order < 2 else None
        return self.passed.get((x, order)) if own is None else own

    def move(self, symbols: SX, rates: SX) -> None:
        """Known symbols and their time derivatives."""
        for k in range(symbols.numel()):
            self._rates[symbols[k].element_hash()] = (symbols[k], rates[k])

    @property
    def time(self) -> SX:
        """Known symbols that run with the clock: t itself."""
        return ca.vertcat(SX(0, 1), *(s for s, rate in self._rates.values() if rate.is_one()))

    def moves(self, symbol: SX) -> bool:
        """Whether a symbol is known, and follows something else than the clock."""
        known = self._rates.get(symbol.element_hash())
        return known is not None and not known[1].is_one()

    def derivative(self, x: SX) -> SX:
        """d/dt, by the chain rule over everything that moves."""
        symbols, rates = [], []
        for s in ca.symvar(x):
            known = s.element_hash()
            if known in self._orders:
                j, k = self._orders[known]
                rate = self.unknowns[j].rate(k + 1)
                self._orders[rate.element_hash()] = (j, k + 1)
                symbols.append(s)
                rates.append(rate)
            elif known in self._gone:
                x_gone, k = self._gone[known]
                rate = x_gone.rate(k + 1)
                self._gone[rate.element_hash()] = (x_gone, k + 1)
                symbols.append(s)
                rates.append(rate)
            elif known in self._rates:
                symbols.append(s)
                rates.append(self._rates[known][1])
        return ca.jtimes(x, ca.vertcat(*symbols), ca.vertcat(*rates)) if symbols else SX(0)

    def orders(self, x: SX) -> dict[int, int]:
        """{number of the unknown: highest derivative of it} in an expression."""
        orders: dict[int, int] = {}
        for s in ca.symvar(x):
            at = self._orders.get(s.element_hash())
            if at is not None:
                orders[at[0]] = max(orders.get(at[0], 0), at[1])
            for j in self._carried.get(s.element_hash(), ()):
                orders.setdefault(j, 0)
        return orders

    def place(self, symbol: SX) -> tuple[int, int]:
        """(number of the unknown, order of the derivative) of a symbol; (−1, 0) for one that is known."""
        return self._orders.get(symbol.element_hash(), (-1, 0))

    def signature(self) -> list[dict[int, int]]:
        """`orders` of each equation; one that may be soft has its own multiplier in it, as a vanishing compliance."""
        number = {id(x): j for j, x in enumerate(self.unknowns)}
        rows = [self.orders(e.residual) for e in self.equations]
        for e, row in zip(self.equations, rows, strict=True):
            if e.gives is not None:
                row.setdefault(number[id(e.gives[0])], -e.gives[1])
        return rows

    def names(self, numbers: Iterable[int]) -> str:
        return ", ".join(self.unknowns[j].name for j in numbers)


def parts(vector: Any) -> list[SX]:
    """Scalars of a column."""
    column = SX(vector)
    return [column[k] for k in range(column.numel())]


def constant_coefficients(residual: SX, symbols: list[SX], constants: set[int]) -> list[SX | None]:
    """∂residual/∂symbol where it is a number other than zero or an expression of parameters, else None; of each symbol.

    constants: hashes of the parameters' symbols.
    """
    slopes = ca.jacobian(residual, ca.vertcat(*symbols))
    return [_constant(slopes[0, k], constants) for k in range(len(symbols))]


def _constant(slope: SX, constants: set[int]) -> SX | None:
    if slope.nnz() == 0:
        return None
    slope = ca.simplify(slope)
    if slope.is_constant():
        return slope if abs(float(slope)) > 0 else None
    return slope if all(s.element_hash() in constants for s in ca.symvar(slope)) else None
