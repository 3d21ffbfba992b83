"""The acausal formulation against `absolute` on the examples, and its own ways: redundancy, index, Baumgarte."""

import importlib

import numpy as np
import pytest

import linkwork as lw
from linkwork.compile.functions import builders
from linkwork.examples import slider_crank, slider_crank_spatial, squeezer
from linkwork.formulations import formulate

CASES = {
    "slider_crank": 0.3,
    "squeezer": 3e-4,
    "rolling_disc": 0.3,
    "wheelset": 0.3,
    "bicycle": 0.2,
    "motor_slider_crank": 0.2,
    "hydraulic_jack": 0.05,
    "slider_crank_positions": 0.2,
    "rssr": 0.2,
}


LEFT = ("solver", "multiplier", "residual")


def apart(a: lw.Result, b: lw.Result) -> dict[str, float]:
    """Largest difference of each channel, relative to its size, or to that of its unit."""
    sizes: dict[str, float] = {}
    for name in a:
        sizes[a.unit(name)] = max(sizes.get(a.unit(name), 0.0), float(np.abs(a[name]).max()))
    return {
        name: float(np.abs(a[name] - b[name]).max() / (sizes[a.unit(name)] or 1.0))
        for name in a
        if not any(word in name for word in LEFT)
    }


@pytest.mark.parametrize("name", CASES)
def test_examples(name):
    m = importlib.import_module(f"linkwork.examples.{name}").model()
    run = {"rtol": 1e-9, "atol": 1e-11, "output": CASES[name] / 20}
    exact, got = (m.simulate(CASES[name], formulation=f, **run) for f in ("absolute", "acausal"))
    assert set(exact) == set(got)
    off = apart(exact, got)
    worst = max(off, key=off.__getitem__)
    assert off[worst] < 2e-6, (worst, off[worst])


def test_redundant_constraints_share_their_load():
    """Over-constrained in space: three equations too many, structurally singular, and yet it runs."""
    m = slider_crank_spatial.model(redundant=True)
    assert len(m.check().redundant) == 3
    exact, got = (m.simulate(0.5, formulation=f, rtol=1e-9) for f in ("minimal", "acausal"))
    for channel in ("piston.x", "piston.vx", "crank.wz", "energy.total"):
        assert np.abs(exact[channel] - got[channel]).max() < 1e-6
    assert got["residual.position"].max() < 1e-9


def test_structure_of_a_mechanism():
    found = squeezer.model().structure()
    assert found.index == 3 and found.differentiated[2] == 20
    assert [len(b.torn) for b in found.blocks] == [20] and found.blocks[0].linear
    assert "index 3" in str(found) and "20 torn" in str(found)


@pytest.mark.parametrize("make", [slider_crank.model, slider_crank_spatial.model, squeezer.model])
def test_no_more_than_twice_the_operations_of_absolute(make):
    """Tearing leaves what Lagrange multipliers leave: the cost per evaluation is of the same size."""
    absolute, acausal = (
        builders(formulate(make(), f), shared=True)["rhs"]().n_instructions() for f in ("absolute", "acausal")
    )
    assert acausal < 1.5 * absolute


def test_baumgarte_keeps_the_constraints_too():
    m = slider_crank.model()
    exact = m.simulate(1.0, formulation="minimal", rtol=1e-10)
    got = m.simulate(1.0, formulation="acausal", stabilisation=lw.Baumgarte(100, 100), rtol=1e-10)
    assert np.abs(exact["piston.x"] - got["piston.x"]).max() < 1e-6
    assert got["residual.position"].max() < 1e-7


def test_sampled_parameters_are_not_frozen():
    """Parameters stay parameters: no block is solved with their defaults."""
    m = lw.Model("two masses", gravity=(0, -9.81))
    mass = m.parameter("mass", 1.0)
    rod = m.body("rod", mass=mass, inertia=0.1)
    m.revolute("pin", m.ground.at(0, 0), rod.at(-0.5, 0))
    light, heavy = (m.simulate(0.5, formulation="acausal", parameters={"mass": x}) for x in (0.2, 5.0))
    assert abs(light["rod.angle"][-1] - heavy["rod.angle"][-1]) > 0.05
    for r, x in ((light, 0.2), (heavy, 5.0)):
        assert r["rod.alphaz"][0] == pytest.approx(-x * 9.81 * 0.5 / (0.1 + x * 0.25), rel=1e-9)


@pytest.mark.parametrize("formulation", ["acausal", "points"])
def test_partitioned_loops_are_refused_not_ignored(formulation):
    with pytest.raises(lw.ModelError, match=f"{formulation} formulation has no loops to partition.*multipliers"):
        slider_crank.model().simulate(0.1, formulation=formulation, loops="partition")
