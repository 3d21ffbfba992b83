"""The bond graph: its drawing, causal strokes and zero-order paths; power on every bond while a run is played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.analyses.bond_graph import FORMULATIONS
from linkwork.bondgraph.assigning.causality import Causality
from linkwork.bondgraph.following.paths_report import TITLES, open_paths
from linkwork.bondgraph.graph import BondGraph
from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.core.plain_data import Record
from linkwork.core.result import Result
from linkwork.plots.bondgraph.drawing import draw
from linkwork.plots.bondgraph.series import units
from linkwork.plots.bondgraph.svg import identifier, svg, titles
from linkwork.simulation.prepare import Choice, prepare
from linkwork.studio.page import base64_of
from linkwork.studio.server.session import Run, Session
from linkwork.studio.server.verbs.running import simulated

MANY_BONDS = 150
"""Beyond which bodies and joints are drawn as one node each, unless it is said otherwise."""


def bondgraph(
    session: Session,
    run: str | None = None,
    joints: str = "lagrange",
    bonds: str = "vector",
    fold: bool | list[str] | None = None,
) -> Record:
    """The graph as SVG whose parts have ids, and what is known of each; run: one whose motion gives powers.

    joints, bonds: as for `m.bondgraph`; fold: groups drawn as one node each (true: all).
    """
    if joints not in FORMULATIONS or bonds not in ("vector", "scalar"):
        raise UnknownName("way of joints", f"{joints}, {bonds} bonds", FORMULATIONS)
    formulation = FORMULATIONS[joints] + ("-scalar" if bonds == "scalar" else "")
    table = None if run is None else _of_graph(session, session.run(run), formulation).bonds
    drawn = _drawing(session, formulation, joints, fold, None if table is None else table.graph)
    return drawn.told | {"power": None if table is None else _power(drawn.names, table.series())}


@dataclass(frozen=True)
class _Drawn:
    """A graph as it is shown, whatever the run; names: of the bonds that are to be seen."""

    graph: BondGraph
    names: list[str]
    told: Record


def _drawing(session: Session, formulation: str, joints: str, fold: bool | list[str] | None, graph: Any) -> _Drawn:
    """Where everything stands takes a second or more to find; it is kept until the model changes."""
    model = session.model
    if graph is None:
        ready = prepare(model, Choice(formulation), session.parameters)
        graph = ready.equations.graph
    key = ("studio", "drawing", formulation, fold if not isinstance(fold, list) else tuple(fold))
    kept: _Drawn | None = model.memory.get(key)
    if kept is None or kept.graph is not graph:
        session.progress("drawing the bond graph")
        kept = model.memory[key] = _drawn(graph, joints, fold)
    return kept


def _drawn(graph: BondGraph, joints: str, fold: bool | list[str] | None) -> _Drawn:
    causality = _causality(graph, joints)
    folded = len(graph.bonds) > MANY_BONDS if fold is None else fold
    drawing = draw(graph, causality, fold=folded)
    shown, said = drawing.scene.graph, titles(drawing.scene)
    told = {
        "svg": svg(drawing.scene, fixed=False),
        "size": list(drawing.size),
        "joints": joints,
        "folded": folded,
        "bonds": [_bond(b, said) for b in shown.bonds],
        "elements": [_element(e) for e in shown.elements.values()],
        "report": causality.report(),
        "derivative": sorted({e.name for e, _ in causality.derivative}),
        "conflicts": [str(conflict) for conflict in causality.conflicts],
        **_paths(causality, shown),
    }
    return _Drawn(graph, [b.name for b in shown.bonds], told)


def _causality(graph: BondGraph, joints: str) -> Causality:
    """Strokes; a graph with contradictions has them too, as far as they go."""
    causality: Causality = graph.causality("relaxed" if joints == "ideal" else "scap", strict=False)
    return causality


def _of_graph(session: Session, kept: Run, formulation: str) -> Result:
    """The run itself if it was read off such a graph, else the same motion read off it; kept with the run."""
    of_this = session.fits(kept)
    if of_this and kept.archive is None and kept.result.record.get("formulation") == formulation:
        return kept.result
    if kept.graph is not None and kept.graph.record.get("formulation") == formulation:
        return kept.graph
    if not of_this:
        raise LinkworkError("the model has changed since this run.", component=kept.label, remedy="Run it again.")
    session.progress("the same motion from the bond graph")
    options = {word: x for word, x in kept.options.items() if word in ("rtol", "atol", "output")}
    result, failure = simulated(
        session, kept.options["duration"], kept.options["parameters"], {**options, "formulation": formulation}
    )
    if failure is not None:
        raise failure
    kept.graph = result
    return result


def _bond(bond: Any, said: dict[str, str]) -> Record:
    effort, flow = units(bond)
    return {
        "id": identifier(f"bond:{bond.name}"),
        "name": bond.name,
        "title": said[f"bond:{bond.name}"],
        "tail": bond.tail.element.name,
        "head": bond.head.element.name,
        "groups": sorted({e.group for e in (bond.tail.element, bond.head.element) if e.group}),
        "size": bond.size,
        "kind": bond.kind,
        "effort": effort,
        "flow": flow,
    }


def _element(element: Any) -> Record:
    return {
        "id": identifier(f"element:{element.name}"),
        "name": element.name,
        "symbol": element.symbol,
        "group": element.group,
    }


def _power(names: list[str], values: Record) -> Record:
    """Power over time [W], positive along the half arrow; most: the largest of all, for the width of bonds."""
    known = {name: values[name]["power"] for name in names if name in values}
    largest = [float(np.abs(p[np.isfinite(p)]).max(initial=0.0)) for p in known.values()]
    return {
        "t": base64_of(values["t"], double=True),
        "most": max(largest, default=0.0),
        "bonds": {name: base64_of(p) for name, p in known.items()},
    }


def _paths(causality: Causality, drawn: BondGraph) -> Record:
    """Zero-order paths with the bonds they run along; what opens them, and the index that is left."""
    shown = {b.name for b in drawn.bonds}
    try:
        opening = open_paths(causality)
    except LinkworkError as error:
        return {"paths": [], "breaks": [], "index": None, "paths_note": str(error)}
    paths = [
        {
            "class": path.number,
            "title": TITLES[path.number],
            "text": str(path),
            "meaning": path.meaning,
            "remedy": path.remedy,
            "bonds": [identifier(f"bond:{b.name}") for b in path.bonds if b.name in shown],
            "elements": [e.name for e in path.elements],
        }
        for path in opening.paths
    ]
    return {"paths": paths, "breaks": opening.breaks, "index": opening.index, "paths_note": None}
