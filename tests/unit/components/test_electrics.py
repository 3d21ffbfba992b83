"""Circuits against their analytic solutions, and their energy."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import lambertw

import linkwork as lw


def balance(r: lw.Result) -> float:
    """Largest error of the energy balance, relative to what was turned over."""
    off = r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]
    return np.ptp(off) / max(np.ptp(r["energy.supplied"]), np.ptp(r["energy.total"]))


def test_rc_charges_exponentially():
    m = lw.Model("RC")
    S = m.voltage_source("S", 5.0)
    R = m.resistor("R", S.p, resistance=1e3)
    m.capacitor("C", R.n, m.earth("G", S.n), capacitance=1e-6, voltage=1.0)
    r = m.simulate(5e-3, rtol=1e-10)
    assert np.allclose(r["C.voltage"], 5 - 4 * np.exp(-r.t / 1e-3), atol=1e-8)
    assert np.allclose(r["R.current"], 4e-3 * np.exp(-r.t / 1e-3), atol=1e-11)
    assert r.unit("R.current") == "A"
    assert balance(r) < 1e-6


def test_rlc_rings_as_theory_says():
    m = lw.Model("RLC")
    U, R, L, C = (m.parameter(n, x) for n, x in (("U", 5.0), ("R", 10.0), ("L", 1e-2), ("C", 1e-5)))
    S = m.voltage_source("source", U)
    coil = m.inductor("coil", m.resistor("resistor", S.p, resistance=R).n, inductance=L)
    m.capacitor("store", coil.n, m.earth("G", S.n), capacitance=C)
    for ohm in (10.0, 30.0):
        r = m.simulate(1e-2, rtol=1e-10, parameters={"R": ohm})
        w, z = 1 / np.sqrt(1e-7), ohm / 2 * np.sqrt(1e-5 / 1e-2)
        d = w * np.sqrt(1 - z**2)
        wanted = 5 * (1 - np.exp(-z * w * r.t) * (np.cos(d * r.t) + z * w / d * np.sin(d * r.t)))
        assert np.allclose(r["store.voltage"], wanted, atol=2e-8)
        assert balance(r) < 1e-6


def test_rectifier_against_its_equation_and_energy():
    """The current through resistor and diode in closed form, by Lambert's W; the capacitor integrated by SciPy."""
    m = lw.Model("rectifier")
    S = m.voltage_source("S", lambda t: 5 * lw.sin(400 * np.pi * t))
    G = m.earth("G", S.n)
    D = m.diode("D", m.resistor("R0", S.p, resistance=50.0).n)
    m.capacitor("C", D.n, G, capacitance=1e-5)
    m.resistor("R", D.n, G, resistance=1e3)
    r = m.simulate(2e-2)

    def current(t, v):
        x = 50 * 1e-9 / 0.05
        return 1e-9 * (lambertw(x * np.exp((5 * np.sin(400 * np.pi * t) - v) / 0.05 + x)).real / x - 1)

    def rate(t, v):
        return (current(t, v) - v / 1e3) / 1e-5

    s = solve_ivp(rate, (0, 2e-2), [0.0], t_eval=r.t, rtol=1e-10, atol=1e-12, max_step=1e-4)
    assert np.allclose(r["C.voltage"], s.y[0], atol=2e-7)
    assert np.allclose(r["D.current"], current(r.t, r["C.voltage"]), rtol=1e-6, atol=1e-12)
    assert balance(r) < 1e-6


def test_transformer_and_amplifier():
    m = lw.Model("transformer")
    S = m.voltage_source("S", 10.0)
    G = m.earth("G", S.n)
    T = m.transformer("T", S.p, G, None, G, ratio=0.5)
    m.resistor("R", T.p2, G, resistance=2.0)
    r = m.simulate(0.1)
    assert r["R.current"][-1] == pytest.approx(2.5)
    assert r["S.p.i"][-1] == pytest.approx(-1.25)
    m = lw.Model("integrator")
    S = m.voltage_source("S", 1.0)
    G = m.earth("G", S.n)
    A = m.op_amp("A", G, None, None, G)
    m.resistor("R", S.p, A.n1, resistance=1e3)
    m.capacitor("F", A.p2, A.n1, capacitance=1e-3)
    r = m.simulate(1.0)
    assert np.allclose(r["A.p2.v"], -r.t, atol=1e-9)
    assert balance(r) < 1e-6


def test_switch_and_current_source():
    m = lw.Model("switched")
    S = m.current_source("S", 2.0)
    G = m.earth("G", S.n)
    m.capacitor("C", S.p, G, capacitance=1.0)
    m.switch("K", S.p, G, closed=lambda t: lw.if_else(t > 0.5, 1.0, 0.0), on=0.1, off=1e9)
    r = m.simulate(1.0, rtol=1e-10, output=1e-2)
    after = r.t > 0.5
    assert np.allclose(r["C.voltage"][~after], 2 * r.t[~after], atol=1e-7)
    assert np.allclose(r["C.voltage"][after], 0.2 + 0.8 * np.exp(-(r.t[after] - 0.5) / 0.1), atol=1e-7)


@pytest.mark.parametrize("beside", ["nothing", "capacitor", "source"])
def test_an_ideal_switch_across_a_charged_capacitor_is_told(beside):
    """By name, with what it shorts and the remedy; a resistance of its own makes it run."""

    def discharge(on: float) -> lw.Result:
        m = lw.Model("short")
        C, G = m.capacitor("C", capacitance=1e-3, voltage=10.0), m.earth("G")
        K = m.switch("K", C.p, closed=lambda t: lw.if_else(t > 0.01, 1.0, 0.0), on=on, off=math.inf)
        m.resistor("R", C.p, G, resistance=100.0)
        m.connect(C.n, G)
        if beside == "nothing":
            m.connect(K.n, G)
        elif beside == "capacitor":
            m.capacitor("D", K.n, G, capacitance=1e-3)
        else:
            m.voltage_source("S", 5.0, p=K.n, n=G)
        return m.simulate(0.02)

    others = {"nothing": "C", "capacitor": "C, D", "source": "C, S"}[beside]
    with pytest.raises(lw.IntegrationError, match=f"K: it closes without resistance across {others} at t = 0.01 s"):
        discharge(0.0)
    with pytest.raises(lw.IntegrationError, match=r"9\.04837 V at C.*Give K a resistance on=… \[Ω\] above 0"):
        discharge(0.0)
    end = {"nothing": 0.0, "capacitor": 10 * np.exp(-0.1) / 2 * np.exp(-0.05), "source": 5.0}[beside]
    assert discharge(0.01).final["C.voltage"] == pytest.approx(end, abs=2e-3)


def test_heat_of_a_resistor_warms_its_surroundings():
    m = lw.Model("heater")
    S = m.voltage_source("S", 10.0)
    body = m.heat_capacity("body", capacity=50.0)
    m.resistor("R", S.p, m.earth("G", S.n), resistance=2.0, heat=body)
    m.heat_conductor("k", body, m.temperature_source("air", 293.15), conductance=0.5)
    r = m.simulate(100.0, rtol=1e-10)
    assert np.allclose(r["body.temperature"], 293.15 + 100 * (1 - np.exp(-r.t / 100)), atol=1e-7)
    assert balance(r) < 1e-6
    assert r["energy.dissipated"][-1] == 0  # nothing is lost: it goes to the air


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "acausal", "bondgraph"])
def test_motor_with_electric_ports_as_with_a_voltage(formulation):
    def wheel() -> tuple[lw.Model, lw.Joint]:
        m = lw.Model("wheel", gravity=(0, 0))
        return m, m.revolute("O", m.ground.at(0, 0), m.body("wheel", mass=1, inertia=0.02).at(0, 0))

    values = {"resistance": 0.5, "inductance": 0.01, "constant": 0.1, "ratio": 2.0}
    m, O = wheel()
    m.dc_motor("M", O.angle, voltage=12.0, **values)
    plain = m.simulate(0.5)
    m, O = wheel()
    S = m.voltage_source("S", 12.0)
    m.dc_motor("M", O.angle, p=S.p, n=m.earth("G", S.n), **values)
    r = m.simulate(0.5, formulation=formulation)
    assert np.allclose(r["M.current"], plain["M.current"], atol=1e-6)
    assert np.allclose(r["O.angle"], plain["O.angle"], atol=1e-6)
    assert balance(r) < 1e-6


def test_switched_converter():
    """A step-down converter: its switch opens, the diode takes over the coil's current at once."""
    m = lw.Model("converter")
    S = m.voltage_source("S", 12.0, n=m.earth("G"))
    switch = m.switch("switch", S.p, closed=lambda t: 0.5 + lw.sin(2000 * math.pi * t))
    L = m.inductor("L", switch.n, inductance=1e-3)
    m.diode("D", m["G"], switch.n)
    m.capacitor("C", L.n, m["G"], capacitance=1e-4)
    m.resistor("R", L.n, m["G"], resistance=5.0)
    r = m.simulate(2e-3)
    assert r["L.current"].min() > -1e-6
    assert r["D.current"] + r["switch.current"] == pytest.approx(r["L.current"], abs=1e-9)
    balance = r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]
    assert np.ptp(balance) < 1e-5 * r["energy.supplied"][-1]


def test_mesh_of_resistors():
    """Marching through a mesh from a few torn voltages, errors would grow by a factor of six per row."""
    n, m, ends = 7, lw.Model("mesh"), {}
    conductance = np.zeros((n * n, n * n))
    S = m.voltage_source("S", 1.0, n=m.earth("G"))
    for i, j in np.ndindex(n, n):
        for k, l in ((i + 1, j), (i, j + 1)):
            if max(k, l) < n:
                R = m.resistor(f"R{i}{j}{k}{l}", resistance=1.0)
                ends.setdefault((i, j), []).append(R.p)
                ends.setdefault((k, l), []).append(R.n)
                edge = np.zeros(n * n)
                edge[[i * n + j, k * n + l]] = 1, -1
                conductance += np.outer(edge, edge)
    for joined in ends.values():
        m.connect(*joined)
    m.connect(S.p, ends[0, 0][0])
    m.connect(S.n, ends[n - 1, n - 1][0])
    resistance = np.linalg.inv(conductance[:-1, :-1])[0, 0]
    assert m.simulate(0.1)["S.n.i"][-1] == pytest.approx(1 / resistance, rel=1e-10)
