"""Newmark with the step chosen by the change of the accelerations: SYM (21), (22) and its hydraulic jack (23)–(29)."""

import casadi as ca
import numpy as np
import pytest

import linkwork as lw
from linkwork.core.errors import LinkworkError, UnknownName
from linkwork.examples import hydraulic_jack
from linkwork.integrate import Newmark, integrate

from .systems import HORIZONTAL, first_order, mechanical, oscillator, pendulum, pendulum_angle

JACK_START = np.array([0.0, 0.0, 1e6, 1e6])


@pytest.fixture(scope="module")
def jack():
    """SYM's table I; the root of the orifices is rounded off below 1 kPa, where its slope would be infinite."""
    x, v, p, t = ca.SX.sym("x"), ca.SX.sym("v"), ca.SX.sym("p", 2), ca.SX.sym("t")
    bulk, density, s1, s2, entrance = 2e8, 860.0, 1e-3, 5e-4, 0.611 * 1e-5

    def flow(drop):
        return entrance * np.sqrt(2 / density) * drop / (drop**2 + 1e6) ** 0.25

    supply = 1e6 + 9e6 * ca.fmin(t / 0.01, 1)
    rates = ca.vertcat(
        bulk / (1e-4 + s1 * x) * (flow(supply - p[0]) - s1 * v),
        bulk / (3e-4 - s2 * x) * (flow(1e6 - p[1]) + s2 * v),
    )
    force = -1e5 * x + p[0] * s1 - p[1] * s2
    return mechanical(mass=10 * ca.SX.eye(1), force=force, q=x, v=v, z=p, zdot=rates, t=t)


def by_acceleration(tolerance=1e-6, **more):
    return Newmark(estimate="acceleration", tolerance=tolerance, **more)


def rates_of_error(run, accelerations, scale=1.0):
    """ε/h of every step, computed anew from accelerations that are known from the states."""
    change = np.diff(accelerations, axis=0) / scale
    return np.diff(run.t) * np.linalg.norm(change, axis=1) / (12 * np.sqrt(change.shape[1]))


def test_the_rate_of_error_stays_below_the_tolerance_and_near_it():
    run = integrate(oscillator(), [1, 0], (0, 10), solver=by_acceleration(1e-5))
    rates = rates_of_error(run, -run.y[:, :1])
    assert run.status == "done" and rates.max() <= 1e-5
    # A step before the slope of the acceleration turns through zero may be as long as the growth allows; not more.
    assert 0.3e-5 < np.median(rates)


def test_second_order_in_the_tolerance():
    """ε/h ∝ h², and so is the global error: both follow the tolerance to the first power."""
    errors, steps = [], []
    for tolerance in (1e-4, 1e-5, 1e-6):
        run = integrate(oscillator(), [1, 0], (0, 10), solver=by_acceleration(tolerance))
        errors.append(np.abs(run.y[:, 0] - np.cos(run.t)).max())
        steps.append(run.stats["accepted"])
    np.testing.assert_allclose(np.log10(np.array(errors[:-1]) / errors[1:]), 1, atol=0.2)
    np.testing.assert_allclose(np.log10(np.array(steps[1:]) / steps[:-1]), 0.5, atol=0.05)


def test_given_steps_stay_fixed_whatever_the_estimate():
    paths = [integrate(oscillator(), [1, 0], (0, 1), solver=s, step=0.01) for s in (Newmark(), by_acceleration())]
    np.testing.assert_array_equal(paths[0].y, paths[1].y)


def test_a_first_order_state_counts_as_a_speed():
    """SYM (29): z' = −z as q' = z, so Δq″ = Δz' and ε/h = h |Δz'| / 12."""
    decay = first_order(lambda t, z, p: -z, 1)
    run = integrate(decay, [1.0], (0, 5), solver=by_acceleration(1e-6))
    assert rates_of_error(run, -run.y).max() <= 1e-6
    assert np.abs(run.y[:, 0] - np.exp(-run.t)).max() < 1e-5


def test_states_that_only_record_do_not_count():
    def build(flag):
        return first_order(lambda t, z, p: ca.vertcat(-z[0], 1e3 * ca.sin(300 * t)), 2, unweighted=(False, flag))

    free, bound = (integrate(build(flag), [1, 0], (0, 1), solver=by_acceleration()) for flag in (True, False))
    assert free.stats["accepted"] < 0.1 * bound.stats["accepted"]


def test_jack_settles_where_springs_and_pressures_balance(jack):
    run = integrate(jack, JACK_START, (0, 1), solver=by_acceleration(scale="relative"), max_step=5e-4)
    x, speed, p1, p2 = run.y[-1]
    assert run.status == "done" and abs(speed) < 1e-4
    assert x == pytest.approx((1e7 * 1e-3 - 1e6 * 5e-4) / 1e5, abs=2e-6)
    assert (p1, p2) == (pytest.approx(1e7, rel=1e-5), pytest.approx(1e6, rel=1e-5))
    assert run.step.max() <= 5e-4 * (1 + 1e-12)


def test_jack_against_radau_and_over_orders_of_step_size(jack):
    times = np.linspace(0, 1, 201)
    sizes = np.array([0.1, 1.0, 1e7, 1e6])
    exact = integrate(jack, JACK_START, (0, 1), times=times, solver="radau", rtol=1e-10, atol=1e-10 * sizes)
    errors = []
    for tolerance in (1e-5, 1e-6):
        run = integrate(jack, JACK_START, (0, 1), times=times, solver=by_acceleration(tolerance, scale="relative"))
        errors.append((np.abs(run.y - exact.y) / sizes).max())
    assert errors[1] < 2e-5 and errors[1] < errors[0] / 5
    steps = integrate(jack, JACK_START, (0, 1), solver=by_acceleration(scale="relative")).step[1:]
    # Small while the fluid's compressibility rings in the beginning, large when the motion is quasi-stationary.
    assert steps.max() > 300 * steps.min()
    at = np.cumsum(steps)
    assert np.median(steps[at > 0.8]) > 20 * np.median(steps[at < 0.02])


def test_plain_norm_is_ruled_by_the_largest_unit_and_a_scale_mends_it(jack):
    """In pascals even 10 Pa of error per second, 1e-6 of the supply, is sharper than metres can be."""
    plain = integrate(jack, JACK_START, (0, 0.1), solver=by_acceleration(10.0))
    scaled = integrate(jack, JACK_START, (0, 0.1), solver=by_acceleration(1e-5, scale=np.array([1, 1e6, 1e6])))
    as_plain = integrate(jack, JACK_START, (0, 0.1), solver=by_acceleration(1e-5, scale=[1e6, 1e6, 1e6]))
    assert plain.stats == as_plain.stats  # one scale for all is another tolerance
    assert scaled.stats["accepted"] > plain.stats["accepted"]  # and now the speed counts too


def test_van_der_pol_is_followed_through_its_jumps():
    """Relaxation oscillation with μ = 50: slow along the branches, fast between them."""
    from scipy.integrate import solve_ivp

    mu, end = 50.0, 100.0

    def rates(t, z):
        return [z[1], mu * (1 - z[0] ** 2) * z[1] - z[0]]

    program = first_order(lambda t, z, p: ca.vertcat(*rates(t, [z[0], z[1]])), 2)
    theirs = solve_ivp(rates, (0, end), [2.0, 0.0], method="Radau", rtol=1e-8, atol=1e-10, dense_output=True)
    errors = []
    for tolerance in (1e-5, 1e-6):
        run = integrate(program, [2.0, 0.0], (0, end), solver=by_acceleration(tolerance, scale="relative"))
        assert run.status == "done"
        errors.append(np.quantile(np.abs(run.y[:, 0] - theirs.sol(run.t)[0]), 0.9))
    assert errors[0] < 0.05 and errors[1] == pytest.approx(errors[0] / 10, rel=0.5)
    assert run.step[1:].max() > 1e3 * run.step[1:].min()


def test_with_constraints():
    times = np.linspace(0, 2, 21)
    run = integrate(pendulum(), HORIZONTAL, (0, 2), times=times, solver=by_acceleration(1e-5))
    angle = np.arctan2(run.y[:, 0], -run.y[:, 1])
    assert run.status == "done" and np.abs(angle - pendulum_angle(times)).max() < 1e-3
    finer = integrate(pendulum(), HORIZONTAL, (0, 2), times=times, solver=by_acceleration(1e-6))
    angle = np.arctan2(finer.y[:, 0], -finer.y[:, 1])
    assert np.abs(angle - pendulum_angle(times)).max() < 1e-4


def test_in_a_model_scales_go_by_name():
    m = lw.Model("bar", gravity=(0, -9.81))
    bar = m.body("bar", mass=1, inertia=1 / 12)
    pin = m.revolute("pin", m.ground.at(0, 0), bar.at(-0.5, 0))
    pin.angle.start(0, rate=0)
    exact = m.simulate(1, solver="dop853", rtol=1e-11, atol=1e-12)["pin.angle"]
    plain = m.simulate(1, formulation="minimal", solver=by_acceleration())
    named = m.simulate(1, formulation="minimal", solver=by_acceleration(scale={"bar": 10.0}))
    assert np.abs(plain["pin.angle"] - exact).max() < 2e-5
    ratio = plain.record["statistics"]["accepted"] / named.record["statistics"]["accepted"]
    assert ratio == pytest.approx(np.sqrt(10), rel=0.15)
    with pytest.raises(UnknownName, match="no body or first-order state named 'baz'. Did you mean 'bar'"):
        m.simulate(1, solver=by_acceleration(scale={"baz": 10.0}))


def test_the_jack_of_the_examples_needs_no_scale_by_hand():
    """Pressures beside speeds: relative by itself. The paper's norm is there to be asked for."""
    run = {
        scale: hydraulic_jack.model().simulate(0.02, formulation="minimal", solver=by_acceleration(1e-5, scale=scale))
        for scale in ("auto", "relative")
    }
    assert run["auto"].record["statistics"] == run["relative"].record["statistics"]
    exact = hydraulic_jack.model().simulate(0.02, formulation="minimal", solver="radau", rtol=1e-10)
    for name, size in (("P.slide", 1e-7), ("head.pressure", 1e3)):
        assert np.abs(run["auto"][name] - exact[name]).max() < size
    paper = by_acceleration(1e2, scale=None)
    plain = hydraulic_jack.model().simulate(0.02, formulation="minimal", solver=paper)
    assert plain.record["statistics"] != run["auto"].record["statistics"]
    # Without first-order states the automatic scale is the paper's norm.
    m = lw.Model("bar", gravity=(0, -9.81))
    pin = m.revolute("pin", m.ground.at(0, 0), m.body("bar", mass=1, inertia=1 / 12).at(-0.5, 0))
    pin.angle.law(lw.Damper(0.1))
    same = [m.simulate(0.5, formulation="minimal", solver=by_acceleration(scale=s)) for s in ("auto", None)]
    assert same[0].record["statistics"] == same[1].record["statistics"]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"estimate": "accelerations"}, "Did you mean 'acceleration'"),
        ({"estimate": "acceleration", "tolerance": 0.0}, "tolerance must be positive"),
        ({"estimate": "acceleration", "scale": "relativ"}, "Did you mean 'relative'"),
        ({"estimate": "acceleration", "scale": [1.0, -1.0]}, "every scale must be positive"),
        ({"scale": "relative"}, "no part in this estimate"),
        ({"beta": 0.1}, "unconditionally stable"),
    ],
)
def test_wrong_options_are_refused(wrong, says):
    with pytest.raises(LinkworkError, match=says):
        Newmark(**wrong)


def test_scales_must_fit_the_problem():
    for scale, says in (([1.0, 1.0], "2 scales for 1 speeds"), ({"bar": 1.0}, "needs a model")):
        with pytest.raises(LinkworkError, match=says):
            integrate(oscillator(), [1, 0], (0, 1), solver=by_acceleration(scale=scale))
