"""Kernels in loops say what straight-line code says, function by function and channel by channel."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.large.program import Large
from linkwork.large.start import Starting
from linkwork.simulation.prepare import Choice, Prepared, prepare
from tests.unit.large.mechanisms import ladder, net, tree

FUNCTIONS = ("rhs", "project", "outputs")
AGREE = 1e-10
"""Largest difference, relative to 1 or the value."""


def both(m: lw.Model) -> tuple[Prepared, Large]:
    """Straight-line code and kernels."""
    ready = prepare(m, Choice(), contacts=True)
    return ready, Large(m, None, {})


def apart(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.max(np.abs(found - expected) / (1 + np.abs(expected)), initial=0.0))


def check(m: lw.Model, off: float = 1e-3) -> None:
    """Layout, start, and all functions, on the constraints and off them."""
    ready, large = both(m)
    start = Starting(large, ready.p).start()
    assert apart(start.state, ready.state) < AGREE
    program = large.ready(start.state, ready.p)
    assert program.channels == ready.program.channels
    assert large.state_names == ready.equations.states.names
    np.testing.assert_array_equal(program.scale, ready.program.scale)
    np.testing.assert_array_equal(program.unweighted, ready.program.unweighted)
    random = np.random.default_rng(0)
    for size in (0.0, off):
        y = ready.state + size * random.normal(size=ready.state.size)
        for name in FUNCTIONS:
            expected = [np.array(x).ravel() for x in ready.program.symbolic(name).call([0.3, y, ready.p])]
            for one, other in zip(program.function(name)(0.3, y, ready.p), expected, strict=True):
                # A projection takes the softness of rows that are left out once only, and both leave out others.
                assert apart(one, other) < (1e-8 if name == "project" else AGREE), name


def test_a_tree_in_space():
    check(tree(0, 4))


def test_a_tree_in_the_plane():
    check(tree(0, 5, planar=True))


@pytest.mark.slow
@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("seed", range(1, 6))
def test_larger_trees(seed, planar):
    check(tree(seed, 12, planar=planar))


def test_loops():
    check(ladder(3))


def test_a_net_of_rods_and_springs():
    check(net(2, 2))


def test_one_inertia_changes_what_it_must_and_nothing_else():
    """Each body's numbers are its own: the mutation of one is seen, in the same way by both."""
    m = tree(0, 6, planar=True)
    program = Large(m, None, {}).program()
    ready = prepare(m, Choice(), contacts=True)
    before = dict(
        zip([c.name for c in program.channels], program.function("outputs")(0.0, ready.state, ready.p)[0], strict=True)
    )
    m["b5"].mass = m["b5"].mass * 1.5
    changed = Large(m, None, {}).program()
    after = dict(
        zip([c.name for c in changed.channels], changed.function("outputs")(0.0, ready.state, ready.p)[0], strict=True)
    )
    straight = prepare(m, Choice(), contacts=True).program.function("outputs")(0.0, ready.state, ready.p)[0]
    assert apart(np.array(list(after.values())), straight) < AGREE
    different = {name for name in before if abs(after[name] - before[name]) > 1e-9}
    assert {"b5.ax", "energy.kinetic", "energy.potential"} <= different
    assert not different & {"b5.x", "b0.vx", "s0.length", "s1.tension", "push.fx", "tip.x"}


def test_the_stiffness_of_one_spring_changes_its_tension_alone():
    m = net(2, 2)
    ready, large = both(m)
    values = large.program().function("outputs")(0.0, ready.state + 1e-3, ready.p)[0]
    m["k0_0_1_0"].stiffness = 400.0
    again = Large(m, None, {}).program()
    after = again.function("outputs")(0.0, ready.state + 1e-3, ready.p)[0]
    tensions = [k for k, c in enumerate(again.channels) if c.name.endswith(".tension")]
    changed = [again.channels[k].name for k in tensions if abs(after[k] - values[k]) > 1e-9]
    assert changed == ["k0_0_1_0.tension"]


def test_components_of_a_kind_share_their_kernels():
    kinds = [len(Large(ladder(n), None, {}).tables.groups) for n in (2, 6)]
    assert kinds[0] == kinds[1] == 3  # bodies, joints to the ground, joints between bodies


def test_parameters_are_arguments():
    m = tree(1, 4, planar=True)
    ready, large = both(m)
    rhs = large.program().function("rhs")
    p = ready.p.copy()
    p[list(m.parameters).index("stiffness")] = 77.0
    p[len(m.parameters)] = 0.9  # the input
    assert apart(rhs(0.0, ready.state, p)[0], ready.program.function("rhs")(0.0, ready.state, p)[0]) < AGREE
    assert apart(rhs(0.0, ready.state, p)[0], rhs(0.0, ready.state, ready.p)[0]) > 1e-3
