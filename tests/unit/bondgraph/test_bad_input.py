"""What is wrong with a graph is told with the element, the cause and the remedy; commands for graphs."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.bondgraph.graph import BondGraph
from linkwork.bondgraph.subgraph import Subgraph
from linkwork.cli.app import main
from linkwork.examples import pendulum


def mass(g: BondGraph, **about):
    v = g.one("v", **about)
    g.I("m", 1.0, at=v)
    return v


def unconnected(g):
    g.Se("e", 1.0, at=mass(g))
    g.R("loose", 1.0)
    g.simulate(1)


def open_port(g):
    v = mass(g)
    g.bond(v, g.TF("gear", 2.0))
    g.simulate(1)


def lonely_junction(g):
    mass(g)
    g.simulate(1)


def sizes(g):
    g.R("wide", 1.0, size=2, at=mass(g))


def full_port(g):
    v = mass(g)
    g.chain(v, g.R("taken", 1.0))
    g.bond(v, "taken")


def two_sources(g):
    v = mass(g)
    g.Sf("a", 1.0, at=v)
    g.Sf("b", 2.0, at=v)
    g.simulate(1)


def singular_modulus(g):
    """Flow can pass the transformer one way only, and a source asks for the other."""
    v = g.one("v")
    g.I("m", 1.0, size=2, at=v)
    w = g.one("w")
    g.chain(w, g.TF("flat", [[1.0, 0.0], [0.0, 0.0]]), v)
    g.Sf("drive", 0.0, size=2, at=v)
    g.R("r", 1.0, size=2, at=w)
    g.simulate(1)


def one_way_resistor(g):
    n = g.zero("n")
    g.Se("e", 1.0, at=n)
    g.R("rough", lambda f: f**3, at=n)
    g.simulate(1)


def domains_on_a_bond(g):
    g.R("pipe", 1.0, at=mass(g, domain="electrical"), domain="hydraulic")


def domains_through_junctions(g):
    a, b = g.one("a"), g.one("b")
    g.bond(a, b)
    g.I("coil", 1.0, at=a, domain="electrical")
    g.R("pipe", 1.0, at=b, domain="hydraulic")
    g.simulate(1)


def thermal_inertia(g):
    v = mass(g, domain="thermal")
    g.R("r", 1.0, at=v)
    g.simulate(1)


def pseudo_transformer(g):
    v, n = mass(g, domain="translation"), g.zero("warm", domain="thermal")
    g.chain(v, g.TF("friction", 1.0), n)
    g.C("body", 1.0, at=n)
    g.simulate(1)


def stranger(g):
    g.MSe("push", lw.SX.sym("nowhere"), at=mass(g))
    g.simulate(1)


def stranger_in_a_law(g):
    k = lw.SX.sym("nowhere")
    g.C("spring", lambda d: k * d, at=mass(g))
    g.simulate(1)


def derivative_of_an_input(g):
    g.MSf("drive", g.input("u"), at=mass(g))
    g.simulate(1)


def twice_enforced(g):
    v = mass(g)
    g.constraint("once", at=v)
    g.constraint("twice", at=v)
    g.simulate(1)


def constraint_on_a_spring(g):
    v = g.one("v")
    g.C("spring", 1.0, at=v)
    g.constraint("pull", lw.sin(g.t), at=v)
    g.simulate(1)


def nonlinear_dependent(g):
    v = mass(g)
    g.I("fast", lambda p: p / lw.sqrt(1 + p**2), at=v)
    g.simulate(1)


def gains_energy(g):
    g.C("odd", [[1.0, 1.0], [0.0, 1.0]], size=2)
    v = g.one("v")
    g.I("m", 1.0, size=2, at=v)
    g.bond(v, "odd")
    g.simulate(1)


def not_finite(g):
    v = mass(g)
    g.R("root", lambda f: lw.sqrt(f - 1), at=v)
    g.Se("push", 1.0, at=v)
    g.simulate(1)


BAD = [
    (unconnected, "loose: nothing is bonded to its port 1 of 1"),
    (open_port, "gear: nothing is bonded to its port 2 of 2"),
    (lonely_junction, r"v: this 1-junction has 1 bond\(s\)"),
    (sizes, r"v – wide: .* sizes \[1, 2\] do not match.*transformer"),
    (full_port, r"taken: has 1 port\(s\), all of which have a bond.*junction"),
    (two_sources, "(a|b): Sf:.*Sf:.*relaxed"),
    (singular_modulus, "drive: .*TF:flat, which cannot be inverted"),
    (one_way_resistor, "rough.*law from flow to effort only.*inverse"),
    (domains_on_a_bond, r"v – pipe: electrical \(said by 'v'\) meets hydraulic \(said by 'pipe'\).*transformer"),
    (domains_through_junctions, "electrical .*'coil'.* meets hydraulic .*'pipe'"),
    (thermal_inertia, "m: there is no inertia in the thermal domain"),
    (pseudo_transformer, "friction: joins translation and thermal.*MSf"),
    (stranger, "push: depends on nowhere.*g.parameter"),
    (stranger_in_a_law, "spring: depends on nowhere"),
    (derivative_of_an_input, "m: the time derivative of an input.*g.t"),
    (twice_enforced, "once, twice are not determined.*Take one"),
    (constraint_on_a_spring, "spring: what it holds depends on what pull has to find.*flow source"),
    (nonlinear_dependent, "fast: has a nonlinear law and derivative causality.*inverse"),
    (gains_energy, "odd: its matrix is not symmetric"),
    (not_finite, "root: gave the value nan"),
    (lambda g: g.R("r", "much"), "r: its law 'much' is not a number"),
    (lambda g: g.R("r"), "r: has no law"),
    (lambda g: g.R("r", lambda f: 1 if f > 0 else 0), "r: its law cannot be applied to a symbol.*if_else"),
    (lambda g: g.R("r", lambda f: lw.SX.ones(2)), r"r: its law answers 2 value\(s\) for 1"),
    (lambda g: g.R("r", [1, 2, 3], size=2), r"r: its law has the shape \(3, 1\)"),
    (lambda g: g.I("i", 0.0), "i: its inertia is zero"),
    (lambda g: g.C("c", 1.0, compliance=1.0), "c: needs a stiffness or a compliance"),
    (lambda g: g.C("c", compliance=0.0), "c: its compliance is zero"),
    (lambda g: g.Se("e", np.nan), "e: its value is nan"),
    (lambda g: g.one("a b"), "'a b' cannot be a name"),
    (lambda g: (g.one("a"), g.one("a")), "a: the name is taken"),
    (lambda g: g.bond("a", "b"), "there is no element named 'a'"),
    (lambda g: g.add(3), "3 is not an element"),
    (lambda g: g.R("r", 1.0, domain="magic"), "r: there is no domain named 'magic'"),
    (lambda g: g.R("r", 1.0, domain=("electrical", "rotation")), "r: 2 domains"),
    (lambda g: g.parameter("k", np.inf), "k: inf is not a finite number"),
    (lambda g: (mass(g), g.simulate(-1)), "duration -1"),
    (lambda g: g.insert(Subgraph("part"), "x"), "part: has no ports"),
    (lambda g: g.insert(g, "x"), "x: .* has no ports"),
]


@pytest.mark.parametrize(("build", "message"), BAD, ids=lambda x: getattr(x, "__name__", "") if callable(x) else x[:12])
def test_told_with_element_cause_and_remedy(build, message):
    with pytest.raises(lw.LinkworkError, match=message):
        build(BondGraph("bad"))


def test_a_refused_element_leaves_the_graph_as_it_was():
    g = BondGraph("again")
    v = mass(g)
    with pytest.raises(lw.ModelError):
        g.R("r", 1.0, size=2, at=v)
    g.R("r", 1.0, at=v)
    assert g.simulate(1.0)["r.flow"][-1] == 0


def test_ports_of_parts():
    part = Subgraph("part")
    part.port("end", part.one("v"))
    with pytest.raises(lw.ModelError, match="end: this port exists"):
        part.port("end", "v")
    g = BondGraph("whole")
    with pytest.raises(lw.UnknownName, match="parameter or input named 'k'"):
        g.insert(part, "x", k=1.0)
    with pytest.raises(lw.UnknownName, match="port named 'start'"):
        g.insert(part, "x").start  # noqa: B018


def test_parameters_and_inputs_by_name():
    g = BondGraph("names")
    v = mass(g)
    g.MSe("push", g.parameter("F", 1.0) + g.input("u"), at=v)
    for wrong in ({"parameters": {"G": 1}}, {"inputs": {"F": 1}}):
        with pytest.raises(lw.UnknownName):
            g.simulate(1.0, **wrong)
    with pytest.raises(lw.ModelError, match="F: 'x' is not a finite number"):
        g.simulate(1.0, parameters={"F": "x"})


def test_the_graph_of_a_mechanism_is_run_with_its_model():
    m = pendulum.model()
    r = m.simulate(0.1, formulation="bondgraph")
    with pytest.raises(lw.ModelError, match="read from a mechanism.*formulation='bondgraph'"):
        r.bonds.graph.simulate(1.0)


def test_commands_for_graphs(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["check", "dc-motor"]) == 0
    assert "I:load has derivative causality" in (told := capsys.readouterr().out) and "ready to run, 2 states" in told
    assert main(["run", "dc-motor", "0.1", "--set", "R=1", "--save", "motor.csv", "-o", "motor.svg"]) == 0
    assert "rotor.flow" in capsys.readouterr().out and (tmp_path / "motor.svg").stat().st_size > 1000
    for name in ("hydraulic-line", "quarter-car"):
        assert main(["check", name]) == 0 and main(["run", name, "0.02", "-q", "--no-plot"]) == 0
    assert main(["compare", "dc-motor"]) == 1 and "for mechanisms" in capsys.readouterr().err
    assert main(["run", "dc-motor", "--formulation", "minimal"]) == 1
    (tmp_path / "bad.py").write_text(
        "import linkwork as lw\nfrom linkwork.bondgraph.graph import BondGraph\n"
        "g = BondGraph('bad')\nv = g.one('v')\ng.Sf('a', 1, at=v)\ng.Sf('b', 1, at=v)\ng.I('m', 1, at=v)\nm = g\n"
    )
    assert main(["check", "bad.py"]) == 1 and "Conflict" in capsys.readouterr().out
    assert main(["run", "bad.py", "1"]) == 1


def driven() -> lw.BondGraph:
    g = lw.BondGraph("driven")
    v = g.one("v")
    g.I("m", 1.0, at=v)
    g.MSe("push", g.input("u", 1.0), at=v)
    return g


def other() -> lw.BondGraph:
    g = lw.BondGraph("other")
    g.one("v")
    return g


def part() -> lw.Subgraph:
    p = lw.Subgraph("rc")
    wire, node = p.one("wire"), p.zero("node")
    p.bond(wire, node)
    p.R("R", p.parameter("R", 2.0), at=wire)
    p.C("C", compliance=p.parameter("C", 0.1), at=node)
    p.port("left", wire)
    p.port("right", node)
    return p


ODD = [
    (lambda g: g.simulate("long"), "duration 'long'"),
    (lambda g: g.simulate(None), "duration None"),
    (lambda g: g.simulate(1, rtol=-1), "rtol=-1"),
    (lambda g: g.simulate(1, atol="small"), "atol='small'"),
    (lambda g: g.simulate(1, parameters=[1]), r"parameters=\[1\] names none"),
    (lambda g: g.simulate(1).bonds.total("stores"), "no role named 'stores'.*'store'"),
    (lambda g: g.save(None), "None is not a file name"),
    (lambda g: g.draw("scap"), r"'scap' is not a causality.*graph.causality\(\)"),
    (lambda g: g.draw(None, 3), "3 are not values of bonds"),
    (lambda g: g.bond("v", g.zero("n"), size="two"), "v – n: size 'two'"),
    (lambda g: g.bond("v", g.zero("n"), size=0), "v – n: size 0"),
    (lambda g: g.bond(("v", 0, 0), "m"), "is not a place for a bond"),
    (lambda g: g.bond("v", (g.TF("gear", 1.0), 5)), "gear: has no port 5.*0, 1"),
    (lambda g: g.bond("v", (g.TF("gear", 1.0), "second")), "gear: has no port 'second'"),
    (lambda g: [g.bond("v", (g["m"], 0)) for _ in range(2)], "m: its port 0 has a bond already"),
    (lambda g: g.TF("gear", []), "gear: its modulus is empty"),
    (lambda g: g.R("r", 1.0, size=True), "r: size True"),
    (lambda g: g.field("f", "C", 1.0, sizes=2), "f: sizes 2"),
    (lambda g: g.field("f", "C", 1.0, sizes=[]), r"f: sizes \[\]"),
    (lambda g: g.field("f", "C", 1.0, sizes=[0, 1]), "f: size 0"),
    (lambda g: g.C("c", lambda d: d**3, energy=3), "c: its energy 3 is not a function"),
    (lambda g: g.signal("s", "fast"), "s: its rate 'fast' is not a number"),
    (lambda g: g.signal("s", None), "s: its rate is None"),
    (lambda g: other().add(g["m"]), "m: is in the graph 'driven' already"),
    (lambda g: pendulum.model().bondgraph(joints=["rc"]), "no way of joints named"),
]


@pytest.mark.parametrize(("do", "message"), ODD, ids=lambda x: None if callable(x) else x[:24])
def test_told_instead_of_a_traceback(do, message):
    with pytest.raises(lw.LinkworkError, match=message):
        do(driven())


@pytest.mark.parametrize("values", [{}, {"R": np.nan}], ids=["name taken", "not a number"])
def test_a_part_is_inserted_whole_or_not_at_all(values):
    g = lw.BondGraph("whole")
    if not values:
        g.one("x-C")
    before = list(g.elements), dict(g.parameters)
    with pytest.raises(lw.ModelError):
        g.insert(part(), "x", **values)
    assert (list(g.elements), dict(g.parameters)) == before
    g.insert(part(), "y")
