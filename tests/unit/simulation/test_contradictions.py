"""Drives that cannot be met end a run with an error that names them, in every formulation and by every solver."""

import numpy as np
import pytest

import linkwork as lw

FORMULATIONS = ("absolute", "minimal", "points", "acausal", "bondgraph")


def geared():
    m = lw.Model("geared", gravity=(0, -9.81))
    A = m.revolute("A", m.ground.at(0, 0), m.body("a", mass=1, inertia=1).at(-0.5, 0))
    B = m.revolute("B", m.ground.at(1, 0), m.body("b", mass=1, inertia=1).at(-0.5, 0))
    m.gear("G", A.angle, B.angle, ratio=-1)
    return m, A, B


@pytest.mark.parametrize("level", ["displacement", "speed"])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_drives_that_contradict_each_other_are_named(formulation, level):
    m, A, B = geared()
    if level == "displacement":
        A.angle.law(lw.Motion(lambda t: t))
        B.angle.law(lw.Motion(lambda t: -t - 0.1 * t**2))
    else:
        A.angle.law(lw.Motion(speed=lambda t: 1.0))
        B.angle.law(lw.Motion(speed=lambda t: -1 - 0.2 * t))
    with pytest.raises(lw.IntegrationError, match="contradict") as caught:
        m.simulate(3, formulation=formulation)
    assert caught.value.component == "A.angle, B.angle" and "G" in caught.value.cause
    partial = caught.value.partial
    assert partial.t[-1] < 2.5 and np.abs(partial["energy.total"]).max() < 1e3


@pytest.mark.parametrize("formulation", [*FORMULATIONS, "compliant"])
def test_drive_beyond_reach_is_named(formulation):
    """A crank of 1 m that turns on where coupler (1 m) and rocker (0.5 m) are stretched: cos φ = 0.19/2.4 there."""
    m = lw.Model("four-bar", gravity=(0, -9.81))
    a, b, c = (m.body(name, mass=1, inertia=1) for name in "abc")
    A = m.revolute("A", m.ground.at(0, 0), a.at(-0.5, 0))
    m.revolute("B", a.at(0.5, 0), b.at(-0.5, 0))
    m.revolute("C", b.at(0.5, 0), c.at(0.25, 0))
    m.revolute("D", m.ground.at(1.2, 0), c.at(-0.25, 0))
    for body, angle in ((a, 1.2), (b, 0.0), (c, 1.2)):
        body.start(angle=angle)
    A.angle.law(lw.Motion(speed=lambda t: 1.0))
    with pytest.raises(lw.IntegrationError, match="A.angle") as caught:
        m.simulate(3, formulation=formulation)
    end = caught.value.partial
    reached = np.arccos((1 + 1.2**2 - 1.5**2) / 2.4)
    assert caught.value.component == "A.angle" and "D" in caught.value.cause
    assert end["A.angle"][-1] == pytest.approx(reached, abs=0.03)


@pytest.mark.parametrize("options", [{"solver": "radau"}, {"solver": "generalized_alpha", "step": 1e-3},
                                     {"solver": "rk4", "step": 1e-3}])  # fmt: skip
def test_drive_beyond_reach_is_named_by_every_solver(options):
    """A piston that is pulled on where crank (0.5 m) and rod (1 m) are stretched."""
    m = lw.Model("slider-crank", gravity=(0, -9.81))
    crank, rod, piston = (m.body(name, mass=1, inertia=1) for name in ("crank", "rod", "piston"))
    m.revolute("O", m.ground.at(0, 0), crank.at(-0.25, 0))
    m.revolute("A", crank.at(0.25, 0), rod.at(-0.5, 0))
    m.revolute("B", rod.at(0.5, 0), piston.at(0, 0))
    P = m.prismatic("P", m.ground.at(0, 0), piston.at(0, 0))
    for body, angle in ((crank, 1.2), (rod, -0.5)):
        body.start(angle=angle)
    piston.start(position=(1.06, 0))
    P.slide.law(lw.Motion(speed=lambda t: 0.3))
    with pytest.raises(lw.IntegrationError, match="cannot reach") as caught:
        m.simulate(3, **options)
    assert caught.value.component == "P.slide"
    assert caught.value.partial["P.slide"][-1] == pytest.approx(1.5, abs=0.01)


@pytest.mark.parametrize("kind", ["table", "pair", "function"])
def test_a_contradicting_input_is_named_like_a_function(kind):
    m = lw.Model("geared", gravity=(0, 0))
    u = m.input("u")
    bodies = [m.body(name, mass=1, inertia=1) for name in "ab"]
    A, B = (m.revolute(b.name.upper(), m.ground.at(k, 0), b.at(0, 0)) for k, b in enumerate(bodies))
    m.gear("G", A.angle, B.angle, ratio=2)
    A.angle.law(lw.Motion(speed=1.0))
    B.angle.law(lw.Motion(speed=u))
    t = np.linspace(0, 3, 31)
    signal = {"table": lw.Table(t, 2 + t, "cubic"), "pair": (t, 2 + t), "function": lambda t: 2 + t}[kind]
    with pytest.raises(lw.IntegrationError, match=r"A\.angle, B\.angle: these motions, which G couples"):
        m.simulate(2, inputs={"u": signal})
