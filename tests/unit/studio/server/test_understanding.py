"""Bond graph, equations, modes, root locus and comparison, as the page shows them."""

from __future__ import annotations

import base64
from xml.etree import ElementTree

import numpy as np
import pytest

from linkwork.core.errors import LinkworkError
from linkwork.studio.motion import rotate

STRANGE = "<svg\tonload=alert(1)>\"'&$x$\\href{z}"


def numbers(text: str, kind: str = "<f8") -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), kind)


@pytest.fixture
def strange(ask):
    """A pendulum whose names would be something else in HTML, LaTeX or Python."""
    ask("add", kind="parameter", name="<script>", arguments={"value": 3.0})
    ask("add", kind="body", name=STRANGE, arguments={"mass": 1, "inertia": 1})
    ask("add", kind="revolute", name="<b>", arguments={"first": "ground", "second": f"`{STRANGE}`.at(-0.5, 0)"})
    ask("set", name="<b>", argument="free.angle.laws", value=["Effort(`<script>`)"])
    assert ask.session.mechanism.problem is None
    return ask


def test_powers_of_bonds_are_those_of_the_graph_and_sum_to_nothing_at_junctions(pendulum):
    run = pendulum("run", duration=0.5)
    graph = pendulum("bondgraph", run=run["run"])
    ids = {element.get("id") for element in ElementTree.fromstring(graph["svg"]).iter()}
    assert {bond["id"] for bond in graph["bonds"]} <= ids
    power = {name: numbers(packed, "<f4") for name, packed in graph["power"]["bonds"].items()}
    assert numbers(graph["power"]["t"]).size == 501 and set(power) == {bond["name"] for bond in graph["bonds"]}
    assert graph["power"]["most"] == pytest.approx(max(np.abs(p).max() for p in power.values()))
    junctions = [e["name"] for e in graph["elements"] if e["symbol"] in ("0", "1")]
    for name in junctions:
        into = [p for b in graph["bonds"] for p in [power[b["name"]]] if b["head"] == name]
        out = [p for b in graph["bonds"] for p in [power[b["name"]]] if b["tail"] == name]
        np.testing.assert_allclose(sum(into) - sum(out), 0, atol=1e-5 * graph["power"]["most"])
    assert junctions and pendulum("bondgraph")["svg"] == graph["svg"]


def test_zero_order_paths_are_shown_on_bonds_of_the_drawing(pendulum):
    graph = pendulum("bondgraph", joints="ideal")
    ids = {bond["id"] for bond in graph["bonds"]}
    assert graph["paths"] and all(path["bonds"] and set(path["bonds"]) <= ids for path in graph["paths"])
    assert graph["index"] >= 1 and graph["power"] is None
    with pytest.raises(LinkworkError, match="way of joints"):
        pendulum("bondgraph", joints="magic")


def test_a_run_of_a_model_that_has_changed_since_has_no_powers(pendulum):
    run = pendulum("run", duration=0.1)
    pendulum("set", name="bar", argument="mass", value=5)
    with pytest.raises(LinkworkError, match="changed"):
        pendulum("bondgraph", run=run["run"])


def test_equations_mark_what_belongs_to_a_component(ask):
    ask("open", example="slider-crank")
    plain = ask("equations", formulation="absolute")
    assert not any(line["marked"] for block in plain["blocks"] for line in block["lines"])
    marked = ask("equations", formulation="absolute", component="B")
    found = [line for block in marked["blocks"] for line in block["lines"] if line["marked"]]
    texts = ["".join(ElementTree.fromstring(line["mathml"]).itertext()) for line in found]
    assert sum("(B," in text for text in texts) == 2 and not any("(A," in text for text in texts)
    assert 'class="marked"' in found[0]["mathml"]
    whole = ["".join(ElementTree.fromstring(x["mathml"]).itertext()) for b in marked["blocks"] for x in b["lines"]]
    assert whole == [
        "".join(ElementTree.fromstring(x["mathml"]).itertext()) for b in plain["blocks"] for x in b["lines"]
    ]
    of_parameter = ask("equations", component="O")
    lines = [line["mathml"] for b in of_parameter["blocks"] for line in b["lines"] if line["marked"]]
    assert any("torque" in "".join(ElementTree.fromstring(line).itertext()) for line in lines)
    summands = [e for line in lines for e in ElementTree.fromstring(line).iter() if e.get("class") == "summand"]
    assert "torque" in {"".join(e.itertext()) for e in summands}  # beside others, which stand in the same lines


def test_formulas_hold_nothing_but_mathematics_whatever_names_say(strange):
    for formulation in ("minimal", "absolute"):
        told = strange("equations", formulation=formulation, component="<b>")
        for block in told["blocks"]:
            assert "<svg" not in block["sentence"]
            for line in block["lines"]:
                tags = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(line["mathml"]).iter()}
                assert tags and all(tag.startswith("m") for tag in tags)
    text = "".join(ElementTree.fromstring(told["blocks"][0]["lines"][0]["mathml"]).itertext())
    assert STRANGE in text


def test_drawings_and_pages_escape_names(strange):
    graph = strange("bondgraph")
    tags = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(graph["svg"]).iter()}
    assert tags <= {"svg", "g", "title", "rect", "line", "polyline", "text", "tspan", "path", "circle"}
    run = strange("run", duration=0.1)
    page = strange("page", run=run["run"])["text"]
    assert "<svg\tonload" not in page and "<script>alert" not in page


def test_modes_of_a_pendulum_are_known_and_move_it_about_its_pin(pendulum):
    pendulum("set", name="O", argument="free.angle.laws", value=[])
    pendulum("set", name="O", argument="free.angle.start", value="-90 deg")
    told = pendulum("modes")
    (mode,) = told["modes"]
    expected = np.sqrt(2.0 * 9.81 * 0.5 / (0.1 + 2.0 * 0.5**2)) / (2 * np.pi)
    assert mode["frequency"] == pytest.approx(expected, rel=1e-9) and told["verdict"] == "stable"
    scene = mode["scene"]
    bar = next(k for k, node in enumerate(scene["nodes"]) if (node["name"], node["group"]) == ("bar", "body"))
    motion = scene["motion"]["nodes"][bar]
    p, q = numbers(motion["p"]).reshape(-1, 3), numbers(motion["q"]).reshape(-1, 4)
    swing = np.abs(p[:, 0] - p[0].mean()).max()
    pin = p + rotate(q, np.array([-0.5, 0.0, 0.0]))
    assert swing > 0.02 and np.linalg.norm(pin, axis=1).max() < 0.2 * swing  # of second order
    assert numbers(scene["motion"]["t"])[-1] == pytest.approx(1 / expected)


def test_modes_at_a_time_of_a_run_and_at_the_start(pendulum):
    run = pendulum("run", duration=0.5)
    assert "0.25 s" in pendulum("modes", at="run", run=run["run"], time=0.25)["note"]
    assert "At the start" in pendulum("modes", at="start")["note"]
    for given in ({"at": "run"}, {"at": "nowhere"}):
        with pytest.raises(LinkworkError):
            pendulum("modes", **given)


def test_a_root_locus_follows_a_parameter(pendulum):
    told = pendulum("root_locus", parameter="k", low=20.0, high=40.0, count=3)
    squares = -(np.array(told["eigenvalues"])[:, 0, 1] ** 2)
    assert told["unit"] == "N·m/rad" and told["now"] == 3.0 and told["equilibrium"] and squares[2] < squares[0] < 0
    with pytest.raises(LinkworkError):
        pendulum("root_locus", parameter="k", low=2.0, high=1.0)
    with pytest.raises(LinkworkError):
        pendulum("root_locus", parameter="nothing", low=1.0, high=2.0)


def test_formulations_are_compared_by_table_and_curves(pendulum):
    told = pendulum("compare", duration=0.3, formulations=["absolute", "minimal"], channels=["O.angle"])
    runs = {run["name"]: run for run in told["table"]["runs"]}
    assert set(runs) == {"absolute", "minimal"} == set(told["curves"])
    assert runs["absolute"]["groups"]["positions"]["absolute"] < 1e-6
    a, b = (numbers(told["curves"][name]["values"]["O.angle"]) for name in runs)
    assert 0 < np.abs(a - b).max() < 1e-6
