"""What random directions say of stiffness must never contradict what all modes say."""

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork.examples import module, n_four_bar
from linkwork.simulation.choice import solver as stiffness
from linkwork.simulation.choice.sampled import SAFETY, Sampled
from linkwork.simulation.prepare import Choice, prepare

from ..integrate.systems import first_order

STATES = 60


@pytest.fixture(scope="module")
def linear():
    """ẏ = A y with A for parameters."""
    entries = ca.SX.sym("A", STATES**2)
    return first_order(lambda t, z, p: ca.reshape(entries, STATES, STATES) @ z, STATES, p=entries)


def sampled(program, y, p, t=0.0):
    return Sampled(program, t, y, p, {}, 1e-7)


def hanging(links=10):
    """A chain of spatial bodies with dampers in its joints."""
    m = lw.Model("chain", gravity=(0, 0, -9.81))
    damping, end = m.parameter("damping", 0.0, unit="N·m·s"), m.ground.at(0, 0, 0)
    for k in range(links):
        link = m.body(f"link{k}", mass=1, inertia=(0.01, 0.1, 0.1))
        joint = m.revolute(f"joint{k}", end, link.at(-0.5, 0, 0), axis=(0, 1, 0))
        joint.angle.law(lw.Damper(damping)).start(0.3 * k, rate=(-1) ** k)
        end = link.at(0.5, 0, 0)
    return m


@pytest.mark.parametrize("kind", ["full", "rank one", "nilpotent", "hidden", "graded"])
def test_no_eigenvalue_is_above_the_bound(linear, rng, kind):
    """Nor the norm that it is an estimate of; also where a single direction, which nothing excites, is fast."""
    for _ in range(40):
        x, y = rng.normal(size=(2, STATES))
        full = rng.normal(size=(STATES, STATES))
        A = {
            "full": full,
            "rank one": np.outer(x, y),
            "nilpotent": np.triu(full, 1) * 10 ** rng.uniform(0, 6),
            "hidden": 1e-3 * full - 10 ** rng.uniform(0, 8) * np.outer(np.eye(STATES)[7], np.eye(STATES)[7]),
            "graded": full * np.geomspace(1, 1e6, STATES)[:, None],
        }[kind]
        tried = sampled(linear, rng.normal(size=STATES), A.ravel(order="F"))
        scale = np.maximum(1.0, np.abs(tried.y))
        bound = tried.fastest_at_most
        assert np.linalg.norm(A / scale[:, None] * scale) <= bound
        assert np.abs(np.linalg.eigvals(A)).max() <= bound


def test_the_bound_is_no_more_than_it_must_be(linear, rng):
    """Of a matrix without structure it is the safety times the Frobenius norm."""
    A = rng.normal(size=(STATES, STATES))
    bound = sampled(linear, np.zeros(STATES), A.ravel(order="F")).fastest_at_most
    assert bound == pytest.approx(SAFETY * np.linalg.norm(A), rel=0.3)


def test_directions_decide_as_all_modes_do(linear, rng):
    """Dampers and springs of all sizes, over long and short times; where they decide at all."""
    settled = 0
    for _ in range(60):
        rates = -(10 ** rng.uniform(-2, rng.uniform(0, 6), STATES))
        turn, _ = np.linalg.qr(rng.normal(size=(STATES, STATES)))
        p = ((turn * rates) @ turn.T).ravel(order="F")
        y, duration = rng.normal(size=STATES), 10 ** rng.uniform(-3, 2)
        clear = stiffness.clearly_explicit(sampled(linear, y, p).fastest_at_most, duration, 1e-8)
        found = stiffness.modes(linear, 0.0, y, p, {})
        if clear is not None:
            settled += 1
            assert stiffness.judge(found, remaining=duration, rtol=1e-8)[0] == stiffness.EXPLICIT
    assert settled > 10


def test_a_chain_is_judged_alike_whatever_its_dampers():
    """Explicit by the bound, explicit and implicit by the modes that are not 0, the same as by all."""
    m, ways = hanging(), set()
    for damping in (0.0, 1e-2, 1e-1, 1.0, 10.0, 1e3):
        ready = prepare(m, Choice("absolute"), {"damping": damping})
        found = stiffness.modes(ready.program, 0.0, ready.state, ready.p, {})
        few = sampled(ready.program, ready.state, ready.p).modes()
        for duration in (0.01, 1.0, 100.0):
            choice = stiffness.Automatic(duration, 1e-8, {})
            choice.look(ready.program, 0.0, ready.state, ready.p)
            expected, _ = stiffness.judge(found, remaining=duration, rtol=1e-8)
            assert choice.solver == expected
            ways.add((expected, "no mode is faster" in choice.reason))
        if few is not None:
            assert np.abs(few).max() == pytest.approx(np.abs(found).max(), rel=1e-3)
    assert ways == {("dopri5", True), ("dopri5", False), ("radau", False)}


def test_few_modes_are_those_of_the_only_freedom():
    """Of 11 bodies with 66 states; the directions do not begin to know which freedom that is."""
    m = n_four_bar.model(5)
    ready = prepare(m, Choice("absolute"))
    few = sampled(ready.program, ready.state, ready.p).modes()
    every = stiffness.modes(ready.program, 0.0, ready.state, ready.p, {})
    assert few is not None and few.size == 2
    np.testing.assert_allclose(np.sort(np.abs(few)), np.sort(np.abs(every))[-2:], rtol=1e-4)


@pytest.mark.parametrize(
    ("name", "formulation"),
    [("right-angles", "absolute"), ("right-angles", "compliant"), ("snakeboard", "points"), ("car", "absolute")],
)
def test_examples_are_judged_as_by_all_modes(name, formulation):
    example = module(name)
    ready = prepare(example.model(), Choice(formulation), contacts=True)
    y = stiffness.beside(ready.program, 0.0, ready.state, ready.p, {})
    found = stiffness.modes(ready.program, 0.0, y, ready.p, {})
    assert y.size >= stiffness.MANY
    assert np.abs(found).max() <= sampled(ready.program, y, ready.p).fastest_at_most
    for duration in (0.1, 1.0, 10.0, 100.0):
        choice = stiffness.Automatic(duration, 1e-8, {})
        choice.look(ready.program, 0.0, ready.state, ready.p)
        assert choice.solver == stiffness.judge(found, remaining=duration, rtol=1e-8)[0]


def test_without_derivatives_nothing_is_settled():
    program = first_order(lambda t, z, p: ca.sqrt(z) - z, STATES)
    tried = sampled(program, np.zeros(STATES), np.zeros(0))
    assert tried.fastest_at_most == np.inf and tried.modes() is None
    for presumed, solver in ((True, "radau"), (False, "dopri5")):
        choice = stiffness.Automatic(1.0, 1e-8, {})
        choice.look(program, 0.0, np.zeros(STATES), np.zeros(0), presumed=presumed)
        assert choice.solver == solver and "no derivatives" in choice.reason


@pytest.mark.parametrize("rtol", [1e-2, 1e-4, 1e-8])
def test_whatever_their_angle_modes_are_stable_up_to_the_least_reach(rtol):
    angles = np.pi / 2 * (1 + np.append(np.linspace(0, 1, 500), np.geomspace(1e-9, 1e-2, 50)))
    reach = [1 / stiffness.steps_held(np.array([np.exp(1j * angle)]), 1.0, rtol) for angle in angles]
    least = min(stiffness.LEAST_REACH, 6 * stiffness._progress(rtol))
    most = min(stiffness.MOST_REACH, 6 * stiffness._progress(rtol))
    assert least <= min(reach) * (1 + 1e-12) and max(reach) <= most * (1 + 1e-12)
