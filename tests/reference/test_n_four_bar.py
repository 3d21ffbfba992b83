"""Benchmark A02: N parallelograms through their singular positions, against the one equation they obey."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp


def rod_angle(n: int, duration: float) -> tuple[float, float]:
    """(θ, θ̇) of the uprights [rad] at the end, from θ = π/2 and θ̇ = −1: B0 starts at 1 m/s towards +x."""
    factor = 9.81 * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    run = solve_ivp(
        lambda t, y: (y[1], -factor * np.cos(y[0])), (0, duration), (np.pi / 2, -1.0), "DOP853", rtol=1e-13, atol=1e-13
    )
    return float(run.y[0, -1]), float(run.y[1, -1])


def test_one_equation_gives_the_recomputed_point():
    theta, rate = rod_angle(2, 10)
    assert (np.cos(theta), np.sin(theta)) == pytest.approx((0.32845811153, 0.94451853818), abs=2e-9)
    assert (-rate * np.sin(theta), rate * np.cos(theta)) == pytest.approx((1.42305147019, -0.49486884547), abs=1e-8)


@pytest.mark.parametrize("n", [2, 5, 10, 20, pytest.param(40, marks=pytest.mark.slow)])
def test_through_singular_positions(n, example):
    r = example("n_four_bar", n=n).simulate(10, rtol=1e-9, atol=1e-11)
    assert r["energy.total"][0] == pytest.approx(9.81 * ((n + 1) / 2 + n) + ((n + 1) / 3 + n) / 2, abs=1e-9)
    assert np.ptp(r["energy.total"]) < 1e-3  # the benchmark asks for 0.1 J
    theta, rate = rod_angle(n, 10)
    final = r.final
    assert (final["B0.x"], final["B0.y"]) == pytest.approx((np.cos(theta), np.sin(theta)), abs=1e-4)
    assert (final["B0.vx"], final["B0.vy"]) == pytest.approx((-rate * np.sin(theta), rate * np.cos(theta)), abs=1e-3)
    assert r["residual.position"].max() < 1e-8


def test_published_point(example):
    """Printed for another program at h = 1.25e-4: the two differ by its step error, about 1e-6."""
    final = example("n_four_bar", n=2).simulate(10, rtol=1e-9, atol=1e-11).final
    assert (final["B0.x"], final["B0.y"]) == pytest.approx((0.3284573768, 0.9445187937), abs=5e-6)
