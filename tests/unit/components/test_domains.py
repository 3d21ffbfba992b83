"""Hydraulic circuits beyond the jack, and what is told about networks that cannot work."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw

CD = 0.611 * np.sqrt(2 / 860)


def balance(r: lw.Result) -> float:
    off = r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]
    return np.ptp(off) / max(np.ptp(r["energy.supplied"]), np.ptp(r["energy.total"]))


def throttled(drop, area):
    return CD * area * drop / (drop**2 + 100.0**2) ** 0.25


def test_accumulator_is_charged_by_a_pump_and_emptied_through_a_check_valve():
    m = lw.Model("accumulator")
    tank = m.tank("tank", pressure=1e5)
    store = m.accumulator("store", volume=1e-3, precharge=2e6, exponent=1.4, pressure=2e6)
    pump = m.pump("pump", None, tank, store, displacement=1e-6, leakage=1e-13, friction=1e-3)
    m.shaft_speed("engine", lambda t: 100 * lw.fmin(t / 0.1, 1), pump.shaft)
    m.check_valve("valve", store, tank, area=2e-6, opening=3e6)
    r = m.simulate(5.0, rtol=1e-9)

    def f(t, y):
        p = y[0]
        q = 1e-6 * 100 * min(t / 0.1, 1) - 1e-13 * (p - 1e5) - throttled(max(p - 1e5 - 3e6, 0), 2e-6)
        gas = 1e-3 * (2e6 / p) ** (1 / 1.4)
        return [q * 1.4 * p / gas]

    s = solve_ivp(f, (0, 5), [2e6], t_eval=r.t, rtol=1e-10, atol=1e-3, max_step=0.01)
    assert np.allclose(r["store.pressure"], s.y[0], rtol=1e-6)
    assert r["valve.flow"][r.t < 1].max() == 0  # shut is shut
    assert np.allclose(r["pump.torque"][-1], 1e-6 * (r["store.pressure"][-1] - 1e5) + 0.1, rtol=1e-9)
    assert balance(r) < 1e-6


def test_line_passes_waves_on():
    """Oil is drawn from the far end: its pressure falls by √(inertance/capacity)·q until the echo is back."""
    m = lw.Model("line")
    supply = m.pressure_source("supply", 1e6)
    line = m.hydraulic_line("line", supply, inertance=1e7, capacity=1e-12, resistance=1e7, segments=20, pressure=1e6)
    m.flow_source("demand", lambda t: 1e-2 * lw.fmin(t, 0.01), line.b, m.tank("tank"))
    r = m.simulate(0.02, output=1e-4)
    travel, impedance = np.sqrt(1e7 * 1e-12), np.sqrt(1e7 / 1e-12)  # 3.2 ms one way
    before = r.t < 1.8 * travel
    fallen, wanted = 1e6 - r["line.b.p"][before], impedance * 1e-2 * r.t[before]
    assert np.allclose(fallen, wanted, atol=0.02 * wanted.max())
    echoed = (r.t > 2.5 * travel) & (r.t < 0.01)
    assert (1e6 - r["line.b.p"][echoed] < 0.9 * impedance * 1e-2 * r.t[echoed]).all()  # it has come back
    assert balance(r) < 1e-6


def test_relief_valve_limits_the_pressure():
    m = lw.Model("relief")
    tank = m.tank("tank")
    oil = m.chamber("oil", volume=1e-3, bulk_modulus=1e9)
    m.flow_source("pump", 1e-3, tank, oil)
    m.relief_valve("relief", oil, tank, opening=1e7, gain=1e-9)
    r = m.simulate(0.1, rtol=1e-10)
    up = r.t < 0.00999
    assert np.allclose(r["oil.pressure"][up], 1e9 * r.t[up], atol=1)  # p = K q t/V
    later = r.t > 0.01
    assert np.allclose(r["oil.pressure"][later], 1e7 + 1e6 * (1 - np.exp(-(r.t[later] - 0.01) / 1e-3)), atol=10)
    assert balance(r) < 1e-6


def test_directional_valve_moves_holds_and_reverses():
    m = lw.Model("valve", gravity=(0, 0))
    P = m.prismatic("P", m.ground, m.body("mass", mass=100, inertia=1).at())
    spool = lw.Table([0.1, 0.2, 0.6, 0.7, 1.2, 1.3, 1.7, 1.8], [0, 1, 1, 0, 0, -1, -1, 0])
    cylinder = m.hydraulic_cylinder(
        "ram", P.slide, head_area=2e-3, rod_area=1e-3, head_volume=1e-3, rod_volume=1e-3, bulk_modulus=1e9, damping=5e3,
        pressure=(2e6, 4e6),
    )  # fmt: skip
    m.directional_valve(
        "valve", m.pressure_source("supply", 1e7), m.tank("tank"), cylinder.head, cylinder.rod, spool=spool, area=1e-5
    )
    r = m.simulate(3.0, output=1e-3)
    x = r["P.slide"]
    held, back = x[(r.t > 1.0) & (r.t < 1.2)], x[r.t > 2.3]
    assert held.min() > 0.01
    assert np.ptp(held) < 1e-7 and np.ptp(back) < 1e-7
    assert back[-1] < held[0] - 0.01
    shut = (r.t > 0.71) & (r.t < 1.19)
    assert np.abs(r["valve.flow_a"][shut]).max() == 0 and np.abs(r["valve.flow_b"][shut]).max() == 0
    assert balance(r) < 1e-6


def test_two_orifices_without_a_chamber_between():
    """An algebraic loop: half of the drop at each."""
    m = lw.Model("series")
    o = m.orifice("a", m.pressure_source("S", 1e6), area=1e-5)
    m.orifice("b", o.b, m.tank("T"), area=1e-5)
    r = m.simulate(0.1)
    assert r["b.drop"][-1] == pytest.approx(5e5, rel=1e-9)
    assert r["a.flow"][-1] == pytest.approx(throttled(5e5, 1e-5), rel=1e-9)


def no_earth(m):
    S = m.voltage_source("S", 5.0)
    m.resistor("R", S.p, S.n, resistance=1.0)


def parallel_sources(m):
    S = m.voltage_source("S", 5.0)
    m.earth("G", S.n)
    m.voltage_source("S2", lambda t: 6 * t, S.p, S.n)
    m.resistor("R", S.p, S.n, resistance=1.0)


def short_circuit(m):
    S = m.voltage_source("S", 5.0)
    m.connect(S.p, m.earth("G", S.n))


def no_input(m):
    S = m.voltage_source("S")
    m.resistor("R", S.p, m.earth("G", S.n), resistance=1.0)


def two_outputs(m):
    g = m.gain("g", gain=1.0)
    m.connect(m.signal("a", 1.0).y, m.signal("b", 2.0).y, g.ports["u"])


def floating_spring(m):
    m.shaft_spring("k", stiffness=1.0)


def open_current_source(m):
    m.earth("G", m.current_source("S", 1.0).n)


def oil_without_tank(m):
    q = m.flow_source("Q", 1e-3)
    m.orifice("o", q.b, q.a, area=1e-5)


def oil_into_nothing(m):
    m.flow_source("Q", 1e-3, m.tank("T"))


def heat_nowhere(m):
    m.heat_conductor("k", conductance=1.0)


def two_capacitors(m):
    a = m.capacitor("a", capacitance=1.0, voltage=1.0)
    m.capacitor("b", a.p, m.earth("G", a.n), capacitance=1.0, voltage=2.0)


def different_kinds(m):
    m.connect(m.earth("G"), m.tank("T"))


def singular_loop(m):
    a = m.gain("a", gain=2.0)
    m.connect(m.gain("b", a, gain=0.5).y, a.ports["u"])


def rigid_oil_on_a_locked_piston(m):
    a = m.slide_fixed("wall")
    m.hydraulic_cylinder("ram", a.a, head=m.tank("T"), head_area=1e-3)
    m.slide_speed("drive", 1.0, a)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (no_earth, r"R, S: nothing fixes the voltage of .*m\.earth"),
        (parallel_sources, r"S2: .*S.*one equation too many.*resistance"),
        (short_circuit, r"S: together with G .*one equation too many.*resistance"),
        (no_input, r"S\.voltage: no output determines it.*exactly one output"),
        (two_outputs, r"2 outputs determine it \(joined: a\.y, b\.y, g\.u\)"),
        (floating_spring, r"k: nothing fixes the angle of k\.a, k\.b.*shaft_fixed"),
        (open_current_source, r"S: nothing fixes the voltage of S\.p"),
        (oil_without_tank, r"Q.*: nothing fixes the pressure of .*tank"),
        (oil_into_nothing, r"Q: nothing fixes the pressure of Q\.b.*tank"),
        (heat_nowhere, r"k: nothing fixes the temperature.*capacity"),
        (two_capacitors, r"[ab]\.voltage: it starts at [12], but [ab]\.voltage = [12] asks for.*one start"),
        (different_kinds, r"G\.p is electric, T\.a is hydraulic.*between"),
        (singular_loop, r"together with .* one equation too many"),
        (rigid_oil_on_a_locked_piston, r"one equation too many|too many among"),
    ],
    ids=lambda x: getattr(x, "__name__", None),
)
def test_what_cannot_work_is_said_in_words(build, words):
    m = lw.Model("broken")

    def run():
        build(m)
        m.simulate(0.1)

    with pytest.raises(lw.ModelError, match=words):
        run()


def test_wrong_number_of_equations_names_the_component(monkeypatch):
    from linkwork.core import registry

    monkeypatch.setattr(registry, "components", dict(registry.components))

    @lw.component
    class Leaky(lw.PortComponent):
        def __init__(self, name):
            super().__init__(name)
            self.p, self.n = self.port("p", lw.ELECTRIC), self.port("n", lw.ELECTRIC)

        def equations(self):
            return [self.p.v - self.n.v]

    m = lw.Model("own")
    leaky = m.leaky("leaky")
    m.connect(leaky.n, m.earth("G"))
    with pytest.raises(lw.ModelError, match=r"leaky: it has one equation too few: 1 for leaky\.p\.i, leaky\.n\.i"):
        m.simulate(0.1)


def test_a_component_joins_whole_or_not_at_all():
    m = lw.Model("half")
    tank, earth = m.tank("tank"), m.earth("earth")
    with pytest.raises(lw.ModelError, match="no pressure"):
        m.orifice("o", tank, earth, area=1e-5)
    with pytest.raises(lw.ModelError, match="different kinds"):
        m.resistor("R", earth, tank, resistance=1.0)
    assert set(m.components) == {"ground", "tank", "earth"}
    m.orifice("o", tank, m.pressure_source("S", 1e5), area=1e-5)  # the name is free again
    assert m.simulate(0.1)["o.flow"][-1] == pytest.approx(-throttled(1e5, 1e-5))


def test_numbers_can_be_changed_and_parameters_swept():
    m = lw.Model("swept")
    k = m.parameter("k", 1e-5, unit="m²")
    o = m.orifice("o", m.pressure_source("S", 1e6), m.tank("T"), area=k)
    assert m.simulate(0.1, parameters={"k": 2e-5})["o.flow"][-1] == pytest.approx(throttled(1e6, 2e-5))
    o.discharge = 2 * 0.611
    assert m.simulate(0.1)["o.flow"][-1] == pytest.approx(2 * throttled(1e6, 1e-5))
