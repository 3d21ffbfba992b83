"""The order in which a large system is eliminated: it solves what a dense matrix says, and fills little."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.large.elimination import eliminated, fronts_of
from linkwork.large.ordering import by_dissection, by_levels
from linkwork.large.program import Large
from linkwork.simulation.prepare import Choice, prepare
from tests.unit.large.mechanisms import ladder, net, tree


def chain(n: int) -> list[tuple[int, ...]]:
    return [(0,), *((k, k + 1) for k in range(n - 1))]


def test_a_chain_is_eliminated_from_its_tip_inwards():
    steps = eliminated(5, chain(5), np.array([6] * 5 + [5] * 5))
    assert [step.body for step in steps] == [4, 3, 2, 1, 0]
    assert [step.joints for step in steps] == [[4], [3], [2], [1], [0]]
    assert [step.left for step in steps] == [[3], [2], [1], [0], []]


def test_every_body_and_joint_is_eliminated_once():
    random = np.random.default_rng(0)
    for _ in range(20):
        n = int(random.integers(2, 12))
        ends = [
            tuple(int(x) for x in random.choice(n, 2, replace=False)) for _ in range(int(random.integers(0, 2 * n)))
        ]
        ends += [(int(random.integers(n)),)]
        steps = eliminated(n, ends, np.array([6] * n + [3] * len(ends)))
        assert sorted(step.body for step in steps) == list(range(n))
        assert sorted(k for step in steps for k in step.joints) == list(range(len(ends)))
        gone: set[int] = set()
        for step in steps:
            gone |= {step.body, *(n + k for k in step.joints)}
            assert not gone & set(step.left)


def test_joints_wait_until_their_bodies_are_gone():
    """But for the last joint that a body hangs on: nothing else could make its rows dependent."""
    n = 6
    for ends in ([(k, (k + 1) % n) for k in range(n)], [(0,), *((k, k + 1) for k in range(n - 1)), (n - 1,)]):
        gone: set[int] = set()
        left = {k: set(pair) for k, pair in enumerate(ends)}
        for step in eliminated(n, ends, np.array([3] * n + [2] * len(ends))):
            gone.add(step.body)
            mine = [k for k, pair in left.items() if step.body in pair]
            for k in step.joints:
                assert set(ends[k]) <= gone or mine == [k]
                del left[k]


@pytest.mark.parametrize("count", [200, 2000])
def test_fronts_do_not_grow_with_the_model(count):
    fronts = fronts_of(count, chain(count), np.array([6] * count + [5] * count))
    assert fronts.order.max() == 17
    assert fronts.area <= 17**2 * count


def grid(long: int, wide: int) -> tuple[int, list[tuple[int, ...]], np.ndarray]:
    """A net of bodies, a rod to each neighbour, held at two opposite corners."""
    number = np.arange(long * wide).reshape(long, wide)
    ends = [(int(a), int(b)) for a, b in zip(number[:-1].ravel(), number[1:].ravel(), strict=True)]
    ends += [(int(a), int(b)) for a, b in zip(number[:, :-1].ravel(), number[:, 1:].ravel(), strict=True)]
    sizes = np.array([6] * number.size + [1] * len(ends) + [3, 3])
    return number.size, [*ends, (0,), (number.size - 1,)], sizes


@pytest.mark.parametrize("wide", [3, 6])
def test_fronts_of_a_band_are_as_wide_as_the_band_however_long(wide):
    widest = [fronts_of(*grid(long, wide)).order.max() for long in (30, 120)]
    assert max(widest) <= 6 + 4 * wide


def test_a_square_net_is_dissected():
    """The widest front grows with the width, as no order can avoid; the work with its cube (George 1973)."""
    small, large = (fronts_of(*grid(n, n)) for n in (10, 20))
    work = [float(np.sum(x.pivots * x.order.astype(float) ** 2)) for x in (small, large)]
    assert work[1] < 2**3.5 * work[0]
    assert large.order.max() <= 6 * 20


def test_orders_have_every_body_once():
    random = np.random.default_rng(1)
    for _ in range(20):
        n = int(random.integers(1, 60))
        neighbours: dict[int, set[int]] = {k: set() for k in range(n)}
        for a, b in random.integers(n, size=(int(random.integers(0, 2 * n)), 2)).tolist():
            if a != b:
                neighbours[a].add(b)
                neighbours[b].add(a)
        for order in (by_levels, by_dissection):
            assert sorted(order(neighbours)) == list(range(n))


@pytest.mark.parametrize("model", [tree(4, 3), ladder(2, spatial=True), net(2, 2)], ids=lambda m: m.name)
def test_accelerations_are_those_of_a_dense_solution(model):
    """Against the shortest multipliers that LAPACK finds for the same matrices of straight-line code."""
    ready = prepare(model, Choice(), contacts=True)
    at = ready.equations.at(ready.p)
    q, v, z = at.split(ready.state)
    M, f, gamma = at.dynamics(q, v, z)
    A = np.array(at.constraints(q, v, z)[2])
    n = len(f)
    K = np.block([[M, A.T], [A, np.zeros((len(A), len(A)))]])
    expected = np.linalg.lstsq(K, np.concatenate([f, gamma]), rcond=1e-10)[0][:n]
    large = Large(model, None, {})
    rates = large.ready(ready.state, ready.p).function("rhs")(0.0, ready.state, ready.p)[0]
    np.testing.assert_allclose(rates[len(q) : len(q) + n], expected, rtol=1e-8, atol=1e-8)


def test_what_fronts_leave_has_the_order_of_their_parents():
    """So that it is added up along columns; and each unknown is eliminated once, before whatever it is left to."""
    random = np.random.default_rng(1)
    for n in (3, 12, 40):
        ends = [(0,), *((int(random.integers(k)), k) for k in range(1, n))]
        ends += [(int(a), int(b)) for a, b in random.integers(0, n, (n, 2)) if a != b]
        fronts = fronts_of(n, ends, np.array([6] * n + [5] * len(ends)))
        assert fronts.area == sum(k * (k + 1) // 2 for k in fronts.order.tolist())
        order: list[int] = []
        for k, (first, leads) in enumerate(zip(fronts.first, fronts.leads, strict=True)):
            left = fronts.order[k] - fronts.pivots[k]
            assert np.all(np.diff(fronts.into[leads : leads + left]) > 0)
            order += fronts.index[first : first + fronts.pivots[k]].tolist()
        assert sorted(order) == list(range(6 * n + 5 * len(ends)))
        for k, (first, leads) in enumerate(zip(fronts.first, fronts.leads, strict=True)):
            left = fronts.index[first + fronts.pivots[k] : first + fronts.order[k]]
            assert [order[place] for place in fronts.behind[leads : leads + left.size]] == left.tolist()
