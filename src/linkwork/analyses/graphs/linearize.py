"""Linearisation of a bond graph by itself: A, B, C, D of its state equations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

import casadi as ca
import numpy as np

from linkwork.algebra.rank import pivoted, unit_rows
from linkwork.analyses.graphs.driven import driven
from linkwork.analyses.linearization.linearization import Linearization
from linkwork.bondgraph.elements import Se, Sf
from linkwork.bondgraph.graph import BondGraph
from linkwork.bondgraph.reading.graph_channels import Observed, observe
from linkwork.bondgraph.reading.state_equations import StateEquations, components, state_equations
from linkwork.core import kinds
from linkwork.core.errors import ModelError, UnknownName
from linkwork.core.kinds import is_number, shown
from linkwork.core.result import Result
from linkwork.core.words import checked_as_verb
from linkwork.simulation.arguments import parameters_of

ROUNDING = 1e-14
"""Relative error of the entries of A."""


@checked_as_verb()
def linearize(
    graph: BondGraph,
    at: tuple[Result, float] | None = None,
    *,
    inputs: Sequence[str] | str | None = None,
    outputs: Sequence[str] | str | None = None,
    parameters: Mapping[str, float] | None = None,
    method: str | None = None,
) -> Linearization:
    """The linear state equation d(δx)/dt = A δx + B δu, δy = C δx + D δu of the graph.

    at: (result of g.simulate, time [s]), else the start; inputs: names of inputs and of sources, the columns of B
    (default: all inputs, or if there are none all sources); outputs: channels or patterns, the rows of C and D
    (default: flows of inertias, efforts of compliances); method: how causality is assigned, else as `g.method` says.
    States that are tied together by enforced flows are left out, as many as follow from the others.
    """
    names = _inputs(graph, inputs)
    twin, columns = driven(graph, names)
    eq = state_equations(twin, method or graph.method)
    p = _values(graph, twin, parameters)
    t, x = (0.0, _start(eq, p)) if at is None else _placed(eq, at)
    observed = observe(eq)
    rows = _outputs(eq, observed, outputs)
    y = ca.vertcat(ca.SX(0, 1), *(observed.channels[name][1] for name in rows))
    u = ca.vertcat(ca.SX(0, 1), *twin.symbols(columns))
    kept = ca.vertcat(eq.invariant, eq.position)
    blocks = [ca.jacobian(a, b) for a in (eq.rate, y) for b in (eq.x, u)]
    f = ca.Function("abcd", [twin.t, eq.x, eq.p], [*map(ca.densify, [*blocks, eq.rate, y, ca.jacobian(kept, eq.x)])])
    A, B, C, D, rate, value, H = (np.array(v) for v in f(t, x, p))
    if not all(np.all(np.isfinite(m)) for m in (A, B, C, D)):
        raise ModelError(
            "has no derivative there: a law has no slope.", component=graph.name, remedy="Linearise somewhere else."
        )
    own, N = independent_states(H)
    labels = [n for v in eq.variables for n in components(v.name, v.symbol.numel())]
    still = float(np.abs(rate).max(initial=0.0)) <= 1e-9 * (1 + float(np.abs(A @ x).max(initial=0.0)))
    varies = ca.depends_on(blocks[0], ca.vertcat(eq.x, twin.t))
    return Linearization(
        model=graph.name,
        formulation=f"bond graph, {method or graph.method}",
        A=A[own] @ N,
        B=B[own],
        C=C @ N,
        D=D,
        state_names=[labels[k] for k in own],
        positions=0,
        speeds=0,
        state=x[own],
        rate=rate.ravel()[own],
        error=ROUNDING * np.abs(A[own]) @ np.abs(N),
        inputs=dict(zip(names, (float(p[_place(twin, n)]) for n in columns), strict=True)),
        outputs=dict(zip(rows, value.ravel().tolist(), strict=True)),
        units={name: observed.channels[name][0] for name in rows},
        time=t,
        moving=not still,
        steady=still or not varies,
        note="" if still or not varies else _NOTE,
    )


_NOTE = (
    "No equilibrium: what is linearised is the vector field, which changes along the motion: its eigenvalues tell "
    "nothing of stability."
)


def independent_states(H: np.ndarray) -> tuple[list[int], np.ndarray]:
    """Which states are kept where H δx = 0, and δx = N δ(kept)."""
    n = H.shape[1]
    if not H.size:
        return list(range(n)), np.eye(n)
    _, R, order, rank = pivoted(unit_rows(H))
    bound, free = order[:rank], np.sort(order[rank:])
    place = {int(k): i for i, k in enumerate(order)}
    N = np.zeros((n, free.size))
    N[free, np.arange(free.size)] = 1.0
    columns = [place[int(k)] for k in free]
    N[bound] = -np.linalg.solve(R[:rank, :rank], R[:rank][:, columns])
    return [int(k) for k in free], N


def _inputs(graph: BondGraph, given: Sequence[str] | str | None) -> list[str]:
    if given is None:
        sources = [e.name for e in graph.elements.values() if isinstance(e, Se | Sf) and e.size == 1]
        return list(graph.inputs) or ([] if graph.of_model else sources)
    return [given] if isinstance(given, str) else list(kinds.names.taken("inputs", given, graph.name))


def _values(graph: BondGraph, twin: BondGraph, given: Mapping[str, float] | None) -> np.ndarray:
    chosen = dict(twin.parameters)
    for name, value in parameters_of(graph, given).items():
        if name not in chosen:
            raise UnknownName("parameter", name, graph.parameters, component=graph.name)
        chosen[name] = float(value)
    return np.array([*chosen.values(), *twin.inputs.values()])


def _place(graph: BondGraph, name: str) -> int:
    return len(graph.parameters) + list(graph.inputs).index(name)


def _start(eq: StateEquations, p: np.ndarray) -> np.ndarray:
    """x at the start, if it keeps what is enforced."""
    x = eq.start(p)
    kept = ca.densify(ca.vertcat(eq.invariant, eq.position))
    off = np.abs(np.array(ca.Function("kept", [eq.graph.t, eq.x, eq.p], [kept])(0.0, x, p)).ravel())
    if off.max(initial=0.0) > 1e-7 * eq.graph.length:
        owner = [*eq.invariant_of, *eq.position_of][int(np.argmax(off))]
        raise ModelError(
            f"the start is off what it enforces by {off.max():.3g}.",
            component=owner,
            remedy="Give starts that keep it, or linearise at=(g.simulate(…), 0.0), where the run has moved them.",
        )
    return x


def _placed(eq: StateEquations, at: object) -> tuple[float, np.ndarray]:
    """Time and state of a result."""
    if not isinstance(at, tuple) or len(at) != 2 or not isinstance(at[0], Result) or not is_number(at[1]):
        raise ModelError(f"at={shown(at)}.", component=eq.graph.name, remedy="Give (result of g.simulate, time [s]).")
    names = [n for v in eq.variables for n in components(v.name, v.symbol.numel())]
    values = at[0].at(float(at[1]))
    for name in names:
        if name not in values:
            raise UnknownName("state", name, values, component=eq.graph.name)
    return float(at[1]), np.array([values[name] for name in names])


def _outputs(eq: StateEquations, observed: Observed, outputs: Sequence[str] | str | None) -> list[str]:
    if outputs is None:
        word = {"I": "flow", "C": "effort"}
        wanted = [f"{v.element.name}.{word[v.kind]}" for v in eq.variables if v.element is not None]
        return [name for name in wanted if name in observed.channels]
    rows: dict[str, None] = {}
    for pattern in [outputs] if isinstance(outputs, str) else outputs:
        matches = (
            [pattern] if pattern in observed.channels else [n for n in observed.channels if fnmatchcase(n, pattern)]
        )
        if not matches:
            raise UnknownName("channel", pattern, observed.channels, component=eq.graph.name)
        rows.update(dict.fromkeys(matches))
    integrals = ca.vertcat(ca.SX(0, 1), *(symbol for _, symbol, _ in observed.integrals))
    for name in rows:
        if ca.depends_on(observed.channels[name][1], integrals):
            raise ModelError(
                "is an integral over time and no function of the state.", component=name, remedy="Ask for the power."
            )
    return list(rows)


BondGraph.register("linearize", linearize)
