"""Stiff problems, and SUNDIALS as an independent witness."""

import casadi as ca
import numpy as np
import pytest

from linkwork.core.errors import LinkworkError
from linkwork.core.program import Event
from linkwork.integrate import integrate

from .systems import HORIZONTAL, first_order, pendulum


def van_der_pol(mu):
    return first_order(lambda t, z, p: ca.vertcat(z[1], mu * (1 - z[0] ** 2) * z[1] - z[0]), 2)


def test_van_der_pol_against_scipy():
    from scipy.integrate import solve_ivp

    mu = 1e4
    times = np.linspace(0, 2e4, 41)
    run = integrate(van_der_pol(mu), [2.0, 0.0], (0, 2e4), times=times, solver="radau", rtol=1e-8, atol=1e-8)
    assert run.status == "done" and run.stats["accepted"] < 5000
    reference = solve_ivp(
        lambda t, z: [z[1], mu * (1 - z[0] ** 2) * z[1] - z[0]],
        (0, 2e4),
        [2.0, 0.0],
        method="Radau",
        jac=lambda t, z: [[0, 1], [-2 * mu * z[0] * z[1] - 1, mu * (1 - z[0] ** 2)]],
        t_eval=times,
        rtol=1e-9,
        atol=1e-10,
    )
    np.testing.assert_allclose(run.y[:, 0], reference.y[0], atol=1e-4)


def test_robertson():
    """Rates over nine decades (Robertson 1966); the reference at t = 40 is from Hairer and Wanner."""
    program = first_order(
        lambda t, z, p: ca.vertcat(
            -0.04 * z[0] + 1e4 * z[1] * z[2],
            0.04 * z[0] - 1e4 * z[1] * z[2] - 3e7 * z[1] ** 2,
            3e7 * z[1] ** 2,
        ),
        3,
    )
    run = integrate(program, [1.0, 0, 0], (0, 40), solver="radau", rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(run.y[-1], [0.7158270688, 9.185534765e-6, 0.2841637457], rtol=1e-6)
    assert run.stats["accepted"] < 500


def test_jacobian_and_factors_are_reused():
    run = integrate(first_order(lambda t, z, p: -1e4 * (z - ca.cos(t)), 1), [0.0], (0, 10), solver="radau", rtol=1e-6)
    assert run.stats["jacobians"] < 0.2 * run.stats["accepted"]
    assert run.stats["factorisations"] < 2 * run.stats["accepted"]
    assert run.y[-1, 0] == pytest.approx(np.cos(10), abs=2e-4)


@pytest.mark.parametrize("name", ["cvodes", "idas"])
def test_sundials_agree(name):
    times = np.linspace(0, 3, 16)
    ours = integrate(pendulum(), HORIZONTAL, (0, 3), times=times, solver="dop853", rtol=1e-10, atol=1e-12)
    theirs = integrate(pendulum(), HORIZONTAL, (0, 3), times=times, solver=name, rtol=1e-8, atol=1e-10)
    assert theirs.status == "done"
    np.testing.assert_allclose(theirs.y, ours.y, atol=2e-5)


@pytest.mark.parametrize("name", ["cvodes", "idas"])
def test_sundials_take_tables_but_no_functions_or_events(name):
    p = ca.SX.sym("p", 1)
    program = first_order(lambda t, z, p: p[0], 1, p=p, inputs={"u": 0.0})
    run = integrate(program, [0.0], (0, 2), solver=name, signals={0: ([0.0, 2.0], [0.0, 2.0])})
    assert run.y[-1, 0] == pytest.approx(2.0, abs=1e-6)
    with pytest.raises(LinkworkError, match="function"):
        integrate(program, [0.0], (0, 2), solver=name, signals={0: np.sin})
    program.events = (Event("any"),)
    with pytest.raises(LinkworkError, match="events"):
        integrate(program, [0.0], (0, 2), solver=name)
    program.symbolic = None
    with pytest.raises(LinkworkError, match="symbolic"):
        integrate(program, [0.0], (0, 2), solver=name)


def test_sundials_failure_is_a_status():
    program = first_order(lambda t, z, p: z**2, 1)
    run = integrate(program, [1.0], (0, 2), solver="cvodes", max_steps=2000)
    assert run.status == "failed" and run.t.tolist() == [0.0]
