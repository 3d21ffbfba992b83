"""State equations of a graph by itself: ẋ = f(t, x, u), read off in causal order.

States are momenta and displacements of stores in integral causality, and signals. Stores in derivative causality answer
with the rate of an amount that is a function of the states: its derivative is linear in ẋ, so these rates are solved
for. Efforts that enforce a flow: where the flow does not depend on them, it is differentiated once, and what was
differentiated is kept as an invariant that a run projects its states back to.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import casadi as ca
import numpy as np

from linkwork.algebra import lapack
from linkwork.algebra.proximal import Definite
from linkwork.algebra.rank import MIXED, rank_of
from linkwork.bondgraph.assigning.causality import Causality, assign
from linkwork.bondgraph.constitutive import column
from linkwork.bondgraph.elements import Constraint, Element, Sf
from linkwork.bondgraph.graph import BondGraph
from linkwork.bondgraph.reading.implicit_reading import is_linear, read_implicitly
from linkwork.bondgraph.reading.input_rates import input_rate_needed
from linkwork.bondgraph.reading.known_symbols import check_symbols
from linkwork.bondgraph.reading.modulation import resolved
from linkwork.bondgraph.reading.reading import ITERATIONS, Reading, SingularLoop, read
from linkwork.bondgraph.reading.store_amounts import check_stores, oriented, ports_apart, start_of
from linkwork.core import kinds
from linkwork.core.errors import AssemblyError, ModelError
from linkwork.geometry import SX

WORDS = {"I": "momentum", "C": "displacement"}


@dataclass
class Variable:
    """One state (n×1): its channel, symbol, rate, start, and the element whose it is (None: a signal)."""

    name: str
    symbol: SX
    rate: SX
    start: SX
    element: Element | None = None
    kind: str = ""
    """"I" or "C"; "" for a signal."""
    unit: str = ""
    """Of a signal."""


@dataclass
class StateEquations:
    """ẋ = `rate`(t, x, parameters, inputs), with everything else that can be said in terms of x."""

    graph: BondGraph
    causality: Causality
    reading: Reading
    """Efforts and flows of all bonds in terms of the states."""
    variables: list[Variable]
    invariant: SX
    """Flows less what they are to be (m×1): zero, kept so by enforced efforts."""
    invariant_of: list[str] = field(default_factory=list)
    """Which element each row belongs to."""
    iterated: bool = False
    """Whether something was solved by a fixed number of Newton steps."""
    position: SX = field(default_factory=lambda: SX(0, 1))
    """Displacements that are zero with their flows, and kept so (m×1)."""
    position_of: list[str] = field(default_factory=list)
    """Which element each of them belongs to."""
    sizes: np.ndarray | None = None
    """How far states may move when they are put back onto what is kept; None: as inertias let them."""

    @property
    def x(self) -> SX:
        return ca.vertcat(SX(0, 1), *(v.symbol for v in self.variables))

    @property
    def rate(self) -> SX:
        return ca.vertcat(SX(0, 1), *(v.rate for v in self.variables))

    @property
    def p(self) -> SX:
        g = self.graph
        return ca.vertcat(SX(0, 1), *g.symbols(g.parameters), *g.symbols(g.inputs))

    def start(self, p: np.ndarray) -> np.ndarray:
        """x at t = 0 for p = [parameters, inputs], as given; a start that asks for other states is solved for."""
        value = np.zeros(self.x.numel())
        for _ in range(20):
            wanted, slope = (np.array(r) for r in self._start(0.0, value, p))
            step = np.linalg.solve(np.eye(value.size) - slope, wanted.ravel() - value)
            value = value + step
            if np.all(np.abs(step) <= 1e-14 * (1 + np.abs(value))):
                return value
        raise AssemblyError(
            "its start values contradict each other.", component=self.graph.name, remedy="Give fewer of them."
        )

    @cached_property
    def _start(self) -> ca.Function:
        x, given = self.x, ca.vertcat(SX(0, 1), *(v.start for v in self.variables))
        return ca.Function("start", [self.graph.t, x, self.p], [ca.densify(given), ca.jacobian(given, x)])

    def scales(self, x: np.ndarray, p: np.ndarray) -> np.ndarray:
        """How much of each state holds ½ J of energy, which makes states of all domains comparable; 1 for signals."""
        slope = np.array(self._stiffness(0.0, x, p)).ravel()
        with np.errstate(all="ignore"):
            scale = 1 / np.sqrt(slope)
        return np.where(np.isfinite(scale) & (scale > 0), scale, 1.0)

    @cached_property
    def _stiffness(self) -> ca.Function:
        """∂ effort / ∂ displacement of compliances, ∂ flow / ∂ momentum of inertias, by state; 0 for signals."""
        slopes = []
        for v in self.variables:
            slope = SX.zeros(v.symbol.numel())
            if v.element is not None:
                effort, flow = oriented(self.causality, self.reading, v.element)
                inner, _ = ports_apart(self.causality, v.element)
                slope = ca.diag(ca.jacobian((effort if v.kind == "C" else flow)[inner], v.symbol))
            slopes.append(ca.densify(slope))
        return ca.Function("k", [self.graph.t, self.x, self.p], [ca.vertcat(SX(0, 1), *slopes)])

    def __str__(self) -> str:
        lines = [f"{self.graph.name}: {self.x.numel()} states"]
        for v in self.variables:
            for i, name in enumerate(components(v.name, v.symbol.numel())):
                lines.append(f"  d/dt {name} = {ca.cse(ca.simplify(v.rate[i]))}")
        for row, name in enumerate(self.invariant_of):
            lines.append(f"  0 = {ca.simplify(self.invariant[row])}    ({name})")
        return "\n".join(lines)


def components(name: str, count: int) -> list[str]:
    """Channel names of a vector: the name itself for a scalar, else numbered from 1."""
    return [name] if count == 1 else [f"{name}{i + 1}" for i in range(count)]


def state_equations(graph: BondGraph, method: str = "scap") -> StateEquations:
    """The state equations of a graph. method: how causality is assigned, see `assign`."""
    causality = assign(graph, method)
    check_stores(causality)
    causality, raw = _read(causality)
    reading = resolved(raw)
    variables = _variables(graph, causality, reading)
    check_symbols(graph, reading, [v.symbol for v in variables])
    made = StateEquations(graph, causality, reading, variables, SX(0, 1))
    kept = [(e.name, e.displacement) for e in graph.of_type(Constraint) if e.displacement is not None]
    kept += [(e.name, e.displacement) for e in graph.of_type(Sf) if e.displacement is not None]
    made.position = ca.vertcat(SX(0, 1), *(x for _, x in kept))
    made.position_of = [name for name, x in kept for _ in range(x.numel())]
    w, solution = _solve_for_unknowns(made)
    if w.numel():
        _substitute(made, w, solution)
    made.iterated |= bool(raw.loops) or reading is not raw
    return made


def _read(causality: Causality) -> tuple[Causality, Reading]:
    """In causal order; from all equations at once where that leads into circles or leaves stores dependent."""
    linear = is_linear(causality)
    try:
        raw = read(causality)
        if not (linear and (raw.loops or raw.dependents)):
            return causality, raw
    except SingularLoop:
        solution = read_implicitly(causality) if linear else None
        if solution is None:
            raise
        return solution
    return read_implicitly(causality) or (causality, raw)


def _variables(graph: BondGraph, causality: Causality, reading: Reading) -> list[Variable]:
    variables = []
    for state in reading.states:
        name = f"{state.element.name}.{WORDS[state.kind]}"
        start = start_of(causality, reading, state)
        variables.append(Variable(name, state.symbol, state.rate, start, state.element, state.kind))
    if graph.signals:
        old = [s for b in graph.bonds for s in (b.effort, b.flow)]
        new = [ca.densify(x) for b in graph.bonds for x in (reading.effort[b], reading.flow[b])]
        rates = ca.substitute([ca.vec(SX(s.rate)) for s in graph.signals], old, new)
        for signal, rate in zip(graph.signals, rates, strict=True):
            n = signal.symbol.numel()
            if rate.numel() != n:
                raise ModelError(
                    f"{rate.numel()} rates for {n} components.", component=signal.name, remedy=f"Give {n} of them."
                )
            start = column(signal.start, n, signal.name)
            variables.append(Variable(signal.name, signal.symbol, rate, start, unit=signal.unit))
    return variables


def _solve_for_unknowns(made: StateEquations) -> tuple[SX, SX]:
    """Rates of dependent stores and enforced efforts: F(w) = 0."""
    reading, x, rate, t = made.reading, made.x, made.rate, made.graph.t
    unsolved = [d for d in reading.dependents if d.symbol.is_valid_input()]
    w = ca.vertcat(SX(0, 1), *(d.symbol for d in unsolved), *(e.symbol for e in reading.enforced))
    if not w.numel():
        return w, w
    inputs = ca.vertcat(SX(0, 1), *made.graph.symbols(made.graph.inputs))

    def derivative(value: SX, of: Element) -> SX:
        if inputs.numel() and ca.depends_on(value, inputs):
            raise input_rate_needed(of.name)
        return ca.jacobian(value, x) @ rate + ca.jacobian(value, t)

    rows, owners, invariant = [], [], []
    for d in unsolved:
        if ca.depends_on(d.amount, w):
            by = [e.element.name for e in reading.enforced if ca.depends_on(d.amount, e.symbol)]
            by += [o.element.name for o in reading.dependents if ca.depends_on(d.amount, o.symbol)]
            raise ModelError(
                f"what it holds depends on what {', '.join(by)} has to find first: that would need second derivatives.",
                component=d.element.name,
                remedy="Take a flow source Sf in place of a constraint, or put a small store between them.",
            )
        rows.append(d.symbol - derivative(d.amount, d.element))
        owners += [d.element.name] * d.symbol.numel()
    for e in reading.enforced:
        for i in range(e.symbol.numel()):
            direct = ca.depends_on(e.residual[i], w)
            rows.append(e.residual[i] if direct else derivative(e.residual[i], e.element))
            owners.append(e.element.name)
            if not direct:
                invariant.append(e.residual[i])
                made.invariant_of.append(e.element.name)
    made.invariant = ca.vertcat(SX(0, 1), *invariant)
    F = ca.vertcat(*rows)
    J = ca.jacobian(F, w)
    linear = not ca.depends_on(J, w)
    if made.graph.of_model and linear and not unsolved and len(invariant) == len(rows):
        # A M⁻¹Aᵀ of a mechanism, some of whose rows may be redundant.
        return w, Definite(ca.sparsify(ca.triu2symm(ca.triu(-J)))).solve(ca.substitute(F, w, SX.zeros(w.numel(), 1)))
    _check_rank(made, J, w, owners)
    solution = SX.zeros(w.numel(), 1)
    for _ in range(1 if linear else ITERATIONS):
        value, slope = ca.substitute([F, J], [w], [solution])
        solution = solution - ca.solve(ca.sparsify(slope), value)
    made.iterated |= not linear
    return w, solution


def _check_rank(made: StateEquations, J: SX, w: SX, owners: list[str]) -> None:
    """Whether the unknowns are determined, by structure and at the start."""
    at = [made.graph.t, made.x, made.p, w]
    p = np.array([*made.graph.parameters.values(), *made.graph.inputs.values()])
    if ca.symvar(J) and any(v.start.numel() and ca.depends_on(v.start, w) for v in made.variables):
        return
    value = np.array(ca.Function("J", at, [ca.densify(J)])(0.0, made.start(p), p, np.zeros(w.numel())))
    if not np.all(np.isfinite(value)) or rank_of(value, MIXED) == w.numel():
        return
    null = np.abs(lapack.svd(value)[2][-1])
    names = list(dict.fromkeys(o for o, x in zip(owners, null, strict=True) if x > 1e-6))
    raise ModelError(
        f"the efforts of {', '.join(names)} are not determined: they enforce what holds already, or nothing can move "
        f"as they ask.",
        component=names[0],
        remedy="Take one of them out, or put a small inertia where the flow is enforced.",
    )


def _substitute(made: StateEquations, w: SX, solution: SX) -> None:
    """Everything in terms of the states alone."""
    reading = made.reading
    bonds = list(reading.effort)
    flat = [reading.effort[b] for b in bonds] + [reading.flow[b] for b in bonds]
    flat += [x for v in made.variables for x in (v.rate, v.start)]
    flat = ca.substitute(flat, [w], [solution])
    n = len(bonds)
    made.reading = Reading(
        dict(zip(bonds, flat[:n], strict=True)),
        dict(zip(bonds, flat[n : 2 * n], strict=True)),
        reading.states,
        reading.dependents,
        reading.enforced,
        reading.loops,
    )
    made.__dict__.pop("_start", None)  # it was made without them
    for k, v in enumerate(made.variables):
        v.rate, v.start = flat[2 * n + 2 * k : 2 * n + 2 * k + 2]


def _state_equations(graph: BondGraph, method: str | None = None) -> StateEquations:
    """ẋ = f(t, x, parameters, inputs); print() them to read."""
    return state_equations(graph, graph.method if method is None else kinds.text.taken("method", method, graph.name))


BondGraph.register("state_equations", _state_equations)
