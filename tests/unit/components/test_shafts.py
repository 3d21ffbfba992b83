"""Drive trains in one dimension against analytic solutions; inertias joined to joints against bodies."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw


def balance(r: lw.Result) -> float:
    off = r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]
    return np.ptp(off) / max(np.ptp(r["energy.supplied"]), np.ptp(r["energy.total"]), r["energy.total"].max())


def test_gear_adds_inertias_with_the_square_of_its_ratio():
    m = lw.Model("gear")
    motor = m.shaft_inertia("motor", inertia=0.1)
    G = m.shaft_gear("G", motor, ratio=3.0)
    m.shaft_inertia("load", G.b, inertia=0.9, speed=1.0)
    m.shaft_torque("T", 2.0, motor)
    r = m.simulate(1.0)
    assert np.allclose(r["load.speed"], 1 + 3 * 2 / (0.9 + 9 * 0.1) * r.t, atol=1e-9)
    assert np.allclose(r["motor.speed"], 3 * r["load.speed"], atol=1e-12)
    assert balance(r) < 1e-6


def test_rack_and_spring_oscillate():
    m = lw.Model("rack")
    mass = m.slide_mass("mass", mass=2.0, speed=1.0)
    pinion = m.shaft_rack("pinion", None, mass, radius=0.1)
    m.shaft_inertia("J", pinion.a, inertia=0.02)  # as 2 kg on the rack
    m.slide_spring("k", mass, m.slide_fixed("wall"), stiffness=16.0)
    r = m.simulate(2.0, rtol=1e-10)
    assert np.allclose(r["mass.position"], np.sin(2 * r.t) / 2, atol=1e-8)
    assert balance(r) < 1e-6


def test_clutch_brings_two_shafts_together():
    m = lw.Model("clutch")
    a = m.shaft_inertia("a", inertia=1.0, speed=10.0)
    b = m.shaft_inertia("b", inertia=3.0)
    m.shaft_clutch("c", a, b, engagement=lambda t: lw.fmin(t, 1), capacity=40.0)
    r = m.simulate(3.0)
    assert r["a.speed"][-1] == pytest.approx(2.5, abs=1e-4)  # momentum is kept
    assert np.allclose(r["a.speed"] + 3 * r["b.speed"], 10.0, atol=1e-7)
    assert r["energy.dissipated"][-1] == pytest.approx(50 - 12.5, rel=1e-4)
    assert np.abs(r["c.torque"]).max() <= 40.0


def test_driven_spring_and_damper():
    m = lw.Model("driven")
    S = m.shaft_speed("S", lambda t: lw.cos(t))
    k = m.shaft_spring("k", S, stiffness=5.0, damping=0.3)
    J = m.shaft_inertia("J", k.b, inertia=0.5, angle=0.2)
    m.shaft_damper("d", J, m.shaft_fixed("housing"), damping=0.1)
    r = m.simulate(5.0, rtol=1e-10)

    def f(t, y):
        stretch, slip = np.sin(t) - y[0], np.cos(t) - y[1]
        return [y[1], (5 * stretch + 0.3 * slip - 0.1 * y[1]) / 0.5]

    s = solve_ivp(f, (0, 5), [0.2, 0], t_eval=r.t, rtol=1e-11, atol=1e-12)
    assert np.allclose(r["J.angle"], s.y[0], atol=1e-8)
    assert balance(r) < 1e-6


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "acausal", "points", "bondgraph"])
def test_rotor_on_a_joint_is_felt_as_inertia(formulation):
    """A geared rotor on a pendulum's pin against the pendulum's equation."""
    m = lw.Model("geared pendulum", gravity=(0, -9.81))
    bar = m.body("bar", mass=1.0, inertia=0.1)
    pin = m.revolute("pin", m.ground.at(0, 0), bar.at(-0.5, 0))
    pin.angle.start(0.3)
    G = m.shaft_gear("G", None, pin.angle, ratio=4.0)
    m.shaft_inertia("rotor", G.a, inertia=0.02)
    r = m.simulate(2.0, formulation=formulation, rtol=1e-10)
    total = 0.1 + 0.25 + 16 * 0.02
    s = solve_ivp(
        lambda t, y: [y[1], -9.81 * 0.5 * np.cos(y[0]) / total], (0, 2), [0.3, 0], t_eval=r.t, rtol=1e-11, atol=1e-12
    )
    assert np.allclose(r["pin.angle"], s.y[0], atol=1e-7)
    assert np.allclose(r["rotor.speed"], 4 * r["pin.angle.rate"], atol=1e-9)
    assert np.ptp(r["energy.total"]) < 1e-6


def test_starts_that_contradict_are_told():
    m = lw.Model("starts")
    a = m.shaft_inertia("a", inertia=1.0, speed=1.0)
    b = m.shaft_inertia("b", inertia=1.0, speed=1.0)
    m.shaft_gear("G", a, b, ratio=2.0)
    with pytest.raises(lw.ModelError, match="rate starts at 1.*Give one start"):
        m.simulate(0.1)
    m = lw.Model("on a joint", gravity=(0, 0))
    O = m.revolute("O", m.ground.at(0, 0), m.body("wheel", mass=1, inertia=0.02).at(0, 0))
    m.shaft_inertia("rotor", O.angle, inertia=0.1, speed=3.0)
    with pytest.raises(lw.ModelError, match="no freedom.*coordinate a start"):
        m.simulate(0.1)
