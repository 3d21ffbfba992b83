"""Reduction of a bond graph by activity (MORA; Louca, Stein, Hulbert, Sprague 1997): elements that matter little go."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.bondgraph.assigning.causality import Causality, assign
from linkwork.bondgraph.elements import Field, Junction
from linkwork.bondgraph.graph import BondGraph
from linkwork.bondgraph.removal import referred, shorten, take_out
from linkwork.core import kinds
from linkwork.core.errors import ModelError, UnknownName
from linkwork.core.result import Result
from linkwork.core.signal import Inputs
from linkwork.core.words import checked_as_verb
from linkwork.simulation.graph import simulate


@dataclass(frozen=True)
class GraphReduction:
    """The reduced graph, what was taken out of it, and the error that makes; print() it.

    kept, removed: element → activity index; share: of all activity that is kept; needed: elements of little activity
    that stay, with the reason; result: the run of the reduced graph; deviation: channel → largest difference to the
    run of the whole graph, relative to the largest value there; causality: of the reduced graph.
    """

    graph: BondGraph
    kept: dict[str, float]
    removed: dict[str, float]
    share: float
    needed: dict[str, str]
    result: Result
    deviation: dict[str, float]
    causality: Causality

    def __str__(self) -> str:
        whole = len(self.kept) + len(self.removed)
        share = f"{100 * self.share:.3f} % of the activity"
        lines = [f"{self.graph.name}: {len(self.kept)} of {whole} elements have {share}"]
        gone = ", ".join(f"{name} ({100 * index:.2g} %)" for name, index in self.removed.items())
        lines.append(f"  taken out: {gone or 'none'}")
        lines += [f"  {name} stays: {why}" for name, why in self.needed.items()]
        stores = len(self.causality.integral), len(self.causality.derivative)
        lines.append(f"  stores with a state: {stores[0]}, dependent ones: {stores[1]}")
        lines += [f"  {name} differs by {100 * d:.2g} %" for name, d in self.deviation.items()]
        return "\n".join(lines)


@checked_as_verb(share=kinds.number, keep=kinds.names)
def reduced(
    graph: BondGraph,
    result: Result,
    share: float = 0.99,
    *,
    outputs: Sequence[str] | str | None = None,
    keep: Sequence[str] | str = (),
    inputs: Inputs | None = None,
) -> GraphReduction:
    """The graph without the elements of least activity, and how far its run is from that of the whole graph.

    result: of g.simulate(…), whose motion decides what matters; share: of the activity of all stores and resistors that
    those kept have together; outputs: channels to compare (default: what the result shows first, as far as it stays);
    keep: elements that stay whatever they do; inputs: those of the run, to repeat it.
    """
    if not 0 < share <= 1:
        raise ModelError(f"share={share}.", component=graph.name, remedy="Give more than 0, and 1 at most.")
    index = _activity(graph, result)
    held = [keep] if isinstance(keep, str) else list(keep)
    for name in held:
        if name not in index:
            raise UnknownName("store or resistor", name, index, component=graph.name)
    few, needed = _of_little_activity(graph, index, share, held)
    twin = copy.deepcopy(graph)
    before = {j.name: len(twin.bonds_of(j)) for j in twin.of_type(Junction)}
    for name in few:
        if name in twin.elements:
            take_out(twin, twin.elements[name])
    wanted = _channels(result, twin, outputs)
    for j in twin.of_type(Junction):
        if len(twin.bonds_of(j)) < before.get(j.name, 0) and f"{j.name}.{j.common}" not in wanted:
            shorten(twin, j)
    _check_referred(graph, twin, few)
    causality = _causality(twin, few)
    run = _repeated(twin, result, inputs)
    removed = {name: index[name] for name in index if name not in twin.elements}
    kept = {name: x for name, x in index.items() if name in twin.elements}
    deviation = _deviation(result, run, _present(graph, run, wanted, outputs, removed))
    return GraphReduction(twin, kept, removed, sum(kept.values()), needed, run, deviation, causality)


def _activity(graph: BondGraph, result: Result) -> dict[str, float]:
    """Activity indices, the largest first."""
    if not isinstance(result, Result):
        raise ModelError(f"result={kinds.shown(result)}.", component=graph.name, remedy="Give that of g.simulate(…).")
    indices: dict[str, float] = result.bonds.index
    for name in indices:
        if name not in graph.elements:
            raise ModelError(
                f"the result is of another graph: {name!r} is not in this one.",
                component=graph.name,
                remedy="Give the result of g.simulate(…).",
            )
    return dict(sorted(indices.items(), key=lambda x: -x[1]))


def _of_little_activity(
    graph: BondGraph, index: Mapping[str, float], share: float, keep: Sequence[str]
) -> tuple[list[str], dict[str, str]]:
    """Elements beyond the share, the least active first; and those of them that have to stay."""
    sum_so_far, few, needed = 0.0, [], {}
    read = referred(graph)
    for name, x in index.items():
        enough = sum_so_far >= share * (1 - 1e-12)
        sum_so_far += x
        if not enough or name in keep:
            continue
        if isinstance(graph[name], Field):
            needed[name] = "it is a field, of which no port can be taken out alone"
        elif any(b in read for b in graph.bonds_of(graph[name])):
            needed[name] = "a signal or source refers to its effort or flow"
        else:
            few.append(name)
    return few[::-1], needed


def _check_referred(graph: BondGraph, twin: BondGraph, few: Sequence[str]) -> None:
    """Whether all bonds are left that signals, sources and moduli refer to."""
    left = {b.flow.element_hash() for b in twin.bonds if b.size == 1} | {b.name for b in twin.bonds if b.size != 1}
    for bond in referred(graph):
        if (bond.flow.element_hash() if bond.size == 1 else bond.name) not in left:
            raise ModelError(
                f"a signal or source refers to its effort or flow, and without {', '.join(few)} it leads nowhere.",
                component=f"{bond.name} ({bond.tail.element.name} – {bond.head.element.name})",
                remedy=f"Keep one of them: keep=[{few[-1]!r}].",
            )


def _causality(graph: BondGraph, few: Sequence[str]) -> Causality:
    causality = assign(graph, graph.method, strict=False)
    if causality.conflicts:
        first = causality.conflicts[0]
        raise ModelError(
            f"without {', '.join(few)} causality conflicts: {first.text}",
            component=first.elements[0].name,
            remedy=f"Keep one of them: keep=[{few[-1]!r}]. {first.remedy}",
        )
    return causality


def _repeated(graph: BondGraph, result: Result, inputs: Inputs | None) -> Result:
    record = result.record
    return simulate(
        graph,
        float(record["duration"]),
        rtol=float(record["rtol"]),
        atol=record["atol"],
        output=np.array(result.t),
        parameters=record["parameters"],
        inputs=inputs,
    )


def _channels(result: Result, twin: BondGraph, outputs: Sequence[str] | str | None) -> list[str]:
    """Channels to compare; by default those that the result shows and elements that are left still have."""
    if outputs is None:
        return [n for n in result.record.get("show", []) if n.rpartition(".")[0] in twin.elements]
    return [name for pattern in ([outputs] if isinstance(outputs, str) else outputs) for name in result.names(pattern)]


def _present(
    graph: BondGraph, run: Result, wanted: Sequence[str], outputs: object, removed: Mapping[str, float]
) -> list[str]:
    for name in wanted:
        if name not in run and outputs is not None:
            owner = name.split(".")[0]
            raise ModelError(
                f"{name!r} cannot be compared: it is taken out"
                + (f" with {100 * removed[owner]:.2g} % of the activity." if owner in removed else "."),
                component=owner,
                remedy=f"Keep it: keep=[{owner!r}], or compare another channel, such as that of a junction.",
            )
    return [name for name in wanted if name in run]


def _deviation(whole: Result, run: Result, channels: Sequence[str]) -> dict[str, float]:
    deviations = {}
    for name in channels:
        size = float(np.abs(whole[name]).max(initial=0.0))
        apart = float(np.abs(np.asarray(run[name]) - np.asarray(whole[name])).max(initial=0.0))
        deviations[name] = apart / size if size else (np.inf if apart else 0.0)
    return deviations


BondGraph.register("reduced", reduced)
