"""Networks with uneven numbers, hidden relations between stores, valves; and what no network can do."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.bondgraph.graph import BondGraph

PAIRS = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (1, 3), (2, 4), (3, 5), (1, 5), (2, 5)]
"""Resistors between six nodes; 0 is the earth, 1 has 1 V."""


def six_nodes() -> lw.Model:
    m = lw.Model("six nodes")
    source = m.voltage_source("S", 1.0)
    nodes = [[m.earth("G", source.n)], [source.p], [], [], [], []]
    for k, (a, b) in enumerate(PAIRS):
        r = m.resistor(f"r{k}", resistance=m.parameter(f"R{k}", 1.0))
        nodes[a].append(r.p)
        nodes[b].append(r.n)
    for joined in nodes:
        m.connect(*joined)
    return m


def currents(resistances: np.ndarray) -> np.ndarray:
    """By nodal potentials: the matrix is diagonally dominant, so that elimination is accurate."""
    G = np.zeros((6, 6))
    for (a, b), r in zip(PAIRS, resistances, strict=True):
        G[[a, b], [a, b]] += 1 / r
        G[[a, b], [b, a]] -= 1 / r
    u = np.array([0.0, 1.0, *np.linalg.solve(G[2:, 2:], -G[2:, 1])])
    return np.array([(u[a] - u[b]) / r for (a, b), r in zip(PAIRS, resistances, strict=True)])


def test_resistances_from_milliohms_to_megaohms_that_change_between_runs():
    m, rng = six_nodes(), np.random.default_rng(3)
    for trial in range(3):
        values = np.ones(len(PAIRS)) if trial == 0 else 10 ** rng.uniform(-2.1, 6, len(PAIRS))
        r = m.simulate(0.1, parameters={f"R{k}": float(x) for k, x in enumerate(values)})
        found = np.array([r[f"r{k}.current"][-1] for k in range(len(PAIRS))])
        assert np.abs(found - currents(values)).max() < 1e-11 * np.abs(found).max()
        (channel,) = [c for c in r.keys() if c.startswith("residual.network")]
        assert r[channel].max() < 1e-13
    near = {f"R{k}": 1.5 * float(x) for k, x in enumerate(values)}
    assert m.simulate(0.1, parameters=near).record["timings"]["compile"] == 0


def test_the_same_resistances_as_a_bond_graph():
    g, rng = BondGraph("six nodes"), np.random.default_rng(5)
    nodes = {k: g.zero(f"n{k}") for k in range(1, 6)}
    g.bond(nodes[1], g.Se("S", 1.0))
    for k, (a, b) in enumerate(PAIRS):
        across = g.one(f"j{k}")
        for node, ends in ((a, (nodes.get(a), across)), (b, (across, nodes.get(b)))):
            if node:
                g.bond(*ends)
        g.bond(across, g.R(f"r{k}", g.parameter(f"R{k}", 1.0)))
    for values in (np.ones(len(PAIRS)), 10 ** rng.uniform(-2.1, 6, len(PAIRS))):
        r = g.simulate(0.1, parameters={f"R{k}": float(x) for k, x in enumerate(values)})
        found = np.array([r[f"r{k}.flow"][-1] for k in range(len(PAIRS))])
        assert np.abs(found - currents(values)).max() < 1e-11 * np.abs(found).max()


def ring(values: tuple[float, float, float]) -> lw.Model:
    """Three capacitors in a ring; a current goes in at one corner and out at the next, which is earthed by 1 Ω."""
    m = lw.Model("ring")
    C = [m.capacitor(f"C{k}", capacitance=c) for k, c in enumerate(values)]
    source, leak, G = m.current_source("S", 1.0), m.resistor("R", resistance=1.0), m.earth("G")
    m.connect(source.p, C[0].p, C[2].n)
    m.connect(C[0].n, C[1].p, source.n, leak.p)
    m.connect(C[1].n, C[2].p)
    m.connect(leak.n, G)
    return m


def test_a_ring_of_capacitors_away_from_earth():
    """The third voltage follows from the others, though no single equation says so: C0 beside C1 and C2 in series."""
    r = ring((1e-3, 2e-3, 3e-3)).simulate(0.1)
    both = 1e-3 + 1 / (1 / 2e-3 + 1 / 3e-3)
    assert np.allclose(r["C0.voltage"], r.t / both, rtol=1e-7)
    assert np.allclose(r["C0.voltage"] + r["C1.voltage"] + r["C2.voltage"], 0, atol=1e-10)


def test_the_same_ring_as_a_bond_graph():
    g = BondGraph("ring")
    corners = [g.zero(f"n{k}") for k in range(3)]
    for k, c in enumerate((1e-3, 2e-3, 3e-3)):
        across = g.one(f"j{k}")
        g.bond(corners[k], across)
        g.bond(across, corners[(k + 1) % 3])
        g.bond(across, g.C(f"C{k}", compliance=c))
    feed = g.one("feed")
    g.bond(corners[1], feed)
    g.bond(feed, corners[0])
    g.bond(feed, g.Sf("S", 1.0))
    g.bond(corners[1], g.R("R", 1.0))
    r = g.simulate(0.1)
    both = 1e-3 + 1 / (1 / 2e-3 + 1 / 3e-3)
    assert np.allclose(r["C0.effort"], r.t / both, rtol=1e-7)
    assert r["residual.loops"].max() < 1e-9


def test_ideal_switches_change_over_without_resistance():
    """A coil is charged through one, then goes on through another: L/R of each way."""
    m = lw.Model("change-over")
    S = m.voltage_source("S", 10.0)
    G = m.earth("G", S.n)
    ideal = {"on": 0.0, "off": float("inf")}
    A = m.switch("A", S.p, closed=lambda t: lw.if_else(t < 0.5, 1.0, 0.0), **ideal)
    B = m.switch("B", G, closed=lambda t: lw.if_else(t < 0.5, 0.0, 1.0), **ideal)
    L = m.inductor("L", inductance=1.0)
    m.connect(A.n, B.n, L.p)
    m.resistor("R", L.n, G, resistance=5.0)
    r = m.simulate(1.0, rtol=1e-10)
    charged = 2 * (1 - np.exp(-5 * np.minimum(r.t, 0.5)))
    assert np.allclose(r["L.current"], charged * np.exp(-5 * np.maximum(r.t - 0.5, 0)), atol=1e-8)
    assert r["A.current"][-1] == 0 and r["B.voltage"][-1] == 0


def test_a_current_with_nowhere_to_go_is_told():
    m = lw.Model("open")
    S = m.current_source("S", 1.0)
    K = m.switch("K", S.p, closed=0.0, on=0.0, off=float("inf"))
    m.resistor("R", K.n, m.earth("G", S.n), resistance=1.0)
    with pytest.raises(lw.LinkworkError, match="K"):
        m.simulate(0.1)


@pytest.mark.parametrize("drop", [0.0, 0.7])
def test_bridge_rectifier_on_mains(drop):
    m = lw.Model("bridge")
    S, G = m.voltage_source("S", lambda t: 325 * lw.sin(100 * np.pi * t)), m.earth("G")
    D = [m.ideal_diode(f"D{k}", drop=drop, on=0.05) for k in range(4)]
    C, R = m.capacitor("C", capacitance=1e-3), m.resistor("R", resistance=100.0)
    m.connect(S.p, D[0].p, D[1].n)
    m.connect(S.n, D[2].p, D[3].n)
    m.connect(D[0].n, D[2].n, C.p, R.p)
    m.connect(D[1].p, D[3].p, C.n, R.n, G)
    r = m.simulate(0.03)

    def rate(t, v):
        return [(max(abs(325 * np.sin(100 * np.pi * t)) - 2 * drop - v[0], 0.0) / 0.1 - v[0] / 100) / 1e-3]

    s = solve_ivp(rate, (0, 0.03), [0.0], "Radau", t_eval=r.t, rtol=1e-9, atol=1e-9, max_step=2e-5)
    assert np.allclose(r["C.voltage"], s.y[0], atol=1e-4)
    assert {name for _, name in r.events} <= {f"D{k}.switch" for k in range(4)} and len(r.events) >= 4


@pytest.mark.parametrize(("inductance", "off"), [(0.1, 1e6), (0.1, 1e9), (0.1, 1e12), (1e-6, 1e9)])
def test_a_diode_cuts_off_the_current_of_a_coil_once(inductance, off):
    """A charged capacitor turns its voltage round through a coil, and keeps it: the current that is left is gone within
    L/off, a shorter time than a run of any length looks ahead there."""
    m = lw.Model("half a swing")
    C, D = m.capacitor("C", capacitance=1e-3, voltage=10.0), m.ideal_diode("D", on=1e-3, off=off)
    L = m.inductor("L", inductance=inductance)
    m.connect(C.p, D.p)
    m.connect(D.n, L.p)
    m.connect(L.n, C.n, m.earth("G"))
    decay = 1e-3 / (2 * inductance)
    half = np.pi / np.sqrt(1 / (inductance * 1e-3) - decay**2)
    for duration in (2 * half, 10 * half, 1000 * half):
        r = m.simulate(duration)
        kept = -10 * np.exp(-decay * half - (duration - half) / (off * 1e-3))
        assert r["C.voltage"][-1] == pytest.approx(kept, rel=1e-7)
        assert r["L.current"][-1] == pytest.approx(kept / off, rel=1e-6, abs=1e-10)
        assert [name for _, name in r.events] == ["D.switch"] and not r.warnings


def chopped(load: float, cycle: float, open_from: float, cycles: int) -> np.ndarray:
    """Current of the coil and voltage at the load of the buck converter below, piece by piece, with an ideal diode."""
    y = np.array([0.0, 9.0])
    for k in range(cycles):
        for source, begin, end in ((24.0, k, k + open_from), (0.0, k + open_from, k + 1)):
            leads, begin, end = source > 0 or y[0] > 1e-12, begin * cycle, end * cycle
            while begin < end - 1e-15:

                def rate(t, y, source=source, leads=leads):
                    return [(source - 0.01 * y[0] - y[1]) / 1e-4 if leads else 0.0, (y[0] - y[1] / load) / 2e-5]

                def current(t, y):
                    return y[0]

                current.terminal, current.direction = True, -1
                events = current if leads and not source else None
                s = solve_ivp(rate, (begin, end), y, "DOP853", rtol=1e-11, atol=1e-12, events=events)
                begin, y = s.t[-1], s.y[:, -1].copy()
                if s.status == 1:
                    y[0], leads = 0.0, False
    return y


@pytest.mark.parametrize("formulation", ["absolute", "acausal"])
@pytest.mark.parametrize("solver", ["auto", "radau"])
@pytest.mark.parametrize(("load", "ends"), [(5.0, 0), (200.0, 10)])  # how often the current of the coil ends
def test_buck_converter(load, ends, solver, formulation):
    cycle, open_from, cycles = 5e-5, 0.4, 10
    m = lw.Model("buck")
    times = np.concatenate([[k * cycle, (k + open_from) * cycle] for k in range(cycles)])
    V, S = m.voltage_source("V", 24.0), m.switch("S", closed=lw.Table(times, [1.0, 0.0] * cycles, "hold"), on=0.01)
    D, L = m.ideal_diode("D", on=0.01), m.inductor("L", inductance=1e-4)
    C, R = m.capacitor("C", capacitance=2e-5, voltage=9.0), m.resistor("R", resistance=load)
    m.connect(V.p, S.p)
    m.connect(S.n, D.n, L.p)
    m.connect(L.n, C.p, R.p)
    m.connect(V.n, D.p, C.n, R.n, m.earth("G"))
    r = m.simulate(cycles * cycle, solver=solver, formulation=formulation)
    assert [r["L.current"][-1], r["C.voltage"][-1]] == pytest.approx(chopped(load, cycle, open_from, cycles), abs=1e-6)
    assert [name for _, name in r.events].count("D.switch") == ends and not r.warnings


def test_a_run_starts_in_equilibrium():
    m = lw.Model("steady")
    S = m.voltage_source("S", 10.0)
    G = m.earth("G", S.n)
    L = m.inductor("L", m.resistor("R", S.p, resistance=2.0).n, inductance=0.1)
    m.capacitor("C", L.n, G, capacitance=1e-3)
    m.resistor("R2", L.n, G, resistance=3.0)
    r = m.simulate(0.1, start=m.equilibrium())
    assert np.allclose(r["C.voltage"], 6.0, atol=1e-5) and np.allclose(r["L.current"], 2.0, atol=1e-5)
    with pytest.raises(lw.ModelError, match="equilibrium"):
        m.simulate(0.1, start=3.0)


def test_oil_boils_instead_of_tearing():
    """1 l is drawn from 0.5 l of oil and brought back: the pressure stays at vacuum, and all of it comes back."""
    m = lw.Model("suction")
    tank = m.tank("T")
    c = m.chamber("c", volume=5e-4, bulk_modulus=1.4e9)
    m.flow_source("q", lambda t: lw.if_else(t < 1, 1e-3, -1e-3), c, tank)
    r = m.simulate(2.0 + 1e-4, rtol=1e-11)
    assert np.allclose(r["c.pressure"][np.abs(r.t - 1) < 0.9], -101325, rtol=3e-2)
    assert r["c.pressure"][-1] == pytest.approx(1e-3 * 1e-4 / 5e-4 * 1.4e9, abs=2e4)


def test_what_cannot_be_is_told_with_time_and_place():
    m = lw.Model("torn")
    m.orifice("o", m.tank("T"), m.flow_source("q", lambda t: 1e-3 * t, None, m.tank("T2")).a, area=1e-6)
    with pytest.raises(lw.IntegrationError, match="vacuum.*at t = "):
        m.simulate(1.0)
    m = lw.Model("cold")
    m.heat_source("sink", -10.0, m.heat_capacity("block", capacity=1.0, temperature=5.0))
    with pytest.raises(lw.IntegrationError, match="below 0 K.*at t = 0.5"):
        m.simulate(1.0)


@pytest.mark.parametrize(
    ("verb", "given"),
    [
        ("heat_capacity", {"capacity": 1.0, "temperature": -5.0}),
        ("heat_capacity", {"capacity": -1.0}),
        ("heat_conductor", {"conductance": -1.0}),
        ("temperature_source", {"temperature": -5.0}),
        ("chamber", {"volume": -1.0, "bulk_modulus": 1e9}),
        ("chamber", {"volume": 1.0, "bulk_modulus": 1e9, "pressure": -999e5}),
        ("tank", {"pressure": -2e5}),
        ("orifice", {"area": -1e-6}),
        ("hydraulic_line", {"resistance": -1.0}),
        ("resistor", {"resistance": -1.0}),
        ("switch", {"on": -1.0}),
        ("ideal_diode", {"off": 0.0}),
    ],
)
def test_impossible_numbers_are_refused_by_name(verb, given):
    m = lw.Model("impossible")
    with pytest.raises(lw.ModelError, match="^X: "):
        getattr(m, verb)("X", **given)


def test_impossible_parameters_are_refused_when_they_are_given():
    m = six_nodes()
    with pytest.raises(lw.ModelError, match="r3: resistance -1"):
        m.simulate(0.1, parameters={"R3": -1.0})


def test_networks_on_a_generalised_coordinate_alone():
    m = lw.Model("arm", gravity=(0, -9.81))
    q, arm = m.variable("q", guess=0.3), m.body("arm", mass=1, inertia=0.1)
    m.guide("placed", arm, lw.rotz(q.symbol) @ lw.shift(0.5, 0))
    m.dc_motor("motor", q, voltage=5.0, resistance=1.0, inductance=0.1, constant=0.5)
    m.shaft_inertia("rotor", q, inertia=0.2)
    runs = [m.simulate(1, formulation=f)["q"][-1] for f in ("minimal", "absolute", "acausal")]
    assert runs[1:] == pytest.approx([runs[0]] * 2, abs=1e-7)
