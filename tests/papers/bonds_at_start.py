"""Efforts and flows on the bonds of a mechanism's graph, as numbers."""

from __future__ import annotations

import numpy as np

import linkwork as lw
from linkwork.bondgraph.graph import BondGraph
from linkwork.core.reaction import from_quaternion

from ..reference.interpreted import Interpreted


class Bonds:
    """The graph of a model at its start: efforts and flows of its bonds, and the channels of `absolute`."""

    def __init__(self, m: lw.Model, formulation: str = "bondgraph"):
        form = Interpreted.of(m, formulation)
        eq = form.ready.equations
        self.graph: BondGraph = eq.graph
        values = form.call("probes", 0.0, form.ready.state, form.ready.p)
        self.values = dict(zip(eq.observation.probes, values.tolist(), strict=True))
        self.result = m.evaluate()

    def on(self, element: str, letter: str) -> np.ndarray:
        """Effort "e" or flow "f" of the first bond of an element."""
        bond = self.graph.bonds_of(self.graph[element])[0]
        return np.array([self.values[f"{bond.name}.{letter}{k + 1}"] for k in range(bond.size)])

    def body(self, name: str, what: str) -> np.ndarray:
        return np.array([self.result[f"{name}.{what}{x}"].item() for x in "xyz"])

    def axes(self, name: str) -> np.ndarray:
        return from_quaternion(*(self.result[f"{name}.q{k}"] for k in range(4)))[0]
