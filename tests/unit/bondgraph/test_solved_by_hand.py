"""Graphs whose answers are known otherwise: fields, ladders, bridges, starts that others overrule."""

import numpy as np
import pytest

import linkwork as lw

from .test_bad_input import part


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
