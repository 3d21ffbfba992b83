"""A joint written as port equations does what the one of the library does, in every analysis."""

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
