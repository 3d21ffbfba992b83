"""Efforts and flows of all bonds, read off a causal graph in causal order.

Every bond variable is determined by the element at one of its ends. Following these determinations back leads to
sources and states, or round in a circle: an algebraic loop, which is cut at one variable and solved. Stores in
derivative causality and efforts that enforce a flow enter as symbols of their own, to be determined by whoever asks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import casadi as ca
import numpy as np

from linkwork.bondgraph.assigning.causality import Causality
from linkwork.bondgraph.elements import GY, TF, C, Constraint, Element, EulerGyrator, Field, I, Junction, R, Se, Sf, law
from linkwork.bondgraph.elements import matrix as matrix_of
from linkwork.bondgraph.graph import Bond
from linkwork.bondgraph.reading.loop_roots import ITERATIONS as ITERATIONS
from linkwork.bondgraph.reading.loop_roots import certainty, root, some_numbers
from linkwork.bondgraph.reading.resistive_field import resistive_definition
from linkwork.core.errors import ModelError
from linkwork.geometry import SX

Variable = tuple[str, Bond]
"""("e" or "f", bond)."""


@dataclass
class State:
    """What a store in integral causality remembers, n×1: momentum (I), whose rate is an effort, or displacement (C)."""

    element: Element
    symbol: SX
    rate: SX
    start: SX
    kind: str
    """"I" or "C"."""


@dataclass
class Dependent:
    """A store in derivative causality: `symbol` stands for the rate of `amount` (momentum, displacement), or is it."""

    element: Element
    symbol: SX
    amount: SX


@dataclass
class Enforced:
    """An effort `symbol` that makes `residual` (flow − wanted) vanish."""

    element: Element
    symbol: SX
    residual: SX


@dataclass
class Reading:
    """Everything the graph says; expressions in states, sources, and the symbols of `dependents` and `enforced`."""

    effort: dict[Bond, SX] = field(default_factory=dict)
    flow: dict[Bond, SX] = field(default_factory=dict)
    states: list[State] = field(default_factory=list)
    dependents: list[Dependent] = field(default_factory=list)
    enforced: list[Enforced] = field(default_factory=list)
    loops: list[str] = field(default_factory=list)
    """Where algebraic loops were cut: "effort of b3 (R:damper)"."""

    def power(self, bond: Bond) -> SX:
        return ca.dot(self.effort[bond], self.flow[bond])


class SingularLoop(ModelError):
    """A circle of flows that determines nothing; `sources` are the flow sources on it."""

    def __init__(self, name: str, sources: list[str]):
        self.sources = sources
        super().__init__(
            "a causal circle leaves its flow open, as it comes back unchanged.",
            component=name,
            remedy=f"Make one of these flow sources a constraint (an effort): {', '.join(sources) or 'none found'}.",
        )


def read(causality: Causality, known: dict[str, SX] | None = None, *, flow_circles: bool = True) -> Reading:
    """Read all efforts and flows.

    known: outputs of stores that someone else keeps (element → flow of I, effort of C);
    flow_circles=False: flows that determine each other are refused (SingularLoop) even if they can be solved for.
    """
    return _Reader(causality, known or {}, flow_circles).run()


class _Reader:
    def __init__(self, causality: Causality, known: dict[str, SX], flow_circles: bool):
        self.causality, self.graph, self.known, self.flow_circles = causality, causality.graph, known, flow_circles
        self._needs: dict[Variable, list[Variable]] = {}
        self.value: dict[Variable, SX] = {}
        self.cuts: list[tuple[Variable, SX]] = []
        self.reading = Reading()
        self._stores: dict[str, _Store] = {}
        self._forced: dict[str, SX] = {}

    def run(self) -> Reading:
        for bond in self.graph.bonds:
            for letter in ("e", "f"):
                self._evaluate((letter, bond))
        substituted = self._loops()
        reading = self.reading
        for bond in self.graph.bonds:
            reading.effort[bond], reading.flow[bond] = (substituted(self.value[letter, bond]) for letter in "ef")
        for store in self._stores.values():
            store.report(reading, substituted)
        for name, symbol in self._forced.items():
            element = self.graph[name]
            (bond,) = self.graph.bonds_of(element)
            reading.enforced.append(Enforced(element, symbol, reading.flow[bond] - element.value))  # type: ignore[attr-defined]
        return reading

    # evaluation in causal order, without recursion: chains may be thousands of bonds long

    def _evaluate(self, wanted: Variable) -> None:
        if wanted in self.value:
            return
        stack: list[tuple[Variable, Iterator[Variable], Callable[[], SX]]] = [self._opened(wanted)]
        pending = {wanted}
        while stack:
            variable, needs, compute = stack[-1]
            need = next((n for n in needs if n not in self.value), None)
            if need is None:
                value = compute()
                if variable in self.value:  # it was cut meanwhile: remember what it must equal
                    self.cuts.append((variable, value))
                else:
                    self.value[variable] = value
                stack.pop()
                pending.discard(variable)
            elif need in pending:
                letter, bond = need
                self.value[need] = SX.sym(f"cut.{letter}.{bond.name}", bond.size)
            else:
                stack.append(self._opened(need))
                pending.add(need)

    def _opened(self, variable: Variable) -> tuple[Variable, Iterator[Variable], Callable[[], SX]]:
        needs, compute = self._definition(variable)
        self._needs[variable] = needs
        return variable, iter(needs), compute

    def _definition(self, variable: Variable) -> tuple[list[Variable], Callable[[], SX]]:
        """What a variable depends on, and how: asked of the element that determines it."""
        letter, bond = variable
        end = self.causality.stroke[bond]
        element = bond.at(end) if letter == "f" else bond.at("tail" if end == "head" else "head")
        if isinstance(element, Junction):
            return self._junction(element, letter, bond)
        sign = self._sign(element, bond)
        if isinstance(element, Constraint) or element in self.causality.opened:
            symbol = self._forced.setdefault(element.name, SX.sym(f"{element.name}.effort", bond.size))
            return [], lambda: symbol
        if isinstance(element, Se):
            return [], lambda: element.value
        if isinstance(element, Sf):
            return [], lambda: element.value  # along the bond, whichever way its arrow points
        if isinstance(element, R):
            return self._resistor(element, letter, bond, sign)
        if isinstance(element, EulerGyrator):
            f = ("f", bond)
            return [f], lambda: element.matrix(sign * self.value[f]) @ (sign * self.value[f])
        if isinstance(element, TF):
            return self._transformer(element, letter, bond)
        if isinstance(element, GY):
            return self._gyrator(element, letter, bond)
        if isinstance(element, Field) and element.kind == "R":
            return resistive_definition(self, element, letter, bond)
        if isinstance(element, (C, I, Field)):
            store = self._stores.setdefault(element.name, _Store(self, element))
            return store.definition(letter, bond)
        raise ModelError(f"{type(element).__name__} has no equations.", component=element.name)

    @staticmethod
    def _sign(element: Element, bond: Bond) -> int:
        """+1 if power into the element is positive (the half arrow points to it)."""
        return 1 if bond.head.element is element else -1

    def _junction(self, j: Junction, letter: str, bond: Bond) -> tuple[list[Variable], Callable[[], SX]]:
        others = [b for b in self.graph.bonds_of(j) if b is not bond]
        if letter == ("f" if j.kind == 1 else "e"):
            # The common variable comes from the one bond whose other end determines it.
            leader = next(b for b in others if self._leads(j, b))
            return [(letter, leader)], lambda: self.value[letter, leader]
        own = self._sign(j, bond)
        needs = [(letter, b) for b in others]
        return needs, lambda: -own * sum((self._sign(j, b) * self.value[letter, b] for b in others), SX(bond.size, 1))

    def _leads(self, j: Junction, bond: Bond) -> bool:
        """Whether a bond brings the junction its common variable."""
        receives_effort = self.causality.stroke[bond] == bond.end_of(j)
        return receives_effort if j.kind == 0 else not receives_effort

    def _resistor(self, r: R, letter: str, bond: Bond, sign: int) -> tuple[list[Variable], Callable[[], SX]]:
        if letter == "e":
            return [("f", bond)], lambda: law(r.law, sign * self.value["f", bond])

        def conducted() -> SX:
            e = self.value["e", bond]
            if r.inverse is not None:
                return sign * law(r.inverse, e)
            return sign * ca.solve(ca.densify(matrix_of(r.law, bond.size)), e)

        return [("e", bond)], conducted

    def _ports(self, element: Element) -> tuple[Bond, Bond, int, int]:
        """Bonds of both ports and their signs: positive into port 0, out of port 1."""
        first, second = self.graph.bond_at(element, 0), self.graph.bond_at(element, 1)
        return first, second, self._sign(element, first), -self._sign(element, second)

    def _transformer(self, tf: TF, letter: str, bond: Bond) -> tuple[list[Variable], Callable[[], SX]]:
        first, second, s1, s2 = self._ports(tf)
        m = tf.modulus
        if letter == "f":
            if bond is second:
                return [("f", first)], lambda: s2 * (m @ (s1 * self.value["f", first]))
            return [("f", second)], lambda: s1 * (tf.inverse() @ (s2 * self.value["f", second]))
        if bond is first:
            return [("e", second)], lambda: m.T @ self.value["e", second]
        return [("e", first)], lambda: tf.inverse().T @ self.value["e", first]

    def _gyrator(self, gy: GY, letter: str, bond: Bond) -> tuple[list[Variable], Callable[[], SX]]:
        first, second, s1, s2 = self._ports(gy)
        r = gy.modulus
        if letter == "e":
            if bond is second:
                return [("f", first)], lambda: r @ (s1 * self.value["f", first])
            return [("f", second)], lambda: r.T @ (s2 * self.value["f", second])
        if bond is first:
            return [("e", second)], lambda: s1 * (gy.inverse() @ self.value["e", second])
        return [("e", first)], lambda: s2 * (gy.inverse().T @ self.value["e", first])

    def _loops(self) -> Callable[[SX], SX]:
        """Solve for the variables at which circles were cut; returns what puts the solution in."""
        if not self.cuts:
            return lambda x: x
        import networkx as nx

        self.reading.loops = [f"{_LETTERS[letter]} of {bond.name}" for (letter, bond), _ in self.cuts]
        symbols = [self.value[v] for v, _ in self.cuts]
        residuals = [value - self.value[v] for v, value in self.cuts]
        graph = nx.DiGraph()
        graph.add_nodes_from(range(len(symbols)))
        graph.add_edges_from(
            (j, i) for i, r in enumerate(residuals) for j, x in enumerate(symbols) if i != j and ca.depends_on(r, x)
        )
        # Circles that do not feed each other are solved one after the other: flows must not seem to depend on efforts.
        parts = nx.condensation(graph)
        done: list[tuple[SX, SX]] = []
        for k in nx.topological_sort(parts):
            members = sorted(parts.nodes[k]["members"])
            x, r = ca.vertcat(*(symbols[i] for i in members)), ca.vertcat(*(residuals[i] for i in members))
            if done:
                r = ca.substitute([r], [x for x, _ in done], [value for _, value in done])[0]
            self._check(r, x, [self.cuts[i][0] for i in members])
            done.append((x, root(r, x)))
        known, values = [x for x, _ in done], [value for _, value in done]
        return lambda x: ca.substitute([x], known, values)[0]

    def _check(self, residual: SX, x: SX, cut: list[Variable]) -> None:
        """Refuse circles that come back unchanged."""
        slope = some_numbers(ca.jacobian(residual, x))
        solvable = bool(np.all(np.isfinite(slope))) and certainty(slope) > 1e-9
        if solvable and (self.flow_circles or all(letter == "e" for letter, _ in cut)):
            return
        import networkx as nx

        graph = nx.DiGraph((n, v) for v, needs in self._needs.items() for n in needs)
        circle = next(c for c in nx.strongly_connected_components(graph) if cut[0] in c)
        raise SingularLoop(self.graph.name, self._sources_of(circle))

    def _sources_of(self, circle: set[Variable]) -> list[str]:
        """Flow sources that feed a circle, the nearest first."""
        by_bond = {self.graph.bonds_of(e)[0]: e for e in self.graph.of_type(Sf)}
        names: list[str] = []
        visited, queue = set(circle), deque(sorted(circle, key=lambda v: self.graph.bonds.index(v[1])))
        while queue:
            for need in self._needs.get(queue.popleft(), []):
                if need in visited or need[0] != "f":
                    continue
                visited.add(need)
                queue.append(need)
                source = by_bond.get(need[1])
                if source is not None and source not in self.causality.opened:
                    names.append(source.name)
        return names


_LETTERS = {"e": "effort", "f": "flow"}


class _Store:
    """A store with one port or several, each in integral or derivative causality."""

    def __init__(self, reader: _Reader, element: Element):
        self.reader, self.element = reader, element
        self.kind = element.kind if isinstance(element, Field) else element.symbol
        graph = reader.graph
        self.bonds = [graph.bond_at(element, k) for k in range(element.ports)]
        self.signs = [reader._sign(element, b) for b in self.bonds]
        sizes = [b.size for b in self.bonds]
        self.places, total = [], 0
        for n in sizes:
            self.places.append(list(range(total, total + n)))
            total += n
        derivative = {(e.name, k) for e, k in reader.causality.derivative}
        self.integral = [(element.name, k) not in derivative for k in range(element.ports)]
        letter = "p" if self.kind == "I" else "d"
        inner = [i for k, place in enumerate(self.places) if self.integral[k] for i in place]
        outer = [i for k, place in enumerate(self.places) if not self.integral[k] for i in place]
        self.inner, self.outer = inner, outer
        self.amount = SX.sym(f"{element.name}.{letter}", len(inner)) if inner else SX(0, 1)
        self.rate = SX.sym(f"{element.name}.rate", len(outer)) if outer else SX(0, 1)
        self.law = element.law  # type: ignore[attr-defined]
        self.fixed = element.displacement if isinstance(element, C) else None
        self.outside = reader.known.get(element.name)

    def definition(self, letter: str, bond: Bond) -> tuple[list[Variable], Callable[[], SX]]:
        k = self.bonds.index(bond)
        sign = self.signs[k]
        if not self.integral[k]:  # its own rate comes out: an effort of I, a flow of C
            place = [self.outer.index(i) for i in self.places[k]]
            rate = self.rate[place]
            return [], lambda: rate if self.kind == "I" else sign * rate
        place = [self.inner.index(i) for i in self.places[k]]
        if self.fixed is not None:
            return [], lambda: law(self.law, self.fixed)
        if self.outside is not None:
            return [], lambda: sign * self.outside[place] if self.kind == "I" else self.outside[place]
        needs = [self._input(j) for j in range(len(self.bonds)) if not self.integral[j]]
        return needs, lambda: (sign if self.kind == "I" else 1) * self._output()[place]

    def _input(self, k: int) -> Variable:
        """What a port in derivative causality receives."""
        return ("f" if self.kind == "I" else "e", self.bonds[k])

    def _received(self) -> SX:
        parts = []
        for k in range(len(self.bonds)):
            if not self.integral[k]:
                sign = self.signs[k] if self.kind == "I" else 1
                parts.append(sign * self.reader.value[self._input(k)])
        return ca.vertcat(SX(0, 1), *parts)

    def _output(self) -> SX:
        """Flow (I) or effort (C) of the ports in integral causality."""
        if callable(self.law):
            return law(self.law, self.amount)
        M = matrix_of(self.law, len(self.inner) + len(self.outer))
        if self.kind == "C":  # e = K d: with e given on some ports, their d follows
            if not self.outer:
                return M @ self.amount
            inverse = ca.inv(M)
            rest = inverse[self.inner, self.outer] @ self._received()
            return ca.solve(inverse[self.inner, self.inner], self.amount - rest)
        rest = M[self.inner, self.outer] @ self._received() if self.outer else SX(len(self.inner), 1)
        return ca.solve(ca.densify(M[self.inner, self.inner]), self.amount - rest)

    def _dependent_amount(self) -> SX:
        """Momentum or displacement of the ports in derivative causality."""
        received = self._received()
        if callable(self.law):
            inverse = getattr(self.element, "inverse", None)
            if inverse is None or self.inner:
                raise ModelError(
                    "has a nonlinear law and derivative causality.",
                    component=self.element.name,
                    remedy="Give inverse=…, or a small store of its own to what determines it.",
                )
            return ca.vertcat(*ca.vertsplit(SX(inverse(received))))
        M = matrix_of(self.law, len(self.inner) + len(self.outer))
        if self.kind == "C":
            M = ca.inv(M)
        inner = M[self.outer, self.inner] @ self._output() if self.inner else SX(len(self.outer), 1)
        return inner + M[self.outer, self.outer] @ received

    def report(self, reading: Reading, substituted: Callable[[SX], SX]) -> None:
        if self.inner and self.fixed is None and self.outside is None:
            rates = []
            for k, bond in enumerate(self.bonds):
                if self.integral[k]:
                    rates.append(reading.effort[bond] if self.kind == "I" else self.signs[k] * reading.flow[bond])
            start = self.element.start[self.inner]  # type: ignore[attr-defined]
            if self.kind == "I" and not callable(self.law):
                M = matrix_of(self.law, len(self.inner) + len(self.outer))
                start = M[self.inner, self.inner] @ start
            reading.states.append(State(self.element, self.amount, ca.vertcat(*rates), start, self.kind))
        if self.outer:
            reading.dependents.append(Dependent(self.element, self.rate, substituted(self._dependent_amount())))
