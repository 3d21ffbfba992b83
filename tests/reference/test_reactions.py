"""Reactions against Newton and Euler: recomputed for every body from accelerations, planar and spatial."""

import numpy as np
import pytest

import linkwork as lw

from .newton_euler import residuals

CASES = {
    "slider_crank": (2.0, {}),
    "four_bar": (2.0, {}),
    "squeezer": (0.02, {}),
    "double_pendulum": (1.0, {}),
    "n_four_bar": (1.0, {}),
    "rssr": (1.0, {}),
    "spinning_top": (1.0, {}),
    "slider_crank_spatial": (2.0, {"redundant": False}),
}


@pytest.mark.parametrize("name", CASES)
def test_newton_euler(name, example):
    duration, options = CASES[name]
    m = example(name, **options)
    r = m.simulate(duration, rtol=1e-9, atol=1e-11, output=duration / 40)
    size = max(np.abs(r[k]).max() for k in r if ".reaction.f" in k)
    assert size > 1
    for body, (force, moment) in residuals(m, r).items():
        assert np.abs(force).max() < 1e-9 * size, body
        assert np.abs(moment).max() < 1e-9 * size, body


def test_redundant_reactions_still_balance(example):
    """Loads that only elasticity could tell apart are shared somehow: in sum they are those of Newton and Euler."""
    m = example("slider_crank_spatial", redundant=True)
    r = m.simulate(1, rtol=1e-9, atol=1e-11, output=0.05)
    for body, (force, moment) in residuals(m, r).items():
        assert np.abs(force).max() < 1e-8, body
        assert np.abs(moment).max() < 1e-8, body


def _screw_and_universal():
    """Every kind of row: a screw, a universal joint, skew frames, off-diagonal inertia."""
    m = lw.Model("arm", gravity=(0.3, -0.5, -9.81))
    nut = m.body("nut", mass=1.2, inertia=(0.02, 0.03, 0.04, 0.002, -0.003, 0.001))
    arm = m.body("arm", mass=0.7, inertia=(0.03, 0.02, 0.05, 0.001, 0.002, -0.002))
    hand = m.body("hand", mass=0.4, inertia=(0.01, 0.02, 0.015))
    m.screw("S", m.ground.at(0, 0, 0.1), nut.at(0.1, 0, 0), pitch=0.3)
    m.universal("U", nut.at(0.2, 0.1, 0), arm.at(-0.3, 0, 0.05))
    m.prismatic("P", arm.at(0.2, 0, 0, rotation=0.4), hand.at(0, 0.1, 0))
    m.spring("K", m.ground.at(1, 1, 1), hand.at(0.1, 0, 0), stiffness=30, length=0.5, damping=0.4)
    m["P"].slide.law(lw.Spring(200, rest=0.1))
    m["S"].angle.start(0.2, rate=2.0)
    m["U"].angle1.start(0.3, rate=-1.0)
    m["U"].angle2.start(-0.2, rate=0.5)
    m["P"].slide.start(0.15, rate=0.1)
    return m


def test_newton_euler_of_screw_universal_and_prismatic():
    m = _screw_and_universal()
    r = m.simulate(0.5, rtol=1e-9, atol=1e-11, output=0.02)
    for body, (force, moment) in residuals(m, r).items():
        assert np.abs(force).max() < 1e-9 * 100, body
        assert np.abs(moment).max() < 1e-9 * 100, body
    balance = r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]
    assert balance == pytest.approx(balance[0], abs=1e-7)


def test_action_equals_reaction(example):
    """Both ports of a joint carry opposite wrenches about the same point."""
    r = example("rssr").simulate(1, output=0.05)
    for joint in ("R1", "S1", "S2", "R2"):
        for k in ("fx", "fy", "fz"):
            assert r[f"{joint}.port1.{k}"] == pytest.approx(-r[f"{joint}.reaction.{k}"], abs=1e-8)
        for k in ("mx", "my", "mz"):
            assert r[f"{joint}.port1.{k}"] == pytest.approx(-r[f"{joint}.reaction.{k}"], abs=1e-7)
    for k in ("mx", "my", "mz"):
        assert r[f"S1.reaction.{k}"] == pytest.approx(0, abs=1e-8)


def test_other_frames(example):
    """The same vector in other axes: turned by hand from the body's angle, and unchanged in size."""
    r = example("slider_crank").simulate(1, output=0.02)
    world, body = r.reaction("A"), r.reaction("A", frame="rod")
    c, s = np.cos(r["rod.angle"]), np.sin(r["rod.angle"])
    assert body["fx"] == pytest.approx(c * world["fx"] + s * world["fy"], abs=1e-10)
    assert body["fy"] == pytest.approx(-s * world["fx"] + c * world["fy"], abs=1e-10)
    assert np.array_equal(r.reaction("A", frame="second")["fx"], body["fx"])  # its frame is parallel to the rod
    on_first = r.reaction("A", on="first", frame="crank")
    assert np.hypot(on_first["fx"], on_first["fy"]) == pytest.approx(np.hypot(world["fx"], world["fy"]), abs=1e-9)


def test_static_load_by_hand():
    """A beam on a pin and a roller: P a/L on the roller, the rest on the pin."""
    m = lw.Model("beam", gravity=(0, 0))
    beam = m.body("beam", mass=1, inertia=1).start(position=(1, 0))
    m.revolute("pin", m.ground.at(0, 0), beam.at(-1, 0))
    m.point_on_line("roller", m.ground.at(2, 0), beam.at(1, 0))
    m.force("load", beam.at(-0.5, 0), (3.0, -100.0))
    r = m.simulate(0.1)
    final = r.final
    assert (final["pin.reaction.fx"], final["pin.reaction.fy"]) == pytest.approx((-3.0, 75.0), abs=1e-9)
    assert (final["roller.reaction.fx"], final["roller.reaction.fy"]) == pytest.approx((0.0, 25.0), abs=1e-9)
    assert (final["load.fx"], final["load.fy"]) == pytest.approx((3.0, -100.0))
