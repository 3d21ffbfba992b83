"""What a new user ran into with ports, networks and the acausal formulation."""

import math

import numpy as np
import pytest

import linkwork as lw

from .test_ports import Pin


def pin(m, own, name, a, b):
    return m.add(Pin(name, a, b)) if own else m.revolute(name, a, b)


def crank_and_slot(own):
    """A crank, a rod, the rod's end in a slot; the joint between them by equations, or of the library."""
    m = lw.Model("crank", gravity=(0, -9.81))
    crank, rod = m.body("crank", mass=1, inertia=0.1), m.body("rod", mass=1, inertia=0.1)
    O = m.revolute("O", m.ground.at(0, 0), crank.at(-0.5, 0))
    pin(m, own, "A", crank.at(0.5, 0), rod.at(-0.5, 0))
    m.point_on_line("S", m.ground.at(0, 0), rod.at(0.5, 0))
    O.angle.start(0.4, rate=1.0)
    rod.start(position=(1.3, 0.2), angle=-0.4)
    O.angle.law(lw.Spring(m.parameter("k", 1.0)))
    return m


def wheel(m, mass=2.0, inertia=0.3):
    return m.revolute("O", m.ground.at(0, 0), m.body("wheel", mass=mass, inertia=inertia).at(0, 0))


def refused(build, words, error=lw.ModelError):
    def attempt():
        m = lw.Model("refused", gravity=(0, -9.81))
        build(m)
        m.simulate(0.1)

    with pytest.raises(error, match=words):
        attempt()


def test_skate_with_a_joint_by_equations():
    """Rows at speed level only of the library come before those of components in one list, after them in the other."""

    def model(own):
        m = lw.Model("skate", gravity=(0, 0))
        a, b = m.body("a", mass=1, inertia=0.2), m.body("b", mass=0.5, inertia=0.1)
        m.knife_edge("edge", a.at(0, 0))
        pin(m, own, "P", a.at(0.5, 0), b.at(-0.5, 0))
        a.start(velocity=(1, 0), spin=0.7)
        b.start(position=(1, 0), spin=-0.5)
        return m

    own, library = model(True).simulate(3, formulation="auto"), model(False).simulate(3)
    assert own.record["formulation"] == "acausal" and "together" in own.record["formulation_reason"]
    assert own.record["degrees"]["constraints"] == 3
    assert np.abs(own["b.x"] - library["b.x"]).max() < 1e-7
    assert own["residual.position"].max() < 1e-12 and own["residual.velocity"].max() < 1e-12


def test_analyses_of_a_joint_by_equations():
    own, library = crank_and_slot(True), crank_and_slot(False)
    moved = [m.kinematics(0.5, drive={"O.angle": lambda t: 0.4 + t - t * t}) for m in (own, library)]
    for name in ("rod.x", "rod.vx", "rod.ax", "rod.alphaz"):
        assert moved[0][name] == pytest.approx(moved[1][name], abs=1e-9)
    rest = [m.equilibrium(formulation=f).coordinates["O.angle"] for m, f in ((own, "acausal"), (library, "absolute"))]
    assert rest[0] == pytest.approx(rest[1], abs=1e-9)
    slopes = [m.sensitivity("rod.x", "k", 0.2, rtol=1e-10)["rod.x", "k"][-1] for m in (own, library)]
    assert slopes[0] == pytest.approx(slopes[1], rel=1e-6)
    with pytest.raises(lw.ModelError, match="not known apart"):
        own.inverse_dynamics({"O.angle": lambda t: t}, 0.1)
    assert "moves freely" not in str(own.check())


def test_redundant_joint_by_equations_is_named():
    m = lw.Model("twice", gravity=(0, -9.81))
    bar = m.body("bar", mass=1, inertia=0.1)
    m.revolute("B", m.ground.at(0, 0), bar.at(-0.5, 0))
    single = m.simulate(0.2)["bar.angle"][-1]
    m.add(Pin("A", m.ground.at(0, 0), bar.at(-0.5, 0)))
    assert m.check().redundant == [("A", "equation 4"), ("A", "equation 5")]
    assert m.simulate(0.2, formulation="acausal")["bar.angle"][-1] == pytest.approx(single, abs=1e-8)


def test_networks_on_a_generalised_coordinate_alone():
    m = lw.Model("arm", gravity=(0, -9.81))
    q, arm = m.variable("q", guess=0.3), m.body("arm", mass=1, inertia=0.1)
    m.guide("placed", arm, lw.rotz(q.symbol) @ lw.shift(0.5, 0))
    m.dc_motor("motor", q, voltage=5.0, resistance=1.0, inductance=0.1, constant=0.5)
    m.shaft_inertia("rotor", q, inertia=0.2)
    runs = [m.simulate(1, formulation=f)["q"][-1] for f in ("minimal", "absolute", "acausal")]
    assert runs[1:] == pytest.approx([runs[0]] * 2, abs=1e-7)


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


def test_a_jump_that_nobody_was_told_of():
    """A Python function that compares its argument: it cannot be read."""
    m = lw.Model("orifices")
    out = m.orifice("in", m.pressure_source("supply", m.input("p", 1e7)).a, area=2e-6)
    m.orifice("out", out.b, m.tank("tank"), area=1e-6)
    with pytest.raises(lw.IntegrationError, match=r"jumped before t = 0\.5\d* s.*Let jumps be known") as found:
        m.simulate(1, inputs={"p": lambda t: 1e7 if t < 0.5 else 1e2})
    assert found.value.partial.t[-1] < 0.5


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


def star(**starts):
    """Three coils that meet in one point: a brings what b and c take."""
    m = lw.Model("star")
    a, b, c = (m.inductor(n, inductance=1e-3, current=starts.get(n)) for n in "abc")
    m.connect(a.n, b.p, c.p)
    R = m.resistor("R", a.p, b.n, resistance=10.0)
    m.connect(c.n, b.n, m.earth("G"))
    assert R is m["R"]
    return m


@pytest.mark.parametrize("starts", [{"a": 2.0, "b": 0.5}, {"b": 0.5, "c": 1.5}, {"a": 2.0, "c": 1.5}])
def test_starts_that_are_given_are_met(starts):
    r = star(**starts).simulate(1e-5)
    assert [r[f"{n}.current"][0] for n in "abc"] == pytest.approx([2.0, 0.5, 1.5], abs=1e-9)


def test_starts_that_cannot_be_met_are_told():
    with pytest.raises(lw.ModelError, match=r"c\.current: it starts at -0\.5, but .* ask for 1 "):
        star(a=2.0, b=1.0, c=-0.5).simulate(1e-5)
    for given in ({"angle": 2.0}, {"speed": 3.0}):
        refused(lambda m, given=given: m.shaft_inertia("r", wheel(m).angle, inertia=0.1, **given), "no freedom")

    def over_a_source(m, voltage):
        S = m.voltage_source("S", lambda t: 5 * lw.cos(t), n=m.earth("G"))
        return m.capacitor("C", S.p, m["G"], capacitance=1.0, voltage=voltage)

    refused(lambda m: over_a_source(m, 3.0), r"C\.voltage: it starts at 3.0, but .* no freedom")
    m = lw.Model("met")
    over_a_source(m, 5.0)
    assert m.simulate(0.1)["C.voltage"][0] == 5


def test_one_start_for_two_in_parallel():
    m = lw.Model("parallel")
    a = m.capacitor("a", capacitance=1e-3)
    m.capacitor("b", a.p, a.n, capacitance=2e-3, voltage=2.0)
    m.resistor("R", a.p, m.earth("G", a.n), resistance=10.0)
    assert m.simulate(0.03)["a.voltage"][-1] == pytest.approx(2 / math.e, abs=1e-7)


def test_ports_by_name_and_signals_given_anew():
    m = lw.Model("loop")
    gain, total = m.gain("gain", gain=0.5), m.sum("sum", None, 1.0)
    m.connect(gain.y, total.u1)
    m.connect(total.y, gain.u)
    assert m.simulate(0.1)["sum.y.value"][-1] == pytest.approx(2)
    with pytest.raises(AttributeError, match="has no attribute 'x'. It has the ports"):
        _ = gain.x

    m = lw.Model("circuit")
    S = m.voltage_source("S", 5.0, n=m.earth("G"))
    C = m.capacitor("C", m.resistor("R", S.p, resistance=1.0).n, m["G"], capacitance=1e-3)
    assert m.simulate(0.1)["C.voltage"][-1] == pytest.approx(5)
    S.voltage = 3.0
    assert m.simulate(0.1)["C.voltage"][-1] == pytest.approx(3)
    with pytest.raises(lw.ModelError, match=r"C\.voltage: cannot be set"):
        C.voltage = 1.0
    with pytest.raises(lw.ModelError, match="number or function"):
        S.voltage = gain.y


def source(given):
    def build(m):
        m.resistor("R", m.voltage_source("S", given, n=m.earth("G")).p, m["G"], resistance=1.0)

    return build


class Odd(lw.PortComponent):
    """A state that decays, and something wrong said of it."""

    def __init__(self, name, **methods):
        super().__init__(name)
        self.x = self.variable("x", start=1.0)
        for what, value in methods.items():
            setattr(self, what, lambda value=value: value(self.x))

    def equations(self):
        return [self.der(self.x) + self.x]


def odd(**methods):
    return lambda m: m.add(Odd("odd", **methods))


MISTAKES = {
    "text for a signal": (source("5"), "S: voltage '5'"),
    "list for a signal": (source([1, 2]), r"S: voltage \[1, 2\]"),
    "nan for a signal": (source(math.nan), "S: voltage nan"),
    "math.sin": (source(lambda t: math.sin(t)), "S: its function of t failed: TypeError: t is no number.*lw.sin"),
    "if": (source(lambda t: 1 if t > 0 else 0), "S: its function of t failed.*lw.if_else"),
    "text for a start": (lambda m: m.inductor("L", inductance=1.0, current="a"), r"L\.current: start 'a'"),
    "ratio 0": (lambda m: m.shaft_gear("g", ratio=0), "g: ratio 0"),
    "radius 0": (lambda m: m.shaft_rack("g", radius=0), "g: radius 0"),
    "text for a constant": (
        lambda m: m.dc_motor("M", voltage=1, resistance=1, inductance=1, constant="a"),
        "M: constant 'a'",
    ),
    "cylinder on an angle": (lambda m: m.hydraulic_cylinder("c", wheel(m).angle, head_area=1e-3), r"O\.angle turns"),
    "three pressures": (lambda m: m.hydraulic_cylinder("c", head_area=1e-3, pressure=(1, 2, 3)), "3 pressures"),
    "two volumes": (
        lambda m: m.hydraulic_cylinder(
            "c",
            m.prismatic("P", m.ground, m.body("b", mass=1, inertia=1)).slide,
            head=m.chamber("oil", volume=1e-3, bulk_modulus=1e9),
            head_area=1e-3,
            head_volume=1e-4,
        ),
        "c: head_volume beside oil",
    ),
    "discharge nan": (lambda m: m.orifice("o", area=1e-5, discharge=math.nan), "o: discharge nan"),
    "overlap 1": (lambda m: m.directional_valve("v", area=1e-5, overlap=1.0), "never opens"),
    "limit below 0": (lambda m: m.pid("p", wheel(m).angle, 1.0, kp=1.0, limit=-1), "p: limit -1"),
    "measured twice": (lambda m: m.pid("p", wheel(m).angle, 1.0, measured=2.0), "both a coordinate and a measured"),
    "numerator of nothing": (lambda m: m.transfer_function("t", 1.0, numerator=[], denominator=[1]), "numerator"),
    "numerator of text": (lambda m: m.transfer_function("t", 1.0, numerator=["a"], denominator=[1]), "with 'a'"),
    "law without arguments": (lambda m: m.sampled("s", 1.0, period=0.1, law=lambda: 0), "with 1 symbols"),
    "law that gives nothing": (lambda m: m.sampled("s", 1.0, period=0.1, law=lambda u: None), "law gives None"),
    "no list": (odd(equations=lambda x: x), "return no list"),
    "nothing": (odd(equations=lambda x: None), "return no list"),
    "comparison": (odd(equations=lambda x: [x == 1]), "comparison, no equation"),
    "nan": (odd(equations=lambda x: [x - math.nan]), "no number"),
    "lost nothing": (odd(lost=lambda x: None), "stored and lost failed"),
    "channels without units": (odd(channels=lambda x: {"q": x}), r"channels, \{name: \(unit, expression\)\}, failed"),
    "one switch": (odd(switches=lambda x: x), "switches, a list, failed"),
    "no equations": (lambda m: m.add(lw.PortComponent("empty")), "empty: it has no `equations`"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes_are_told(case):
    refused(*MISTAKES[case])


def test_constructor_without_super():
    class Forgetful(lw.PortComponent):
        def __init__(self, name):
            self.p = self.port("p", lw.ELECTRIC)

    with pytest.raises(lw.ModelError, match=r"Call super\(\).__init__"):
        Forgetful("f")
