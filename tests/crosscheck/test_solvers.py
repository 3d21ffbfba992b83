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
    "cvodes": {"rtol": 1e-11, "atol": 1e-13},  # a multistep method gathers more error for the same tolerance
    "idas": {"rtol": 1e-10, "atol": 1e-12},
    "generalized_alpha": {"step": 1e-3},
    "newmark": {"step": 1e-3},
    "hht": {"step": 1e-3},
}
ERROR = {
    "slider_crank": dict.fromkeys(OPTIONS, 1e-7) | {"generalized_alpha": 1e-5, "newmark": 1e-5, "hht": 2e-4},
    "slider_crank_spatial": dict.fromkeys(OPTIONS, 1e-7) | {"generalized_alpha": 1e-5, "newmark": 1e-5, "hht": 2e-4},
    # Its light crank is thrown about, so that errors are larger; the methods of order 2 get a quarter of the step.
    "rssr": dict.fromkeys(OPTIONS, 1e-6) | {"rk4": 1e-5, "generalized_alpha": 1e-3, "hht": 1e-3},
}
"""Largest error of positions [m, rad] within 1 s."""
CASES = {
    "slider_crank": ({}, ("O.angle", "piston.x", "rod.angle")),
    "slider_crank_spatial": ({"redundant": False}, ("O.angle", "piston.x", "rod.x", "rod.y")),
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


# The undamped Newmark rule is unstable on the last case: the test after this one looks at that.
PAIRS = [(solver, name) for name in CASES for solver in OPTIONS if (solver, name) != ("newmark", "rssr")]


@pytest.mark.parametrize(("solver", "name"), PAIRS)
def test_agreement(solver, name, example, truth):
    options, channels = CASES[name]
    given = {"step": 2.5e-4} if name == "rssr" and solver in ("generalized_alpha", "hht") else OPTIONS[solver]
    r = example(name, **options).simulate(1, solver=solver, output=0.05, **given)
    for channel in channels:
        assert np.abs(r[channel] - truth[name][channel]).max() < ERROR[name][solver], channel
    assert r["residual.position"].max() < 1e-8
    assert r["residual.velocity"].max() < 1e-6


def test_undamped_newmark_says_that_it_fails(example):
    """The average-acceleration rule is only weakly stable with index-3 constraints; it must not fail silently."""
    with pytest.raises(lw.IntegrationError, match=r"^(crank|rod|rocker): .*did not converge at t = 0\.\d+ s.*Try"):
        example("rssr").simulate(1, solver="newmark", step=1e-3)


@pytest.mark.parametrize(
    ("name", "channel", "solver", "order", "step"),
    [
        ("slider_crank", "O.angle", "rk4", 4, 0.02),
        ("slider_crank", "O.angle", "generalized_alpha", 2, 4e-3),
        ("slider_crank", "O.angle", "newmark", 2, 4e-3),
        ("slider_crank", "O.angle", "hht", 2, 4e-3),
        ("rssr", "R2.angle", "generalized_alpha", 2, 1e-3),
    ],
)
def test_order_on_a_mechanism(name, channel, solver, order, step, example, truth):
    """Halving the step divides the error by 2^order, constraints or not."""
    exact = truth[name][channel][::2]
    runs = [example(name).simulate(1, solver=solver, step=h, output=0.1)[channel] for h in (step, step / 2)]
    errors = [np.abs(run - exact).max() for run in runs]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.4)


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
