"""`formulation="auto"`: what is chosen, why, and that it is recorded."""

from __future__ import annotations

import math

import pytest

import linkwork as lw
from linkwork.simulation.choice import formulation
from linkwork.simulation.choice.formulation import choose


def chain(n: int) -> lw.Model:
    m = lw.Model("chain", gravity=(0, -9.81))
    before = m.ground.at(0, 0)
    for i in range(n):
        body = m.body(f"b{i}", mass=1, inertia=0.1)
        m.revolute(f"j{i}", before, body.at(-0.5, 0))
        before = body.at(0.5, 0)
    return m


def ring(n: int) -> lw.Model:
    """n bars of 1 m and the ground form a regular polygon."""
    m, side = chain(n), 2 * math.pi / (n + 1)
    x, y = 0.0, 0.0
    for i in range(n):
        angle = -side * (i + 1)
        m[f"b{i}"].start(position=(x + math.cos(angle) / 2, y + math.sin(angle) / 2), angle=angle)
        x, y = x + math.cos(angle), y + math.sin(angle)
    m.revolute("last", m[f"b{n - 1}"].at(0.5, 0), m.ground.at(x, y))
    return m


@pytest.mark.parametrize(
    ("model", "name"),
    [(chain(1), "minimal"), (chain(40), "minimal"), (ring(3), "minimal"), (ring(6), "minimal"), (ring(24), "absolute")],
)
def test_trees_and_short_loops_are_minimal_long_loops_absolute(model, name):
    assert choose(model)[0] == name


def test_packaged_mechanisms(example):
    for name in ("slider_crank", "slider_crank_spatial", "four_bar", "rssr", "squeezer", "n_four_bar", "spinning_top"):
        assert choose(example(name))[0] == "minimal"


def test_a_loop_at_the_end_of_a_long_chain_makes_it_absolute():
    """The whole branch shares one full mass matrix, open part included."""
    m = chain(20)
    tip = m["b19"]
    side, top = m.body("side", mass=1, inertia=0.1), m.body("top", mass=1, inertia=0.1)
    m.revolute("s", tip.at(0.2, 0), side.at(-0.5, 0))
    m.revolute("t", tip.at(0.5, 0), top.at(-0.5, 0))
    assert choose(m)[0] == "minimal"
    m.revolute("u", side.at(0.5, 0), top.at(0.5, 0))
    name, reason = choose(m)
    assert name == "absolute" and "22 speeds" in reason


def test_a_relation_counts_as_a_loop_and_a_soft_joint_does_not():
    m = chain(3)
    m.gear("G", m["j0"].angle, m["j1"].angle, ratio=-1)
    assert "closed by G" in choose(m)[1]
    r = ring(3)
    r["last"].enforce("compliant")
    assert "tree" in choose(r)[1]


def test_the_reason_is_one_sentence_in_the_record(example):
    r = example("slider_crank").simulate(0.2, formulation="auto")
    assert r.record["formulation"] == "minimal"
    assert r.record["formulation_reason"] == choose(example("slider_crank"))[1]
    assert r.record["formulation_reason"].count(". ") == 0 and r.record["formulation_reason"].endswith(".")
    asked = example("slider_crank").simulate(0.2, formulation="absolute")
    assert asked.record["formulation"] == "absolute" and asked.record["formulation_reason"] == "It was asked for."


def test_automatic_runs_like_what_it_chose(example):
    found = example("slider_crank").compare(["auto", "minimal"], 1)
    assert found["auto"].formulation == "minimal"
    assert max(found.deviations["auto"].values()) == 0.0
    assert example("slider_crank").evaluate(formulation="auto").record["formulation"] == "minimal"


def test_implicit_solvers_need_a_jacobian_that_joint_coordinates_fill(example):
    large, small = chain(100), chain(5)
    assert choose(large)[0] == "minimal" and choose(large, implicit=True)[0] == "absolute"
    assert "implicit" in choose(large, implicit=True)[1]
    assert choose(small, implicit=True) == choose(small)
    assert choose(example("n_four_bar"), implicit=True)[0] == "minimal"


@pytest.mark.parametrize(("stiffness", "chosen"), [(1e5, ("absolute", "radau")), (1.0, ("minimal", "dopri5"))])
def test_whether_a_large_model_is_stiff_decides_on_its_formulation(stiffness, chosen, monkeypatch):
    monkeypatch.setattr(formulation, "LITTLE", 500)
    m = chain(8)
    for i in range(8):
        m[f"j{i}"].angle.law(lw.Spring(stiffness)).law(lw.Damper(0.01 * stiffness))
    r = m.simulate(1, formulation="auto", output=1.0)
    assert (r.record["formulation"], r.record["solver"]) == chosen
    named = m.simulate(0.01, formulation="auto", solver="radau", output=0.01)
    assert named.record["formulation"] == "absolute" and "implicit" in named.record["formulation_reason"]
