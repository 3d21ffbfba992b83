"""Reduction by activity: what goes, what is left of junctions, and the error, against closed forms."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.bondgraph.elements import Junction, Se, Sf
from linkwork.bondgraph.removal import take_out
from linkwork.examples import dc_motor, hydraulic_line, quarter_car, slider_crank


def test_the_armature_goes_first():
    g = dc_motor.model()
    r = g.simulate(0.5)
    found = g.reduced(r, 0.95)
    assert list(found.removed) == ["armature"]
    assert found.share == pytest.approx(1 - r.bonds.index["armature"])
    # without inductance: J ω̇ = K (V − K ω)/R − b ω
    J, K, R, b, V = 2e-3, 0.1, 0.5, 1e-3, 12.0
    rate = (K**2 / R + b) / J
    wanted = K * V / R / (J * rate) * (1 - np.exp(-rate * np.asarray(r.t)))
    np.testing.assert_allclose(found.result["rotor.flow"], wanted, rtol=1e-6, atol=1e-6)
    apart = np.abs(wanted - r["rotor.flow"]).max() / np.abs(r["rotor.flow"]).max()
    assert found.deviation["rotor.flow"] == pytest.approx(apart, rel=1e-4)
    assert "armature" in g.elements  # the graph itself is as it was


def test_more_activity_less_error():
    g = dc_motor.model()
    r = g.simulate(0.5)
    errors = [g.reduced(r, share, outputs="rotor.flow").deviation["rotor.flow"] for share in (0.5, 0.9, 1.0)]
    assert errors[0] > errors[1] > errors[2] == 0.0


def test_another_motion_keeps_other_elements():
    g = dc_motor.model()
    assert set(g.reduced(g.simulate(0.5), 0.95).removed) == {"armature"}
    assert "bearing" in g.reduced(g.simulate(0.004), 0.95).removed


def test_dead_ends_that_a_signal_reads_are_told():
    g = quarter_car.model(length=0.3)
    with pytest.raises(lw.ModelError, match="it leads nowhere"):
        g.reduced(g.simulate(2), 0.8)


def test_inputs_and_parameters_are_those_of_the_run():
    g = dc_motor.model()
    r = g.simulate(0.5, parameters={"R": 2.0}, inputs={"voltage": 24.0})
    found = g.reduced(r, 0.98, inputs={"voltage": 24.0})
    assert found.removed
    assert found.deviation["rotor.flow"] < 0.01


def graph(kind, other):
    """A junction with a source and a resistor, and a second one with a single resistor beside the bond between them."""
    g = lw.BondGraph("two")
    near, far = g.junction("near", kind), g.junction("far", other)
    (g.Se if kind else g.Sf)("source", 1.0, at=near)
    g.R("here", 1.0, at=near)
    g.R("and", 1.0, at=near)
    g.bond(near, far)
    g.R("there", 2.0, at=far)
    g.R("more", 2.0, at=far)
    return g


@pytest.mark.parametrize(("kind", "other"), [(1, 1), (1, 0), (0, 1), (0, 0)])
def test_junctions_that_lead_nowhere(kind, other):
    g = graph(kind, other)
    take_out(g, g["there"])
    assert "far" in g.elements
    take_out(g, g["more"])
    assert "far" not in g.elements
    sources = [e for e in g.elements.values() if isinstance(e, Se | Sf) and e.name.endswith("-none")]
    if kind == other:
        assert not sources  # no effort on a 1-junction, no flow on a 0-junction: nothing is left
    else:  # what it does to the other junction is zero, and stays
        assert [type(s) for s in sources] == [Sf if kind else Se]
    g.check()


def test_two_ports_go_with_what_was_behind_them():
    for between, sources in (("TF", []), ("GY", [])):
        g = lw.BondGraph("behind")
        loop = g.one("loop")
        g.Se("source", 1.0, at=loop)
        g.R("loss", 1.0, at=loop)
        two = getattr(g, between)("two", 2.0)
        g.bond(loop, two)
        g.bond(two, g.I("mass", 1.0))
        take_out(g, g["mass"])
        assert set(g.elements) == {"loop", "source", "loss"}
        assert [e.name for e in g.of_type(Se)] == ["source", *sources]


def test_a_dead_end_behind_a_gyrator_is_dualised():
    """No effort on the 1-junction behind a gyrator is no flow before it: the first junction stands still."""
    g = lw.BondGraph("gyrator")
    loop, shaft = g.one("loop"), g.one("shaft")
    g.Se("source", 1.0, at=loop)
    g.R("loss", 1.0, at=loop)
    g.chain(loop, g.GY("motor", 2.0), shaft)
    g.I("rotor", 1.0, at=shaft)
    take_out(g, g["rotor"])
    assert [e.name for e in g.of_type(Sf)] == ["loop-none"]


def test_junctions_with_two_bonds_are_left_out():
    g = hydraulic_line.model()
    found = g.reduced(g.simulate(0.3), 0.98, outputs="mass.flow")
    assert {"oil", "line"} == set(found.removed)
    assert "chamber" not in found.graph.elements
    assert all(len(found.graph.bonds_of(j)) > 2 for j in found.graph.of_type(Junction) if j.name != "line-flow")


def test_what_is_referred_to_stays_and_says_so():
    g = slider_crank.model().bondgraph()
    found = g.reduced(g.simulate(0.2), 0.9, outputs="crank.angle")
    assert "refers to its effort or flow" in found.needed["piston-m"]
    assert found.deviation["crank.angle"] < 0.2


def test_conflicts_are_named():
    """Without what gives way on the 0-junction no flow can pass it, and the pump asks for some."""
    g = lw.BondGraph("pump")
    line, node = g.one("line"), g.zero("node")
    g.Sf("pump", 1.0, at=line)
    g.R("loss", 1.0, at=line)
    g.bond(line, node)
    g.C("hose", 1e-3, at=node)
    with pytest.raises(lw.ModelError, match="without hose causality conflicts: .*imposes a flow") as error:
        g.reduced(g.simulate(1.0))
    assert "keep=['hose']" in str(error.value)


def test_bad_input():
    g = dc_motor.model()
    r = g.simulate(0.1)
    for call, error in (
        (lambda: g.reduced(3), "result=3"),
        (lambda: g.reduced(r, 1.5), "share=1.5"),
        (lambda: g.reduced(r, keep="nothing"), "store or resistor"),
        (lambda: g.reduced(r, 0.9, outputs="armature.flow"), "keep="),
        (lambda: quarter_car.model().reduced(r), "another graph"),
    ):
        with pytest.raises(lw.LinkworkError, match=error):
            call()
