"""First-order states and residuals of the user's own, alone and next to a mechanism (SYM (9), (29))."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import linkwork as lw


def test_first_order_state():
    m = lw.Model("decay")
    rate = m.parameter("rate", 2.0)
    p = m.state("p", 3.0, unit="Pa")
    p.rate = -rate * p.symbol
    r = m.simulate(1, parameters={"rate": 1.5})
    assert np.allclose(r["p"], 3 * np.exp(-1.5 * r.t), rtol=1e-7)


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points"])
def test_state_feels_and_drives_a_mechanism(formulation):
    """A first-order lag between what a pendulum does and the torque on it."""
    m = lw.Model("lag", gravity=(0, -9.81))
    R = m.revolute("R", m.ground.at(0, 0), m.body("bob", mass=1, inertia=0.1).at(0, 1))
    R.angle.start(0.5)
    torque = m.state("torque", 0.1, unit="N·m").follow(lambda x: -(5 * x + torque.symbol) / 0.3, R.angle)
    R.angle.law(lw.Effort(lambda: torque.symbol))
    r = m.simulate(2, formulation=formulation)

    def ode(t, y):
        return [y[1], (y[2] - 9.81 * np.sin(y[0])) / 1.1, -(5 * y[0] + y[2]) / 0.3]

    s = solve_ivp(ode, (0, 2), [0.5, 0, 0.1], t_eval=r.t, rtol=1e-10, atol=1e-12)
    assert np.allclose(r["R.angle"], s.y[0], atol=1e-7)
    assert np.allclose(r["torque"], s.y[2], atol=1e-6)


@pytest.mark.parametrize("solver", ["dopri5", "radau", "newmark", "generalized_alpha", "hht", "cvodes", "idas"])
def test_residual_by_every_solver(solver):
    """Van der Pol's equation as f(x, ẋ, ẍ, t) = 0, scaled so that it must be solved for ẍ."""
    m = lw.Model("oscillator")
    x = m.unknown("x", 2.0, unit="m")
    m.equation("balance", 3 * (x.second - 5 * (1 - x.value**2) * x.rate + x.value))
    r = m.simulate(5, solver=solver, rtol=1e-7, atol=1e-9)
    s = solve_ivp(lambda t, y: [y[1], 5 * (1 - y[0] ** 2) * y[1] - y[0]], (0, 5), [2, 0], rtol=1e-10, atol=1e-12)
    order_two = solver in ("newmark", "generalized_alpha", "hht")
    assert r["x"][-1] == pytest.approx(s.y[0, -1], abs=2e-4 if order_two else 2e-5)
    assert next(c.unit for c in r.channels if c.name == "x") == "m"


def test_coupled_and_nonlinear_in_the_highest_rate():
    m = lw.Model("implicit")
    x, y = m.unknown("x", 1.0), m.unknown("y", 0.0, order=1)
    m.equation("first", x.second + 0.1 * x.second**3 + x.value + 0.2 * y.rate)
    m.equation("second", y.rate + y.value - x.second)

    def ode(t, s):
        a = brentq(lambda a: a + 0.1 * a**3 + s[0] + 0.2 * (a - s[2]), -10, 10, xtol=1e-14)
        return [s[1], a, a - s[2]]

    s = solve_ivp(ode, (0, 3), [1, 0, 0], rtol=1e-10, atol=1e-12)
    r = m.simulate(3)
    assert r["x"][-1] == pytest.approx(s.y[0, -1], abs=1e-7)
    assert r["y"][-1] == pytest.approx(s.y[2, -1], abs=1e-7)


def bad(build):
    with pytest.raises(lw.LinkworkError) as caught:
        build()
    return str(caught.value)


def test_counts_and_structure_are_checked():
    m = lw.Model("short")
    x, y = m.unknown("x"), m.unknown("y", order=1)
    assert "no equation" in bad(lambda: m.simulate(1))
    m.equation("first", x.second + x.value)
    assert "one unknown too many" in bad(lambda: m.simulate(1))
    m.equation("second", x.rate + y.value)
    assert "y" in bad(lambda: m.simulate(1)) and "no equation" in bad(lambda: m.simulate(1))
    m.equation("third", y.rate)
    assert "one equation too many" in bad(lambda: m.simulate(1))
    m = lw.Model("algebraic")
    x, y = m.unknown("x", order=1), m.unknown("y", order=1)
    m.equation("first", x.rate + y.rate)
    m.equation("second", x.value - y.value)
    assert "algebraic" in bad(lambda: m.simulate(1)) and "second" in bad(lambda: m.simulate(1))
    assert "order 3" in bad(lambda: m.unknown("z", order=3))
    m = lw.Model("rateless")
    m.state("p")
    assert "has no rate" in bad(lambda: m.simulate(1))
