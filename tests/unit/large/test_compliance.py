"""Compliant constraints in kernels: springs whose stiffness follows from what they bear where they are ideal."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from tests.unit.large.mechanisms import tree
from tests.unit.large.mixtures import mixture

HOW = [
    {"error": 1e-3},
    {"stiffness": 2e4, "damping": 30.0},
    {"stiffness": 2e4, "ratio": 0.5, "torsion": 300.0},
]


def soft(m: lw.Model, every: int = 2) -> lw.Model:
    for k, joint in enumerate(m.of_type(lw.Joint)):
        if k % every == 0:
            joint.enforce("compliant", **HOW[k // every % len(HOW)])
    return m


def both(m: lw.Model, **options) -> tuple[lw.Result, lw.Result]:
    one, other = (m.simulate(0.1, kernels=k, output=0.02, formulation="absolute", **options) for k in (True, False))
    assert "kinds" in one.record["kernels"]
    assert one.channels == other.channels
    return one, other


@pytest.mark.parametrize("solver", ["rk4", "radau"])
@pytest.mark.parametrize("planar", [True, False])
def test_a_tree_with_soft_joints(planar, solver):
    step = {"step": 1e-4} if solver == "rk4" else {"rtol": 1e-9, "atol": 1e-11}
    one, other = both(soft(tree(3, 5, planar=planar)), solver=solver, **step)
    limit = 1e-9 if solver == "rk4" else 1e-6
    off = np.abs(one.data - other.data)[:, :-1] / (1 + np.abs(other.data[:, :-1]))
    assert off.max() < limit
    for word, found in one.record["compliance"].items():
        np.testing.assert_allclose(found, other.record["compliance"][word], rtol=1e-7)
    assert [str(w) for w in one.warnings] == [str(w) for w in other.warnings]


def test_soft_joints_and_relations_among_others():
    one, other = both(soft(mixture(3, planar=True, branches=2), 3), solver="rk4", step=1e-4)
    off = np.abs(one.data - other.data)[:, :-1] / (1 + np.abs(other.data[:, :-1]))
    assert off.max() < 1e-8


def test_the_softness_of_one_is_its_own():
    m = lw.Model("hung", gravity=(0, -9.81))
    for k in range(4):
        b = m.body(f"b{k}", mass=1, inertia=0.1)
        m.revolute(f"j{k}", m.ground.at(k, 0), b.at(-0.5, 0)).enforce("compliant", stiffness=1e4 + k, damping=10.0)
    before = m.simulate(0.05, kernels=True, output=0.05, solver="rk4", step=1e-4)
    m["j2"].enforce("compliant", stiffness=5e3, damping=10.0)
    after = m.simulate(0.05, kernels=True, output=0.05, solver="rk4", step=1e-4)
    assert [k for k in range(4) if after[f"b{k}.y"][-1] != before[f"b{k}.y"][-1]] == [2]
