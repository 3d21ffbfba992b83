"""Efforts and flows of a graph whose elements are linear, from all their equations at once.

Causality shows what determines what, but not everything: round a ring of junctions stores may depend on each other
where each of them has integral causality, and circles come back unchanged that other circles determine. So where there
are circles or dependent stores the equations are solved as they stand: relations between stores are found by exact
elimination, circles are blocks, solved by pivots of size.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace

import casadi as ca
import numpy as np

from linkwork.bondgraph.assigning.causality import Causality
from linkwork.bondgraph.constitutive import law
from linkwork.bondgraph.elements import GY, TF, C, Element, Field, I, Junction, R, Se, Sf
from linkwork.bondgraph.reading.input_rates import input_rate_needed
from linkwork.bondgraph.reading.reading import Dependent, Reading, State
from linkwork.core.errors import ModelError
from linkwork.core.port import Quantity
from linkwork.geometry import SX
from linkwork.structure.aliases import Reduced
from linkwork.structure.explicit import explicit
from linkwork.structure.sizes import Numbers
from linkwork.structure.solution import Solution
from linkwork.structure.system import Equation, System

SOLVED = 1e-6
"""Mismatch of equations, relative to their terms, above which they have not been solved."""


def is_linear(causality: Causality) -> bool:
    """Whether all elements are linear, with one component each, and nothing is enforced by an effort."""
    graph = causality.graph
    known = (Junction, Se, Sf, R, C, I, TF, GY)
    if causality.opened or any(type(e) not in known and not isinstance(e, known) for e in graph.elements.values()):
        return False
    if any(b.size != 1 for b in graph.bonds):
        return False
    stores = [e for e in graph.of_type(C) if e.displacement is not None]
    laws = [e.law for e in graph.elements.values() if isinstance(e, R | C | I)]
    return not stores and not any(x is None or callable(x) for x in laws)


def read_implicitly(causality: Causality) -> tuple[Causality, Reading] | None:
    """Everything in terms of the stores that are independent; None where something is not linear after all."""
    following = {e.name for e, _ in causality.derivative}
    solution = _Equations(causality).solved()
    if solution is not None:
        overruled = any(d.element.name not in following and _is_given(d.element) for d in solution[1].dependents)
        if overruled and any(s.element.name in following and _is_given(s.element) for s in solution[1].states):
            return _Equations(causality, silent=following).solved()  # of two starts, that of integral causality holds
    return solution


def _is_given(element: Element) -> bool:
    return isinstance(element, C | I | Field) and not element.start.is_zero()


class _Equations:
    def __init__(self, causality: Causality, silent: Collection[str] = ()):
        """silent: stores whose starts do not count."""
        self.causality, self.graph, self.silent = causality, causality.graph, silent
        self.effort = {b: _bound(f"{b.name}.effort", b.effort) for b in self.graph.bonds}
        self.flow = {b: _bound(f"{b.name}.flow", b.flow) for b in self.graph.bonds}
        self.amount: dict[C | I, Quantity] = {}
        self.equations: list[Equation] = []
        self.moduli: list[tuple[SX, float]] = []
        """Symbols that stand for numbers, and these."""
        for element in self.graph.elements.values():
            self._element(element)
        unknowns = [*self.amount.values(), *self.effort.values(), *self.flow.values()]
        self.system = System(unknowns, self.equations, starts_bind=False)
        self.system.move(self.graph.t, SX(1))
        self.rates = [SX.sym(f"der({name})") for name in self.graph.inputs]
        for symbol, rate in zip(self.graph.symbols(self.graph.inputs), self.rates, strict=True):
            self.system.move(symbol, rate)
        for signal in self.graph.signals:
            self.system.move(signal.symbol, ca.vec(SX(signal.rate)))

    def _modulus(self, element: TF | GY) -> SX:
        """A symbol for one whose reciprocal is no number of the machine: what cancels round a ring does so exactly."""
        m = SX(element.modulus)
        if not m.is_constant() or not float(m) or not math.isfinite(float(m)) or math.frexp(abs(float(m)))[0] == 0.5:
            return m
        symbol = SX.sym(f"{element.name}.modulus")
        self.moduli.append((symbol, float(m)))
        return symbol

    def _say(self, element: Element, text: str, residual: SX) -> None:
        self.equations.append(Equation(element.name, text, residual))

    def _element(self, element: Element) -> None:
        bonds = self.graph.bonds_of(element)
        e, f = {b: self.effort[b].symbol for b in bonds}, {b: self.flow[b].symbol for b in bonds}
        into = {b: 1 if b.head.element is element else -1 for b in bonds}
        if isinstance(element, Junction):
            same, summed = (e, f) if element.kind == 0 else (f, e)
            for b in bonds[1:]:
                self._say(element, "common", same[bonds[0]] - same[b])
            self._say(element, "sum", sum((into[b] * summed[b] for b in bonds), SX(0)))
        elif isinstance(element, TF | GY):
            first, second = self.graph.bond_at(element, 0), self.graph.bond_at(element, 1)
            flow1, flow2, m = into[first] * f[first], -into[second] * f[second], self._modulus(element)
            if isinstance(element, TF):
                self._say(element, "flows", flow2 - m * flow1)
                self._say(element, "efforts", e[first] - m * e[second])
            else:
                self._say(element, "second effort", e[second] - m * flow1)
                self._say(element, "first effort", e[first] - m * flow2)
        else:
            (b,) = bonds
            effort, flow = e[b], into[b] * f[b]
            if isinstance(element, Se):
                self._say(element, "effort", effort - element.value)
            elif isinstance(element, Sf):
                self._say(element, "flow", f[b] - element.value)
            elif isinstance(element, R):
                self._say(element, "law", effort - law(element.law, flow))
            elif isinstance(element, C | I):
                self._store(element, effort, flow)

    def _store(self, element: C | I, effort: SX, flow: SX) -> None:
        given = _number(_start(element)) if _is_given(element) and element.name not in self.silent else None
        x = Quantity(f"{element.name}.{'displacement' if isinstance(element, C) else 'momentum'}", element.name)
        x.start = given
        self.amount[element] = x
        if isinstance(element, C):
            self._say(element, "law", effort - law(element.law, x.symbol))
            self._say(element, "rate", x.rate() - flow)
        else:
            self._say(element, "law", x.symbol - law(element.law, flow))
            self._say(element, "rate", x.rate() - effort)

    def solved(self) -> tuple[Causality, Reading] | None:
        graph = self.graph
        parameters = graph.symbols(graph.parameters)
        given = [*graph.parameters.values(), *graph.inputs.values()]
        symbols = [*parameters, *graph.symbols(graph.inputs)]
        known = [*zip(symbols, given, strict=True), *self.moduli]
        numbers = Numbers({s.element_hash(): float(x) for s, x in known})
        constants = {s.element_hash() for s in [*parameters, *(s for s, _ in self.moduli)]}
        solution = explicit(self.system, constants, self._refuse, numbers=numbers).solution
        if solution.algebraic or any(name.endswith((".rate", ".rate2")) for name, *_ in solution.states):
            return None
        states = {s.element_hash() for _, s, _, _ in solution.states}
        if not states <= {x.symbol.element_hash() for x in self.amount.values()}:
            return None
        bonds = list(graph.bonds)
        wanted = [self.effort[b].symbol for b in bonds] + [self.flow[b].symbol for b in bonds]
        wanted += [s for x in self.amount.values() for s in (x.symbol, x.rate())]
        values = solution.resolved(wanted)
        if self.moduli:
            values = ca.substitute(values, [s for s, _ in self.moduli], [SX(x) for _, x in self.moduli])
        self._refuse_inputs(dict(zip(self.amount, values[2 * len(bonds) + 1 :: 2], strict=True)))
        self._refuse_open(solution, values[: 2 * len(bonds)], numbers)
        reading = Reading(dict(zip(bonds, values, strict=False)), dict(zip(bonds, values[len(bonds) :], strict=False)))
        rest = iter(values[2 * len(bonds) :])
        for element, x in self.amount.items():
            amount, rate = next(rest), next(rest)
            if x.symbol.element_hash() in states:
                reading.states.append(State(element, x.symbol, rate, _start(element), element.symbol))
            else:
                reading.dependents.append(Dependent(element, rate, amount))
        reading.loops = [f"{', '.join(block.owners)}" for block in solution.blocks]
        return replace(
            self.causality,
            integral=[(s.element, 0) for s in reading.states],
            derivative=[(d.element, 0) for d in reading.dependents],
        ), reading

    def _refuse(self, reduction: Reduced) -> None:
        for equation, others in reduction.empty:
            raise ModelError(
                f"what it says of its bond, {', '.join(o for o in others if o != equation.owner)} say already:"
                " one of them is too many.",
                component=equation.owner,
                remedy="Take one out, or put a resistor or a store between them.",
            )

    def _refuse_open(self, solution: Solution, values: list[SX], numbers: Numbers) -> None:
        """Circles whose equations have no solution, or more than one, where it starts."""
        starts = [(x.symbol, x.start) for x in self.amount.values()]
        starts += [(signal.symbol, signal.start) for signal in self.graph.signals]
        pairs = [(s, float(x)) for s, x in starts if s.numel() == 1 and x is not None and SX(x).is_constant()]
        here = Numbers({self.graph.t.element_hash(): 0.0} | {s.element_hash(): x for s, x in pairs} | {**numbers.known})
        blocks = [block for block in solution.blocks if block.mismatch is not None]
        mismatches = solution.resolved([block.mismatch for block in blocks if block.mismatch is not None])
        for block, mismatch in zip(blocks, mismatches, strict=True):
            if not all(x.item() < SOLVED for (x,) in here.at([mismatch])):  # nor where it is no number
                raise _open(block.unknowns, block.owners)
        everything = ca.vertcat(*values)
        if not here.has(everything):
            return
        bonds, finite = list(self.graph.bonds), np.isfinite(here.at([everything])[0][0].ravel())
        if not finite.all():
            k = int(np.argmin(finite))
            bond, word = bonds[k % len(bonds)], "effort" if k < len(bonds) else "flow"
            raise _open([f"{bond.name}.{word}"], [bond.tail.element.name, bond.head.element.name])

    def _refuse_inputs(self, rates: dict[C | I, SX]) -> None:
        for element, rate in rates.items() if self.rates else ():
            if ca.depends_on(rate, ca.vertcat(*self.rates)):
                raise input_rate_needed(element.name)


def _open(unknowns: list[str], owners: list[str]) -> ModelError:
    return ModelError(
        f"{', '.join(unknowns)}: not determined, as what goes round comes back unchanged.",
        component=", ".join(owners),
        remedy="Change a modulus, or put a resistor or a store into the circle.",
    )


def _bound(name: str, symbol: SX) -> Quantity:
    """An unknown with the symbol that expressions of the user have for it."""
    x = Quantity(name, name.rpartition(".")[0])
    x.chain = [symbol]
    return x


def _start(element: C | I) -> SX:
    """Of its amount; an inertia is given its flow."""
    return element.start if isinstance(element, C) else law(element.law, element.start)


def _number(x: SX) -> SX | float:
    return float(x) if x.is_constant() else x
