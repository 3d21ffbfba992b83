"""The bond graph of a mechanism, run by itself: the same motion as the model's, and what is changed in it counts."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import linkwork as lw
from linkwork.bondgraph.elements import R
from linkwork.examples import four_bar, n_four_bar, pendulum, rolling_disc, rssr, slider_crank, spinning_top, squeezer
from linkwork.formulations.bondgraph.canonical import CanonicalMultibond
from linkwork.formulations.bondgraph.net import Multibond

PLACES = ("x", "y", "z", "angle")
SLOW = pytest.mark.slow


def apart(a: lw.Result, b: lw.Result) -> float:
    """Largest distance of positions and angles [m, rad]."""
    names = [n for n in a if n in b and n.rpartition(".")[2] in PLACES and n.count(".") == 1]
    assert names
    return max(float(np.abs(a[n] - b[n]).max()) for n in names)


@pytest.mark.parametrize(
    ("example", "joints", "limit"),
    [
        (pendulum, "lagrange", 1e-7), (slider_crank, "lagrange", 1e-7), (four_bar, "lagrange", 1e-7),
        (n_four_bar, "canonical", 1e-7), (spinning_top, "lagrange", 1e-7), (rolling_disc, "lagrange", 1e-7),
        (spinning_top, "canonical", 1e-7), (slider_crank, "ideal", 1e-6), (four_bar, "ideal", 1e-6),
        (slider_crank, "rc", 1e-5), (four_bar, "rc", 5e-5), pytest.param(rssr, "lagrange", 1e-6, marks=SLOW),
        pytest.param(rssr, "canonical", 1e-6, marks=SLOW), pytest.param(squeezer, "lagrange", 1e-6, marks=SLOW),
    ],
)  # fmt: skip
def test_the_same_motion(example, joints, limit):
    m = example.model()
    duration = 0.02 if example is squeezer else 0.4
    r = m.bondgraph(joints=joints).simulate(duration, output=duration / 8)
    assert apart(r, m.simulate(duration, output=duration / 8)) < limit
    assert np.ptp(r["energy.balance"]) < 1e-5 * max(np.ptp(r["energy.total"]), np.abs(r["energy.supplied"]).max())


def crank(mass: float = 1.0, rod: float = 0.3, spring: float = 0.0) -> lw.Model:
    m = lw.Model("mechanism")
    a = m.body("crank", mass=mass, inertia=0.01)
    b = m.body("rod", mass=1.0, inertia=rod)
    O = m.revolute("O", m.ground.at(0, 0), a.at(-0.1, 0))
    m.revolute("A", a.at(0.1, 0), b.at(-0.3, 0))
    if spring:
        m["A"].angle.law(lw.Spring(spring))
    O.angle.start(0.4, rate=3)
    return m


def test_a_changed_inertia_is_a_changed_inertia():
    g = crank().bondgraph()
    g["rod-J"].law = 0.9
    changed = g.simulate(0.5, output=0.1)
    assert apart(changed, crank(rod=0.9).simulate(0.5, output=0.1, rtol=1e-10, atol=1e-12)) < 1e-7
    assert apart(changed, crank().simulate(0.5, output=0.1)) > 1e-2


def test_mass_and_weight_are_two_elements():
    """Doubling the inertia alone is not doubling the body: its weight is an effort of its own."""
    g = crank().bondgraph()
    g["crank-m"].law = 2.0
    light = g.simulate(0.5, output=0.1)
    g["crank-weight"].value = 2 * g["crank-weight"].value
    heavy, model = g.simulate(0.5, output=0.1), crank(mass=2.0).simulate(0.5, output=0.1, rtol=1e-10, atol=1e-12)
    assert apart(heavy, model) < 1e-7 < 1e-3 < apart(light, model)


def test_in_space_the_gyroscopic_moment_follows_the_inertia():
    def top(J):
        m = lw.Model("top", gravity=(0, 0, -9.81))
        b = m.body("top", mass=1.0, inertia=J)
        m.spherical("ball", m.ground.at(0, 0, 0), b.at(0, 0, -0.1))
        b.start(
            position=(0.05, 0, 0.0866025403784), rotation=(0.9659258262891, 0, 0.2588190451025, 0), spin=(0, 0, 40.0)
        )
        return m

    for joints in ("lagrange", "canonical"):
        g = top((0.01, 0.01, 0.02)).bondgraph(joints=joints)
        store = g["top-J" if joints == "lagrange" else "top-I"]
        store.law = np.diag([0.01, 0.01, 0.03] if joints == "lagrange" else [1, 1, 1, 0.01, 0.01, 0.03])
        model = top((0.01, 0.01, 0.03)).simulate(0.3, output=0.05, rtol=1e-10, atol=1e-12)
        assert apart(g.simulate(0.3, output=0.05, rtol=1e-10, atol=1e-12), model) < 1e-7


def test_elements_are_added_and_taken_out():
    g = crank(spring=4.0).bondgraph()
    at = next(b.other(g["A-angle-spring"]) for b in g.bonds_of(g["A-angle-spring"]))
    g.remove("A-angle-spring")
    g.R("brake", 0.05, at=at)
    damped = crank()
    damped["A"].angle.law(lw.Damper(0.05))
    assert apart(g.simulate(0.5, output=0.1), damped.simulate(0.5, output=0.1)) < 1e-6


def test_a_store_that_is_added_has_a_state():
    """A torsion spring that knows nothing of the angle: its displacement is the integral of the flow."""
    g = crank(spring=1e-300).bondgraph()
    at = next(b.other(g["A-angle-spring"]) for b in g.bonds_of(g["A-angle-spring"]))
    g.C("spring", 4.0, at=at, start=0.0)
    r = g.simulate(0.5, output=0.1)
    assert apart(r, crank(spring=4.0).simulate(0.5, output=0.1)) < 1e-6
    assert "spring.displacement" in r


def test_a_joint_that_is_taken_out_is_open():
    g = crank().bondgraph()
    g.remove("A-blocked-translation-MSe")
    with pytest.raises(lw.ModelError, match="g.prune"):
        g.simulate(0.1)
    g.prune()
    r = g.simulate(0.3, output=0.1)
    fallen = r["rod-m.flow2"][0] * 0.3 - 9.81 * 0.3**2 / 2
    assert r["rod.y"][-1] - r["rod.y"][0] == pytest.approx(fallen, abs=1e-8)


def test_an_element_is_replaced():
    g = crank(spring=4.0).bondgraph()
    g.replace("A-angle-spring", R("damper", 0.05))
    damped = crank()
    damped["A"].angle.law(lw.Damper(0.05))
    assert apart(g.simulate(0.5, output=0.1), damped.simulate(0.5, output=0.1)) < 1e-6
    with pytest.raises(lw.ModelError, match="damper: has ports of sizes"):
        g.replace("damper", R("three", 0.05, 3))


def test_a_parameter_is_still_one():
    m = slider_crank.model()
    name, value = next(iter(m.parameters.items()))
    a = m.bondgraph().simulate(0.2, output=0.05, parameters={name: 1.1 * value})
    b = m.bondgraph(parameters={name: 1.1 * value}).simulate(0.2, output=0.05, parameters={name: 1.1 * value})
    model = m.simulate(0.2, output=0.05, parameters={name: 1.1 * value})
    assert apart(b, model) < 1e-7 and apart(a, model) < 1e-2


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g))])
def test_copies_are_changed_by_themselves(twin):
    g = spinning_top.model().bondgraph()
    other = twin(g)
    other["disc-J"].law = 2 * lw.SX(other["disc-J"].law)
    a, b = g.simulate(0.1, output=0.05), other.simulate(0.1, output=0.05)
    assert apart(a, spinning_top.model().simulate(0.1, output=0.05)) < 1e-8
    assert max(np.abs(a[n] - b[n]).max() for n in a if n in b and n.endswith(("q0", "q1", "q2", "q3"))) > 1e-6


@pytest.mark.parametrize("example", [slider_crank, spinning_top])
def test_saved_and_loaded(example, tmp_path):
    g = example.model().bondgraph()
    body = "rod" if example is slider_crank else "disc"
    g[f"{body}-J"].law = 3 * lw.SX(g[f"{body}-J"].law)
    g.save(tmp_path / "graph.json")
    other = lw.BondGraph.load(tmp_path / "graph.json")
    a, b = g.simulate(0.1, output=0.02), other.simulate(0.1, output=0.02)
    assert list(a) == list(b)
    np.testing.assert_allclose(a.data, b.data, rtol=1e-12, atol=1e-12)
    text = (tmp_path / "graph.json").read_text(encoding="utf-8")
    damaged = text.replace('"size": 1', '"size": 4', 1).replace('"size": 3', '"size": 4', 1)
    (tmp_path / "bad.json").write_text(damaged, encoding="utf-8")
    with pytest.raises(lw.LinkworkError, match="bad.json: is not a whole graph"):
        lw.BondGraph.load(tmp_path / "bad.json")


def test_state_equations_to_read():
    g = pendulum.model().bondgraph()
    sheet = g.equations()
    assert "p_1_bar-m" in sheet.text() or "p_bar-m_1" in sheet.text()
    assert "θ_bar" in sheet.text() and "theta" in sheet.latex()
    assert sheet.sympy().v.shape == (6, 1)
    plain = lw.BondGraph("rlc")
    loop = plain.one("loop")
    plain.Se("u", plain.parameter("U", 10.0), at=loop)
    plain.I("coil", plain.parameter("L", 0.1), at=loop)
    plain.C("store", 5.0, at=loop)
    assert "L" in plain.equations().text()


def test_a_conflict_is_named():
    g = crank().bondgraph()
    at = g["rod-rotation"]
    g.Sf("first", 1.0, at=at)
    g.Sf("second", 2.0, at=at)
    with pytest.raises(lw.ModelError, match="second|first"):
        g.simulate(0.1)


def test_what_shows_a_model_only_says_so():
    g = crank().bondgraph(bonds="scalar")
    with pytest.raises(lw.ModelError, match="is not a model itself"):
        g.simulate(0.1)
    with pytest.raises(lw.ModelError, match="is not a model itself"):
        g.R("r", 1.0)


RARER = ("bondgraph-minimal", "bondgraph-canonical", "bondgraph-scalar")
GRAPHS = ("bondgraph", "bondgraph-zcp", *(pytest.param(name, marks=SLOW) for name in RARER))


@pytest.mark.parametrize("formulation", GRAPHS)
def test_formulations_take_inertias_from_the_graph(formulation, monkeypatch):
    """An inertia that is wrong in the graph is wrong in its formulations, and nowhere else."""
    right = {name: crank().simulate(0.3, formulation=name, output=0.1) for name in (formulation, "absolute")}
    assert apart(*right.values()) < 1e-6
    made = Multibond.body, CanonicalMultibond.body

    def heavier(body):
        def build(net, solid):
            body(net, solid)
            for name in (f"{solid.name}-J", f"{solid.name}-I"):
                if solid.name == "rod" and name in net.graph.elements:
                    factor = lw.SX(np.diag([1, 1, 2]) if name.endswith("-I") else 2)
                    net.graph[name].law = factor @ lw.SX(net.graph[name].law)

        return build

    monkeypatch.setattr(Multibond, "body", heavier(made[0]))
    monkeypatch.setattr(CanonicalMultibond, "body", heavier(made[1]))
    names = [formulation, "absolute", "minimal", "points", "acausal"]
    compared = crank().compare(names, 0.3, reference="absolute").deviation("rod.angle")
    assert compared.pop(formulation) > 1e-3 and max(compared.values()) < 1e-6
    wrong = crank().simulate(0.3, formulation=formulation, output=0.1)
    assert apart(wrong, crank(rod=0.6).simulate(0.3, output=0.1)) < 1e-6  # as if the model had that inertia


@pytest.mark.parametrize("kind", ["event", "friction"])
def test_nothing_of_a_model_is_left_out_of_its_graph_without_a_word(kind):
    m = crank()
    if kind == "event":
        m.event("low", lambda: m.t - 0.05, action="stop")
    else:
        m.joint_friction("rub", m["A"].angle, 0.1, radius=0.02)
    with pytest.raises(lw.ModelError, match="is not a model itself"):
        m.bondgraph().simulate(0.1)
