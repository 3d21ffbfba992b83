"""DC motor and PID controller against linear theory, and their energy."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.examples import slider_crank


def wheel() -> tuple[lw.Model, lw.Joint]:
    m = lw.Model("wheel", gravity=(0, 0))
    return m, m.revolute("O", m.ground.at(0, 0), m.body("wheel", mass=1, inertia=0.02).at(0, 0))


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "bondgraph", "bondgraph-zcp"])
def test_motor_speeds_up_as_linear_theory_says(formulation):
    m, O = wheel()
    m.dc_motor("M", O.angle, voltage=12, resistance=0.5, inductance=0.01, constant=0.1, ratio=2)
    O.angle.law(lw.Damper(0.01))
    r = m.simulate(1, formulation=formulation)
    A = np.array([[-0.5, -0.2], [0.2, -0.01]]) / [[0.01], [0.02]]
    steady = -np.linalg.solve(A, [12 / 0.01, 0])
    rates, modes = np.linalg.eig(A)
    wanted = steady - np.exp(np.outer(r.t, rates)) * np.linalg.solve(modes, steady) @ modes.T
    assert np.allclose(r["M.current"], wanted[:, 0], atol=1e-6)
    assert np.allclose(r["O.angle.rate"], wanted[:, 1], atol=1e-6)
    balance = r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]
    assert np.ptp(balance) < 1e-6 * r["energy.supplied"][-1]


def test_motor_drives_a_slider_crank():
    m = slider_crank.model()
    u = m.input("u", 24.0, unit="V")
    m.dc_motor("M", m["O"].angle, voltage=u, resistance=1.0, inductance=5e-3, constant=0.5, ratio=5)
    r = m.simulate(3, parameters={"torque": 0.0}, inputs={"u": lambda t: 24.0 * min(t, 1.0)})
    balance = r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]
    assert np.ptp(balance) < 1e-6 * r["energy.supplied"][-1]
    assert r["O.angle.rate"][-1] > 2


def test_pid_follows_and_does_not_wind_up():
    m, O = wheel()
    m.pid("C", O.angle, lambda t: lw.sin(t), kp=2.0, ki=1.0, kd=0.3)
    r = m.simulate(5)

    def closed(t, y):
        e = np.sin(t) - y[0]
        return [y[1], (2 * e + y[2] + 0.3 * (np.cos(t) - y[1])) / 0.02, e]

    s = solve_ivp(closed, (0, 5), [0, 0, 0], t_eval=r.t, rtol=1e-10, atol=1e-12)
    assert np.allclose(r["O.angle"], s.y[0], atol=1e-7)
    m, O = wheel()
    m.pid("C", O.angle, 3.0, kp=2.0, ki=1.0, kd=0.5, limit=0.1)
    r = m.simulate(15)
    assert np.abs(r["C.effort"]).max() <= 0.1 + 1e-12
    assert np.abs(r["C.integral"]).max() < 0.5  # it would be several rad·s if it went on while the effort is limited
    assert r["C.error"][-1] == pytest.approx(0, abs=1e-4)


def test_bad_input():
    m, O = wheel()
    with pytest.raises(lw.LinkworkError, match="not a coordinate"):
        m.pid("C", "O.angle", 1.0)
    with pytest.raises(lw.LinkworkError, match="resistance"):
        m.dc_motor("M", O.angle, voltage=1, resistance=0, inductance=1, constant=1)
    with pytest.raises(lw.LinkworkError, match="another model"):
        lw.Model("other").pid("C", O.angle, 1.0)
