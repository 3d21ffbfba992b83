"""Bond graphs without a mechanism: built, run, and compared with solutions found another way."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import linkwork as lw
from linkwork.bondgraph.elements import Junction
from linkwork.bondgraph.graph import BondGraph
from linkwork.bondgraph.subgraph import Subgraph
from linkwork.examples import dc_motor, hydraulic_line, quarter_car


def off(a, b):
    """Largest difference, as a share of the largest value."""
    return np.abs(a - b).max() / max(np.abs(b).max(), 1e-300)


def linear(A, b, x0, t):
    """x of ẋ = A x + b at evenly spaced t by the matrix exponential, (samples, n)."""
    n = len(b)
    step = expm(np.block([[np.array(A), np.array(b)[:, None]], [np.zeros((1, n + 1))]]) * t[1])
    x = [np.append(x0, 1.0)]
    for _ in t[1:]:
        x.append(step @ x[-1])
    return np.array(x)[:, :n]


@pytest.mark.parametrize("solver", ["dopri5", "radau"])
def test_dc_motor_with_dependent_load(solver):
    g = dc_motor.model()
    assert [e.name for e, _ in g.causality().derivative] == ["load"]
    for R, n in ((0.5, 0.1), (2.0, 0.3)):
        r = g.simulate(0.3, solver=solver, parameters={"R": R, "ratio": n}, output=0.01)
        J = 1e-3 + n**2 * 0.1
        x = linear([[-R / 1e-3, -0.1 / 1e-3], [0.1 / J, -1e-3 / J]], [12 / 1e-3, 0.0], [0, 0], r.t)
        assert off(r["armature.flow"], x[:, 0]) < 2e-7 and off(r["rotor.flow"], x[:, 1]) < 2e-7
        assert off(r["load.flow"], n * x[:, 1]) < 2e-7
        assert off(r["load.effort"], 0.1 * n * (0.1 * x[:, 0] - 1e-3 * x[:, 1]) / J) < 2e-6
    assert r.record["timings"]["compile"] == 0
    units = {"armature.flow": "A", "rotor.momentum": "N·m·s", "motor.port2.effort": "N·m", "supply.power": "W"}
    assert {name: r.unit(name) for name in units} == units


def test_rlc_circuit_rings_as_it_should():
    g = BondGraph("RLC")
    loop = g.one("loop", domain="electrical")
    g.R("R", 2.0, at=loop)
    g.I("L", 0.1, at=loop, start=0.5)
    g.C("C", compliance=1e-3, at=loop, start=2e-3)
    r = g.simulate(0.3, output=0.001, rtol=1e-11, atol=1e-13)
    a, w0 = 2.0 / 0.2, 1 / np.sqrt(0.1 * 1e-3)
    w = np.sqrt(w0**2 - a**2)
    q0, i0 = 2e-3, 0.5
    q = np.exp(-a * r.t) * (q0 * np.cos(w * r.t) + (i0 + a * q0) / w * np.sin(w * r.t))
    assert off(r["C.displacement"], q) < 1e-7 and off(r["C.effort"], q / 1e-3) < 1e-7
    assert np.ptp(r["energy.balance"]) < 1e-9 * r["energy.total"][0]
    assert r["energy.total"][0] == pytest.approx(0.5 * 0.1 * 0.25 + 0.5 * 4e-6 / 1e-3)


def test_quarter_car_against_scipy():
    g = quarter_car.model()
    r = g.simulate(1.0, inputs={"road": lambda t: 0.1 * np.sin(9 * t)}, parameters={"damping": 900.0}, max_step=0.01)

    def rate(t, x):
        tyre, wheel, stroke, body = x
        s = 10.0 * t
        up = (0.01 * np.pi * np.cos(np.pi * s) if s < 6 else 0.0) * 10.0 + 0.1 * np.sin(9 * t)
        strut = 20e3 * stroke + 900.0 * (wheel - body)
        return [up - wheel, (180e3 * tyre - strut) / 40, wheel - body, strut / 300]

    before = solve_ivp(rate, (0, 0.6), np.zeros(4), rtol=1e-11, atol=1e-13, t_eval=r.t[r.t < 0.6])
    after = solve_ivp(rate, (0, 0.6), np.zeros(4), rtol=1e-11, atol=1e-13).y[:, -1]
    after = solve_ivp(rate, (0.6, 1.0), after, rtol=1e-11, atol=1e-13, t_eval=r.t[r.t >= 0.6])
    y = np.hstack([before.y, after.y])
    names = ("tyre.displacement", "wheel.flow", "suspension.displacement", "body.flow")
    assert all(off(r[name], x) < 1e-6 for name, x in zip(names, y, strict=True))
    assert np.array_equal(r["travel"], r["suspension.displacement"])


def test_hydraulic_line_settles_where_flows_balance():
    r = hydraulic_line.model().simulate(1.0)
    assert r["oil.effort"][-1] == pytest.approx((500 * 9.81 + 2000 * r["mass.flow"][-1]) / 1e-3, rel=1e-6)
    assert r["relief.flow"][-1] + r["leak.flow"][-1] + 1e-3 * r["mass.flow"][-1] == pytest.approx(2e-4, rel=1e-6)
    assert np.ptp(r["energy.balance"]) < 1e-7 * r["energy.supplied"][-1]


def test_capacitors_in_parallel_share_one_voltage():
    g = BondGraph("parallel")
    node = g.zero("node", domain="electrical")
    g.Sf("charge", 1e-3, at=node)
    g.C("a", compliance=1e-6, at=node, start=2e-6)
    g.C("b", compliance=3e-6, at=node, start=1e-3)
    r = g.simulate(0.01)
    assert off(r["node.effort"], 2.0 + r.t * 1e-3 / 4e-6) < 1e-10
    assert off(r["b.flow"], np.full(r.t.size, 0.75e-3)) < 1e-10
    assert off(r["energy.total"], 0.5 * 4e-6 * r["node.effort"] ** 2) < 1e-10
    (kept,) = r.record["starts that follow others"].values()
    assert kept == pytest.approx([6e-6])


@pytest.mark.parametrize("known", [True, False])
def test_nonlinear_spring_keeps_its_energy(known):
    g = BondGraph("Duffing")
    x = g.one("x", domain="translation")
    g.I("mass", 2.0, at=x)
    energy = (lambda d: 5 * d**2 + 100 * d**4) if known else None
    g.C("spring", lambda d: 10 * d + 400 * d**3, energy=energy, at=x, start=0.5)
    r = g.simulate(5.0)
    held = 5 * r["spring.displacement"] ** 2 + 100 * r["spring.displacement"] ** 4 + r["mass.flow"] ** 2
    assert np.ptp(held) < 1e-7 * held[0] and np.ptp(r["energy.balance"]) < 1e-7 * held[0]
    assert off(r["spring.energy"], held - r["mass.flow"] ** 2 - (0 if known else held[0])) < 1e-6


def test_nonlinear_inertia_and_resistor():
    """A relativistic particle (c = 1) pushed evenly: p = F t."""
    g = BondGraph("fast")
    v = g.one("v")
    g.Se("push", 3.0, at=v)
    g.I("mass", lambda p: p / lw.sqrt(1 + p**2), at=v, energy=lambda p: lw.sqrt(1 + p**2) - 1, start=0.2)
    r = g.simulate(2.0)
    p = 0.2 + 3 * r.t
    assert off(r["mass.flow"], p / np.sqrt(1 + p**2)) < 1e-9
    assert off(r["mass.energy"], np.sqrt(1 + p**2) - 1) < 1e-8
    g.R("drag", lambda f: 0.5 * f * lw.fabs(f) + f**3, at=v)
    r = g.simulate(2.0)
    y = solve_ivp(
        lambda t, p: 3 - 0.5 * (f := p / np.sqrt(1 + p**2)) * abs(f) - f**3,
        (0, 2), [0.2], rtol=1e-11, atol=1e-12, t_eval=r.t,
    )  # fmt: skip
    assert off(r["mass.momentum"], y.y[0]) < 1e-7


@pytest.mark.parametrize("solver", ["dopri5", "radau"])
def test_constraint_binds_two_masses(solver):
    g = BondGraph("coupled")
    left, right, between = g.one("left"), g.one("right"), g.zero("between")
    g.Se("push", 6.0, at=left)
    g.I("a", 1.0, at=left, start=4.0)
    g.I("b", 2.0, at=right)
    gap = g.one("gap")
    g.chain(left, between, right)
    g.bond(between, gap)
    g.constraint("lock", at=gap)
    g.C("spring", 20.0, at=right)
    r = g.simulate(3.0, solver=solver)
    w = np.sqrt(20 / 3)
    v0 = 4 / 3  # the momentum that was given, shared: the start nearest in kinetic energy
    x = 0.3 * (1 - np.cos(w * r.t)) + v0 / w * np.sin(w * r.t)
    assert off(r["spring.displacement"], x) < 1e-6
    assert r["residual.velocity"].max() < 1e-10
    assert off(r["lock.effort"], 2.0 * (6 - 20 * x) / 3 + 20 * x) < 1e-6
    assert np.ptp(r["energy.balance"]) < 1e-5


def test_driven_constraint_and_opened_source_agree_with_derivative_causality():
    forces = []
    for kind in ("scap", "lagrangian", "constraint"):
        g = BondGraph("driven")
        v = g.one("v")
        wanted = lw.sin(3 * g.t)
        if kind == "constraint":
            g.constraint("drive", wanted, at=v)
        else:
            g.Sf("drive", wanted, at=v)
        g.I("mass", 2.0, at=v)
        g.R("drag", 0.5, at=v)
        r = g.simulate(2.0, method="lagrangian" if kind == "lagrangian" else "scap")
        assert len(g.causality("lagrangian" if kind == "lagrangian" else "scap").derivative) == (kind == "scap")
        forces.append((-1 if kind == "constraint" else 1) * r["drive.effort"])  # power goes into a constraint's bond
        assert off(forces[-1], 6 * np.cos(3 * r.t) + 0.5 * np.sin(3 * r.t)) < 1e-8


def motor() -> Subgraph:
    part = Subgraph("motor")
    R = part.parameter("R", 1.0)
    coil, shaft = part.one("coil", domain="electrical"), part.one("shaft", domain="rotation")
    ra = part.R("Ra", lambda i: R * i, at=coil)
    part.I("La", 0.01, at=coil)
    part.chain(coil, part.GY("K", 0.2), shaft)
    part.I("J", 0.01, at=shaft)
    heat = part.signal("heat", part.bonds_of(ra)[0].effort * part.bonds_of(ra)[0].flow)
    part.R("hot", 1e-3 * (1 + heat), at=coil)
    part.port("plug", coil)
    part.port("shaft", shaft)
    return part


def test_a_part_inserted_twice_is_two_parts():
    g = BondGraph("two motors")
    left, right = g.insert(motor(), "left"), g.insert(motor(), "right", R=3.0)
    for name, m in (("left", left), ("right", right)):
        g.bond(g.Se(f"supply-{name}", 5.0), m.plug)
        g.bond(m["shaft"], g.R(f"brake-{name}", 0.02))
    assert set(g.parameters) == {"left-R", "right-R"} and list(left) == ["plug", "shaft"]
    r = g.simulate(1.0)
    for name, R in (("left", 1.0), ("right", 3.0)):
        y = solve_ivp(
            lambda t, x, R=R: [
                (5 - R * x[0] - 1e-3 * (1 + x[2]) * x[0] - 0.2 * x[1]) / 0.01,
                (0.2 * x[0] - 0.02 * x[1]) / 0.01,
                R * x[0] ** 2,
            ],
            (0, 1), np.zeros(3), rtol=1e-11, atol=1e-13, t_eval=r.t,
        ).y  # fmt: skip
        assert off(r[f"{name}-La.flow"], y[0]) < 1e-6 and off(r[f"{name}-heat"], y[2]) < 1e-6
    again = g.simulate(1.0, parameters={"right-R": 1.0})
    assert off(again["right-J.flow"], r["left-J.flow"]) < 1e-8


def test_parts_within_parts_share_what_they_are_given():
    pair = Subgraph("pair")
    R = pair.parameter("R", 3.0)
    node = pair.zero("node")
    for name in ("one", "two"):
        m = pair.insert(motor(), name, R=R)
        pair.bond(node, m.plug)
        pair.bond(m.shaft, pair.R(f"brake-{name}", 0.02))
    pair.port("plug", node)
    g = BondGraph("supply")
    g.bond(g.Se("V", 5.0), g.insert(pair, "pair").plug)
    assert set(g.parameters) == {"pair-R"}
    r = g.simulate(0.5)
    assert off(r["pair-one-J.flow"], r["pair-two-J.flow"]) < 1e-12
    assert r["V.flow"][-1] == pytest.approx(2 * r["pair-one-La.flow"][-1])


def test_coupled_coils_and_a_resistor_with_two_ports():
    """Fields: an I with two ports, and an R whose ports have one causality each."""
    L, R = np.array([[0.2, 0.1], [0.1, 0.3]]), np.array([[2.0, 0.5], [-0.5, 1.0]])
    g = BondGraph("coils")
    a, b = g.one("a"), g.one("b")
    coils = g.field("L", "I", L, sizes=[1, 1], start=[1.0, 0.0])
    g.Se("V", 4.0, at=a)
    g.bond(a, (coils, 0))
    g.bond(b, (coils, 1))
    losses = g.field("R", "R", R, sizes=[1, 1])
    g.bond(a, (losses, 0))
    g.bond(b, (losses, 1))
    r = g.simulate(0.5)
    i = linear(-np.linalg.solve(L, R), np.linalg.solve(L, [4.0, 0]), [1.0, 0.0], r.t)
    assert off(r["L.port1.flow"], i[:, 0]) < 1e-7 and off(r["L.port2.flow"], i[:, 1]) < 1e-7
    assert off(r["L.energy"], 0.5 * np.einsum("ti,ij,tj->t", i, L, i)) < 1e-7
    g = BondGraph("mixed")
    a, b = g.one("a"), g.zero("b")
    g.I("I", 1.0, at=a, start=1.0)
    g.C("C", 2.0, at=b, start=1.0)
    losses = g.field("R", "R", R, sizes=[1, 1])
    g.bond(a, (losses, 0))
    g.bond(b, (losses, 1))
    r = g.simulate(2.0)
    # e₁ = R₁₁ f₁ + R₁₂ f₂, f₂ = (e₂ − R₂₁ f₁) / R₂₂
    A = [[-(R[0, 0] - R[0, 1] * R[1, 0] / R[1, 1]), -R[0, 1] / R[1, 1] * 2.0], [R[1, 0] / R[1, 1], -2.0 / R[1, 1]]]
    x = linear(A, [0.0, 0.0], [1.0, 1.0], r.t)
    assert off(r["I.flow"], x[:, 0]) < 1e-7 and off(r["C.displacement"], x[:, 1]) < 1e-7


def test_field_with_one_dependent_port_starts_and_runs_right():
    """One port of two coupled masses is driven: p₁ = M₁₁ f₁ + M₁₂ f₂ with f₂ given."""
    M = np.array([[2.0, 0.5], [0.5, 1.0]])
    g = BondGraph("half driven")
    a, b = g.one("a"), g.one("b")
    pair = g.field("M", "I", M, sizes=[1, 1], start=[1.0, 0.0])
    g.bond(a, (pair, 0))
    g.R("drag", 1.0, at=a)
    g.Sf("drive", lw.cos(2 * g.t), at=b)
    g.bond(b, (pair, 1))
    r = g.simulate(2.0)
    y = solve_ivp(lambda t, f: (-f + np.sin(2 * t)) / 2, (0, 2), [1.0], rtol=1e-11, atol=1e-12, t_eval=r.t).y[0]
    assert off(r["M.port1.flow"], y) < 1e-7
    assert off(r["drive.effort"], 0.5 * (-y + np.sin(2 * r.t)) / 2 - 2 * np.sin(2 * r.t)) < 1e-7
    assert np.ptp(r["energy.balance"]) < 1e-7


def test_modulated_transformer_is_a_pendulum():
    g = BondGraph("pendulum")
    turn, drop = g.one("turn", domain="rotation"), g.one("drop", domain="translation")
    inertia = g.I("J", 2.0, at=turn)
    angle = g.signal("angle", g.bonds_of(inertia)[0].flow, 1.0, unit="rad")
    g.chain(turn, g.MTF("lever", 0.7 * lw.sin(angle)), drop)  # height = −0.7 cos(angle), its rate is the flow
    g.Se("weight", -9.81 * 3.0, at=drop)
    r = g.simulate(5.0)
    y = solve_ivp(
        lambda t, x: [x[1], -9.81 * 3 * 0.7 * np.sin(x[0]) / 2], (0, 5), [1.0, 0], rtol=1e-11, atol=1e-12, t_eval=r.t
    ).y
    assert off(r["angle"], y[0]) < 1e-6 and off(r["J.flow"], y[1]) < 1e-6


def test_feedback_through_a_source():
    """A source that reads a flow elsewhere: a damper made of a signal."""
    g = BondGraph("control")
    v = g.one("v")
    g.I("mass", 2.0, at=v, start=1.0)
    spring = g.C("spring", 8.0, at=v)
    read = g.bonds_of(spring)[0]
    g.MSe("control", -0.5 * read.flow - 0.1 * read.effort, at=v)
    r = g.simulate(3.0)
    x = linear([[0, 1], [-8.8 / 2, -0.25]], [0, 0], [0, 1.0], r.t)
    assert off(r["spring.displacement"], x[:, 0]) < 1e-7


def test_vector_bonds():
    K = np.array([[5.0, 1.0, 0.0], [1.0, 4.0, 0.5], [0.0, 0.5, 3.0]])
    g = BondGraph("vector")
    v = g.one("v", domain="translation")
    g.I("mass", [1.0, 2.0, 3.0], size=3, at=v, start=[1.0, 0.0, 0.0])
    g.C("spring", K, size=3, at=v, start=[0.0, 0.0, 0.1])
    g.Se("push", [0.0, 1.0, 0.0], size=3, at=v)
    r = g.simulate(2.0)
    Minv = np.diag([1.0, 0.5, 1 / 3])
    A = np.block([[np.zeros((3, 3)), np.eye(3)], [-Minv @ K, np.zeros((3, 3))]])
    x = linear(A, np.append(np.zeros(3), Minv @ [0.0, 1.0, 0.0]), [0, 0, 0.1, 1.0, 0, 0], r.t)
    for i in range(3):
        assert off(r[f"spring.displacement{i + 1}"], x[:, i]) < 1e-7 and off(r[f"mass.flow{i + 1}"], x[:, 3 + i]) < 1e-7


def test_inputs_as_functions_and_tables():
    g = BondGraph("filter")
    loop = g.one("loop")
    g.MSe("u", g.input("u"), at=loop)
    g.R("R", 1.0, at=loop)
    g.C("C", compliance=0.1, at=loop)
    table = g.simulate(1.0, inputs={"u": ([0, 1], [0, 1])})
    function = g.simulate(1.0, inputs={"u": lambda t: t})
    exact = table.t - 0.1 * (1 - np.exp(-table.t / 0.1))
    assert off(table["C.effort"], exact) < 1e-7 and off(function["C.effort"], exact) < 1e-7
    assert np.array_equal(table["u.effort"], table.t)


def test_algebraic_loops():
    """A divider with three resistors, and one whose law is not linear."""
    g = BondGraph("divider")
    loop, node = g.one("loop"), g.zero("node")
    g.Se("V", 10.0, at=loop)
    g.R("a", 2.0, at=loop)
    g.bond(loop, node)
    g.R("b", 3.0, at=node)
    g.R("c", 6.0, at=node)
    r = g.simulate(1.0)
    assert r["node.effort"] == pytest.approx(5.0, rel=1e-14) and r["c.flow"] == pytest.approx(5 / 6, rel=1e-14)
    assert r["energy.dissipated"][-1] == pytest.approx(25.0)
    g["c"].law = lambda f: 6 * f + f**3  # and what was derived before is forgotten
    f = np.roots([1.0, 0, 6 + 2 * 3 / 5, -10 * 3 / 5])
    (f,) = f[np.abs(f.imag) < 1e-9].real
    r = g.simulate(1.0)
    assert r["c.flow"] == pytest.approx(f, rel=1e-12) and r["residual.loops"].max() < 1e-12


def test_a_loop_that_newton_cannot_solve_is_told():
    g = BondGraph("hard")
    loop, node = g.one("loop"), g.zero("node")
    g.Se("V", 100.0, at=loop)
    g.R("a", 2.0, at=loop)
    g.bond(loop, node)
    g.R("b", 1e3, at=node)
    g.R("c", lambda f: lw.exp(20 * f) - lw.exp(-20 * f), at=node)  # one Newton step overshoots by far
    with pytest.raises(lw.IntegrationError, match="algebraic loop") as told:
        g.simulate(1.0)
    assert "b" in str(told.value) and told.value.partial["residual.loops"].max() > 1e-6


def test_heat_is_no_part_of_the_energy_balance():
    """Losses of a circuit warm a body: a pseudo bond graph beside a true one."""
    g = BondGraph("heater")
    loop = g.one("loop", domain="electrical")
    g.Se("V", 10.0, at=loop)
    wire = g.bonds_of(g.R("wire", 5.0, at=loop))[0]
    warm = g.zero("warm", domain="thermal")
    g.MSf("loss", wire.effort * wire.flow, at=warm)
    g.C("body", compliance=100.0, at=warm)
    g.R("air", 2.0, at=warm)
    r = g.simulate(100.0)
    assert off(r["body.effort"], 40 * (1 - np.exp(-r.t / 200))) < 1e-7
    assert r["energy.supplied"][-1] == pytest.approx(2000.0) and r["energy.dissipated"][-1] == pytest.approx(2000.0)
    assert np.abs(r["energy.total"]).max() == 0 and r.unit("body.power") == "K·W" and r.unit("air.flow") == "W"
    assert set(r.bonds.elements) == {"V", "wire"}


def test_state_equations_as_text():
    g = BondGraph("text")
    v = g.one("v")
    g.I("mass", g.parameter("m", 2.0), at=v)
    g.R("drag", 3.0, at=v)
    text = str(g.state_equations())
    assert "1 state" in text and "d/dt mass.momentum" in text and "mass.p/m" in text


def test_junction_by_its_letter_and_bond_by_name():
    g = BondGraph("names")
    one = g.one("x")
    assert isinstance(one, Junction) and one.kind == 1 and g.zero("y").kind == 0
    first, second = g.chain(g.Se("e", 1.0), "x", g.R("r", 1.0))
    assert (first.tail.element.name, second.head.element.name) == ("e", "r")
