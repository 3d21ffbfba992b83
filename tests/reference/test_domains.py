"""Mechanisms with other domains: SYM's jack, an excavator, a motor on a slider-crank; motion, energy, no creep."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw

FORMULATIONS = ["absolute", "minimal", "acausal"]


def balance(r: lw.Result) -> float:
    """Largest error of the energy balance, relative to what was turned over."""
    off = r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]
    return np.ptp(off) / max(np.ptp(r["energy.supplied"]), np.ptp(r["energy.total"]))


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_jack_of_sym_rests_where_pressures_and_spring_balance(example, formulation):
    r = example("hydraulic_jack").simulate(4, formulation=formulation, solver="radau")
    assert r["P.slide"][-1] == pytest.approx(0.0950000, abs=1e-7)
    assert r["head.pressure"][-1] == pytest.approx(100e5, abs=1)
    assert r["rod.pressure"][-1] == pytest.approx(10e5, abs=1)
    assert r["head.volume"][-1] == pytest.approx(1e-4 + 1e-3 * 0.095, rel=1e-6)
    assert balance(r) < 1e-6


def slider_crank_by_hand(t_eval, voltage):
    """Lagrange's equation in the crank angle alone, with rotor and gear, and the armature's current."""
    r, l, n, J, K, R, L = 0.2, 1.0, 5.0, 2e-3, 0.25, 0.8, 2e-3

    def shape(q):
        """Kinetic coefficient 2T/q̇², potential energy, ∂x/∂q of the piston."""
        s, c = np.sin(q), np.cos(q)
        b = np.arcsin(-r * s / l)
        db = -r * c / (l * np.cos(b))
        crank = 0.1 + 0.1**2
        rod = 0.1 * db**2 + (-r * s - l / 2 * np.sin(b) * db) ** 2 + (r * c + l / 2 * np.cos(b) * db) ** 2
        slope = -r * s - l * np.sin(b) * db
        return crank + rod + slope**2 + n**2 * J, 9.81 * (0.1 * s + r * s + l / 2 * np.sin(b)), slope

    def f(t, y):
        q, w, i = y
        h = 1e-5
        (m, _, slope), (m1, v1, _), (m2, v2, _) = shape(q), shape(q - h), shape(q + h)
        dm, dv = (m2 - m1) / (2 * h), (v2 - v1) / (2 * h)
        alpha = (n * K * i - 5 * slope**2 * w - dv - dm * w**2 / 2) / m
        return [w, alpha, (voltage - R * i - K * n * w) / L]

    return solve_ivp(f, (0, t_eval[-1]), [0.3, 0, 0], t_eval=t_eval, rtol=1e-9, atol=1e-10, method="Radau")


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_motor_drives_a_slider_crank(example, formulation):
    r = example("motor_slider_crank").simulate(3, formulation=formulation)
    assert np.abs(r["motor.voltage"]).max() <= 24 + 1e-9
    assert np.allclose(r["rotor.speed"], 5 * r["O.angle.rate"], atol=1e-9)
    late = r.t > 2
    assert r["O.angle.rate"][late].mean() == pytest.approx(6.0, rel=0.02)
    assert balance(r) < 1e-6


def test_slider_crank_with_motor_against_lagrange():
    m = lw.Model("motor", gravity=(0, -9.81))
    crank, rod, piston = (m.body(n, mass=1, inertia=0.1) for n in ("crank", "rod", "piston"))
    O = m.revolute("O", m.ground.at(0, 0), crank.at(-0.1, 0))
    m.revolute("A", crank.at(0.1, 0), rod.at(-0.5, 0))
    m.revolute("B", rod.at(0.5, 0), piston.at(0, 0))
    P = m.prismatic("P", m.ground.at(0, 0), piston.at(0, 0))
    P.slide.law(lw.Damper(5))
    O.angle.start(0.3, rate=0)
    gear = m.shaft_gear("gear", None, O.angle, ratio=5)
    m.shaft_inertia("rotor", gear.a, inertia=2e-3)
    S = m.voltage_source("S", 12.0)
    m.dc_motor("motor", gear.a, p=S.p, n=m.earth("G", S.n), resistance=0.8, inductance=2e-3, constant=0.25)
    r = m.simulate(2, rtol=1e-9, output=0.02)
    s = slider_crank_by_hand(r.t, 12.0)
    assert np.allclose(r["O.angle"], s.y[0], atol=1e-5)
    assert np.allclose(r["motor.current"], s.y[2], atol=1e-4)
    assert balance(r) < 1e-6


def test_excavator_works(example):
    m = example("excavator_boom")
    r = m.simulate(6, formulation="minimal")
    assert balance(r) < 1e-6
    for name in ("lift", "crowd", "curl"):
        assert r[f"{name}.extension"][-1] - r[f"{name}.extension"][0] > 0.1
        assert r[f"{name}.rod.p"].min() > 0 and r[f"{name}.head.p"].min() > 0  # no vacuum
        # what a cylinder does is what its pressures and seals say
        mount = m[name]
        push = mount.areas["head"] * r[f"{name}.head.p"] + mount.areas["rod"] * r[f"{name}.rod.p"]
        assert np.allclose(r[f"{name}.force"], push - 2e4 * r[f"{name}.rate"], rtol=1e-9, atol=1e-3)
    # With the valves shut the oil inside is a spring: dp = −K dV/V, so that p + K ln V stays.
    late = r.t > 4.1
    volume = 0.6 * 9.5e-3 + 9.5e-3 * r["lift.extension"][late]
    assert np.ptp(r["lift.extension"][late]) > 1e-3  # it still rings
    assert np.ptp(r["lift.head.p"][late] + 1.2e9 * np.log(volume)) < 50  # Pa


def test_excavator_does_not_creep_in_two_hours(example):
    r = example("excavator_boom", work=False).simulate(7200.0, formulation="minimal", solver="radau", output=10.0)
    for name in ("lift", "crowd", "curl"):
        assert np.abs(r[f"{name}-valve.flow_a"]).max() == 0 and np.abs(r[f"{name}-valve.flow_b"]).max() == 0
    settled = r.t > 300
    for channel in ("lift.extension", "crowd.extension", "curl.extension", "tip.x", "tip.y"):
        x = r[channel][settled]
        assert np.abs(np.diff(x)).max() / 10.0 < 1e-9, channel  # m/s, everywhere
        assert abs(x[-1] - x[0]) / (7200.0 - 300.0) < 1e-9, channel


@pytest.mark.slow
def test_excavator_in_all_formulations(example):
    m = example("excavator_boom")
    first, *others = (m.simulate(4, formulation=f, rtol=1e-9) for f in FORMULATIONS)
    for r in others:
        assert np.allclose(r["tip.x"], first["tip.x"], atol=1e-5)
        assert np.allclose(r["lift.head.p"], first["lift.head.p"], atol=2e3)
        assert balance(r) < 1e-6
