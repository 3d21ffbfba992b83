"""Slider-cranks against their one equation of motion, and against each other: planar, spatial, over-constrained."""

import numpy as np
import pytest

import linkwork as lw

from .one_degree import SliderCrank

TIGHT = {"solver": "dop853", "rtol": 1e-11, "atol": 1e-12}
PACKAGED = SliderCrank(0.2, 1.0, (1, 1, 1), (1, 1), torque=10, gravity=9.81, crank_damping=2, slide_damping=5)
SHORT = SliderCrank(0.1, 0.3, (0.2, 0.2, 0.4), (0.2 * 0.1**2 / 12, 0.2 * 0.3**2 / 12), torque=0.1)


@pytest.fixture(scope="module")
def planar(example):
    return example("slider_crank").simulate(5, output=0.05, **TIGHT)


@pytest.fixture(scope="module")
def spatial(example):
    return {k: example("slider_crank_spatial", redundant=k).simulate(5, output=0.05, **TIGHT) for k in (False, True)}


def test_against_one_equation(planar):
    theta, rate = PACKAGED.solve(0.3, planar.t)
    assert planar["O.angle"] == pytest.approx(theta, abs=1e-9)
    assert planar["O.angle.rate"] == pytest.approx(rate, abs=1e-9)
    assert planar["piston.x"] == pytest.approx(PACKAGED.slide(theta), abs=1e-9)
    assert planar["crank.alphaz"] == pytest.approx(
        [PACKAGED.acceleration(*y) for y in zip(theta, rate, strict=True)], abs=1e-8
    )


def test_energy_balance(planar):
    balance = planar["energy.total"] + planar["energy.dissipated"] - planar["energy.supplied"]
    assert balance == pytest.approx(balance[0], abs=1e-9)
    assert planar["energy.supplied"] == pytest.approx(10 * (planar["O.angle"] - 0.3), abs=1e-8)


def test_torque_is_a_parameter(example):
    r = example("slider_crank").simulate(2, output=0.1, parameters={"torque": 4.0}, **TIGHT)
    weaker = SliderCrank(0.2, 1.0, (1, 1, 1), (1, 1), torque=4, gravity=9.81, crank_damping=2, slide_damping=5)
    assert r["O.angle"] == pytest.approx(weaker.solve(0.3, r.t)[0], abs=1e-9)


@pytest.mark.parametrize("channel", ["O.angle", "O.angle.rate", "piston.x", "rod.wz", "crank.ax", "energy.dissipated"])
def test_isostatic_and_over_constrained_agree(spatial, planar, channel):
    assert spatial[True][channel] == pytest.approx(spatial[False][channel], abs=1e-9)
    assert spatial[False][channel] == pytest.approx(planar[channel], abs=1e-9)


@pytest.mark.parametrize("component", ["fx", "fy", "mz"])
def test_reactions_in_the_plane_do_not_depend_on_redundancy(spatial, planar, component):
    for joint in "OABP":
        for r in spatial.values():
            assert r[f"{joint}.reaction.{component}"] == pytest.approx(
                planar[f"{joint}.reaction.{component}"], abs=1e-7
            )


def _short() -> lw.Model:
    """The planar slider-crank of section 3: uniform rods, no gravity, extended at the start."""
    m = lw.Model("short", gravity=(0, 0))
    crank = m.body("crank", mass=0.2, inertia=SHORT.inertias[0])
    rod = m.body("rod", mass=0.2, inertia=SHORT.inertias[1])
    piston = m.body("piston", mass=0.4, inertia=0.01)
    O = m.revolute("O", m.ground.at(0, 0), crank.at(-0.05, 0))
    m.revolute("A", crank.at(0.05, 0), rod.at(-0.15, 0))
    m.revolute("B", rod.at(0.15, 0), piston.at(0, 0))
    m.prismatic("P", m.ground.at(0, 0), piston.at(0, 0))
    O.angle.law(lw.Effort(0.1))
    O.angle.start(0, rate=0)
    return m


def test_published_case_without_gravity():
    times = np.array([0.0, 0.3, 0.5, 1.0, 2.0, 3.0])
    r = _short().simulate(3, output=times, **TIGHT)
    recomputed = (0, 1.45279882304, 4.07313013035, 14.12789221775, 55.07244379558, 121.88627750758)
    assert r["O.angle"] == pytest.approx(recomputed, abs=2e-8)
    assert r["O.angle.rate"][3] == pytest.approx(20.537482851, abs=1e-8)
    assert r["crank.alphaz"][0] == pytest.approx(75.0, rel=1e-10)
    assert r["O.angle"] == pytest.approx(SHORT.solve(0.0, times)[0], abs=2e-8)
