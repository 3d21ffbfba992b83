"""Found by using bond graphs as a newcomer would: what went wrong with odd input, and answers checked by hand."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.examples import pendulum


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


BAD = [
    (lambda g: g.simulate("long"), "duration 'long'"),
    (lambda g: g.simulate(None), "duration None"),
    (lambda g: g.simulate(1, rtol=-1), "rtol=-1"),
    (lambda g: g.simulate(1, atol="small"), "atol='small'"),
    (lambda g: g.simulate(1, parameters=[1]), r"parameters=\[1\] names none"),
    (lambda g: g.simulate(1).bonds.total("stores"), "no role named 'stores'.*'store'"),
    (lambda g: g.save(None), "None is no file name"),
    (lambda g: g.draw("scap"), r"'scap' is no causality.*graph.causality\(\)"),
    (lambda g: g.draw(None, 3), "3 are no values of bonds"),
    (lambda g: g.bond("v", g.zero("n"), size="two"), "v – n: size 'two'"),
    (lambda g: g.bond("v", g.zero("n"), size=0), "v – n: size 0"),
    (lambda g: g.bond(("v", 0, 0), "m"), "is no place for a bond"),
    (lambda g: g.bond("v", (g.TF("gear", 1.0), 5)), "gear: has no port 5.*0, 1"),
    (lambda g: g.bond("v", (g.TF("gear", 1.0), "second")), "gear: has no port 'second'"),
    (lambda g: [g.bond("v", (g["m"], 0)) for _ in range(2)], "m: its port 0 has a bond already"),
    (lambda g: g.TF("gear", []), "gear: its modulus is empty"),
    (lambda g: g.R("r", 1.0, size=True), "r: size True"),
    (lambda g: g.field("f", "C", 1.0, sizes=2), "f: sizes 2"),
    (lambda g: g.field("f", "C", 1.0, sizes=[]), r"f: sizes \[\]"),
    (lambda g: g.field("f", "C", 1.0, sizes=[0, 1]), "f: size 0"),
    (lambda g: g.C("c", lambda d: d**3, energy=3), "c: its energy 3 is no function"),
    (lambda g: g.signal("s", "fast"), "s: its rate 'fast' is no number"),
    (lambda g: g.signal("s", None), "s: its rate is None"),
    (lambda g: other().add(g["m"]), "m: is in the graph 'driven' already"),
    (lambda g: pendulum.model().bondgraph(joints=["rc"]), "no way of joints named"),
]


@pytest.mark.parametrize(("do", "message"), BAD, ids=lambda x: None if callable(x) else x[:24])
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


def test_sizes_may_be_numpy_integers():
    g = lw.BondGraph("wide")
    assert g.R("r", 1.0, size=np.int64(2)).sizes == [2]


@pytest.mark.parametrize("kind", ["R", "C"])
def test_a_field_may_have_an_inverse(kind):
    """Both efforts are given, the law is a function that answers efforts: the flows come from its inverse."""
    g = lw.BondGraph("field")
    law = np.array([[2.0, 0.5], [0.5, 1.0]])
    g.field("f", kind, lambda x: lw.SX(law) @ x, sizes=[1, 1], inverse=lambda e: lw.SX(np.linalg.inv(law)) @ e)
    for k in range(2):
        node = g.zero(f"n{k}")
        g.MSe(f"e{k}", lw.sin((k + 1) * g.t), at=node)
        g.bond(node, "f")
    r = g.simulate(1.0)
    rates = {"R": [np.sin(r.t), np.sin(2 * r.t)], "C": [np.cos(r.t), 2 * np.cos(2 * r.t)]}
    flows = np.linalg.solve(law, rates[kind])
    assert np.allclose([r["f.port1.flow"], r["f.port2.flow"]], flows, atol=1e-12)


def test_a_field_without_an_inverse_says_so():
    g = lw.BondGraph("field")
    g.field("f", "R", lambda x: x**3, sizes=[1, 1])
    for k in range(2):
        node = g.zero(f"n{k}")
        g.Se(f"e{k}", 1.0, at=node)
        g.bond(node, "f")
    with pytest.raises(lw.ModelError, match="f: .*law from flow to effort only.*`inverse`"):
        g.simulate(1.0)


def test_a_start_that_others_overrule_is_reported():
    g = lw.BondGraph("stiff shaft")
    v = g.one("v")
    g.I("rotor", 1.0, start=1.0, at=v)
    g.I("load", 2.0, start=5.0, at=v)
    g.R("bearing", 1.0, at=v)
    assert "starts overruled" in (told := str(g.simulate(1.0))) and "load = 1" in told


def test_a_ladder_of_parts_by_the_matrix_exponential():
    from scipy.linalg import expm

    g = lw.BondGraph("ladder")
    first, second = g.insert(part(), "a"), g.insert(part(), "b", R=5.0)
    wire = g.one("supply")
    g.Se("V", 1.0, at=wire)
    g.chain(wire, first.left)
    g.chain(first.right, second.left)
    a = np.array([[-(1 / 2 + 1 / 5), 1 / 5], [1 / 5, -1 / 5]]) / 0.1
    expected = np.linalg.solve(a, (expm(a) - np.eye(2)) @ [1 / 2 / 0.1, 0])
    r = g.simulate(1.0)
    assert [r["a-C.effort"][-1], r["b-C.effort"][-1]] == pytest.approx(expected, abs=1e-7)


def test_a_bridge_with_an_algebraic_loop_by_its_node_equations():
    """Two resistors hold the node between them; its voltage by hand, the states by an independent integrator."""
    from scipy.integrate import solve_ivp

    g = lw.BondGraph("bridge")
    a, b, c = (g.zero(n, domain="electrical") for n in "abc")
    g.Se("V", 10, at=a)
    for k, (tail, head) in enumerate([(a, b), (a, c), (b, None), (c, None), (b, c)]):
        arm = g.one(f"arm{k + 1}")
        g.chain(tail, arm, *([head] if head else []))
    g.R("R1", 100, at="arm1")
    g.R("R2", 200, at="arm2")
    g.R("R3", 300, at="arm3")
    g.C("C4", compliance=1e-3, at="arm4")
    g.I("L5", 10, at="arm5")
    g.R("R5", 1, at="arm5")

    def rates(t, x):
        node = (10 / 100 - x[0]) / (1 / 100 + 1 / 300)
        return [(node - x[1] / 1e-3 - x[0]) / 10, (10 - x[1] / 1e-3) / 200 + x[0]]

    assert "1 algebraic loop" in str(g.causality())
    r = g.simulate(1.0)
    end = solve_ivp(rates, (0, 1), [0, 0], rtol=1e-10, atol=1e-13).y[:, -1]
    assert [r["L5.flow"][-1], r["C4.displacement"][-1]] == pytest.approx(end, abs=1e-8)
    assert r.bonds.residual < 1e-14
