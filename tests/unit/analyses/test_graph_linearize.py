"""Linearisation of graphs by themselves: by hand, by the model they were made from, and along a run."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.examples import dc_motor, hydraulic_line, slider_crank


def test_by_hand():
    g = dc_motor.model()
    found = g.linearize(outputs=["rotor.flow", "armature.flow"])
    L, J, R, K, b = 1e-3, 2e-3, 0.5, 0.1, 1e-3
    assert found.state_names == ["armature.momentum", "rotor.momentum"]
    # momenta p = L i and h = 1e-3 ω; the rotor has half of the inertia
    np.testing.assert_allclose(found.A, [[-R / L, -K / 1e-3], [K * 0.5 / L, -b / J]], rtol=1e-13)
    np.testing.assert_allclose(found.B, [[1.0], [0.0]])
    np.testing.assert_allclose(found.C, [[0, 1e3], [1e3, 0]], rtol=1e-13)
    assert found.input_names == ["voltage"]


def test_sources_are_inputs_too():
    g = dc_motor.model()
    by_source, by_input = g.linearize(inputs="supply"), g.linearize(inputs="voltage")
    np.testing.assert_array_equal(by_source.B, by_input.B)
    assert g.inputs == {"voltage": 12.0}  # the graph itself is as it was


def test_mechanism_with_joints_as_its_model():
    m = slider_crank.model()
    by_graph, by_model = m.bondgraph().linearize(), m.linearize()
    assert len(by_graph.state_names) == len(by_model.state_names) == 2
    np.testing.assert_allclose(by_graph.eigenvalues, by_model.eigenvalues, rtol=1e-9)


def test_along_a_run():
    g = hydraulic_line.model()
    r = g.simulate(0.1)
    q = r.at(0.05)["line.flow"]
    found = g.linearize((r, 0.05))
    k = found.state_names.index("line.momentum")
    assert found.A[k, k] == pytest.approx(-(1e9 + 2e14 * abs(q)) / 2e7, rel=1e-9)
    assert found.verdict == "not steady"


def test_starts_that_break_what_is_enforced_are_told():
    g = lw.BondGraph("held")
    j = g.one("j")
    g.I("mass", 1.0, start=1.0, at=j)
    g.C("spring", 1.0, at=j)
    g.constraint("hold", at=j)
    with pytest.raises(lw.ModelError, match="hold"):
        g.linearize()
    assert g.linearize((g.simulate(0.1), 0.0)).state_names == ["spring.displacement"]


def test_bad_input():
    g = dc_motor.model()
    for words, error in (
        ({"inputs": "nothing"}, "source"),
        ({"outputs": "nothing"}, "channel"),
        ({"outputs": "energy.dissipated"}, "integral over time"),
        ({"at": 3}, "at=3"),
        ({"parameters": {"x": 1}}, "parameter"),
    ):
        with pytest.raises(lw.LinkworkError, match=error):
            g.linearize(**words)
