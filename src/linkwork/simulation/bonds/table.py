"""Power on every bond after a run; energy and activity of every element: which of them matter."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.bondgraph.domains import resolve
from linkwork.bondgraph.elements import GY, TF, Constraint, Element, EulerGyrator, Field, Junction, R, Se, Sf
from linkwork.bondgraph.graph import BondGraph
from linkwork.core.equations import Equations
from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.core.face import BondTableFace
from linkwork.core.plain_data import Record
from linkwork.core.program import Program
from linkwork.core.result import Result
from linkwork.integrate import Trajectory, evaluate
from linkwork.simulation.bonds.integrals import Integrator, Retrace
from linkwork.simulation.choice.solver import Automatic, SolverChoice

SOURCE, STORE, RESISTOR, PASSING = ROLES = "source", "store", "resistor", "passes on"
WHOLE = "whole graph"


@dataclass(frozen=True)
class ElementEnergy:
    """What one element did with power over a run."""

    name: str
    symbol: str
    group: str
    role: str
    """"source", "store", "resistor", or "passes on" (two-ports, Eulerian junction structures)."""
    energy: float
    """[J] supplied by a source, kept by a store, lost in a resistor, passed through a two-port."""
    activity: float
    """∫ |power| dt [J]."""
    index: float | None
    """Share of its activity in that of all stores and resistors; None for others."""


class BondTable(BondTableFace):
    """Power, effort and flow of all bonds over a run; energy and activity of all elements.

    t: samples [s]; power[bond]: (samples,) [W], positive along the half arrow; effort[bond], flow[bond]: (samples, n).
    Energies and activities are integrated along the solver's steps: the run is repeated when they are asked for.
    """

    def __init__(self, graph: BondGraph, t: np.ndarray, values: dict[str, np.ndarray], integrate: Integrator):
        self.graph, self.t, self._integrate = graph, t, integrate
        self.power: dict[str, np.ndarray] = {}
        self.effort: dict[str, np.ndarray] = {}
        self.flow: dict[str, np.ndarray] = {}
        for b in graph.bonds:
            self.power[b.name] = values[f"{b.name}.power"]
            self.effort[b.name] = np.column_stack([values[f"{b.name}.e{i + 1}"] for i in range(b.size)])
            self.flow[b.name] = np.column_stack([values[f"{b.name}.f{i + 1}"] for i in range(b.size)])
        self._place = {name: k for k, name in enumerate(values)}

    def power_of(self, element: str) -> np.ndarray:
        """Power over time [W]: supplied by a source, taken up by anything else; through a two-port."""
        if element not in self.graph.elements:
            raise UnknownName("element", element, self.graph.elements, component=self.graph.name)
        terms = _terms(self.graph, self.graph[element])
        return sum((sign * self.power[name] for name, sign in terms), np.zeros(self.t.size))

    def series(self) -> Record:
        """Everything over time as a drawing takes it: {"t": …, bond: {"effort", "flow", "power"}}."""
        bonds = {n: {"effort": self.effort[n], "flow": self.flow[n], "power": self.power[n]} for n in self.power}
        return {"t": self.t, **bonds}

    # how well it closes

    @cached_property
    def imbalance(self) -> dict[str, float]:
        """Largest power [W] that a junction or two-port loses or makes; and the graph as a whole."""
        imbalances: dict[str, float] = {}
        whole = np.zeros(self.t.size)
        for element in self.graph.elements.values():
            total = np.zeros(self.t.size)
            for b in self.graph.bonds_of(element):
                total = total + (1 if b.head.element is element else -1) * self.power[b.name]
            if isinstance(element, Junction | TF | GY | EulerGyrator):
                imbalances[element.name] = float(np.abs(total).max(initial=0.0))
            else:
                whole = whole + total
        imbalances[WHOLE] = float(np.abs(whole).max(initial=0.0))
        return imbalances

    @cached_property
    def residual(self) -> float:
        """Largest imbalance as a share of the largest power on any bond."""
        largest = max((float(np.abs(p).max(initial=0.0)) for p in self.power.values()), default=0.0)
        return max(self.imbalance.values()) / largest if largest else 0.0

    # energy and activity

    @cached_property
    def elements(self) -> dict[str, ElementEnergy]:
        """Energy and activity of all elements but junctions."""
        chosen = [e for e in self.graph.elements.values() if not isinstance(e, Junction)]
        combine = np.zeros((len(chosen), len(self._place)))
        for row, element in zip(combine, chosen, strict=True):
            for name, sign in _terms(self.graph, element):
                row[self._place[f"{name}.power"]] += sign
        energy, activity = self._integrate(combine)
        domains = resolve(self.graph)
        pseudo = {e.name for e in chosen if any(domains[b].pseudo for b in self.graph.bonds_of(e))}
        ranked = {e.name for e in chosen if role_of(e) in (STORE, RESISTOR)} - pseudo
        total = sum(a for e, a in zip(chosen, activity, strict=True) if e.name in ranked)
        energies = {}
        for e, net, active in zip(chosen, energy.tolist(), activity.tolist(), strict=True):
            if e.name in pseudo:
                continue  # effort × flow is no power there
            index = (active / total if total else 0.0) if e.name in ranked else None
            energies[e.name] = ElementEnergy(e.name, e.symbol, e.group, role_of(e), net, active, index)
        return energies

    @property
    def energy(self) -> dict[str, float]:
        """By element [J], see `ElementEnergy.energy`."""
        return {name: e.energy for name, e in self.elements.items()}

    @property
    def activity(self) -> dict[str, float]:
        """By element [J]."""
        return {name: e.activity for name, e in self.elements.items()}

    @property
    def index(self) -> dict[str, float]:
        """Activity index of stores and resistors; they sum to 1."""
        return {name: e.index for name, e in self.elements.items() if e.index is not None}

    def total(self, role: str) -> float:
        """Energy of all elements of a role [J]: "source" (supplied), "store" (kept) or "resistor" (lost)."""
        if role not in ROLES:
            raise UnknownName("role", str(role), ROLES, component=self.graph.name)
        return sum(e.energy for e in self.elements.values() if e.role == role)

    @property
    def unaccounted(self) -> float:
        """Energy supplied that was neither stored nor lost [J]: powers balance at every instant, so rounding alone."""
        return self.total(SOURCE) - self.total(STORE) - self.total(RESISTOR)

    def table(self) -> str:
        """Elements by falling activity, and the balance of all."""
        rows = sorted(self.elements.values(), key=lambda e: (e.index is None, -e.activity))
        width = max((len(f"{e.symbol}:{e.name}") for e in rows), default=7)
        lines = [f"{'element':<{width}}  {'':9} {'energy [J]':>12} {'activity [J]':>12} {'index':>7} {'so far':>7}"]
        so_far = 0.0
        for e in rows:
            so_far += e.index or 0.0
            shares = f"{100 * e.index:6.2f}% {100 * so_far:6.2f}%" if e.index is not None else ""
            name = f"{e.symbol}:{e.name}"
            lines.append(f"{name:<{width}}  {e.role:9} {e.energy:12.5g} {e.activity:12.5g} {shares}".rstrip())
        lines.append(
            f"supplied {self.total(SOURCE):.6g} J = stored {self.total(STORE):.6g} J + lost "
            f"{self.total(RESISTOR):.6g} J + {self.unaccounted:.1e} J; power balance closed to {self.residual:.1e}"
        )
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return f"<BondTable of {self.graph.name!r}: {len(self.power)} bonds, {self.t.size} samples>"


def role_of(element: Element) -> str:
    """Whether an element supplies, keeps, loses or passes on energy."""
    if isinstance(element, Se | Sf | Constraint):  # those of networks go by their letter: they are solved already
        return {"R": RESISTOR, "C": STORE, "I": STORE}.get(element.symbol, SOURCE)
    if isinstance(element, R) or (isinstance(element, Field) and element.kind == "R"):
        return RESISTOR
    return PASSING if isinstance(element, TF | GY | EulerGyrator | Junction) else STORE


def _terms(graph: BondGraph, element: Element) -> list[tuple[str, int]]:
    """(bond, sign): whose sum is the power of an element as `power_of` counts it."""
    bonds = graph.bonds_of(element)
    if isinstance(element, TF | GY):
        bonds = [graph.bond_at(element, 0)]
    if isinstance(element, Junction):
        bonds = [b for b in bonds if b.head.element is element]
    out = -1 if role_of(element) == SOURCE else 1
    return [(b.name, out if b.head.element is element else -out) for b in bonds]


def attach_bonds(
    result: Result,
    eq: Equations,
    program: Program,
    path: Trajectory,
    start: np.ndarray,
    p: np.ndarray,
    *,
    solver: SolverChoice,
    jumps: str | None = None,
    **options: Any,
) -> None:
    """Make `result.bonds` answer: evaluated when first asked for. options: those the run was made with.

    jumps: the component by which states jump, if any does: such a run is not repeated.
    """
    if isinstance(solver, Automatic):
        solver = solver.solver

    def make() -> BondTable:
        if not path.t.size:
            raise LinkworkError("the run has no samples.", component=result.record.get("model"))
        call = program.function("probes")
        data = evaluate(call, path.t, path.y, p, options.get("signals"), inputs=len(program.inputs))
        retrace = Retrace(program, start, float(path.t[-1]), p, {"solver": solver, **options})
        values = dict(zip(eq.observation.probes, data.T, strict=True))

        def integrals(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            if jumps is not None:
                raise LinkworkError(
                    "states jump by it during the run, over which energies of single elements are not added up.",
                    component=jumps,
                    remedy="Look at the channels energy.…, or at power over time: r.bonds.power.",
                )
            return retrace.integrals("probes", rows)

        return BondTable(eq.graph, result.t, values, integrals)

    result.offer_bonds(make)
