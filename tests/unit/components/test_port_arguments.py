"""Ports and signals by name, and mistakes in components of one's own, each told by name."""

import math

import pytest

import linkwork as lw

from .test_network_starts import refused, wheel


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
    "math.sin": (source(lambda t: math.sin(t)), "S: its function of t failed: TypeError: t is not a number.*lw.sin"),
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
    "nan": (odd(equations=lambda x: [x - math.nan]), "not a number"),
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
