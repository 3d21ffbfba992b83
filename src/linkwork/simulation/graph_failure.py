"""Why the run of a bond graph stopped: the element whose law gave no number though it was given numbers."""

from __future__ import annotations

import numpy as np

from linkwork.bondgraph.assigning.origins import EFFORT, FLOW, determining
from linkwork.bondgraph.elements import Element, Junction
from linkwork.bondgraph.graph import Bond
from linkwork.bondgraph.reading.state_equations import StateEquations
from linkwork.core.equations import Equations
from linkwork.core.errors import IntegrationError
from linkwork.core.program import Program
from linkwork.core.result import Result
from linkwork.integrate import Trajectory
from linkwork.simulation.failure import explain


def explain_graph(
    states: StateEquations, eq: Equations, program: Program, path: Trajectory, p: np.ndarray, result: Result
) -> IntegrationError:
    """The error for a trajectory that did not finish; it carries the Result up to there."""
    told = explain(states.graph, eq, program, path, p, result)
    culprit = _culprit(states, eq, program, path, p) if path.status == "nonfinite" else None
    if culprit is None:
        return told
    return IntegrationError(told.cause, component=culprit.name, remedy=told.remedy, partial=result)


def _culprit(
    states: StateEquations, eq: Equations, program: Program, path: Trajectory, p: np.ndarray
) -> Element | None:
    t, y = float(path.t[-1]), path.y[-1]
    (rate,) = program.function("rhs")(t, y, p)
    rate = np.nan_to_num(rate, posinf=0.0, neginf=0.0)
    for ahead in (0.0, *np.logspace(-14, 0, 29)):
        (values,) = program.function("probes")(t + ahead, y + ahead * rate, p)
        fine = dict(zip(eq.observation.probes, np.isfinite(values).tolist(), strict=True))
        if not all(fine.values()):
            return _first(states, fine)
    return None


def _first(states: StateEquations, fine: dict[str, bool]) -> Element | None:
    """An element that makes what is not finite of what is."""
    causality, graph = states.causality, states.graph

    def whole(bond: Bond, what: str) -> bool:
        return all(fine[f"{bond.name}.{what[0]}{i + 1}"] for i in range(bond.size))

    for element in graph.elements.values():
        if isinstance(element, Junction):
            continue
        bonds = graph.bonds_of(element)
        made = [(b, w) for b in bonds for w in (EFFORT, FLOW) if determining(causality, b, w) is element]
        taken = [(b, w) for b in bonds for w in (EFFORT, FLOW) if (b, w) not in made]
        store = any(e is element for e, _ in causality.integral)  # gives what its state says, whatever it takes
        if not all(whole(*x) for x in made) and (store or all(whole(*x) for x in taken)):
            return element
    return None
