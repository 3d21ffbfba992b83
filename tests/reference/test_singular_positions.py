"""N four-bar again and again through its flat position: every formulation, every solver of our own.

Oracle: the parallelogram has one degree of freedom, θ̈ = −(g/L)·((N+1)/2+N)/((N+1)/3+N)·cos θ, and its uprights stay
parallel; any other branch turns one against the others.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.examples import n_four_bar

N, SPIN = 2, -15.0
FORMULATIONS = (
    "absolute", "minimal", "points", "acausal",
    "bondgraph", "bondgraph-canonical", "bondgraph-minimal", "bondgraph-zcp",
)  # fmt: skip
ACCURATE = {
    "dopri5": {},
    "dop853": {},
    "radau": {},
    "auto": {},
    "rk4": {"step": 0.002},
    "dopri5, Baumgarte": {"stabilisation": lw.Baumgarte(5, 5)},
}
ROUGH = {
    "rk4": {"step": 0.01},
    "generalized_alpha": {"step": 1e-3},
    "hht": {"step": 1e-3},
    "newmark": {"step": 1e-3},
    "generalized_alpha, varying": {},
    "newmark, varying": {},
}


def run(formulation, solver, duration, options, n=N):
    m = n_four_bar.model(n)
    m["v0"].start(spin=SPIN)
    return m.simulate(duration, formulation=formulation, solver=solver.partition(",")[0], output=0.01, **options)


def angle(r, k):
    return np.arctan2(r[f"v{k}.y"], r[f"v{k}.x"] - k)


def passes(r):
    return int(np.sum(np.diff(np.sign(r["v0.y"])) != 0))


def exact(t, n=N):
    """θ of the uprights [rad] at times t [s]."""
    factor = 9.81 * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    found = solve_ivp(
        lambda t, y: (y[1], -factor * np.cos(y[0])), (0, t[-1]), (np.pi / 2, SPIN), "DOP853", t, rtol=1e-12, atol=1e-12
    )
    return found.y[0]


def parallel(r, n=N):
    """Largest difference of direction between uprights."""
    return max(np.abs(np.exp(1j * angle(r, k)) - np.exp(1j * angle(r, 0))).max() for k in range(1, n + 1))


def energy_error(r):
    energy = r["energy.total"]
    return np.abs(energy - energy[0]).max() / energy[0]


@pytest.mark.parametrize("solver", ACCURATE)
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_passes_with_the_accuracy_asked_for(formulation, solver):
    r = run(formulation, solver, 20, ACCURATE[solver])
    assert passes(r) > 90
    assert parallel(r) < 1e-6
    loose = 100 if solver == "radau" else 1  # its own error, made while the rods stand upright
    assert energy_error(r) < loose * 1e-5
    assert np.abs(np.exp(1j * angle(r, 0)) - np.exp(1j * exact(r.t))).max() < loose * 1e-3


@pytest.mark.parametrize("solver", ROUGH)
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_passes_on_its_branch(formulation, solver):
    """Second order, or long steps: how exact they are is another matter, but no pass changes branch."""
    r = run(formulation, solver, 5, ROUGH[solver])
    assert passes(r) > 20
    assert parallel(r) < 1e-4
    assert energy_error(r) < 0.02


@pytest.mark.parametrize("n", [5, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize("formulation", ["minimal", "points"])
def test_many_loops_at_once(formulation, n):
    r = run(formulation, "dopri5", 5, {}, n)
    assert passes(r) > 20 and parallel(r, n) < 1e-6 and energy_error(r) < 1e-5


@pytest.mark.parametrize(
    ("formulation", "solver", "k"),
    [
        ("bondgraph-minimal", "dop853", 4),  # a crossing that was not foreseen, next to a stage of the dense output
        ("minimal", "dop853", 12),  # after a shortened step, one that was much too long
        ("absolute", "radau", 6),  # two million steps before one crossing
        ("bondgraph", "radau", 17),
        ("minimal", "radau", 10),  # the end is just before a crossing
    ],
)
def test_long_runs_pass_every_crossing_as_well_as_the_first(formulation, solver, k):
    m = n_four_bar.model(N)
    m["v0"].start(spin=-12 - 0.37 * k)
    r = m.simulate(85, formulation=formulation, solver=solver, output=0.01)
    assert parallel(r) < 1e-5
    assert energy_error(r) < (1e-3 if solver == "radau" else 1e-5)
    assert r.record["statistics"]["accepted"] < 40_000
    assert not [w for w in r.warnings if solver != "radau"]


@pytest.mark.slow
@pytest.mark.parametrize("solver", [*ACCURATE, "generalized_alpha"])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_ten_thousand_passes(formulation, solver):
    options = ACCURATE.get(solver) if solver in ACCURATE else ROUGH[solver]
    count = 0
    for k in range(25):
        m = n_four_bar.model(N)
        m["v0"].start(spin=-12 - 0.37 * k)
        r = m.simulate(85, formulation=formulation, solver=solver.partition(",")[0], output=0.01, **options)
        assert parallel(r) < 1e-4
        assert energy_error(r) < {"generalized_alpha": 0.1, "radau": 1e-3, "rk4": 1e-4}.get(solver, 1e-5)
        count += passes(r)
    assert count > 10_000
