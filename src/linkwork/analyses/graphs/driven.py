"""A source whose value is an unknown: a copy of the graph in which an input adds to it."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import count

from linkwork.bondgraph.elements import Se, Sf
from linkwork.bondgraph.graph import BondGraph
from linkwork.core.errors import ModelError, UnknownName


def driven(graph: BondGraph, names: Sequence[str], *, alone: bool = False) -> tuple[BondGraph, list[str]]:
    """The graph with an input for each source that is named, and the names of the inputs; inputs stand for themselves.

    An input of a source is what is added to its value, 0 leaves it as it is; alone: it is the value.
    """
    twin, inputs = graph, []
    for name in names:
        if name in graph.inputs and not isinstance(graph.elements.get(name), Se | Sf):
            inputs.append(name)
            continue
        element = graph.elements.get(name)
        if not isinstance(element, Se | Sf):
            known = [e.name for e in graph.elements.values() if isinstance(e, Se | Sf)]
            raise UnknownName("source", name, [*known, *graph.inputs], component=graph.name)
        if element.size != 1:
            raise ModelError(
                f"has {element.size} components, and one is to be driven.",
                component=name,
                remedy="Make its value an expression of g.input(…), and name that input.",
            )
        twin = copy.deepcopy(graph) if twin is graph else twin
        free = next(n for k in count(1) if (n := f"added{k}") not in {*twin.inputs, *twin.parameters})
        source = twin.elements[name]
        assert isinstance(source, Se | Sf)
        source.value = twin.input(free) + (0 if alone else source.value)
        inputs.append(free)
    return twin, inputs
