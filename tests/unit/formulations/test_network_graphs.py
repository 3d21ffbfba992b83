"""Components with ports in bond graphs: real elements on real junctions, each with the power of its ports."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.bondgraph.elements import Junction
from linkwork.examples import hydraulic_jack, motor_slider_crank

GRAPHS = ["bondgraph", "bondgraph-minimal", "bondgraph-zcp", "bondgraph-canonical", "bondgraph-scalar"]


def circuit() -> lw.Model:
    m = lw.Model("circuit")
    earth = m.earth("earth")
    source = m.voltage_source("S", lambda t: 5 * lw.sin(100 * t), None, earth)
    ohm = m.resistor("R", source.p, None, resistance=2.0)
    coil = m.inductor("L", ohm.n, None, inductance=0.1)
    m.capacitor("C", coil.n, earth, capacitance=1e-2)
    m.resistor("load", coil.n, earth, resistance=50.0)
    return m


def test_letters_and_junctions():
    graph = circuit().bondgraph()
    letters = {e.name: e.symbol for e in graph.elements.values() if not isinstance(e, Junction)}
    assert letters == {"earth": "Se", "S": "Se", "R": "R", "L": "I", "C": "C", "load": "R"}
    kinds = [e.kind for e in graph.elements.values() if isinstance(e, Junction)]
    assert kinds.count(0) == 4 and kinds.count(1) == 5  # nodes, and what lies between two of them
    assert not graph.causality().conflicts


def test_power_of_bonds_is_that_of_ports():
    m = circuit()
    r = m.simulate(0.2, formulation="bondgraph")
    table = r.bonds
    assert table.residual < 1e-12
    for name, power in (("R", 2 * r["R.p.i"] ** 2), ("load", r["load.p.i"] ** 2 * 50)):
        bond = next(b for b in table.graph.bonds_of(table.graph[name]))
        assert np.abs(table.power[bond.name] - power).max() < 1e-12
    assert table.total("resistor") == pytest.approx(r["energy.dissipated"][-1], rel=1e-6)
    assert table.total("source") == pytest.approx(r["energy.supplied"][-1], rel=1e-6)
    assert table.total("store") == pytest.approx(r["energy.total"][-1] - r["energy.total"][0], rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("formulation", GRAPHS)
def test_jack(formulation):
    m = hydraulic_jack.model()
    exact, got = (m.simulate(0.02, formulation=f, rtol=1e-9, output=1e-3) for f in ("absolute", formulation))
    for channel in exact:
        if not channel.startswith(("solver", "residual")) and "multiplier" not in channel:
            size = max(np.abs(exact[channel]).max(), 1e-6)
            assert np.abs(exact[channel] - got[channel]).max() < 1e-5 * size, channel


@pytest.mark.parametrize("formulation", GRAPHS)
def test_rotor_on_a_joint(formulation):
    """Its inertia is in the graph as an I whose torque follows the joint; the masses feel it."""
    m = motor_slider_crank.model()
    exact, got = (m.simulate(0.1, formulation=f, rtol=1e-10, output=0.01) for f in ("absolute", formulation))
    assert np.abs(exact["O.angle"] - got["O.angle"]).max() < 1e-8
    assert np.abs(exact["O.angle.effort"] - got["O.angle.effort"]).max() < 1e-6
    assert got.bonds.residual < 1e-9
