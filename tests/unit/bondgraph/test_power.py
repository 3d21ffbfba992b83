"""Power, energy and activity after a run, of graphs by themselves and of mechanisms."""

import copy
import pickle

import numpy as np
import pytest

import linkwork as lw
from linkwork.bondgraph.graph import BondGraph
from linkwork.examples import dc_motor, hydraulic_line, quarter_car
from linkwork.simulation.bonds.integrals import NODES, over_steps

GRAPHS = {"dc": (dc_motor, 0.3), "hydraulic": (hydraulic_line, 0.3), "car": (quarter_car, 0.5)}
MECHANISMS = {
    "pendulum": {"damping": 0.3},
    "slider_crank": {},
    "slider_crank_spatial": {},
    "spinning_top": {},
}


@pytest.mark.parametrize("name", GRAPHS)
def test_power_balances_on_every_junction(name):
    module, duration = GRAPHS[name]
    r = module.model().simulate(duration, rtol=1e-10, atol=1e-12)
    bonds = r.bonds
    assert bonds is r.bonds and bonds.residual < 1e-13
    assert set(bonds.imbalance) >= {e.name for e in bonds.graph.elements.values() if e.ports != 1}
    assert bonds.total("source") == pytest.approx(r["energy.supplied"][-1], rel=1e-7)
    assert bonds.total("resistor") == pytest.approx(r["energy.dissipated"][-1], rel=1e-7)
    assert bonds.total("store") == pytest.approx(np.ptp(r["energy.total"][[0, -1]]), rel=1e-7)
    assert sum(bonds.index.values()) == pytest.approx(1.0)
    for element in bonds.elements:
        assert np.abs(bonds.power_of(element) - r[f"{element}.power"]).max() < 1e-9 * np.abs(r[f"{element}.power"]).max(
            initial=1e-9
        )
        assert bonds.activity[element] >= abs(bonds.energy[element]) * (1 - 1e-9)


def test_energies_and_activities_do_not_depend_on_the_samples():
    """An undamped circuit: power of both stores is a sine of twice the frequency."""
    g = BondGraph("LC")
    loop = g.one("loop")
    g.I("L", 0.5, at=loop, start=2.0)
    g.C("C", 8.0, at=loop)
    w, E, T = 4.0, 0.5 * 0.5 * 4.0, np.pi
    for output in (np.pi, 0.01):
        bonds = g.simulate(T, output=output, rtol=1e-10, atol=1e-12).bonds
        # |p| = E w |sin 2wt|: mean 2/π
        for name in ("L", "C"):
            assert bonds.activity[name] == pytest.approx(E * w * 2 / np.pi * T, rel=1e-6)
            assert bonds.index[name] == pytest.approx(0.5, rel=1e-7)
            assert abs(bonds.energy[name]) < 1e-7


def test_charging_a_capacitor_loses_half():
    g = BondGraph("RC")
    loop = g.one("loop")
    g.Se("V", 10.0, at=loop)
    g.R("R", 100.0, at=loop)
    g.C("C", compliance=1e-4, at=loop)
    bonds = g.simulate(0.5, output=0.25, rtol=1e-11, atol=1e-13).bonds
    left = np.exp(-50.0)
    assert bonds.energy["V"] == pytest.approx(1e-2 * (1 - left), rel=1e-8)
    assert bonds.energy["R"] == pytest.approx(5e-3 * (1 - left**2), rel=1e-8)
    assert bonds.energy["C"] == pytest.approx(5e-3 * (1 - left) ** 2, rel=1e-8)
    text = bonds.table()
    assert "R:R" in text and "50.00%" in text and "supplied 0.01 J" in text and str(bonds) == text


def test_quadrature_of_steps():
    """Exact for polynomials; where the sign changes, exact for straight lines and very close for curves."""
    t = NODES[None, :, None] * np.array([2.0])[:, None, None] + 1.0
    net, total = over_steps(np.concatenate([t**3, t - 2.0, (t - 1.7) * (t - 2.4)], axis=2), np.array([2.0]))
    assert net == pytest.approx([20.0, 0.0, 26 / 3 - 4.1 * 4 + 4.08 * 2])
    curve = np.polynomial.Polynomial.fromroots([1.7, 2.4]).integ()
    pieces = np.diff(curve(np.array([1.0, 1.7, 2.4, 3.0])))
    assert total == pytest.approx([20.0, 1.0, np.abs(pieces).sum()], rel=1e-5)


@pytest.mark.parametrize("name", MECHANISMS)
def test_power_of_a_mechanism_closes_on_every_junction(name, example):
    m = example(name, **MECHANISMS[name])
    r = m.simulate(0.4, formulation="bondgraph", rtol=1e-10, atol=1e-12)
    bonds = r.bonds
    assert bonds.residual < 1e-9
    inertias = [e.name for e in bonds.elements.values() if e.symbol == "I"]
    gained = r["energy.kinetic"] - r["energy.kinetic"][0]
    scale = np.ptp(r["energy.kinetic"]) + np.ptp(r["energy.potential"])
    assert sum(bonds.energy[n] for n in inertias) == pytest.approx(gained[-1], abs=1e-7 * scale)
    assert bonds.total("resistor") == pytest.approx(r["energy.dissipated"][-1], abs=1e-7 * scale)
    held = sum(np.abs(bonds.power_of(e.name)).max() for e in bonds.elements.values() if "blocked" in e.name)
    assert held < 1e-7 * max(np.abs(p).max() for p in bonds.power.values())  # ideal joints do no work


def test_partitioned_run_has_the_same_bonds(example):
    m = example("slider_crank")
    whole = m.simulate(0.5, formulation="bondgraph").bonds
    split = m.simulate(0.5, formulation="bondgraph", loops="partition").bonds
    for name, power in whole.power.items():
        assert np.abs(power - split.power[name]).max() < 1e-5
    assert split.index == pytest.approx(whole.index, abs=1e-7)


def test_results_without_a_graph_say_so(example):
    r = example("pendulum").simulate(0.1)
    with pytest.raises(lw.LinkworkError, match="no bonds.*formulation='bondgraph'"):
        _ = r.bonds
    r = dc_motor.model().simulate(0.1)
    for twin in (copy.copy(r), pickle.loads(pickle.dumps(r))):
        assert np.array_equal(twin["rotor.flow"], r["rotor.flow"])
        with pytest.raises(lw.LinkworkError, match="no bonds"):
            _ = twin.bonds
    with pytest.raises(lw.UnknownName, match="rotor"):
        r.bonds.power_of("rotors")


def test_plot_shows_bars_and_lines(tmp_path):
    bonds = dc_motor.model().simulate(0.3).bonds
    figure = bonds.plot("supply", "load", file=tmp_path / "power.png")
    bars, lines = figure.axes
    assert len(bars.patches) == 5 and sum(p.get_width() for p in bars.patches) == pytest.approx(100)
    assert [line.get_label() for line in lines.lines] == ["supply", "load"]
    assert np.array_equal(lines.lines[0].get_ydata(), bonds.power_of("supply"))
    assert (tmp_path / "power.png").stat().st_size > 10_000
    series = bonds.series()
    assert series["t"].size == 501 and set(series["b1"]) == {"effort", "flow", "power"}
    assert np.allclose(np.sum(series["b1"]["effort"] * series["b1"]["flow"], axis=1), series["b1"]["power"])
