"""Hydraulic components: the jack of SYM against its own equations, energies, and other mountings."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.examples import hydraulic_jack

BAR = 1e5


def equations(t, y):
    """SYM (25), (27), (28) as printed, with the sign function smoothed as the orifice does."""
    x, v, p1, p2 = y

    def flow(drop):
        return 0.611 * 1e-5 * np.sqrt(2 / 860) * drop / (drop**2 + 100.0**2) ** 0.25

    pE1 = min(10 + 90 * t / 0.01, 100) * BAR
    return [
        v,
        (-1e5 * x + p1 * 1e-3 - p2 * 5e-4) / 10,
        2e8 / (1e-4 + 1e-3 * x) * (flow(pE1 - p1) - 1e-3 * v),
        2e8 / (3e-4 - 5e-4 * x) * (flow(10 * BAR - p2) + 5e-4 * v),
    ]


@pytest.fixture(scope="module")
def independent():
    parts = [solve_ivp(equations, (0, 0.01), [0, 0, 1e6, 1e6], method="Radau", rtol=1e-9, atol=1e-9)]
    start = parts[0].y[:, -1]
    return solve_ivp(equations, (0.01, 0.3), start, method="Radau", rtol=1e-9, atol=1e-9, dense_output=True)


@pytest.mark.parametrize(
    ("formulation", "solver"),
    [("minimal", "radau"), ("absolute", "radau"), ("points", "dopri5"), ("minimal", "newmark"), ("minimal", "hht")],
)
def test_jack_follows_its_equations(formulation, solver, independent):
    r = hydraulic_jack.model().simulate(0.3, formulation=formulation, solver=solver, rtol=1e-7)
    late = r.t >= 0.01
    x, v, p1, p2 = independent.sol(r.t[late])
    second = solver in ("newmark", "hht")
    assert np.allclose(r["P.slide"][late], x, atol=1e-5 if second else 2e-7)
    assert np.allclose(r["P.slide.rate"][late], v, atol=2e-3 if second else 2e-5)
    assert np.allclose(r["head.pressure"][late], p1, atol=2e4 if second else 300)
    assert np.allclose(r["rod.pressure"][late], p2, atol=2e4 if second else 300)


def test_jack_settles_where_the_forces_balance():
    r = hydraulic_jack.model().simulate(4, formulation="minimal", solver="radau")
    assert r["P.slide"][-1] == pytest.approx(0.095, abs=1e-7)
    assert r["head.pressure"][-1] == pytest.approx(100 * BAR, abs=1)
    assert r["rod.pressure"][-1] == pytest.approx(10 * BAR, abs=1)
    balance = r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]
    assert np.ptp(balance) < 1e-6 * r["energy.supplied"][-1]


def test_steps_adapt_by_orders_of_magnitude():
    r = hydraulic_jack.model().simulate(1, formulation="minimal", solver="newmark", rtol=1e-5, output=1e-3)
    steps = r["solver.step"][1:]
    assert steps.max() > 100 * steps.min()


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "acausal"])
def test_between_frames_as_along_a_coordinate(formulation):
    """The same jack mounted between two frames, 0.5 m apart at the start."""
    m = lw.Model("mounted", gravity=(0, 0))
    mass = m.body("mass", mass=10, inertia=1).start(position=(0.5, 0))
    P = m.prismatic("P", m.ground.at(0.5, 0), mass.at())
    P.slide.law(lw.Spring(1e5))
    supply = m.pressure_source("supply", lambda t: lw.fmin(10 + 90 * t / 0.01, 100) * BAR)
    tank = m.pressure_source("tank", 10 * BAR)
    head = m.chamber("head", volume=1e-4, bulk_modulus=2e8, pressure=10 * BAR)
    rod = m.chamber("rod", volume=3e-4, bulk_modulus=2e8, pressure=10 * BAR)
    m.orifice("inlet", supply, head, area=1e-5)
    m.orifice("outlet", rod, tank, area=1e-5)
    m.hydraulic_cylinder("jack", m.ground, mass, head=head, rod=rod, head_area=1e-3, rod_area=5e-4, length=0.5)
    m.event("full", lambda: m.t - 0.01, action="restart")
    a, b = m.simulate(0.2, formulation=formulation), hydraulic_jack.model().simulate(0.2)
    assert np.allclose(a["P.slide"], b["P.slide"], atol=1e-7)
    assert np.allclose(a["jack.extension"], a["P.slide"], atol=1e-12)
    assert np.allclose(a["energy.supplied"], b["energy.supplied"], atol=1e-3)


@pytest.mark.parametrize("formulation", ["absolute", "acausal"])
def test_in_space_as_in_the_plane(formulation):
    """A boom on a cylinder with shut chambers, about z: it swings on its oil."""
    angles = []
    for gravity in ((0, -9.81), (0, -9.81, 0)):
        m = lw.Model("boom", gravity=gravity)
        space = len(gravity) == 3
        boom = m.body("boom", mass=100, inertia=(10, 30, 30) if space else 30).start(position=(1, 0, 0)[: 2 + space])
        m.revolute("O", m.ground.at(0, 0), boom.at(-1, 0))
        m.hydraulic_cylinder(
            "ram", m.ground.at(0.5, -0.8), boom.at(-0.2, 0), length=0.8, head_area=2e-3, rod_area=1e-3,
            head_volume=1e-3, rod_volume=1e-3, bulk_modulus=2e8, damping=500.0,
        )  # fmt: skip
        r = m.simulate(0.5, formulation=formulation)
        angles.append(r["O.angle"])
        balance = r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]
        assert np.ptp(balance) < 1e-6 * np.ptp(r["energy.kinetic"])
    assert np.ptp(angles[0]) > 1e-3
    assert np.allclose(*angles, atol=1e-8)


def test_locked_oil_is_a_spring():
    """A shut chamber: frequency √(K S²/(V m)), for small motion."""
    m = lw.Model("locked", gravity=(0, 0))
    P = m.prismatic("P", m.ground, m.body("mass", mass=10, inertia=1).at())
    oil = m.chamber("oil", volume=1e-3, bulk_modulus=1e9)
    m.hydraulic_cylinder("ram", P.slide, head=oil, head_area=1e-3)
    P.slide.start(0.0, rate=1e-4)
    w = np.sqrt(1e9 * 1e-3**2 / (1e-3 * 10))
    r = m.simulate(2 * np.pi / w, rtol=1e-10, atol=1e-14)
    assert r["P.slide"][-1] == pytest.approx(0, abs=1e-9)
    assert np.ptp(r["energy.total"]) < 1e-7 * r["energy.total"][0]


def test_bad_input_names_the_part():
    m, other = lw.Model("bad"), lw.Model("other")
    c = m.chamber("c", volume=1e-3, bulk_modulus=1e9)
    s = other.pressure_source("s", 0)

    def message(build):
        with pytest.raises(lw.LinkworkError) as caught:
            build()
        return str(caught.value)

    assert "volume -1" in message(lambda: m.chamber("d", volume=-1, bulk_modulus=1e9))
    assert "itself" in message(lambda: m.orifice("o", c, c, area=1))
    assert "another model" in message(lambda: m.orifice("o", c, s, area=1))
    assert "no pressure" in message(lambda: m.orifice("o", c, m.ground, area=1))
    assert "no chamber" in message(lambda: m.hydraulic_cylinder("h", m.ground, m.ground))
    assert "one coordinate or two frames" in message(lambda: m.hydraulic_cylinder("h", head=c, head_area=1))
    assert "head_area" in message(lambda: m.hydraulic_cylinder("h", m.ground, m.ground, head=c))


def test_empty_accumulator_gives_no_more_oil():
    m = lw.Model("hydraulics")
    store = m.accumulator("store", volume=1e-4, precharge=1e6, pressure=2e6)
    m.orifice("out", store, m.tank("tank"), area=1e-5)
    r = m.simulate(1)
    held = 1e-4 * (1 - 0.5 ** (1 / 1.4))
    assert r["store.oil"][0] == pytest.approx(held) and r["store.oil"].min() == 0
    assert r["store.pressure"][-1] < 1
    flowed = np.trapezoid(r["out.flow"], r.t)
    assert held < flowed < held + 0.01 * 1e-4
    total = r["energy.total"] + r["energy.dissipated"]
    assert np.ptp(total) < 1e-7 * r["energy.dissipated"][-1]


def between_orifices(pressure):
    """A pressure between two orifices, which only an equation determines; orifices of 2:1, so 4/5 of the supply."""
    m = lw.Model("orifices")
    out = m.orifice("in", m.pressure_source("supply", pressure).a, area=2e-6)
    m.orifice("out", out.b, m.tank("tank"), area=1e-6)
    return m


@pytest.mark.parametrize("after", [1e5, -1e5])
def test_pressure_between_orifices_follows_a_step(after):
    r = between_orifices(lw.Table([0, 0.5], [1e7, after], "hold")).simulate(1, output=0.1)
    assert r["in.b.p"] == pytest.approx(0.8 * r["supply.pressure"], rel=1e-5)
    m = lw.Model("sampled")
    pressure = m.sampled("pressure", lambda t: t, period=0.5, law=lambda t: lw.if_else(t < 0.3, 1e7, after))
    out = m.orifice("in", m.pressure_source("supply", pressure).a, area=2e-6)
    m.orifice("out", out.b, m.tank("tank"), area=1e-6)
    r = m.simulate(1, output=0.1)
    assert r["in.b.p"] == pytest.approx(0.8 * r["supply.pressure"], rel=1e-5)


def test_a_jump_in_an_expression_is_followed():
    r = between_orifices(lambda t: lw.if_else(t < 0.503, 1e7, 1e5)).simulate(1, output=0.1)
    assert r["in.b.p"] == pytest.approx(0.8 * r["supply.pressure"], rel=1e-5)
    assert r["supply.pressure"] == pytest.approx(np.where(r.t < 0.503, 1e7, 1e5))


def test_a_piston_at_the_end_of_its_way_is_told():
    """At 0.2 m/s it presses out the 0.167 m of oil behind it; the pressure there then changes ever faster."""
    m = lw.Model("lift", gravity=(0, -9.81))
    load = m.body("load", mass=100, inertia=1)
    up = m.prismatic("up", m.ground.at(rotation=90 * lw.deg), load.at(rotation=90 * lw.deg))
    tank, supply = m.tank("tank"), m.chamber("supply", volume=1e-3, bulk_modulus=1.2e9, pressure=5e6)
    m.flow_source("pump", 2e-4, tank, supply)
    m.relief_valve("relief", supply, tank, opening=5e6, gain=1e-9)
    cylinder = m.hydraulic_cylinder(
        "cylinder", up.slide, head_area=1e-3, rod_area=6e-4, head_volume=1e-4, rod_volume=1e-4, bulk_modulus=1.2e9,
        damping=2e3, pressure=(1e6, 1e5),
    )  # fmt: skip
    m.directional_valve("valve", supply, tank, cylinder.head, cylinder.rod, spool=m.input("spool", 0.0), area=5e-6)
    with pytest.raises(lw.IntegrationError, match=r"cylinder: its (oil is used up|volume is negative).* end stop") as e:
        m.simulate(2, solver="radau", inputs={"spool": lw.Table([0.2, 0.3], [0, 1])})
    left = e.value.partial["cylinder.rod_volume"]
    assert left.min() < 1e-6 * left.max()
