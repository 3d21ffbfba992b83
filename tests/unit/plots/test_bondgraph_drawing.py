"""Drawings of bond graphs: everything is there, in its place, legible, and in every format."""

import itertools
import json
import math
import re
import xml.etree.ElementTree as xml
from functools import cache

import numpy as np
import pytest

import linkwork as lw
from linkwork.bondgraph.assigning.causality import assign
from linkwork.bondgraph.elements import GY, MTF, C, Constraint, EulerGyrator, I, R, Se, Sf
from linkwork.bondgraph.graph import BondGraph
from linkwork.plots.bondgraph.board import Board
from linkwork.plots.bondgraph.captions import crosses
from linkwork.plots.bondgraph.drawing import Drawing, draw
from linkwork.plots.bondgraph.primitives import COLOURS, Box, Line, Text
from linkwork.plots.bondgraph.series import series
from linkwork.plots.bondgraph.svg import identifier

SVG = "{http://www.w3.org/2000/svg}"


def rlc():
    g = BondGraph("RLC")
    source, one = g.add(Se("V", 1.0)), g.junction("i", 1)
    g.bond(source, one)
    for element in (R("R1", 1.0), I("L", 1.0), C("C1", 1.0)):
        g.bond(one, g.add(element))
    return g


def two():
    g = BondGraph("two")
    g.bond(g.add(Se("V", 1.0)), g.add(R("R1", 1.0)))
    return g


def motor():
    g = BondGraph("DC motor")
    i, w, k = g.junction("i", 1, domain="electrical"), g.junction("omega", 1), g.add(GY("k", 0.1))
    g.bond(g.add(Se("u", 12.0)), i)
    for element in (I("L", 1.0), R("R_a", 1.0)):
        g.bond(i, g.add(element))
    g.bond(i, k)
    g.bond(k, w, kind="rotation")
    for element in (I("J", 1.0), R("b", 1.0)):
        g.bond(w, g.add(element), kind="rotation")
    g.bond(g.add(Se("tau_load", -1.0)), w, kind="rotation")
    return g


def quarter_car():
    g = BondGraph("quarter car")
    tyre, wheel, strut, rate, car = (
        g.junction(n, k) for n, k in (("F_t", 0), ("v_u", 1), ("F_s", 0), ("v", 1), ("v_s", 1))
    )
    g.bond(g.add(Sf("road", 0.0)), tyre)
    for a, b in ((tyre, wheel), (wheel, strut), (strut, rate), (strut, car)):
        g.bond(a, b)
    hanging = (
        (tyre, C("k_t", 1.0)),
        (wheel, I("m_u", 1.0)),
        (rate, C("k_s", 1.0)),
        (rate, R("c_s", 1.0)),
        (car, I("m_s", 1.0)),
    )
    for junction, element in hanging:
        g.bond(junction, g.add(element))
    for junction, name in ((wheel, "m_u-g"), (car, "m_s-g")):
        g.bond(g.add(Se(name, 1.0)), junction)
    return g


def body(g, name, points):
    """BND figure 2: rotation in body axes above, translation in the world below, a branch per point."""
    w, v = g.junction(f"{name}-w", 1, group=name, label="ω"), g.junction(f"{name}-v", 1, group=name, label="v_G")
    for element, label in ((I(f"{name}-J", 1.0, 3), "J"), (EulerGyrator(f"{name}-EJS", lambda f: f), "EJS")):
        g.bond(w, g.add(element, group=name, label=label), kind="rotation")
    g.bond(v, g.add(I(f"{name}-m", 1.0, 3), group=name, label="m"), kind="translation")
    g.bond(g.add(Se(f"{name}-g", 1.0, 3), group=name, label="m g"), v, kind="translation")
    ends = {}
    for p in points:
        arm = g.add(MTF(f"{name}-arm{p}", np.eye(3)), group=name, label=f"r_{p}")
        turn = g.add(MTF(f"{name}-turn{p}", np.eye(3)), group=name, label="P")
        total, end = (
            g.junction(f"{name}-sum{p}", 0, group=name),
            g.junction(f"{name}-{p}", 1, group=name, label=f"v_{p}"),
        )
        g.bond(w, arm, kind="rotation")
        for a, b in ((arm, total), (v, turn), (turn, total), (total, end)):
            g.bond(a, b, kind="translation")
        ends[p] = {"rotation": w, "translation": end}
    return ends


def joint(g, name, first, second):
    """BND figure 4: what the two sides differ by, and what blocks it."""
    for kind in ("rotation", "translation"):
        total, relative = g.junction(f"{name}-{kind}", 0, group=name), g.junction(f"{name}-{kind}-rel", 1, group=name)
        start = first[kind] if first else g.add(Sf(f"{name}-{kind}-ground", 0.0, 3), group=name, label="0")
        for a, b in ((start, total), (total, second[kind]), (total, relative)):
            g.bond(a, b, kind=kind, size=3)
        g.bond(g.add(Constraint(f"{name}-{kind}-λ", 0.0, 3), group=name, label="λ"), relative, kind=kind)


def pendulum():
    g = BondGraph("pendulum")
    joint(g, "O", None, body(g, "rod", "O")["O"])
    return g


def slider_crank():
    g = BondGraph("slider-crank")
    crank, rod, piston = body(g, "crank", "OA"), body(g, "rod", "AB"), body(g, "piston", "BP")
    for name, a, b in (("O", None, crank["O"]), ("A", crank["A"], rod["A"]), ("B", rod["B"], piston["B"])):
        joint(g, name, a, b)
    joint(g, "P", None, piston["P"])
    return g


GRAPHS = {f.__name__: f for f in (rlc, motor, quarter_car, pendulum, slider_crank)}


@cache
def drawn(name):
    g = GRAPHS[name]()
    return draw(g, assign(g, strict=False))


@pytest.fixture(params=GRAPHS)
def drawing(request):
    return drawn(request.param)


def of(drawing, kind, role):
    return [p for p in drawing.scene.parts if isinstance(p, kind) and p.role == role]


def middle(line):
    return np.mean(line.points, axis=0)


def centres(drawing):
    boxes = {p.owner.removeprefix("element:"): p.box for p in of(drawing, Text, "symbol")}
    return {name: np.array([(b[0] + b[2]) / 2, (b[1] + b[3]) / 2]) for name, b in boxes.items()}


def test_svg_is_well_formed_and_complete(drawing):
    tree = xml.fromstring(drawing.svg())
    found = {node.get("id") for node in tree.iter(f"{SVG}g")}
    g = drawing.scene.graph
    wanted = {f"bond:{b.name}" for b in g.bonds} | {f"element:{e}" for e in g.elements}
    wanted |= {f"group:{e.group}" for e in g.elements.values() if e.group}
    assert {identifier(owner) for owner in wanted} <= found


def test_marks_are_at_the_right_ends(drawing):
    g, at = drawing.scene.graph, centres(drawing)
    causality = assign(g, strict=False)
    strokes = {p.owner: p for p in of(drawing, Line, "stroke")}
    arrows = {p.owner: p for p in of(drawing, Line, "arrow")}
    for bond in g.bonds:
        head, tail = at[bond.head.element.name], at[bond.tail.element.name]
        tip = np.array(arrows[f"bond:{bond.name}"].points[0])
        assert np.linalg.norm(tip - head) < np.linalg.norm(tip - tail)
        stroke = strokes[f"bond:{bond.name}"]
        receiver, giver = (head, tail) if causality.stroke[bond] == "head" else (tail, head)
        assert np.linalg.norm(middle(stroke) - receiver) < np.linalg.norm(middle(stroke) - giver)
        line = next(p for p in of(drawing, Line, "bond") if p.owner == stroke.owner)
        across, along = np.subtract(*stroke.points), np.subtract(*line.points)
        assert abs(across @ along) < 1e-9 * np.linalg.norm(across) * np.linalg.norm(along)


def test_half_arrow_has_one_barb_on_the_side_of_the_flow():
    for arrow in of(drawn("motor"), Line, "arrow"):
        (x, y), (bx, by) = arrow.points
        assert by > y or bx > x  # below a level bond, right of an upright one


def test_vector_bonds_are_double_and_kinds_have_colours(drawing):
    lines = of(drawing, Line, "bond")
    for bond in drawing.scene.graph.bonds:
        mine = [p for p in lines if p.owner == f"bond:{bond.name}"]
        assert len(mine) == (2 if bond.size > 1 else 1)
        assert {p.colour for p in mine} == {COLOURS[bond.kind]}


def overlap(a, b, slack=0.3):
    return a[0] < b[2] - slack and b[0] < a[2] - slack and a[1] < b[3] - slack and b[1] < a[3] - slack


def test_no_text_lies_on_another(drawing):
    texts = [p for p in drawing.scene.parts if isinstance(p, Text)]
    assert [(a.owner, b.owner) for a, b in itertools.combinations(texts, 2) if overlap(a.box, b.box)] == []


def test_no_bond_runs_through_a_foreign_text(drawing):
    ends = {
        f"bond:{b.name}": {f"element:{p.element.name}" for p in (b.tail, b.head)} for b in drawing.scene.graph.bonds
    }
    texts = of(drawing, Text, "symbol") + of(drawing, Text, "name")
    through = [
        (line.owner, text.owner)
        for line in of(drawing, Line, "bond")
        for text in texts
        if text.owner not in ends[line.owner] and crosses(text.box, *line.points)
    ]
    assert through == []


def test_groups_are_apart_and_hold_their_own(drawing):
    boxes = {p.owner.removeprefix("group:"): p.rectangle for p in of(drawing, Box, "group")}
    assert not any(overlap(a, b) for a, b in itertools.combinations(boxes.values(), 2))
    for text in of(drawing, Text, "symbol"):
        element = drawing.scene.graph[text.owner.removeprefix("element:")]
        inside = [name for name, box in boxes.items() if overlap(text.box, box)]
        assert inside == ([element.group] if element.group else [])


def test_slider_crank_fits_a_landscape_page():
    wide, high = drawn("slider_crank").size
    assert 1.2 < wide / high < 2.0
    scale = min(277 / 25.4 * 96 / wide, 190 / 25.4 * 96 / high)  # A4 less a margin of 10 mm
    assert 14 * 0.75 * scale > 6.5  # symbols, in points
    assert 'width="297mm" height="210mm"' in drawn("slider_crank").svg(page="A4")


def test_rotation_stands_above_translation():
    drawing = drawn("slider_crank")
    at = centres(drawing)
    for name in ("crank", "rod", "piston"):
        assert at[f"{name}-w"][1] < at[f"{name}-v"][1]


def test_backbone_lies_level():
    at = centres(drawn("quarter_car"))
    rows = [at[name][1] for name in ("road", "F_t", "v_u", "F_s", "v_s")]
    assert max(rows) - min(rows) < 1
    assert at["road"][0] < at["F_t"][0] < at["v_u"][0] < at["F_s"][0] < at["v_s"][0]


def test_same_graph_same_drawing():
    assert draw(rlc()).svg() == draw(rlc()).svg()


def test_cost_of_the_whole_changes_by_what_the_moved_node_pays():
    generator = np.random.default_rng(3)
    for n in (8, 60):  # few nodes, and so many that only those around are looked at
        cells = np.array(list(itertools.product(range(12), range(9))), dtype=float)
        position = generator.permutation(cells)[:n]
        pairs = list(itertools.combinations(range(n), 2))
        lines = np.array([pairs[k] for k in generator.permutation(len(pairs))[: 2 * n]])
        board = Board(position, lines, [0] * n, [cells], [0] * n, generator.random(2 * n), generator.random(2 * n))
        for i in range(8):
            before, paid = board.total(), board.costs(i, board.position[[i]])[0]
            board.position[i] = cells[[not (c == board.position).all(axis=1).any() for c in cells]][i]
            change = board.costs(i, board.position[[i]])[0] - paid
            assert board.total() - before == pytest.approx(change, abs=1e-9)


def test_derivative_causality_and_conflicts_are_marked():
    g = BondGraph("two flywheels")
    one = g.junction("w", 1)
    for name in "ab":
        g.bond(one, g.add(I(name, 1.0)))
    (derivative,) = {e.name for e, _ in assign(g).derivative}
    texts = draw(g, assign(g)).scene.parts
    colour = {p.owner: p.colour for p in texts if isinstance(p, Text) and p.role == "symbol"}
    assert colour[f"element:{derivative}"] != colour[f"element:{'b' if derivative == 'a' else 'a'}"]
    clash = BondGraph("clash")
    clash.bond(clash.add(Se("e1", 1.0)), clash.add(Se("e2", 1.0)))
    assert "causal conflict" in draw(clash, assign(clash, strict=False)).svg()


def values_of(g, samples=7):
    t = np.linspace(0, 1, samples)
    make = {
        b.name: {"effort": np.outer(t + k, np.ones(b.size)), "flow": np.ones((samples, b.size))}
        for k, b in enumerate(g.bonds)
    }
    return {"t": t, **make}


def test_html_is_self_contained_and_carries_the_values():
    scene = drawn("motor").scene
    g = scene.graph
    page = Drawing(scene, series(g, values_of(g))).html()
    assert set(re.findall(r"https?://[^\"'\s]+", page)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\b(src|href)=|@import|url\(", page)
    data = json.loads(re.search(r'<script type="application/json">(.*?)</script>', page, re.S).group(1))
    for k, bond in enumerate(g.bonds):
        entry = data["bonds"][identifier(f"bond:{bond.name}")]
        assert entry["power"] == pytest.approx(np.linspace(0, 1, 7) + k, rel=1e-5)
    units = {b.name: data["bonds"][identifier(f"bond:{b.name}")]["units"] for b in g.bonds}
    assert units["b1"] == ["V", "A"]
    assert units["b6"] == ["N·m", "rad/s"]


def test_width_shows_the_mean_power():
    g = motor()
    lines = {p.owner: p.width for p in of(draw(g, None, values_of(g)), Line, "bond")}
    assert [lines[f"bond:{b.name}"] for b in g.bonds] == sorted(lines.values())
    assert max(lines.values()) > 2 * min(lines.values())


@pytest.mark.parametrize(
    ("suffix", "start"), [("svg", b"<svg"), ("pdf", b"%PDF"), ("png", b"\x89PNG"), ("html", b"<!DOCTYPE")]
)
def test_files(tmp_path, suffix, start):
    file = tmp_path / f"graph.{suffix}"
    drawn("rlc").save(file, page="A4")
    assert file.read_bytes().startswith(start)


def test_graph_saves_itself(tmp_path):
    g = two()
    g.save(tmp_path / "graph.svg", assign(g))
    assert (tmp_path / "graph.svg").read_text() == g.draw(assign(g)).svg()


def test_notebooks_show_graph_and_drawing():
    assert two()._repr_svg_().startswith("<svg")
    assert "<svg" in drawn("rlc")._repr_html_()


def test_odd_names_and_small_graphs():
    g = BondGraph("a < b & c")
    g.bond(g.add(Se("V+", 1.0), label="<U> & $x$"), g.add(R("Ω", 1.0)), name="bond <1>")
    tree = xml.fromstring(g.draw().svg())
    assert "<U> & $x$" in "".join(tree.itertext())
    assert "a &lt; b &amp; c" in g.draw().html()
    alone = BondGraph("one")
    alone.add(Se("V", 1.0))
    assert math.isfinite(sum(alone.draw().size))


def test_bad_input(tmp_path):
    g = rlc()
    drawing = drawn("rlc")
    with pytest.raises(lw.LinkworkError, match="no drawing has the suffix '.gif'"):
        drawing.save(tmp_path / "x.gif")
    for suffix in ("svg", "pdf"):
        with pytest.raises(lw.LinkworkError, match="cannot be written"):
            drawing.save(tmp_path / "nowhere" / f"x.{suffix}")
    with pytest.raises(lw.LinkworkError, match="no page is called 'B7'"):
        drawing.save(tmp_path / "x.svg", page="B7")
    with pytest.raises(lw.LinkworkError, match="another graph"):
        draw(g, assign(rlc()))
    with pytest.raises(lw.LinkworkError, match="no elements"):
        BondGraph("empty").draw()
    power = {"power": [1.0, 2.0]}
    for values, said in (
        ({"b1": power}, "no times"),
        ({"t": [0, 1], "bb": power}, "no bond named 'bb'"),
        ({"t": [0, 1, 2], "b1": power}, "its power has the shape"),
        ({"t": [0, 1], "b1": {"effort": [1.0, 2.0]}}, "neither its power"),
        ({"t": []}, "empty"),
    ):
        with pytest.raises(lw.LinkworkError, match=said):
            draw(g, None, values)


def test_no_bond_runs_through_a_title_and_large_graphs_fold_by_themselves(monkeypatch, example):
    from linkwork.plots.bondgraph import drawing
    from linkwork.plots.bondgraph.captions import crosses
    from linkwork.plots.bondgraph.primitives import Line, Text

    graph = example("slider_crank").bondgraph()
    parts = graph.draw().scene.parts
    titles = [p for p in parts if isinstance(p, Text) and p.role == "title"]
    bonds = [p for p in parts if isinstance(p, Line) and p.role == "bond"]
    assert len(titles) > 5
    assert not [t.owner for t in titles for b in bonds if crosses(t.box, b.points[0], b.points[-1])]
    monkeypatch.setattr(drawing, "MANY", 10)
    folded = [p for p in graph.draw().scene.parts if isinstance(p, Text) and p.role == "symbol"]
    assert len(folded) < len([p for p in parts if isinstance(p, Text) and p.role == "symbol"]) / 3
