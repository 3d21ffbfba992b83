"""Every solver on the same mechanisms: they agree as well as their order and tolerance let them."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.integrate import solvers

ADAPTIVE = {"rtol": 1e-9, "atol": 1e-11}
OPTIONS = {
    "rk4": {"step": 1e-3},
    "dopri5": ADAPTIVE,
    "dop853": ADAPTIVE,
    "radau": ADAPTIVE,
    "cvodes": {"rtol": 1e-10, "atol": 1e-12},
    "idas": {"rtol": 1e-10, "atol": 1e-12},
    "generalized_alpha": {"step": 1e-3},
    "newmark": {"step": 1e-3},
    "hht": {"step": 1e-3},
}
ERROR = {name: 1e-7 for name in OPTIONS} | {"generalized_alpha": 1e-5, "newmark": 1e-5, "hht": 2e-4}
"""Largest error of positions [m, rad] after 1 s; HHT with its default damping is the least accurate."""
CASES = {
    "slider_crank": ({}, ("O.angle", "piston.x", "rod.angle")),
    "rssr": ({}, ("R1.angle", "R2.angle", "rod.x", "rod.z")),
}


@pytest.fixture(scope="module")
def truth(example):
    return {
        name: example(name, **options).simulate(1, solver="dop853", rtol=1e-12, atol=1e-13, output=0.05)
        for name, (options, _) in CASES.items()
    }


def test_every_solver_is_compared():
    assert OPTIONS.keys() == solvers.keys()


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("solver", OPTIONS)
def test_agreement(solver, name, example, truth):
    options, channels = CASES[name]
    r = example(name, **options).simulate(1, solver=solver, output=0.05, **OPTIONS[solver])
    scale = 100 if name == "rssr" else 1  # its crank turns at 15 rad/s: the same step resolves it less
    allowed = ERROR[solver] * (scale if "step" in OPTIONS[solver] else 10)
    for channel in channels:
        assert np.abs(r[channel] - truth[name][channel]).max() < allowed, channel
    assert r["residual.position"].max() < 1e-8
    assert r["residual.velocity"].max() < 1e-6


@pytest.mark.parametrize(("solver", "order"), [("rk4", 4), ("generalized_alpha", 2), ("newmark", 2)])
def test_order_on_a_mechanism(solver, order, example, truth):
    """Halving the step divides the error by 2^order, constraints or not."""
    m = example("slider_crank")
    steps = (0.02, 0.01) if order == 4 else (4e-3, 2e-3)
    found = [
        np.abs(m.simulate(1, solver=solver, step=h, output=0.1)["O.angle"] - truth["slider_crank"]["O.angle"][::2]).max()
        for h in steps
    ]
    assert np.log2(found[0] / found[1]) == pytest.approx(order, abs=0.3)


@pytest.mark.parametrize("name", ["slider_crank", "rssr", "double_pendulum"])
def test_projection_and_baumgarte(name, example):
    """Two ways to keep the constraints, one motion."""
    m = example(name)
    runs = [
        m.simulate(1, solver="dop853", rtol=1e-11, atol=1e-12, output=0.05, stabilisation=s)
        for s in ("projection", lw.Baumgarte(20, 20))
    ]
    assert [r.record["stabilisation"] for r in runs] == ["projection", "baumgarte"]
    for channel in (c for c in runs[0] if c.endswith((".x", ".y", ".vx", ".angle", ".fx", ".fy"))):
        size = 1 + np.abs(runs[0][channel]).max()
        assert np.abs(runs[0][channel] - runs[1][channel]).max() < 1e-7 * size, channel
    assert runs[1]["residual.position"].max() < 1e-8


def test_solver_objects_carry_options(example):
    """A strongly damping generalized-α is less accurate than a weakly damping one, and the record says which ran."""
    m = example("slider_crank")
    runs = {rho: m.simulate(1, solver=lw.GeneralizedAlpha(rho=rho), step=5e-3, output=0.1) for rho in (0.0, 0.9)}
    truth = m.simulate(1, solver="dop853", rtol=1e-11, atol=1e-12, output=0.1)["O.angle"]
    error = {rho: np.abs(r["O.angle"] - truth).max() for rho, r in runs.items()}
    assert error[0.0] > error[0.9] > 0
    assert "rho=0.9" in runs[0.9].record["solver"]
