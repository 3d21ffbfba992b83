"""Events: found, located, acted upon."""

import casadi as ca
import numpy as np
import pytest

from linkwork.core.program import Event
from linkwork.integrate import integrate

from .systems import HORIZONTAL, first_order, mechanical, pendulum

NATIVE = ["rk4", "dopri5", "dop853", "radau", "generalized_alpha"]


def ball(*events, g=None):
    """Free fall in y with gravity 2: from (0, 1) the height is t - t², back at 0 for t = 1."""
    q, v = ca.SX.sym("q"), ca.SX.sym("v")
    g = g(q, v) if g else q
    return mechanical(mass=ca.SX.eye(1), force=ca.SX(-2), q=q, v=v, events=events, g=g)


def oscillation(*events, g):
    q, v = ca.SX.sym("q"), ca.SX.sym("v")
    return mechanical(mass=ca.SX.eye(1), force=-q, q=q, v=v, events=events, g=g(q, v))


def options(name):
    return {
        "solver": name,
        "rtol": 1e-12,
        "atol": 1e-12,
        "step": 1e-3 if name in ("rk4", "generalized_alpha") else None,
    }


@pytest.mark.parametrize("name", NATIVE)
def test_zero_crossings_are_located(name):
    program = oscillation(Event("middle"), g=lambda q, v: q)
    run = integrate(program, [1, 0], (0, 10), **options(name))
    expected = np.pi / 2 + np.pi * np.arange(3)
    allowed = {"generalized_alpha": 1e-5, "radau": 1e-9}.get(name, 1e-10)
    np.testing.assert_allclose([e.t for e in run.events], expected, atol=allowed)
    assert max(abs(e.y[0]) for e in run.events) < 1e-14  # on the solver's own solution: to rounding


@pytest.mark.parametrize(("direction", "expected"), [(1, [1.5]), (-1, [0.5, 2.5]), (0, [0.5, 1.5, 2.5])])
def test_direction(direction, expected):
    program = oscillation(Event("middle", direction), g=lambda q, v: q)
    run = integrate(program, [1, 0], (0, 9), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose([e.t / np.pi for e in run.events], expected, atol=1e-10)


@pytest.mark.parametrize("name", NATIVE)
def test_stop_on_a_parabola_is_exact(name):
    run = integrate(ball(Event("ground", -1, "stop")), [0.0, 1.0], (0, 5), **options(name))
    assert run.status == "stopped"
    assert run.t[-1] == run.events[-1].t == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(run.y[-1], [0, -1], atol=1e-11)


@pytest.mark.parametrize("name", NATIVE)
def test_starting_at_zero_does_not_fire(name):
    """It starts on the ground, so only the return counts, even inside one long step."""
    run = integrate(ball(Event("ground", 0, "restart")), [0.0, 1.0], (0, 1.5), **options(name))
    assert [e.index for e in run.events] == [0]
    resting = first_order(lambda t, z, p: -z, 1, events=[Event("never", 0, "restart")], g=lambda t, z: 0 * z)
    still = integrate(resting, [1.0], (0, 1), **options(name))
    assert still.status == "done" and not still.events


def test_a_dip_within_one_step_is_found():
    """The height passes zero twice inside a step that both ends leave positive."""
    program = first_order(lambda t, z, p: ca.SX(1), 1, events=[Event("dip")], g=lambda t, z: (z - 0.5) ** 2 - 0.04)
    run = integrate(program, [0.0], (0, 1), solver="dop853", step=1.0)
    np.testing.assert_allclose([e.t for e in run.events], [0.3, 0.7], atol=1e-12)


@pytest.mark.parametrize("name", NATIVE)
def test_restart_keeps_the_accuracy_across_a_jump(name):
    """z' = sign-like switch at z = 1: slope 1 before, 3 after; with the restart no step spans the kink."""
    program = first_order(
        lambda t, z, p: ca.if_else(z < 1, 1, 3), 1, events=[Event("kink", 1, "restart")], g=lambda t, z: z - 1
    )
    fixed = name in ("rk4", "generalized_alpha")
    run = integrate(program, [0.0], (0, 2.0), **options(name) | {"step": 0.03 if fixed else None})
    assert run.status == "done" and run.t[-1] == 2.0
    allowed = 1e-6 if name == "generalized_alpha" else 1e-10
    assert [e.t for e in run.events] == pytest.approx([1.0], abs=allowed)
    assert run.events[0].t in run.t  # the cut is among the recorded steps
    np.testing.assert_allclose(run.y[-1], 4.0, atol=3 * allowed)


def test_outputs_around_a_restart_are_complete():
    program = first_order(
        lambda t, z, p: ca.if_else(z < 1, 1, 3), 1, events=[Event("kink", 0, "restart")], g=lambda t, z: z - 1
    )
    times = np.linspace(0, 2, 41)
    run = integrate(program, [0.0], (0, 2), times=times)
    np.testing.assert_array_equal(run.t, times)
    np.testing.assert_allclose(run.y[:, 0], np.where(times < 1, times, 1 + 3 * (times - 1)), atol=1e-10)


def test_sliding_on_a_switch_ends():
    """z' = -sign(z): the solution cannot leave zero; the run must come to an end all the same."""
    program = first_order(lambda t, z, p: -ca.sign(z), 1, events=[Event("zero", 0, "restart")], g=lambda t, z: z)
    run = integrate(program, [0.5], (0, 1), max_steps=20000)
    assert run.status in ("done", "max_steps", "underflow")
    assert run.events[0].t == pytest.approx(0.5, abs=1e-6)
    assert abs(run.y[-1, 0]) < 1e-3


def test_several_events_in_order():
    program = oscillation(Event("a"), Event("b"), g=lambda q, v: ca.vertcat(q, q - v))
    run = integrate(program, [1, 0], (0, 6), solver="dop853", rtol=1e-11, atol=1e-11)
    found = [e.t for e in run.events]
    assert found == sorted(found)
    assert [e.index for e in run.events] == [0, 1, 0, 1]
    np.testing.assert_allclose(np.array(found) / np.pi, [0.5, 0.75, 1.5, 1.75], atol=1e-9)


def test_event_states_lie_on_the_constraints():
    program = pendulum(events=[Event("bottom")], g=None)
    q = ca.SX.sym("y", 4)
    program.build = _with_events(program.build, ca.Function("events", [ca.SX.sym("t"), q, ca.SX.sym("p", 0)], [q[0]]))
    run = integrate(program, HORIZONTAL, (0, 3), solver="dop853")
    assert len(run.events) >= 2
    for event in run.events:
        assert abs(np.hypot(*event.y[:2]) - 1) < 1e-13 and abs(event.y[0]) < 1e-13


def _with_events(build, events):
    from linkwork.compile.native import compile_function

    return lambda name: compile_function(events) if name == "events" else build(name)
