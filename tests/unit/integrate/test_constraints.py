"""Constrained systems: index 3, index 1, projection; unique and redundant constraints."""

import numpy as np
import pytest

from linkwork.integrate import GeneralizedAlpha, integrate

from .systems import HORIZONTAL, pendulum, pendulum_angle

TIMES = np.linspace(0, 5, 58)
SOLVERS = ["rk4", "dopri5", "dop853", "radau", "generalized_alpha", "newmark", "hht"]


@pytest.fixture(scope="module", params=[1, 3], ids=["unique", "redundant"])
def swinging(request):
    return pendulum(copies=request.param)


def positions(t):
    angle = pendulum_angle(t)
    return np.stack([np.sin(angle), -np.cos(angle)], axis=1)


def violation(y):
    """Largest violation of the rod's length (m) and of its rate (m/s)."""
    return np.abs(np.hypot(y[:, 0], y[:, 1]) - 1).max(), np.abs(np.sum(y[:, :2] * y[:, 2:4], axis=1)).max()


@pytest.mark.parametrize("name", SOLVERS)
def test_pendulum_against_elliptic_functions(swinging, name):
    step = 2e-3 if name == "rk4" else None
    run = integrate(swinging, HORIZONTAL, (0, 5), times=TIMES, solver=name, rtol=1e-7, atol=1e-9, step=step)
    assert run.status == "done"
    second_order = name in ("generalized_alpha", "newmark", "hht")
    assert np.abs(run.y[:, :2] - positions(TIMES)).max() < (5e-4 if second_order else 3e-6)
    assert max(violation(run.y)) < 1e-12


@pytest.mark.parametrize("name", ["generalized_alpha", "hht"])
def test_index_three_is_of_second_order(swinging, name):
    errors = []
    for h in (8e-3, 4e-3, 2e-3):
        run = integrate(swinging, HORIZONTAL, (0, 2), solver=name, step=h)
        errors.append(np.abs(run.y[:, :2] - positions(run.t)).max())
    np.testing.assert_allclose(np.log2(np.array(errors[:-1]) / errors[1:]), 2, atol=0.15)


def test_index_three_keeps_positions_without_projection(swinging):
    run = integrate(swinging, HORIZONTAL, (0, 2), solver="generalized_alpha", step=2e-3, projection=False)
    length, rate = violation(run.y)
    assert length < 1e-10
    assert 1e-10 < rate < 1e-2  # the speeds satisfy the constraint to second order only


@pytest.mark.parametrize("name", ["rk4", "dopri5", "radau"])
def test_without_projection_the_constraint_drifts(name):
    options = {"solver": name, "rtol": 1e-5, "atol": 1e-5, "step": 2e-2 if name == "rk4" else None}
    free = integrate(pendulum(), HORIZONTAL, (0, 5), projection=False, **options)
    held = integrate(pendulum(), HORIZONTAL, (0, 5), **options)
    assert free.stats["projections"] == 0
    assert violation(free.y)[0] > 1e3 * violation(held.y)[0]


@pytest.mark.parametrize("name", ["dop853", "radau", "generalized_alpha"])
def test_chain_conserves_energy(name):
    links = 8
    start = np.concatenate([np.array([[i + 1.0, 0.0] for i in range(links)]).ravel(), np.zeros(2 * links)])
    options = {"rtol": 1e-7, "atol": 1e-8} if name != "generalized_alpha" else {"step": 5e-4, "rtol": 1e-8}
    solver = GeneralizedAlpha(rho=0.9) if name == "generalized_alpha" else name
    run = integrate(pendulum(links=links), start, (0, 1), times=np.linspace(0, 1, 11), solver=solver, **options)
    assert run.status == "done"
    q, v = run.y[:, : 2 * links], run.y[:, 2 * links :]
    energy = 0.5 * np.sum(v**2, axis=1) + 9.81 * q[:, 1::2].sum(axis=1)
    assert np.abs(energy).max() < (2e-3 if name == "generalized_alpha" else 1e-4)


def test_unprojected_start_is_moved_onto_the_constraint():
    run = integrate(pendulum(), HORIZONTAL + [1e-3, 0, 1e-3, 0], (0, 0.1))
    assert max(violation(run.y[:1])) < 1e-12
