"""`m.bondgraph()`: the multibond graph of a mechanism, as it would be simulated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from linkwork.bondgraph.graph import BondGraph
from linkwork.core.compliance import Compliance
from linkwork.core.errors import UnknownName
from linkwork.core.registry import verb
from linkwork.core.signal import Inputs
from linkwork.formulations.bondgraph.by_itself import graph_of, stands_alone
from linkwork.simulation.arguments import parameters_of
from linkwork.simulation.prepare import Choice, prepare

if TYPE_CHECKING:
    from linkwork.core.model import Model

FORMULATIONS = {
    "lagrange": "bondgraph",
    "rc": "bondgraph-rc",
    "ideal": "bondgraph-zcp",
    "minimal": "bondgraph-minimal",
    "canonical": "bondgraph-canonical",
}
"""How joints are enforced → the formulation that simulates that graph."""


@verb
def bondgraph(
    model: Model,
    *,
    bonds: str = "vector",
    joints: str = "lagrange",
    compliance: Compliance | None = None,
    parameters: Mapping[str, float] | None = None,
    inputs: Inputs | None = None,
) -> BondGraph:
    """The model's bond graph: rigid bodies (BND figure 2), joints (figure 4), laws as R, C, Se and MSe.

    bonds: "vector", or "scalar" (every component a bond of its own);
    joints: "lagrange" (blocked flows by efforts), "rc" (by springs and dampers), "ideal" (by flow sources: dependent
    inertias get derivative causality, class-4 paths are opened), "minimal" (joint rates as flow sources), "canonical"
    (ACA's structure: one twist per body, one 0-junction per joint).
    `graph.causality()` assigns causal strokes, `graph.draw()` and `graph.save("graph.svg")` show it.
    """
    for what, given, known in (("kind of bonds", bonds, ("vector", "scalar")), ("way of joints", joints, FORMULATIONS)):
        if not isinstance(given, str) or given not in known:
            raise UnknownName(what, str(given), known, component=model.name)
    name = FORMULATIONS[joints] + ("-scalar" if bonds == "scalar" else "")
    choice = Choice(name, compliance=compliance)
    ready = prepare(model, choice, parameters_of(model, parameters), inputs=inputs)
    shown: BondGraph = ready.equations.graph
    closed = "scalar bonds" if bonds == "scalar" else "joint rates as sources" if joints == "minimal" else None
    closed = closed or stands_alone(model)
    if closed is None:
        softness = ready.equations.constraints.softness
        graph = graph_of(model, ready.assembly.placement, joints=joints, softness=softness)
    else:
        graph = shown
        graph.closed = closed
    graph.of_model = model.name
    graph.method = "relaxed" if joints == "ideal" else "scap"
    return graph
