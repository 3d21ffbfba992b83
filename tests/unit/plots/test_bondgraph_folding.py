"""Levels of detail of drawn bond graphs: components as one node, folded groups."""

from functools import cache

import pytest

import linkwork as lw
from linkwork.plots.bondgraph.drawing import draw
from linkwork.plots.bondgraph.folding import condensed
from linkwork.plots.bondgraph.primitives import Text


@cache
def excavator():
    from linkwork.examples import excavator_boom

    return excavator_boom.model().bondgraph()


def texts(drawing):
    return ["".join(run.text for run in part.runs) for part in drawing.scene.parts if isinstance(part, Text)]


def test_a_component_with_several_ports_is_one_node_with_all_its_bonds():
    """A cylinder: two chambers and the points that it pushes apart; power goes through it in the drawing."""
    graph = excavator()
    drawn, _ = condensed(graph, None, False)
    for name, ports in (("lift", 3), ("crowd", 4), ("curl", 4), ("lift-valve", 4)):
        shares = [e for e in graph.elements.values() if e.part == name]
        assert len(shares) == len(drawn.bonds_of(drawn.elements[name])) == ports
    assert drawn.elements["lift"].symbol == "TF" and drawn.elements["lift-valve"].symbol == "R"
    kinds = {b.kind for b in drawn.bonds_of(drawn.elements["lift"])}
    assert kinds == {"hydraulic", "translation"}
    assert len(drawn.bonds) == len(graph.bonds)


def test_colours_of_other_domains_are_in_the_key():
    drawing = draw(excavator(), fold=True)
    assert {"hydraulic", "translation", "[boom]", "[lift]"} <= set(texts(drawing))
    assert len(drawing.scene.graph.elements) < len(excavator().elements) / 3


def test_groups_are_folded_into_one_node():
    graph = excavator()
    drawn, _ = condensed(graph, None, ["boom", "O"])
    assert drawn.elements["boom"].symbol == "[boom]"
    assert not any(e.group == "boom" for e in drawn.elements.values())
    assert {b.other(drawn.elements["boom"]).name for b in drawn.bonds_of(drawn.elements["boom"])} >= {"O", "lift"}


def test_strokes_stay_on_folded_graphs():
    graph = slider()
    causality = graph.causality()
    drawing = draw(graph, causality, fold=["crank"])
    shown = {b.name for b in drawing.scene.graph.bonds}
    assert set(drawing.scene.stroke) == shown
    assert all(drawing.scene.stroke[b.name] == end for b, end in causality.stroke.items() if b.name in shown)


@cache
def slider():
    from linkwork.examples import slider_crank

    return slider_crank.model().bondgraph()


@pytest.mark.parametrize(("fold", "words"), [("bom", "bom.*boom"), ([3], "3"), (3, "fold is 3")])
def test_wrong_folds_are_told(fold, words):
    with pytest.raises(lw.LinkworkError, match=words):
        condensed(excavator(), None, fold)
