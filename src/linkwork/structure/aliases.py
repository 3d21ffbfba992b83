"""Equations with at most two unknowns are taken out first: x = c y + known, at every order of differentiation.

What connections, grounds, gears and rigid couplings say is of this kind; so states that such equations tie together
become one state before the index is looked at (dummy derivatives where they are trivial).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import casadi as ca

from linkwork.core.errors import ModelError
from linkwork.core.port import Quantity
from linkwork.geometry import SX
from linkwork.structure.cancelling import without_cancelled
from linkwork.structure.system import Equation, Multiplier, System, constant_coefficients


@dataclass
class Taken:
    """An unknown that was taken out: x = value, by this equation."""

    unknown: Quantity
    value: SX
    equation: Equation


@dataclass
class Reduced:
    """What is left, what was taken out (later ones do not depend on earlier ones), and what turned out empty."""

    system: System
    taken: list[Taken] = field(default_factory=list)
    empty: list[tuple[Equation, list[str]]] = field(default_factory=list)
    """Equations without any unknown left, and the owners of those that had determined theirs already."""

    def join(self, later: Reduced) -> None:
        self.taken += later.taken
        self.empty += later.empty


def reduced(system: System, constants: set[int], movers: int = 0) -> Reduced:
    """Take out what can be; constants: hashes of parameters; movers: how many of the first unknowns stay."""
    work = _Reduction(system, constants, movers)
    work.run()
    system.unknowns = [x for j, x in enumerate(system.unknowns) if j not in work.gone]
    system.equations = [e for i, e in enumerate(system.equations) if i not in work.done]
    system.gone += [taken.unknown for taken in work.result.taken]
    system.index()
    return work.result


class _Reduction:
    """The equations still to be looked at, and who uses which unknown."""

    def __init__(self, system: System, constants: set[int], movers: int):
        self.system, self.constants, self.movers = system, constants, movers
        self.result = Reduced(system)
        self.orders = [system.orders(e.residual) for e in system.equations]
        self.differentiated = {j for orders in self.orders for j, order in orders.items() if order}
        self.uses: dict[int, set[int]] = {}
        for i, orders in enumerate(self.orders):
            for j in orders:
                self.uses.setdefault(j, set()).add(i)
        self.history: dict[int, set[str]] = {}
        """By equation: owners of those that have removed unknowns from it."""
        self.done: set[int] = set()
        self.gone: set[int] = set()

    def own(self, i: int) -> list[int]:
        """Unknowns of an equation that may go."""
        return [j for j in self.orders[i] if j >= self.movers]

    def run(self) -> None:
        waiting = deque(i for i in range(len(self.orders)) if len(self.own(i)) <= 2)
        while waiting:
            i = waiting.popleft()
            if i in self.done:
                continue
            if not self.orders[i]:
                self.done.add(i)
                self.result.empty.append((self.system.equations[i], sorted(self.history.get(i, set()))))
            elif (solved := self.solvable(i)) is not None:
                waiting.extend(self.take(i, *solved))

    def solvable(self, i: int) -> tuple[int, SX] | None:
        """(unknown, its value) if equation i gives one in terms of at most one other; what is no state goes first."""
        own, orders, unknowns = self.own(i), self.orders[i], self.system.unknowns
        if len(own) > 2 or any(orders[j] for j in own) or max(orders.values()) > 1:
            return None
        residual = self.system.equations[i].residual
        slopes = dict(
            zip(own, constant_coefficients(residual, [unknowns[j].symbol for j in own], self.constants), strict=True)
        )
        if None in slopes.values() or self.is_law(residual, slopes):
            return None
        for j in sorted(own, key=lambda j: (j in self.differentiated, unknowns[j].start is not None)):
            slope = slopes[j]
            if slope is not None and not isinstance(unknowns[j], Multiplier):
                return j, ca.simplify(-ca.substitute(residual, unknowns[j].symbol, SX(0)) / slope)
        return None

    def is_law(self, residual: SX, slopes: dict[int, SX | None]) -> bool:
        """Whether it has something known beside two unknowns that are no states: 5 V = v + R i, T₁ = T₂ + 10 K.

        Which of them is the small difference then, the rest of the network decides: its block chooses, by size.
        """
        if len(slopes) < 2 or any(j in self.differentiated for j in slopes):
            return False
        symbols = ca.vertcat(*(self.system.unknowns[j].symbol for j in slopes))
        return not ca.simplify(ca.substitute(residual, symbols, SX.zeros(2, 1))).is_zero()

    def take(self, i: int, j: int, value: SX) -> list[int]:
        """Put the value of unknown j in everywhere; returns the equations that may now be solvable."""
        system, equation, x = self.system, self.system.equations[i], self.system.unknowns[j]
        self.done.add(i)
        self.gone.add(j)
        self.result.taken.append(Taken(x, value, equation))
        others = [system.unknowns[k] for k in self.own(i) if k != j]
        if others:
            if system.starts_bind:
                _check_starts(x, value, others[0], equation)
            _pass_on(system, x, value, others[0], equation)
        else:
            self.refuse_start(j, value, equation)
        changed = sorted(self.uses.pop(j) - self.done)
        for k in changed:
            other = system.equations[k]
            other.residual = _without(system, other.residual, x, value, self.constants)
            self.history.setdefault(k, set()).update({equation.owner} | self.history.get(i, set()))
            self.orders[k] = system.orders(other.residual)
            for n in self.orders[k]:
                self.uses.setdefault(n, set()).add(k)
        return [k for k in changed if len(self.own(k)) <= 2]

    def refuse_start(self, j: int, value: SX, equation: Equation) -> None:
        """A state that is tied to something known has no start of its own: one given anyway must be what that says."""
        if not self.system.starts_bind:
            return
        x = self.system.unknowns[j]
        start, rate = self.system.start(x), self.system.start(x, 1)
        if rate is not None:
            raise _no_freedom(x, f"at a rate of {rate}", equation)
        if start is None or j not in self.differentiated:
            return
        if any(self.system.moves(s) or self.system.place(s)[0] >= 0 for s in ca.symvar(value)):
            raise _no_freedom(x, f"at {start}", equation)
        here = ca.substitute(value, self.system.time, SX(0)) - start
        if here.is_constant() and abs(float(here)) > 1e-9 * max(1.0, abs(float(SX(start)))):
            raise _no_freedom(x, f"at {start}", equation)


def _without(system: System, residual: SX, x: Quantity, value: SX, constants: set[int]) -> SX:
    symbols, values = [], []
    present = {s.element_hash() for s in ca.symvar(residual)}
    used = [k for k, symbol in enumerate(x.chain) if symbol.element_hash() in present]
    for k in range(max(used, default=-1) + 1):
        if k in used:
            symbols.append(x.chain[k])
            values.append(value)
        if k < used[-1]:
            value = system.derivative(value)
    if not symbols:
        return residual
    (substituted,) = ca.substitute([residual], symbols, values)
    both = present & {s.element_hash() for s in ca.symvar(ca.vertcat(*values))}
    # before it is simplified: then the terms that cancel are one, and its size says nothing any more
    return ca.simplify(without_cancelled(substituted, constants) if both else substituted)


def _no_freedom(x: Quantity, start: str, equation: Equation) -> ModelError:
    return ModelError(
        f"it starts {start}, but {equation} leaves it no freedom: what it is tied to is given elsewhere.",
        component=x.name,
        remedy="Leave its start out; where it hangs on a joint, give that coordinate a start instead.",
    )


def _check_starts(x: Quantity, value: SX, other: Quantity, equation: Equation) -> None:
    """Two starts that contradict each other are told; where both are numbers."""
    if x.start is None or other.start is None or isinstance(x.start, SX) or isinstance(other.start, SX):
        return
    wanted = ca.substitute(value, other.symbol, SX(other.start))
    if wanted.is_constant() and abs(float(wanted) - x.start) > 1e-9 * max(1.0, abs(float(wanted)), abs(x.start)):
        raise ModelError(
            f"it starts at {x.start:g}, but {other.name} = {other.start:g} asks for {float(wanted):g}"
            f" (by {equation.owner}).",
            component=x.name,
            remedy="Give one start for quantities that are tied to each other.",
        )


def _pass_on(system: System, x: Quantity, value: SX, other: Quantity, equation: Equation) -> None:
    """A start that only the one that goes was given holds for the one that stays."""
    slope, rest = ca.jacobian(value, other.symbol), ca.substitute(value, other.symbol, SX(0))
    start, rate = system.start(x), system.start(x, 1)
    if start is not None and system.start(other) is None and not ca.symvar(rest):
        system.passed[other, 0] = _number((start - rest) / slope)
    if rate is None:
        return
    wanted, known = _number((rate - system.derivative(rest)) / slope), system.start(other, 1)
    if known is None:
        system.passed[other, 1] = wanted
    elif not isinstance(wanted, SX) and not isinstance(known, SX):
        if abs(wanted - known) > 1e-9 * max(1.0, abs(wanted)):
            raise ModelError(
                f"its rate starts at {rate:g}, but that of {other.name} at {known:g} instead of {wanted:g}"
                f" (by {equation.owner}).",
                component=x.name,
                remedy="Give one start for quantities that are tied to each other.",
            )


def _number(x: SX) -> SX | float:
    return float(x) if x.is_constant() else x
