"""Baumgarte's terms: Φ̈ + 2α Φ̇ + β² Φ = 0 (AME (23)), at states that violate the constraints."""

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork.formulations import formulate


@pytest.mark.parametrize("name", ["slider_crank", "rssr"])
def test_terms(name, example, rng):
    m = example(name)
    alpha, beta = 3.0, 7.0
    plain, damped = (formulate(m, "absolute", stabilisation=s) for s in (None, lw.Baumgarte(alpha, beta)))
    values = []
    q, v = rng.normal(size=plain.q.numel()), rng.normal(size=plain.v.numel())
    for eq in (plain, damped):
        f = ca.Function(
            "f", [eq.t, eq.y, eq.p], [eq.constraints.position, eq.constraints.velocity, eq.constraints.gamma]
        )
        y = np.concatenate([q, v, np.zeros(eq.z.numel())])
        values.append([np.array(x).ravel() for x in f(0.3, y, list(m.parameters.values()))])
    (position, velocity, gamma), (_, _, with_terms) = values
    assert np.abs(position).max() > 0.1 and np.abs(velocity).max() > 0.1
    assert with_terms - gamma == pytest.approx(-2 * alpha * velocity - beta**2 * position, abs=1e-9)


def test_drift_decays():
    """A coarse fixed step violates the constraint: the terms bound it, without them it would grow."""
    m = lw.Model("pendulum", gravity=(0, -9.81))
    m.revolute("pin", m.ground.at(), m.body("bar", mass=1, inertia=1 / 12).at(-0.5, 0))
    worst = {}
    for gain in (0.0, 20.0):
        r = m.simulate(20, solver="rk4", step=0.02, stabilisation=lw.Baumgarte(gain, gain))
        worst[gain] = r["residual.position"][r.t > 15].max()
    assert worst[20.0] < 0.05 * worst[0.0]
