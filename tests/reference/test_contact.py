"""Compliant contact: rest, bounces, sliding, rolling, shapes and uneven ground against what mechanics says."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.components.contacts.outlines import Ball, Box, Ellipsoid, Wheel


def ball(gravity=(0, 0, -9.81), **options) -> tuple[lw.Model, object]:
    m = lw.Model("ball", gravity=gravity)
    inertia = 0.4 * 2 * 0.01 if m.is_planar else (0.4 * 2 * 0.01,) * 3
    body = m.body("ball", mass=2, inertia=inertia)
    m.contact("floor", body, radius=0.1, **options)
    return m, body


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "bondgraph"])
def test_ball_comes_to_rest_where_it_should(formulation):
    m, body = ball(stiffness=1e5, dissipation=5.0)
    body.start(position=(0, 0, 0.15))
    r = m.simulate(3, formulation=formulation)
    assert r["floor.penetration"][-1] == pytest.approx((2 * 9.81 / 1e5) ** (2 / 3), rel=1e-3)
    assert r["floor.force"][-1] == pytest.approx(2 * 9.81, rel=1e-2)
    assert np.ptp(r["energy.total"] + r["energy.dissipated"]) < 1e-6


def test_elastic_bounces_keep_their_energy_and_height():
    m, body = ball(gravity=(0, -9.81), stiffness=1e6)
    body.start(position=(0, 1.1), angle=0)
    r = m.simulate(3, rtol=1e-10, atol=1e-12, output=1e-3)
    assert np.ptp(r["energy.total"]) < 1e-6
    peaks = r["ball.y"][1:-1][(r["ball.y"][1:-1] > r["ball.y"][:-2]) & (r["ball.y"][1:-1] > r["ball.y"][2:])]
    assert len(peaks) >= 2 and peaks == pytest.approx(1.1, abs=1e-5)
    assert len([t for t, name in r.events if name == "floor.switch"]) >= 4


def test_block_slides_to_a_stop_after_v_squared_by_two_mu_g():
    """Four points under a block would do the same; one is enough where it cannot turn."""
    m = lw.Model("block", gravity=(0, -9.81))
    block = m.body("block", mass=2, inertia=1).start(position=(0, 0), angle=0)
    m.planar("guide", m.ground, block).angle.law(lw.Motion(0.0))
    m.contact("floor", block, stiffness=1e6, exponent=1.0, dissipation=10.0, friction=0.3, creep=1e-4)
    depth = 2 * 9.81 / 1e6
    block.start(position=(0, -depth), velocity=(1.5, 0))
    r = m.simulate(1.5, rtol=1e-9)
    assert r["block.x"][-1] == pytest.approx(1.5**2 / (2 * 0.3 * 9.81), abs=2e-4)
    assert abs(r["block.vx"][-1]) < 1e-4


def test_sliding_ball_ends_up_rolling_with_five_sevenths_of_its_speed():
    m, body = ball(stiffness=1e6, dissipation=10.0, friction=0.2, creep=1e-4)
    depth = (2 * 9.81 / 1e6) ** (2 / 3)
    body.start(position=(0, 0, 0.1 - depth), velocity=(2.0, 0, 0), spin=(0, 0, 0))
    r = m.simulate(1.5, rtol=1e-8)
    assert r["ball.vx"][-1] == pytest.approx(5 / 7 * 2.0, rel=2e-3)
    assert r["floor.slip"][-1] < 1e-3


@pytest.mark.parametrize("formulation", ["absolute", "bondgraph-zcp"])
def test_frictionless_ball_on_uneven_ground_keeps_its_energy(formulation):
    m, body = ball(height=lambda x, y: 0.05 * lw.sin(2 * x) * lw.cos(1.5 * y), stiffness=1e6)
    body.start(position=(0.2, 0.1, 0.15), velocity=(0.8, 0.5, 0))
    r = m.simulate(2, formulation=formulation, rtol=1e-10, atol=1e-12)
    assert np.ptp(r["energy.total"]) < 1e-6
    assert r["floor.force"].max() > 2 * 9.81  # it touched


def test_what_is_pushed_pushes_back():
    """A ball on a sliding plate: momentum along x is kept."""
    m = lw.Model("plate", gravity=(0, -9.81))
    plate = m.body("plate", mass=5, inertia=1).start(position=(0, 0), angle=0)
    m.prismatic("slide", m.ground, plate.at())
    body = m.body("ball", mass=2, inertia=0.008)
    m.contact("touch", body, plate, radius=0.1, stiffness=1e5, dissipation=5.0, friction=0.3)
    body.start(position=(0, 0.12), angle=0, velocity=(1.0, 0))
    r = m.simulate(1)
    assert np.ptp(2 * r["ball.vx"] + 5 * r["plate.vx"]) < 1e-7
    assert r["plate.vx"][-1] > 0.05


def test_ball_on_steep_hills_keeps_its_energy():
    """Its radius is a third of the ground's least radius of curvature: distances to first order would not do."""
    m = lw.Model("hills", gravity=(0, 0, -9.81))
    body = m.body("ball", mass=2, inertia=(0.07,) * 3)
    m.contact(
        "floor", body, radius=0.3, stiffness=1e6,
        height=lambda x, y: 0.5 * lw.sin(1.5 * x) * lw.cos(1.2 * y) + 0.1 * x * x + 0.1 * y * y,
    )  # fmt: skip
    body.start(position=(0.4, 0.5, 1.0), velocity=(1.0, 0.5, 0))
    r = m.simulate(3, rtol=1e-10, atol=1e-12)
    assert np.ptp(r["energy.total"]) < 1e-6
    assert r["floor.force"].max() > 100


@pytest.mark.parametrize("formulation", ["absolute", "minimal", "points", "bondgraph"])
def test_bristle_sticks_where_regularised_friction_creeps(formulation):
    """A box on a slope of 0.3 rad, μ = 0.5: the regularised one creeps at tan β/μ of its `creep` speed and more."""
    moved = {}
    for bristle in (None, 1e5):
        m, _ = slope(0.3, friction=0.5, bristle=bristle)
        r = m.simulate(2, formulation=formulation)
        half = len(r.t) // 2
        moved[bristle] = r["block.x"][-1] - r["block.x"][half]
        assert np.ptp(r["energy.total"] + r["energy.dissipated"]) < 1e-9
        assert np.diff(r["energy.dissipated"]).min() > -1e-12
    assert moved[None] > 7e-4
    assert abs(moved[1e5]) < 1e-11


def slope(angle: float, **options) -> tuple[lw.Model, object]:
    m = lw.Model("slope", gravity=(9.81 * np.sin(angle), -9.81 * np.cos(angle)))
    body = m.body("block", mass=2, inertia=0.01)
    m.contact("floor", body, shape=Box((0.2, 0.1)), stiffness=1e6, exponent=1.0, dissipation=5.0, **options)
    body.start(position=(0, 0.05 - 9.81 * np.cos(angle) / 1e6), angle=0)
    return m, body


@pytest.mark.parametrize("bristle", [None, 1e5])
def test_block_slides_down_a_slope_above_the_friction_angle(bristle):
    m, _ = slope(0.3, friction=0.2, bristle=bristle, creep=1e-4)
    r = m.simulate(1)
    a = np.polyfit(r.t[100:], r["block.vx"][100:], 1)[0]
    assert a == pytest.approx(9.81 * (np.sin(0.3) - 0.2 * np.cos(0.3)), rel=1e-3)
    assert r["floor.friction"][-1] == pytest.approx(0.2 * r["floor.force"][-1], rel=1e-4)
    assert np.ptp(r["energy.total"] + r["energy.dissipated"]) < 1e-9


def test_bristle_carries_a_load_that_goes_to_and_fro_without_creep():
    """Half of what would make it slide; and when the load is gone it is back where it was."""
    m, body = slope(0.0, friction=0.5, bristle=1e5)
    m.force("push", body, lambda t: (lw.if_else(t < 2, 0.5 * 0.5 * 19.62 * lw.sin(20 * t), 0), 0))
    r = m.simulate(3)
    swing = np.abs(r["block.x"][r.t < 2]).max()
    assert swing == pytest.approx(0.5 * 0.5 * 19.62 / 2e5, rel=0.05)  # two corners, two bristles
    assert abs(r["block.x"][-1]) < 1e-6 * swing


def test_what_lands_and_turns_stiff_is_seen_soon():
    """Held back by a bristle, 20,000 steps of dopri5 were made before anyone looked: many, and worse than they said."""
    m = lw.Model("egg", gravity=(0, 0, -9.81))
    egg = m.body("egg", mass=0.19, inertia=(2e-4, 3e-4, 4e-4))
    how = {"stiffness": 1.8e5, "dissipation": 28.0, "friction": 0.03, "bristle": 2.8e4}
    m.contact("floor", egg, shape=Ellipsoid((0.08, 0.06, 0.04)), **how)
    egg.start(position=(0, 0, 0.16), quaternion=(0.8, 0.3, -0.4, 0.33), spin=(4, -3, 5), velocity=(1, -0.5, 0.2))
    r = m.simulate(0.5, output=0.005)
    exact = m.simulate(0.5, output=0.005, rtol=1e-13, atol=1e-15, solver="dop853")
    assert r.record["solver"].startswith("dopri5, radau from 0.1")
    assert r.record["statistics"]["accepted"] < 4000
    assert max(np.abs(r[f"egg.{c}"] - exact[f"egg.{c}"]).max() for c in "xyz") < 2e-6


def test_bristles_that_begin_to_bend_keep_the_energy():
    """Where a corner lands, the Jacobian of its bristle is that of a bend of next to nothing, far too steep for what
    follows: Newton's iteration stops moving there. Of 200 such starts, three once lost up to 2.5 mJ so."""
    for k in range(24):
        m = lw.Model("dropped", gravity=(0, 0, -9.81))
        body = m.body("box", mass=2, inertia=(0.02, 0.03, 0.04))
        box = Box((0.3, 0.2, 0.1), 0.01)
        m.contact("floor", body, shape=box, stiffness=1e5, dissipation=20, friction=0.5, bristle=1e5)
        speed = 0.5 + 1e-3 * k
        body.start(position=(0, 0, 0.3), quaternion=(0.9, 0.2, 0.3, 0.1), spin=(1.0, 2, 3), velocity=(speed, 0, 0))
        r = m.simulate(1, solver="radau")
        assert np.ptp(r["energy.total"] + r["energy.dissipated"]) < 5e-6


@pytest.mark.parametrize("bristle", [None, 1e5])
def test_box_that_is_dropped_comes_to_rest_on_a_face(bristle):
    m = lw.Model("dropped", gravity=(0, 0, -9.81))
    body = m.body("box", mass=2, inertia=(0.02, 0.03, 0.04))
    m.contact(
        "floor", body, shape=Box((0.3, 0.2, 0.1), 0.01), stiffness=1e5, dissipation=20, friction=0.5, bristle=bristle
    )
    body.start(position=(0, 0, 0.3), quaternion=(0.9, 0.2, 0.3, 0.1), spin=(1.0, 2, 3), velocity=(0.5, 0, 0))
    r = m.simulate(5)  # at rtol=1e-7 the energy of a tumbling box depends on rounding
    upright = r["box.q0"][-1] ** 2 - r["box.q1"][-1] ** 2 - r["box.q2"][-1] ** 2 + r["box.q3"][-1] ** 2
    assert abs(upright) == pytest.approx(1, abs=1e-6)
    depth = (2 * 9.81 / 4 / 1e5) ** (2 / 3)
    assert r["box.z"][-1] == pytest.approx(0.05 - depth, abs=1e-5)
    assert r["floor.force"][-1] == pytest.approx(2 * 9.81, rel=1e-3)
    assert np.abs([r[f"box.v{k}"][-1] for k in "xyz"]).max() < 1e-4
    assert np.ptp(r["energy.total"] + r["energy.dissipated"]) < 1e-5


def test_two_balls_keep_momentum_and_spin():
    """Off-centre, with friction, far from any ground."""
    m = lw.Model("balls", gravity=(0, 0, 0))
    a, b = (m.body(n, mass=k, inertia=(0.004 * k,) * 3) for n, k in (("a", 2), ("b", 1)))
    m.contact("hit", a, b, shape=Ball(0.1), other=Ball(0.08), stiffness=1e6, friction=0.3, dissipation=0.1)
    a.start(position=(-0.5, 0, 0), velocity=(2, 0, 0), spin=(0, 0, 5))
    b.start(position=(0, 0.06, 0.03))
    # an explicit method keeps sums of states exactly; `auto` takes radau where the balls stick to each other
    r = m.simulate(1, rtol=1e-10, atol=1e-12, max_step=0.01, solver="dopri5")
    x, v, w = ({n: np.column_stack([r[f"{n}.{k}{c}"] for c in "xyz"]) for n in "ab"} for k in ("", "v", "w"))
    momentum = 2 * v["a"] + v["b"]
    spin = 2 * np.cross(x["a"], v["a"]) + np.cross(x["b"], v["b"]) + 0.008 * w["a"] + 0.004 * w["b"]
    assert np.ptp(momentum, axis=0).max() < 1e-12 and np.ptp(spin, axis=0).max() < 1e-12
    assert r["b.vy"][-1] > 0.5 and r["energy.dissipated"][-1] > 0.01
    assert np.ptp(r["energy.total"] + r["energy.dissipated"]) < 1e-7


@pytest.mark.parametrize("bristle", [None, 1e5])
@pytest.mark.parametrize("torque", [1.0, 4.0])
def test_driven_wheel_rolls_or_slips(torque, bristle):
    """It slips where rolling would need more friction than μ m g: above 3 μ m g r/2 for this wheel."""
    m = lw.Model("wheel", gravity=(0, 0, -9.81))
    along = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
    body = m.body("wheel", mass=2, inertia=(0.05, 0.09, 0.05)).start(position=(0, 0, 0.3 - 2 * 9.81 / 1e6))
    m.planar("upright", m.ground.at(rotation=along), body.at(rotation=along))
    m.contact(
        "road", body.at(rotation=along), shape=Wheel(0.3, 0.05), stiffness=1e6, exponent=1.0, dissipation=5.0,
        friction=0.4, creep=1e-4, bristle=bristle,
    )  # fmt: skip
    m.torque("drive", body, (0, torque, 0))
    r = m.simulate(1)
    rolling, sliding = torque / 0.3 / (2 + 0.09 / 0.3**2), 0.4 * 9.81
    assert r["wheel.vx"][-1] == pytest.approx(min(rolling, sliding), rel=1e-3)
    if rolling < sliding:
        assert r["road.slip"][-1] < 1e-4
    else:
        assert r["wheel.wy"][-1] == pytest.approx((torque - 0.3 * 0.4 * 2 * 9.81) / 0.09, rel=1e-3)
    assert np.ptp(r["energy.total"] + r["energy.dissipated"] - r["energy.supplied"]) < 1e-9


def test_wheel_jumps_off_a_crest():
    """Over y = h(x) at speed v it must lift off where v² times the crest's curvature exceeds g."""
    airborne = {}
    for speed in (1.0, 4.0):
        m = lw.Model("crest", gravity=(0, -9.81))
        body = m.body("wheel", mass=2, inertia=0.01)
        m.contact("road", body, shape=Wheel(0.1), height=lambda x: 0.2 * lw.exp(-4 * x * x), stiffness=1e6)
        body.start(position=(-1.5, 0.1 - (2 * 9.81 / 1e6) ** (2 / 3)), angle=0, velocity=(speed * 1.5, 0))
        r = m.simulate(2.4 / speed, rtol=1e-8)
        airborne[speed] = (r["road.force"][np.abs(r["wheel.x"]) < 0.5] == 0).mean()
    assert airborne[1.0] < 0.35 and airborne[4.0] > 0.5


def test_box_lies_on_a_box():
    m = lw.Model("stack", gravity=(0, -9.81))
    low, top = m.body("low", mass=3, inertia=0.02), m.body("top", mass=1, inertia=0.005)
    stiff = {"stiffness": 1e6, "exponent": 1.0, "dissipation": 20.0, "friction": 0.6, "bristle": 1e5}
    m.contact("floor", low, shape=Box((0.4, 0.2), 0.01), **stiff)
    m.contact("between", top, low, shape=Box((0.3, 0.1), 0.01), other=Box((0.4, 0.2), 0.01), **stiff)
    low.start(position=(0, 0.1), angle=0)
    top.start(position=(0.05, 0.27), angle=0.1)
    r = m.simulate(2)
    assert r["between.force"][-1] == pytest.approx(9.81, rel=1e-3)
    assert r["floor.force"][-1] == pytest.approx(4 * 9.81, rel=1e-3)
    assert r["top.angle"][-1] == pytest.approx(r["low.angle"][-1], abs=1e-4)
    assert r["top.y"][-1] == pytest.approx(0.25, abs=1e-4)


@pytest.mark.slow
def test_beam_lies_across_a_beam():
    """No corner of one touches the other: edges on edges."""
    m = lw.Model("beams", gravity=(0, 0, -9.81))
    beam = m.body("beam", mass=2, inertia=(0.02, 0.04, 0.04)).start(position=(0, 0.02, 0.12), spin=(0.2, 0.3, 0.4))
    m.contact(
        "on", beam, shape=Box((0.8, 0.1, 0.1), 0.01), other=Box((0.1, 0.8, 0.1), 0.01),
        stiffness=1e5, dissipation=10, friction=0.5,
    )  # fmt: skip
    r = m.simulate(2, rtol=1e-6, max_step=0.01)
    assert r["beam.z"][-1] == pytest.approx(0.1, abs=3e-3)
    assert r["on.force"][-1] == pytest.approx(2 * 9.81, rel=0.02)
    assert np.ptp(r["energy.total"] + r["energy.dissipated"]) < 1e-4


def test_bad_input_names_the_contact():
    m, body = ball()
    for word, value in (("stiffness", -1), ("friction", -0.1), ("exponent", 0.5)):
        with pytest.raises(lw.LinkworkError, match=word):
            m.contact("bad", body, **{word: value})
    with pytest.raises(lw.LinkworkError, match="own body"):
        m.contact("bad", body, body)
