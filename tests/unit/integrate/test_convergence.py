"""Orders and accuracy of every solver on problems with known solutions."""

import casadi as ca
import numpy as np
import pytest

from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.integrate import HHT, GeneralizedAlpha, Newmark, integrate, solvers

from .systems import first_order, mechanical, oscillator

FIXED = {"rk4": 4, "generalized_alpha": 2, "newmark": 2, "hht": 2}
ADAPTIVE = {
    "dopri5": 5,
    "dop853": 8,
    "radau": 5,
    "generalized_alpha": 2,
    "newmark": 2,
    "hht": 2,
    "cvodes": 0,
    "idas": 0,
}


@pytest.fixture(scope="module")
def harmonic():
    return oscillator()


@pytest.fixture(scope="module")
def forced():
    """z' = -z + cos 2t + p with known solution; a second state records only."""
    return first_order(lambda t, z, p: ca.vertcat(-z[0] + ca.cos(2 * t), 1e6 * z[0]), 2, unweighted=(False, True))


def forced_solution(t):
    return 0.2 * np.cos(2 * t) + 0.4 * np.sin(2 * t) + 0.8 * np.exp(-t)


def exact(t):
    return np.stack([np.cos(t), -np.sin(t)], axis=1)


def slope(errors):
    return np.log2(np.array(errors[:-1]) / errors[1:])


def test_every_solver_is_tried_here():
    assert set(FIXED) | set(ADAPTIVE) == set(solvers)


@pytest.mark.parametrize("name", FIXED)
def test_order_with_fixed_steps(harmonic, name):
    errors = []
    for h in (0.1, 0.05, 0.025):
        run = integrate(harmonic, [1, 0], (0, 3), solver=name, step=h)
        assert run.t[-1] == 3.0 and len(run.t) == round(3 / h) + 1
        errors.append(np.abs(run.y - exact(run.t)).max())
    np.testing.assert_allclose(slope(errors), FIXED[name], atol=0.15)


@pytest.mark.parametrize("name", FIXED)
def test_order_for_first_order_states(forced, name):
    errors = []
    for h in (0.1, 0.05, 0.025):
        run = integrate(forced, [1, 0], (0, 3), solver=name, step=h)
        errors.append(np.abs(run.y[:, 0] - forced_solution(run.t)).max())
    np.testing.assert_allclose(slope(errors), FIXED[name], atol=0.25)


@pytest.mark.parametrize(("name", "order"), [("dopri5", 5), ("dop853", 8), ("radau", 5)])
def test_order_of_controlled_methods(harmonic, name, order):
    """Held at a given step by `step` and `max_step` with tolerances that never bind."""
    errors = []
    for h in (0.5, 0.25, 0.125):
        run = integrate(harmonic, [1, 0], (0, 4), solver=name, step=h, max_step=h, rtol=1e-1, atol=1e-1)
        if name == "radau":  # Newton's tolerance follows rtol, so tighten it without touching the step
            run = integrate(harmonic, [1, 0], (0, 4), solver=name, step=h, max_step=h, rtol=1e-2, atol=1e3)
        assert run.stats["accepted"] == round(4 / h)
        errors.append(np.abs(run.y[-1] - exact(run.t)[-1]).max())
    assert np.all(slope(errors) > order - 0.4), slope(errors)


@pytest.mark.parametrize("name", ADAPTIVE)
def test_error_follows_the_tolerance(harmonic, name):
    times = np.linspace(0, 10, 58)  # dense output: none of them is a step of the solver
    errors = []
    for tolerance in (1e-5, 1e-8):
        run = integrate(harmonic, [1, 0], (0, 10), times=times, solver=name, rtol=tolerance, atol=tolerance)
        assert run.status == "done"
        np.testing.assert_array_equal(run.t, times)
        errors.append(np.abs(run.y - exact(times)).max())
    second = ADAPTIVE[name] == 2
    assert errors[0] < (5e-3 if second else 2e-3) and errors[1] < (5e-5 if second else 2e-6)
    assert errors[1] < errors[0] / 50


@pytest.mark.parametrize("name", ["dopri5", "dop853", "radau", "generalized_alpha"])
def test_unweighted_states_do_not_shorten_steps(name):
    def build(flag):
        return first_order(lambda t, z, p: ca.vertcat(-z[0], ca.sin(300 * t)), 2, unweighted=(False, flag))

    free = integrate(build(True), [1, 0], (0, 1), solver=name, rtol=1e-6, atol=1e-6)
    bound = integrate(build(False), [1, 0], (0, 1), solver=name, rtol=1e-6, atol=1e-6)
    assert free.stats["accepted"] < 0.5 * bound.stats["accepted"]
    assert abs(free.y[-1, 0] - np.exp(-1)) < 1e-4


def test_dense_output_is_as_good_as_the_steps(harmonic):
    for name, allowed in (("rk4", 1e-7), ("dopri5", 1e-7), ("dop853", 1e-7), ("radau", 1e-6)):
        times = np.linspace(0, 5, 333)
        step = 0.02 if name == "rk4" else None
        run = integrate(harmonic, [1, 0], (0, 5), times=times, solver=name, rtol=1e-9, atol=1e-9, step=step)
        assert np.abs(run.y - exact(times)).max() < allowed


def test_special_cases_coincide(harmonic):
    """rho = 1 of generalized-alpha is not Newmark, but HHT with alpha = 0 is."""
    one = integrate(harmonic, [1, 0], (0, 2), solver=HHT(alpha=0), step=0.01)
    two = integrate(harmonic, [1, 0], (0, 2), solver=Newmark(), step=0.01)
    np.testing.assert_array_equal(one.y, two.y)


def test_rho_damps_the_highest_frequencies():
    """At h ω ≫ 1 the amplitude shrinks by rho each step, and not at all for the average-acceleration rule."""
    q, v = ca.SX.sym("q"), ca.SX.sym("v")
    stiff = mechanical(mass=ca.SX.eye(1), force=-1e10 * q, q=q, v=v)
    start = [1e-3, 0]
    for rho in (0.5, 0.8):
        run = integrate(stiff, start, (0, 60), solver=GeneralizedAlpha(rho), step=1.0)
        ratio = np.abs(run.y[-1, 0] / run.y[-11, 0]) ** 0.1
        assert abs(ratio - rho) < 0.1 * rho + 0.05
    run = integrate(stiff, start, (0, 60), solver="newmark", step=1.0)
    assert np.abs(run.y[-10:, 0]).max() == pytest.approx(1e-3, rel=1e-3)


def test_unknown_solver_and_missing_step(harmonic):
    with pytest.raises(UnknownName, match="dopri5"):
        integrate(harmonic, [1, 0], (0, 1), solver="dopri")
    with pytest.raises(LinkworkError, match="step"):
        integrate(harmonic, [1, 0], (0, 1), solver="rk4")


def test_wrong_arguments_are_refused(harmonic):
    for wrong in (
        {"y0": [1, 0, 0]},
        {"t_span": (1, 0)},
        {"times": [0, 0.5, 0.5]},
        {"times": [0, 2.0]},
        {"rtol": 0},
        {"atol": -1.0},
        {"parameters": [1.0]},
        {"signals": {0: 1.0}},
        {"step": -0.1},
    ):
        with pytest.raises(LinkworkError):
            integrate(**{"program": harmonic, "y0": [1, 0], "t_span": (0, 1), **wrong})


def test_a_span_of_no_length(harmonic):
    run = integrate(harmonic, [1, 0], (2, 2))
    assert run.status == "done" and run.t.tolist() == [2.0]


def test_first_step_lands_and_steps_are_recorded(harmonic):
    run = integrate(harmonic, [1, 0], (0, 1), step=0.01, max_step=0.05)
    assert run.t[1] == 0.01 and run.t[-1] == 1.0
    assert run.step.max() <= 0.05 and np.allclose(np.diff(run.t), run.step[1:])
