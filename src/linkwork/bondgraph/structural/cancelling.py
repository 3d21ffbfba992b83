"""Rings of bonds in which what goes one way round cancels what goes the other: there are paths, and no effect.

Signs of junctions are no parameters, so the structure of strokes alone does not tell. Where bonds close rings, the
states that are reached are counted once more, with random values for all elements.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from itertools import count

import casadi as ca
import numpy as np

from linkwork.algebra import lapack
from linkwork.bondgraph.elements import GY, TF, C, I, R, Se, Sf
from linkwork.bondgraph.graph import BondGraph
from linkwork.bondgraph.reading.input_rates import InputRateNeeded
from linkwork.bondgraph.reading.state_equations import StateEquations, state_equations
from linkwork.bondgraph.transfer.outputs import measured
from linkwork.geometry import SX

NONE = 1e-8
"""Share of a direction up to which it counts as rounding."""


def has_rings(graph: BondGraph) -> bool:
    """Whether there are more bonds than a tree would have."""
    import networkx as nx

    whole = nx.MultiGraph([(b.tail.element.name, b.head.element.name) for b in graph.bonds])
    return len(graph.bonds) > whole.number_of_nodes() - nx.number_connected_components(whole)


def not_moved(graph: BondGraph, sources: Sequence[str], method: str) -> list[str]:
    """Stores with a part in states that these sources do not move, for random values."""
    twin = _random(graph)
    inputs = [_driven(twin, name) for name in sources]
    return _left_over(twin, method, lambda eq: ca.jacobian(eq.rate, ca.vertcat(SX(0, 1), *inputs)), transposed=False)


def not_shown(graph: BondGraph, outputs: Sequence[str], method: str) -> list[str]:
    """Stores with a part in states that these outputs do not show, for random values."""
    twin = _random(graph)

    def shown(eq: StateEquations) -> SX:
        measurements = [measured(twin, name) for name in outputs]
        letters = [({"e": "f", "f": "e"}[m.letter] if m.power else m.letter, m.bond) for m in measurements]
        values = [(eq.reading.effort if letter == "e" else eq.reading.flow)[bond] for letter, bond in letters]
        return ca.jacobian(ca.vertcat(*values), eq.x).T

    return _left_over(twin, method, shown, transposed=True)


def _random(graph: BondGraph) -> BondGraph:
    twin, rng = copy.deepcopy(graph), np.random.default_rng(11)
    twin.signals.clear()  # nothing depends on them
    for element in twin.elements.values():
        value = float(rng.uniform(0.5, 2.0))
        if isinstance(element, R | C | I):
            element.law, element.inverse = value, None
        elif isinstance(element, TF | GY):
            element.modulus = SX(value)
    return twin


def _driven(graph: BondGraph, name: str) -> SX:
    source = graph[name]
    assert isinstance(source, Se | Sf)
    free = next(n for k in count(1) if (n := f"added{k}") not in {*graph.inputs, *graph.parameters})
    symbol = graph.input(free)
    source.value = symbol
    return symbol


def _left_over(
    graph: BondGraph, method: str, directions: Callable[[StateEquations], SX], *, transposed: bool
) -> list[str]:
    """Stores in what is left of the state space beside all that the directions grow into."""
    try:
        eq = state_equations(graph, method)
    except InputRateNeeded:
        return []  # such a source has no column in B
    p = np.array([*graph.parameters.values(), *graph.inputs.values()])
    blocks = [ca.densify(ca.jacobian(eq.rate, eq.x)), ca.densify(directions(eq))]
    A, B = (np.array(v) for v in ca.Function("ab", [graph.t, eq.x, eq.p], blocks)(0.0, eq.start(p), p))
    V = _grown(A.T if transposed else A, B)
    rest = np.eye(len(A)) - V @ V.T
    owners = [v.name.rpartition(".")[0] for v in eq.variables]
    return [name for name, row in zip(owners, rest, strict=True) if np.linalg.norm(row) > 1e3 * NONE]


def _grown(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Orthonormal basis of B, A B, A² B, …"""
    V, W = np.zeros((len(A), 0)), B
    A = A / max(float(np.abs(A).max(initial=0.0)), 1e-300)
    while W.size:
        for _ in range(2):
            W = W - V @ (V.T @ W)
        U, s, _ = lapack.svd(W, full_matrices=False)
        U = U[:, s > NONE]
        if not U.size:
            break
        V, W = np.hstack([V, U]), A @ U
    return V
