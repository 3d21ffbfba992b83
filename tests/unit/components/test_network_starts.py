"""Start values in networks: met where they can be, told where they cannot."""

import math

import pytest

import linkwork as lw


def wheel(m, mass=2.0, inertia=0.3):
    return m.revolute("O", m.ground.at(0, 0), m.body("wheel", mass=mass, inertia=inertia).at(0, 0))


def refused(build, words, error=lw.ModelError):
    def attempt():
        m = lw.Model("refused", gravity=(0, -9.81))
        build(m)
        m.simulate(0.1)

    with pytest.raises(error, match=words):
        attempt()


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
