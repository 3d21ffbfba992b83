"""The automatic choice of the solver: from the modes at the start, and again where a run turns stiff."""

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.examples import n_four_bar
from linkwork.formulations.stabilisation import Projection
from linkwork.integrate import integrate
from linkwork.simulation.choice import solver as stiffness
from linkwork.simulation.prepare import Choice, prepare

from ..integrate.systems import first_order, mechanical, oscillator


def swinging_bar(*laws):
    m = lw.Model("bar", gravity=(0, -9.81))
    bar = m.body("bar", mass=1, inertia=1 / 12)
    pin = m.revolute("pin", m.ground.at(0, 0), bar.at(-0.5, 0))
    pin.angle.start(0, rate=0)
    for law in laws:
        pin.angle.law(law)
    return m


def chosen(program, y, duration, rtol=1e-8):
    found = stiffness.modes(program, 0.0, np.array(y, dtype=float), np.zeros(0), {})
    return stiffness.judge(found, remaining=duration, rtol=rtol)[0]


def test_modes_of_a_damped_oscillator():
    """x″ + 2 ζ ω x′ + ω² x = 0 has −ζ ω ± i ω √(1 − ζ²)."""
    q, v = ca.SX.sym("q"), ca.SX.sym("v")
    omega, zeta = 40.0, 0.2
    program = mechanical(mass=ca.SX.eye(1), force=-(omega**2) * q - 2 * zeta * omega * v, q=q, v=v)
    found = stiffness.modes(program, 0.0, np.array([0.3, -1.0]), np.zeros(0), {})
    exact = omega * (-zeta + 1j * np.sqrt(1 - zeta**2) * np.array([1, -1]))
    np.testing.assert_allclose(sorted(found, key=np.imag), sorted(exact, key=np.imag), rtol=1e-6)


def test_modes_of_a_constrained_model_are_those_of_its_coordinate():
    """Absolute coordinates add modes of the drift, which are zero; the pendulum's own is √(m g l / I) about rest."""
    m = swinging_bar()
    m.components["pin"].angle.start(-np.pi / 2, rate=0)
    for formulation in ("absolute", "minimal"):
        ready = prepare(m, Choice(formulation))
        found = stiffness.modes(ready.program, 0.0, ready.state, ready.p, {})
        assert np.abs(found).max() == pytest.approx(np.sqrt(9.81 * 0.5 * 3), rel=1e-5)
        assert np.sum(np.abs(found) > 0.01) == 2


def test_modes_of_large_systems_are_the_largest(monkeypatch):
    rates = -np.geomspace(1, 1e4, 60)
    program = first_order(lambda t, z, p: ca.DM(rates) * z, 60)
    every = stiffness.modes(program, 0.0, np.ones(60), np.zeros(0), {})
    np.testing.assert_allclose(np.sort(every.real), np.sort(rates), rtol=1e-4)
    monkeypatch.setattr(stiffness, "DENSE", 50)
    largest = stiffness.modes(program, 0.0, np.ones(60), np.zeros(0), {})
    assert largest.size == stiffness.LARGEST
    np.testing.assert_allclose(np.sort(largest.real), np.sort(rates)[: stiffness.LARGEST], rtol=1e-3)


@pytest.mark.parametrize("angle", [np.pi, 0.75 * np.pi, 0.55 * np.pi])
def test_the_limit_of_stability_is_that_of_the_method(angle):
    """A decaying mode, stepped with dopri5: just inside the predicted step it decays, just outside it grows."""
    mode = 100 * np.exp(1j * angle)
    a, b = mode.real, mode.imag
    program = first_order(lambda t, z, p: ca.vertcat(a * z[0] - b * z[1], b * z[0] + a * z[1]), 2)
    step = 1.0 / stiffness.steps_held(np.array([mode]), 1.0, rtol=1.0)  # so loose that stability alone counts
    for factor, grows in ((0.97, False), (1.04, True)):
        options = {"step": factor * step, "max_step": factor * step, "rtol": 1.0, "atol": 1e30}
        run = integrate(program, [1.0, 0.0], (0, 400 * step), solver="dopri5", **options)
        assert (np.abs(run.y[-1]).max() > 1) == grows


def test_fast_and_damped_is_stiff():
    program = first_order(lambda t, z, p: ca.vertcat(-1e4 * (z[0] - ca.cos(z[1])), 1.0), 2)
    assert chosen(program, [1.0, 0.0], 10.0) == "radau"
    assert chosen(program, [1.0, 0.0], 1e-3) == "dopri5"  # over so short a time the mode is no nuisance


def test_fast_but_undamped_is_not_unless_it_takes_for_ever():
    q, v = ca.SX.sym("q"), ca.SX.sym("v")
    program = mechanical(mass=ca.SX.eye(1), force=-1e8 * q, q=q, v=v)
    assert chosen(program, [0.0, 0.0], 1.0) == "dopri5"
    assert chosen(program, [0.0, 0.0], 1e3) == "radau"


def test_growth_is_not_stiffness():
    assert chosen(first_order(lambda t, z, p: 1e3 * z, 1), [1e-9], 1e2) == "dopri5"
    assert chosen(oscillator(), [1, 0], 1e3) == "dopri5"


def test_forecast_of_steps_is_of_the_right_size():
    """A damper's mode that follows a creeping motion holds dopri5 to its stability; one that follows a swinging motion
    holds it to more, as accuracy suffers first."""
    creeping = swinging_bar(lw.Damper(1000))
    for m, formulation, duration, quick in ((creeping, "minimal", 5, False), (swinging_bar(), "compliant", 2, True)):
        ready = prepare(m, Choice(formulation))
        found = stiffness.modes(ready.program, 0.0, ready.state, ready.p, {})
        for rtol in (1e-5, 1e-8):
            least, held = (stiffness.steps_held(found, duration, r) for r in (1.0, rtol))
            r = m.simulate(duration, formulation=formulation, solver="dopri5", rtol=rtol, atol=0.01 * rtol)
            taken = r.record["statistics"]["accepted"]
            assert 0.8 * least < taken < 3 * held
            assert taken > held / 3 if quick else taken < 2 * least


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
def test_simulate_records_choice_and_reason(formulation):
    free = swinging_bar().simulate(5, formulation=formulation).record
    creeping = swinging_bar(lw.Damper(1000)).simulate(5, formulation=formulation).record
    asked = swinging_bar().simulate(0.1, formulation=formulation, solver="dop853").record
    assert (free["solver"], creeping["solver"], asked["solver"]) == ("dopri5", "radau", "dop853")
    assert free["solver_reason"].startswith("The equations are not stiff (fastest mode")
    assert creeping["solver_reason"].startswith("The equations are stiff (fastest mode 3e+03 1/s): dopri5 may be held")
    assert asked["solver_reason"] == "It was asked for."
    assert creeping["statistics"]["accepted"] < 300


def test_the_summary_tells_the_reason_of_an_automatic_choice_only():
    m = swinging_bar()
    automatic, asked = m.simulate(0.1), m.simulate(0.1, solver="dop853")
    assert automatic.summary()["why this solver"] == automatic.record["solver_reason"]
    assert "why this solver" not in asked.summary()


def test_without_derivatives_the_formulation_decides():
    program = first_order(lambda t, z, p: ca.sqrt(z) - z, 1)  # rising from zero, with an infinite slope there
    found = stiffness.modes(program, 0.0, np.zeros(1), np.zeros(0), {})
    assert found is None
    for presumed, solver in ((True, "radau"), (False, "dopri5")):
        choice, reason = stiffness.judge(found, remaining=1.0, rtol=1e-8, presumed=presumed)
        assert choice == solver and "no derivatives" in reason


def test_a_model_without_states_has_no_modes():
    assert stiffness.judge(np.zeros(0), remaining=1.0, rtol=1e-8)[0] == "dopri5"


def seized_bar():
    """Swings freely for half a second, then a damper sets in."""
    m = swinging_bar()
    grip = m.input("grip", unit="N·m·s")
    m.components["pin"].angle.law(lw.Damper(grip))
    return m


def test_a_run_that_turns_stiff_goes_on_implicitly(monkeypatch):
    monkeypatch.setattr(stiffness, "PATIENCE", 3000)
    m = seized_bar()
    inputs = {"grip": ([0, 0.5, 0.5, 20], [0, 0, 1e4, 1e4])}
    shares = []
    r = m.simulate(20, inputs=inputs, output=0.1, progress=shares.append)
    explicit = m.simulate(2, inputs=inputs, output=0.1, solver="dopri5")
    assert r.record["solver"].startswith("dopri5, radau from 0.")
    assert r.record["solver_reason"].startswith("From 0.") and "stiff" in r.record["solver_reason"]
    assert r.record["statistics"]["accepted"] < 4000 < explicit.record["statistics"]["accepted"]
    np.testing.assert_allclose(r.t, np.linspace(0, 20, 201), atol=1e-12)
    np.testing.assert_allclose(r["pin.angle"][:21], explicit["pin.angle"], atol=1e-6)
    assert shares == sorted(shares) and shares[-1] == 1.0


def test_a_long_run_that_is_not_stiff_is_left_alone(monkeypatch):
    """Looked at again and again, it stays explicit and keeps its result."""
    m = swinging_bar()
    whole = m.simulate(20)
    monkeypatch.setattr(stiffness, "PATIENCE", 50)
    often = m.simulate(20)
    assert often.record["solver"] == "dopri5" and often.record["solver_reason"] == whole.record["solver_reason"]
    np.testing.assert_array_equal(often.t, whole.t)
    np.testing.assert_allclose(often["pin.angle"], whole["pin.angle"], atol=1e-6)
    assert often.record["statistics"]["accepted"] < 1.1 * whole.record["statistics"]["accepted"]


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points"])
def test_a_flat_parallelogram_is_not_stiff(formulation):
    """Off the constraints accelerations grow like one over the distance from the flat position, here 3 µm to 3 mm."""
    m = n_four_bar.model(1)
    m["v0"].start(spin=-3)
    ready = prepare(m, Choice(formulation, Projection(), None, "multipliers", None), {}, contacts=True)
    angle = solve_ivp(  # upright to flat, by the one equation it obeys
        lambda t, y: (y[1], -9.81 * 2 / (5 / 3) * np.cos(y[0])), (0, 1), (np.pi / 2, -3.0), rtol=1e-12, atol=1e-12,
        events=lambda t, y: y[0],
    )  # fmt: skip
    flat = angle.t_events[0][0]
    times = flat + np.array([-1e-3, -1e-4, -1e-6, 1e-6, 1e-4, 1e-3])
    path = integrate(ready.program, ready.state, (0, 0.6), times=times, parameters=ready.p)
    for t, y in zip(path.t, path.y, strict=True):
        choice = stiffness.Automatic(100.0, 1e-8, {}, solver="dopri5")
        choice.look(ready.program, t, y, ready.p)
        assert choice.solver == "dopri5", choice.reason


def test_fewer_states_have_the_same_modes_where_constraints_tie_most_of_them(rng):
    """Of a product of a tall and a wide matrix as of the small one; a matrix of full rank stays as it is."""
    tall, wide, full = rng.normal(size=(120, 20)), rng.normal(size=(20, 120)), rng.normal(size=(120, 120))
    found = stiffness._compressed(tall @ wide)
    assert len(found) == 40
    expected = np.sort(np.abs(np.linalg.eigvals(wide @ tall)))
    np.testing.assert_allclose(np.sort(np.abs(np.linalg.eigvals(found)))[-20:], expected, rtol=1e-9)
    assert stiffness._compressed(full) is full
