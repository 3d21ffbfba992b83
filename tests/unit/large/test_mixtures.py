"""Components of the user's, relations, tables, contacts and events in kernels, against straight-line code."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.large.program import Large
from linkwork.large.start import Starting
from linkwork.simulation.prepare import Choice, prepare
from tests.unit.large.mixtures import mixture
from tests.unit.large.test_kernels import AGREE, apart, check


@pytest.mark.parametrize("planar", [True, False])
def test_a_mixture(planar):
    check(mixture(0, planar=planar, branches=2))


@pytest.mark.slow
@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("seed", range(1, 6))
def test_larger_mixtures(seed, planar):
    check(mixture(seed, planar=planar, branches=4))


@pytest.mark.parametrize("solver", ["rk4", "radau", "generalized_alpha"])
def test_runs_of_a_mixture(solver):
    """The same channels and events, by explicit and implicit methods."""
    m = mixture(2, planar=True, branches=2)
    how = {} if solver == "radau" else {"step": 2e-3}
    one, other = (
        m.simulate(0.2, kernels=k, output=0.05, solver=solver, formulation="absolute", parameters={"drag": 0.2}, **how)
        for k in (True, False)
    )
    assert "kinds" in one.record["kernels"]
    assert one.channels == other.channels
    assert [name for _, name in one.events] == [name for _, name in other.events]
    np.testing.assert_allclose([t for t, _ in one.events], [t for t, _ in other.events], atol=1e-9)
    assert apart(one.data[:, :-1], other.data[:, :-1]) < 1e-8


def outputs(m: lw.Model, y: np.ndarray, p: np.ndarray) -> dict[str, float]:
    program = Large(m, None, {}).program()
    return dict(zip([c.name for c in program.channels], program.function("outputs")(0.1, y, p)[0], strict=True))


def test_the_number_of_one_changes_only_what_it_should():
    """Of each new kind of component one is changed: both ways see it alike, and what hangs on others stays."""
    m = mixture(3, planar=True, branches=3)
    ready = prepare(m, Choice(), contacts=True)
    y = ready.state + 1e-2
    before = outputs(m, y, ready.p)
    m["drag2"].c, m["gear1"].ratio, m["touch0"].friction = 5.0, 1.7, 0.9
    m["track1"].curvature, m["lag0"].gain = 0.9, 0.1
    m["track2"].angle.laws[0].value.values = [7.0, 8.0, 9.0]
    again = prepare(m, Choice(), contacts=True)
    after = outputs(m, y, again.p)
    expected = np.array(again.program.symbolic("outputs").call([0.1, y, again.p])[0]).ravel()
    assert apart(np.array(list(after.values())), expected) < AGREE
    changed = {name for name in before if abs(after[name] - before[name]) > 1e-9}
    assert {"touch0.friction", "track2.angle.effort", "c2.ax"} <= changed
    still = ("speed", "penetration", ".x", ".slide", "touch1.friction", "touch2.friction", "track1.angle.effort")
    assert not [name for name in changed if name.endswith(still)]


def test_relations_of_many_joints_share_a_kernel():
    m = mixture(1, planar=False, branches=5)
    kinds = [[c.name for c in g.members] for g in Large(m, None, {}).tables.groups]
    assert ["gear1", "gear2", "gear3", "gear4"] in kinds
    assert [f"track{k}" for k in range(5)] in kinds
    assert ["drag0", "drag2", "drag3", "drag4"] in kinds  # the other has a parameter
    assert [f"touch{k}" for k in range(5)] in kinds


def test_numbers_that_code_asks_for_tell_kinds_apart():
    m = mixture(1, planar=True, branches=5)
    lags = [{(m[c.name].modes, m[c.name].gain) for c in g.members} for g in Large(m, None, {}).tables.groups
            if g.members[0].name.startswith("lag")]  # fmt: skip
    assert len(lags) > 1
    assert all(len(alike) == 1 for alike in lags)


def test_parameters_and_tables_are_arguments():
    m = mixture(4, planar=True, branches=2)
    ready, large = prepare(m, Choice(), contacts=True), Large(m, None, {})
    start = Starting(large, ready.p).start()
    rhs = large.ready(start.state, ready.p).function("rhs")
    for k in range(ready.p.size):
        p = ready.p.copy()
        p[k] += 0.5
        expected = ready.program.function("rhs")(0.0, ready.state, p)[0]
        assert apart(rhs(0.0, ready.state, p)[0], expected) < AGREE
